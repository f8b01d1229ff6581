// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/privacy_words.h"

#include <gtest/gtest.h>

#include "tacet/sql/canonical.h"
#include "tacet/sql/parser.h"

namespace tacet::sql {
namespace {

TEST(PrivacyWords, AreTakenOutAndLeaveEverythingInItsPlace) {
  const std::string text =
      "SELECT WITH DIFFERENTIAL_PRIVACY\n OPTIONS(epsilon=1/2, Delta = 1e-6, "
      "max_groups_contributed = 3, MAX_ROWS_CONTRIBUTED=2, privacy_unit_column = \"id\") "
      "count(*) FROM t";
  const Result<PrivacyWords> words = TakePrivacyWords(text);
  ASSERT_TRUE(words.ok()) << words.error().message;
  EXPECT_EQ(words->text.size(), text.size());
  EXPECT_EQ(words->text.find("count(*)"), text.find("count(*)"));
  const PrivacyOptions expected{.epsilon = Rational(1, 2),
                                .delta = Rational(1, 1000000),
                                .groups_max = 3,
                                .rows_max = 2,
                                .person = "id"};
  EXPECT_EQ(words->options, expected);
  const Result<Select> select = Parse(text);
  ASSERT_TRUE(select.ok()) << select.error().message;
  EXPECT_EQ(select->privacy, expected);
  EXPECT_EQ(ToString(*select),
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1/2, delta = 1/1000000, "
            "max_groups_contributed = 3, max_rows_contributed = 2, privacy_unit_column = \"id\") "
            "count(*) FROM t");
  EXPECT_EQ(*Parse(ToString(*select)), *select);
}

TEST(PrivacyWords, NeedNoOptions) {
  EXPECT_EQ(ToString(*Parse("select /* so */ with differential_privacy count(*) from t")),
            "SELECT WITH DIFFERENTIAL_PRIVACY count(*) FROM t");
  EXPECT_EQ(Parse("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS () count(*) FROM t")->privacy,
            PrivacyOptions{});
  EXPECT_EQ(Parse("SELECT count(*) FROM t")->privacy, std::nullopt);
}

TEST(PrivacyWords, RefuseWhatTheyDoNotKnow) {
  const auto refuse = [](const std::string& options) {
    const Result<Select> select =
        Parse("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (" + options + " count(*) FROM t");
    if (select.ok()) return std::string("answered");
    EXPECT_EQ(select.error().code, Code::kUnsupported);
    EXPECT_TRUE(select.error().position.has_value());
    return select.error().message;
  };
  EXPECT_EQ(refuse("epsilonn = 1)"), "there is no option 'epsilonn'");
  EXPECT_EQ(refuse("epsilon 1)"), "an option is written name = value");
  EXPECT_EQ(refuse("epsilon = )"), "the option epsilon has no such value");
  EXPECT_EQ(refuse("epsilon = -1)"), "the option epsilon has no such value");
  EXPECT_EQ(refuse("epsilon = nan)"), "the option epsilon has no such value");
  EXPECT_EQ(refuse("epsilon = 1, epsilon = 2)"), "the option epsilon is given twice");
  EXPECT_EQ(refuse("max_groups_contributed = 0)"),
            "the option max_groups_contributed has no such value");
  EXPECT_EQ(refuse("max_rows_contributed = 1.5)"),
            "the option max_rows_contributed has no such value");
  EXPECT_EQ(Parse("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1").error().message,
            "OPTIONS ( is not closed");
}

// Only these words, at the very beginning, are ours.
TEST(PrivacyWords, AreNothingElsewhere) {
  EXPECT_FALSE(Parse("SELECT count(*) WITH DIFFERENTIAL_PRIVACY FROM t").ok());
  EXPECT_FALSE(Parse("SELECT WITH DIFFERENTIAL count(*) FROM t").ok());
  EXPECT_FALSE(Parse("WITH DIFFERENTIAL_PRIVACY SELECT count(*) FROM t").ok());
  EXPECT_FALSE(
      Parse("SELECT WITH DIFFERENTIAL_PRIVACY WITH DIFFERENTIAL_PRIVACY count(*) FROM t").ok());
}

}  // namespace
}  // namespace tacet::sql
