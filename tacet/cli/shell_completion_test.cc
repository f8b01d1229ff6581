// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_completion.h"

#include <gtest/gtest.h>

#include "tacet/base/check.h"
#include "tacet/catalog/parse.h"

namespace tacet::cli {
namespace {

using Texts = std::vector<std::string>;

Catalog TestCatalog() {
  constexpr char kText[] = R"([budget]
epsilon = "1"
[tables.patients]
source = "p.csv"
person = "patient_id"
[tables.patients.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["Female", "Male"] }
group = { type = "boolean" }
"größe" = { type = "integer", range = [0, 300] }
[tables.Parks]
source = "w.csv"
public = true
[tables.Parks.columns]
area = { type = "integer", range = [0, 10] }
)";
  ParsedCatalog parsed = ParseCatalog(kText);
  TACET_CHECK(parsed.catalog.has_value());
  return *std::move(parsed.catalog);
}

class ShellCompletionTest : public ::testing::Test {
 protected:
  Texts Words(std::string_view before, std::string_view pending = "") const {
    return Complete(catalog_, {"\\d", "\\explain", "\\budget"}, pending, before).words;
  }
  const Catalog catalog_ = TestCatalog();
};

TEST_F(ShellCompletionTest, TablesFollowFrom) {
  EXPECT_EQ(Words("SELECT count(*) FROM "), (Texts{"Parks", "patients"}));
  EXPECT_EQ(Words("select count(*) from PAT"), (Texts{"patients"}));
  EXPECT_EQ(Words("  p", "SELECT count(*) FROM\n"), (Texts{"Parks", "patients"}));
  EXPECT_EQ(Words("SELECT 1 FROM x"), Texts());
  EXPECT_EQ(Complete(catalog_, {}, "", "SELECT count(*) FROM PAT").word_bytes, 3u);
}

TEST_F(ShellCompletionTest, ColumnsFollowTheirTableAndADot) {
  EXPECT_EQ(Words("SELECT parks."), (Texts{"area"}));
  EXPECT_EQ(Words("SELECT count(DISTINCT patients.p"), (Texts{"patient_id"}));
  EXPECT_EQ(Words("SELECT \"patients\".s"), (Texts{"sex"}));
  EXPECT_EQ(Words("SELECT nobody.a"), Texts());
}

TEST_F(ShellCompletionTest, ElsewhereNamesAndWordsInTheCaseThatIsTyped) {
  EXPECT_EQ(Words("se"), (Texts{"select", "sex"}));
  EXPECT_EQ(Words("SE"), (Texts{"SELECT", "sex"}));
  EXPECT_EQ(Words("SELECT avg(ag"), (Texts{"age"}));
  EXPECT_EQ(Words("SELECT percentile_"), (Texts{"percentile_cont", "percentile_disc"}));
  EXPECT_EQ(Words("SELECT count(*) FROM patients JO"), (Texts{"JOIN"}));
  EXPECT_EQ(Words("SELECT gr\xc3\xb6"), (Texts{"größe"}));
  EXPECT_EQ(Complete(catalog_, {}, "", "SELECT gr\xc3\xb6").word_bytes, 4u);
}

TEST_F(ShellCompletionTest, NamesThatAreWordsComeInQuotes) {
  EXPECT_EQ(Words("SELECT patients.gro"), (Texts{"\"group\""}));
  EXPECT_EQ(Words("SELECT \"a"), (Texts{"\"age\"", "\"area\""}));
}

TEST_F(ShellCompletionTest, CommandsAndTheirTables) {
  EXPECT_EQ(Words("\\"), (Texts{"\\budget", "\\d", "\\explain"}));
  EXPECT_EQ(Words(" \\e"), (Texts{"\\explain"}));
  EXPECT_EQ(Words("\\d pa"), (Texts{"Parks", "patients"}));
  EXPECT_EQ(Words("\\explain SELECT count(*) FROM pat"), (Texts{"patients"}));
  EXPECT_EQ(Words("\\budget a"), Texts());
}

TEST_F(ShellCompletionTest, ValuesAreNeverOffered) { EXPECT_EQ(Words("SELECT Fem"), Texts()); }

TEST_F(ShellCompletionTest, BeginningsEndBetweenCharacters) {
  EXPECT_EQ(CommonBeginning({}), "");
  EXPECT_EQ(CommonBeginning({"one"}), "one");
  EXPECT_EQ(CommonBeginning({"visits", "visible", "vista"}), "vis");
  EXPECT_EQ(CommonBeginning({"a\xc3\xa4", "a\xc3\xb6"}), "a");
  EXPECT_EQ(CommonBeginning({"a", "b"}), "");
}

}  // namespace
}  // namespace tacet::cli
