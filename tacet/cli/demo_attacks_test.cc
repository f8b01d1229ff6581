// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_attacks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "tacet/gateway/owner.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

const std::string kDemo = std::string(TACET_SOURCE_DIR) + "/demo";

// The table without names, and the project that holds it, as the demonstration makes them.
class AttacksTest : public ::testing::Test {
 protected:
  AttacksTest() {
    fs::copy_file(kDemo + "/attack/tacet.toml", folder_.path() + "/tacet.toml");
    const Status written = WriteReleased(kDemo + "/data", released_, entropy_);
    TACET_CHECK(written.ok());
  }

  std::vector<ReleasedRow> Rows() const {
    Result<std::vector<ReleasedRow>> rows = ReadReleased(released_);
    TACET_CHECK(rows.ok());
    return *std::move(rows);
  }

  SystemClock clock_;
  SystemEntropy entropy_;
  testing::TemporaryFolder folder_;
  const std::string released_ = folder_.path() + "/released.csv";
};

TEST_F(AttacksTest, WhatIsReleasedHasNoNamesAndHasThePeople) {
  const std::vector<ReleasedRow> rows = Rows();
  EXPECT_EQ(rows.size(), 5908u);  // of 5,912; schooling of four is not known
  std::set<std::string> pseudonyms;
  size_t in_hospital = 0;
  for (const ReleasedRow& row : rows) {
    EXPECT_TRUE(pseudonyms.insert(row.pseudonym).second);
    if (row.in_hospital) ++in_hospital;
  }
  EXPECT_EQ(in_hospital, 1398u);
  EXPECT_GT(SingledOut(rows).size(), rows.size() * 8 / 10);
}

TEST_F(AttacksTest, B4SucceedOnPlainAnswersAndFailOnOurs) {
  SystemFileSystem files;
  const Services services{.clock = clock_, .entropy = entropy_};
  const Result<Project> project = OpenProject(files, folder_.path() + "/tacet.toml");
  ASSERT_TRUE(project.ok()) << project.error().message;
  const Result<ImportReport> imported = RunImport(*project, services, {});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  const std::vector<ReleasedRow> rows = Rows();
  constexpr size_t kTrials = 50;
  const Result<std::vector<AttackResult>> results = RunAttacks(
      {.project = *project, .rows = rows, .epsilon = Rational(1, 4), .trials = kTrials}, services);
  ASSERT_TRUE(results.ok()) << results.error().message;
  ASSERT_EQ(results->size(), 2u);
  for (const AttackResult& result : *results) {
    EXPECT_EQ(result.plain.trials, kTrials);
    EXPECT_EQ(result.ours.trials, kTrials);
    EXPECT_GT(result.plain.value(), 0.9) << result.name;
    EXPECT_TRUE(IsExplained(result.ours, result.bound)) << result.name << result.ours.right;
    // What succeeds on plain answers would be found out here.
    EXPECT_FALSE(IsExplained(result.plain, result.bound)) << result.name;
  }
}

TEST(GuessRate, IntervalIsWideWhereTrialsAreFew) {
  const auto expect = [](GuessRate rate, double lower, double upper) {
    EXPECT_NEAR(rate.interval().lower, lower, 1e-4);
    EXPECT_NEAR(rate.interval().upper, upper, 1e-4);
  };
  expect({.right = 0, .trials = 0}, 0, 1);
  expect({.right = 1, .trials = 1}, 0.2065, 1);
  expect({.right = 0, .trials = 1}, 0, 0.7935);
  expect({.right = 232, .trials = 400}, 0.5311, 0.6274);
}

TEST(IsExplained, NoticesASystemThatAnswersTooExactly) {
  const double bound = GuessingBound(0.25);
  EXPECT_NEAR(bound, 0.5622, 1e-4);
  EXPECT_TRUE(IsExplained({.right = 225, .trials = 400}, bound));
  EXPECT_TRUE(IsExplained({.right = 0, .trials = 400}, bound));
  // Noise of epsilon 1 in place of 1/4.
  const auto right = static_cast<size_t>(400 * GuessingBound(1));
  EXPECT_FALSE(IsExplained({.right = right, .trials = 400}, bound));
  // The last that is explained, by the exact binomial tail: 1.6e-6 and 9.3e-7.
  EXPECT_TRUE(IsExplained({.right = 271, .trials = 400}, bound));
  EXPECT_FALSE(IsExplained({.right = 272, .trials = 400}, bound));
}

TEST(AskDaily, TheMeanOfAYearGivesPeopleAwayAndALifetimeDoesNot) {
  SystemEntropy entropy;
  constexpr size_t kTrials = 3000;
  const auto results = AskDaily(Rational(1, 4), 4, {1, 365}, kTrials, entropy);
  ASSERT_TRUE(results.ok());
  // On average 95.5% are right. Hoeffding: at most 90% less often than 1e-7.
  EXPECT_GT((*results)[1].forgetful.value(), 0.9);
  EXPECT_TRUE(IsExplained((*results)[0].forgetful, GuessingBound(0.25)));
  EXPECT_TRUE(IsExplained((*results)[1].for_life, GuessingBound(1)));
  EXPECT_FALSE(IsExplained((*results)[1].forgetful, GuessingBound(1)));
}

TEST(ReadReleased, SaysWhatIsWrong) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(ReadReleased(folder.path() + "/none.csv").error().code, Code::kData);
}

}  // namespace
}  // namespace tacet::cli
