// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/device_ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tacet/local/survey_testing.h"
#include "tacet/testing/faulty_file.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::FailingEntropy;
using ::tacet::testing::FaultyFileSystem;
using ::tacet::testing::SeededEntropy;
using Kind = DeviceAnswer::Kind;

constexpr char kPath[] = "phone/state";

Result<DeviceLedger> OpenState(FaultyFileSystem& files) {
  return DeviceLedger::Open(files, kPath, files.Exists(kPath));
}

Result<DeviceAnswer> Ask(FaultyFileSystem& files, const Survey& survey, uint64_t answer,
                         Entropy& entropy, size_t question = 0) {
  TACET_TRY(DeviceLedger ledger, OpenState(files));
  return ledger.Answer(survey, question, answer, entropy);
}

std::string Sealed(const std::string& text) {
  return text + "sha256 " + ToHex(Sha256(text)) + "\n";
}

// A device that was left in this state.
void WriteState(FaultyFileSystem& files, const std::string& text) {
  auto file = *files.Create(kPath);
  ASSERT_TRUE(file->Append(text).ok());
}

Survey WithBudget(SurveyDraft draft, const std::string& budget) {
  draft.budget = budget;
  return *Survey::Create(std::move(draft));
}

TEST(DeviceLedger, B2AQuestionAskedAgainGetsTheSameReportWhateverTheAnswerIsNow) {
  FaultyFileSystem files;
  SeededEntropy entropy(1);
  const Survey survey = *Survey::Create(OneQuestion("dog", "1", "1"));
  const Result<DeviceAnswer> first = Ask(files, survey, 1, entropy);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->kind, Kind::kFresh);
  for (int day = 0; day < 50; ++day) {
    const Result<DeviceAnswer> again = Ask(files, survey, day % 2 == 0 ? 0 : 1, entropy);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->kind, Kind::kMemorised);
    EXPECT_EQ(again->report, first->report);
  }
  EXPECT_EQ(OpenState(files)->Spent("health"), Rational(1));
}

TEST(DeviceLedger, B2TheBudgetHoldsAcrossSurveysThatNameIt) {
  FaultyFileSystem files;
  SeededEntropy entropy(2);
  const auto ask = [&](const char* question, const char* epsilon, const char* limit) {
    return Ask(files, *Survey::Create(OneQuestion(question, epsilon, limit)), 1, entropy)->kind;
  };
  EXPECT_EQ(ask("a", "1", "3"), Kind::kFresh);
  EXPECT_EQ(ask("b", "1", "3"), Kind::kFresh);
  EXPECT_EQ(ask("c", "3/2", "3"), Kind::kExhausted);
  EXPECT_EQ(ask("d", "1", "3"), Kind::kFresh);
  EXPECT_EQ(ask("e", "1/1000", "3"), Kind::kExhausted);
  // A survey that says it may spend more is not believed; one that says less is, for good.
  EXPECT_EQ(ask("e", "1", "100"), Kind::kExhausted);
  EXPECT_EQ(*OpenState(files)->Limit("health"), Rational(3));
  EXPECT_EQ(ask("e", "1", "2"), Kind::kExhausted);
  EXPECT_EQ(*OpenState(files)->Limit("health"), Rational(2));
  EXPECT_EQ(OpenState(files)->Spent("health"), Rational(3));
  // Another budget is another promise.
  SurveyDraft other = OneQuestion("e", "1", "1");
  other.budget = "traffic";
  EXPECT_EQ(Ask(files, *Survey::Create(other), 1, entropy)->kind, Kind::kFresh);
}

TEST(DeviceLedger, EveryBudgetPaysForAReportThatIsGivenUnderIt) {
  FaultyFileSystem files;
  SeededEntropy entropy(20);
  const auto ask = [&](const char* question, const char* budget) {
    return *Ask(files, WithBudget(OneQuestion(question, "1", "3/2"), budget), 1, entropy);
  };
  const DeviceAnswer first = ask("a", "health");
  EXPECT_EQ(first.kind, Kind::kFresh);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask("a", "traffic").kind, Kind::kMemorised);
    EXPECT_EQ(OpenState(files)->Spent("traffic"), Rational(1));
  }
  // The other budget is now as used up as it would be without the memory.
  EXPECT_EQ(ask("b", "traffic").kind, Kind::kExhausted);
  EXPECT_EQ(ask("b", "sport").kind, Kind::kFresh);
  EXPECT_EQ(ask("a", "sport").kind, Kind::kExhausted);
  EXPECT_EQ(ask("a", "sport").report, "");
  EXPECT_EQ(ask("a", "health").report, first.report);
  EXPECT_EQ(OpenState(files)->Spent("health"), Rational(1));
}

TEST(DeviceLedger, TheFirstFormatIsReadAndWhoPaidIsKnownOrPaysAgain) {
  const Survey survey = *Survey::Create(OneQuestion("a", "1", "2"));
  const std::string memo =
      "memo " + ToHex(survey.questions()[0].QuestionDigest()) + " " + std::string(32, 'a') + " 1\n";
  for (const bool several : {false, true}) {
    FaultyFileSystem files;
    SeededEntropy entropy(21);
    WriteState(files, Sealed("tacet-device 1\nbudget health 2 1\n" +
                             std::string(several ? "budget traffic 2 1\n" : "") + memo));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Ask(files, survey, 0, entropy)->kind, Kind::kMemorised);
      EXPECT_EQ(OpenState(files)->Spent("health"), Rational(several ? 2 : 1));
    }
  }
}

TEST(DeviceLedger, AMemorisedReportThatTheQuestionCannotHaveIsRefused) {
  FaultyFileSystem files;
  SeededEntropy entropy(22);
  const Survey survey = *Survey::Create(OneQuestion("a", "1", "2"));
  WriteState(files, Sealed("tacet-device 2\nbudget health 2 1\nmemo " +
                           ToHex(survey.questions()[0].QuestionDigest()) + " " +
                           std::string(32, 'a') + " 7 health\n"));
  const Result<DeviceAnswer> answer = Ask(files, survey, 1, entropy);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kLedger);
}

TEST(DeviceLedger, ANullReportSentAgainIsTheSameAndCountsOnce) {
  FaultyFileSystem files;
  SeededEntropy entropy(23);
  ASSERT_TRUE(Ask(files, *Survey::Create(OneQuestion("a", "1", "1")), 1, entropy).ok());
  SurveyDraft draft = OneQuestion("b", "1", "1");
  draft.exhausted = WhenExhausted::kNull;
  const Survey survey = *Survey::Create(draft);
  Collector collector(survey, /*skip_duplicates=*/true);
  for (int day = 0; day < 3; ++day) {
    const Result<DeviceAnswer> null = Ask(files, survey, 1, entropy);
    ASSERT_TRUE(null.ok());
    EXPECT_EQ(null->kind, Kind::kExhausted);
    collector.Begin("device");
    ASSERT_TRUE(collector.Feed(null->report).ok());
    ASSERT_TRUE(collector.End().ok());
  }
  EXPECT_EQ(collector.tallies()[0].nulls(), 1u);
}

TEST(DeviceLedger, WhatWasSpentIsReadAgainHoweverManyFractionsItIsTheSumOf) {
  FaultyFileSystem files;
  SeededEntropy entropy(24);
  Rational exact;
  for (int i = 0; i < 40; ++i) {
    // Denominators without common factors, of 57 bits and more: 2^e - 1 for primes e.
    const int exponents[] = {61, 89, 107, 127, 521, 607};
    const Rational cost =
        (Rational::PowerOfTwo(exponents[i % 6]) - Rational(1) - Rational(2 * i)).Inverse() +
        Rational(1, 100);
    SurveyDraft draft = OneQuestion("q" + std::to_string(i), "1", "2");
    draft.questions[0].epsilon = {.linear = cost};
    const Result<DeviceAnswer> answer = Ask(files, *Survey::Create(draft), 1, entropy);
    ASSERT_TRUE(answer.ok()) << i << ": " << answer.error().message;
    EXPECT_EQ(answer->kind, Kind::kFresh);
    exact += cost;
    const Rational spent = OpenState(files)->Spent("health");
    EXPECT_GE(spent, exact);
    EXPECT_LE(spent, exact + Rational(i + 1) * Rational::PowerOfTwo(-64));
  }
  EXPECT_GT(exact.ToString().size(), 1000u);
  // Short sums stay exact: ten times a tenth are one.
  FaultyFileSystem other;
  for (int i = 0; i < 10; ++i) {
    const Survey survey = *Survey::Create(OneQuestion("q" + std::to_string(i), "1/10", "1"));
    EXPECT_EQ(Ask(other, survey, 1, entropy)->kind, Kind::kFresh);
  }
  EXPECT_EQ(OpenState(other)->Spent("health"), Rational(1));
}

TEST(DeviceLedger, WhatADeviceSaysOfItsBudgetDependsOnWhatWasAskedAlone) {
  // Two people with opposite answers, the same questions: the kinds of answers are the same.
  std::vector<std::vector<Kind>> seen(2);
  for (const uint64_t answer : {uint64_t{0}, uint64_t{1}}) {
    FaultyFileSystem files;
    SeededEntropy entropy(answer + 10);
    for (int i = 0; i < 12; ++i) {
      SurveyDraft draft = OneQuestion("q" + std::to_string(i % 7), "3/4", "4");
      draft.exhausted = WhenExhausted::kNull;
      const Result<DeviceAnswer> got = Ask(files, *Survey::Create(draft), answer, entropy);
      ASSERT_TRUE(got.ok());
      seen[answer].push_back(got->kind);
      EXPECT_EQ(got->kind == Kind::kExhausted, got->report.find("0 null\n") != std::string::npos);
    }
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0][4], Kind::kFresh);
  EXPECT_EQ(seen[0][5], Kind::kExhausted);  // 4.5 > 4
}

TEST(DeviceLedger, WhatItWillDoIsForeseenWithoutAnAnswer) {
  FaultyFileSystem files;
  SeededEntropy entropy(25);
  const std::vector<size_t> all = {0, 1, 2};
  SurveyDraft draft = ThreeQuestions(Asks::kAll);  // 1, ln(3) and 3/2
  ASSERT_TRUE(Ask(files, WithBudget(draft, "traffic"), 1, entropy).ok());
  draft.limit = Rational(2);
  for (const char* budget : {"health", "traffic", "health"}) {
    const Survey survey = WithBudget(draft, budget);
    DeviceLedger ledger = *OpenState(files);
    const std::vector<Kind> foreseen = ledger.Foresee(survey, all);
    for (const size_t question : all) {
      EXPECT_EQ(ledger.Answer(survey, question, 0, entropy)->kind, foreseen[question]) << question;
    }
    // The first is known and paid by this budget or another; 1 + ln(3) and 1 + 3/2 are too much.
    EXPECT_EQ(foreseen, (std::vector{Kind::kMemorised, Kind::kExhausted, Kind::kExhausted}));
  }
}

TEST(DeviceLedger, SilenceIsNoReportAtAll) {
  FaultyFileSystem files;
  SeededEntropy entropy(3);
  ASSERT_TRUE(Ask(files, *Survey::Create(OneQuestion("a", "1", "1")), 1, entropy).ok());
  const auto silent = Ask(files, *Survey::Create(OneQuestion("b", "1", "1")), 1, entropy);
  EXPECT_EQ(silent->kind, Kind::kExhausted);
  EXPECT_EQ(silent->report, "");
}

// Every sequence of reports that left has at most this loss: the sum over different reports, where
// the same report is no news.
double RealLoss(const std::set<std::string>& reports, double epsilon) {
  return static_cast<double>(reports.size()) * epsilon;
}

TEST(DeviceLedger, B2AYearOfDailyQuestionsStopsAtTheLimitAndADailyResetDoesNot) {
  SeededEntropy entropy(4);
  std::set<std::string> ours;
  std::set<std::string> reset;
  FaultyFileSystem files;
  for (int day = 0; day < 365; ++day) {
    const Survey survey = *Survey::Create(OneQuestion("day" + std::to_string(day), "1", "10"));
    const Result<DeviceAnswer> answer = Ask(files, survey, day % 3 == 0 ? 1 : 0, entropy);
    ASSERT_TRUE(answer.ok());
    if (answer->kind == Kind::kFresh) ours.insert(answer->report);
    FaultyFileSystem forgetful;  // a new state every morning
    const Result<DeviceAnswer> daily = Ask(forgetful, survey, day % 3 == 0 ? 1 : 0, entropy);
    ASSERT_TRUE(daily.ok());
    reset.insert(daily->report);
    EXPECT_EQ(RealLoss(reset, 1), day + 1);
    EXPECT_EQ(RealLoss(ours, 1), std::min(day + 1, 10));
  }
  // The same question every day: with a memory one report, without one a fresh draw a day, whose
  // average gives the answer away.
  const Survey same = *Survey::Create(OneQuestion("smokes", "1", "10"));
  FaultyFileSystem memory;
  std::set<std::string> said;
  int yes = 0;
  for (int day = 0; day < 365; ++day) {
    said.insert(Ask(memory, same, 1, entropy)->report);
    FaultyFileSystem forgetful;
    if (Ask(forgetful, same, 1, entropy)->report.find("\n0 1\n") != std::string::npos) ++yes;
  }
  EXPECT_EQ(said.size(), 1u);
  // 365 draws of 0.731 or 0.269: told apart with a chance of error below 1e-15.
  EXPECT_GT(yes, 365 / 2);
}

TEST(DeviceLedger, ACrashAtAnyWriteNeverForgetsAReportThatLeft) {
  const Survey first = *Survey::Create(OneQuestion("a", "1", "2"));
  const Survey second = *Survey::Create(OneQuestion("b", "1", "2"));
  for (const bool fails : {false, true}) {
    for (const bool names : {false, true}) {
      for (const bool bytes : {false, true}) {
        for (int n = 1;; ++n) {
          SCOPED_TRACE(std::to_string(n) + (fails ? " fails" : " stops"));
          FaultyFileSystem files;
          SeededEntropy entropy(5);
          if (fails) {
            files.FailAt(n);
          } else {
            files.StopAt(n);
          }
          std::vector<std::string> left;
          // What fails is tried again at once, as an impatient program would.
          for (const Survey* survey : {&first, &first, &second, &second}) {
            const Result<DeviceAnswer> answer = Ask(files, *survey, 1, entropy);
            if (answer.ok()) left.push_back(answer->report);
          }
          const bool is_last = files.operations() < n;
          files.Crash({.names = names, .bytes = bytes});
          const Result<DeviceLedger> ledger = OpenState(files);
          ASSERT_TRUE(ledger.ok()) << ledger.error().message;
          const std::set<std::string> different(left.begin(), left.end());
          EXPECT_GE(ledger->Spent("health"), Rational(static_cast<int64_t>(different.size())));
          EXPECT_LE(different.size(), 2u);
          // And what left is what a question asked again gets.
          for (const Survey* survey : {&first, &second}) {
            const Result<DeviceAnswer> again = Ask(files, *survey, 0, entropy);
            ASSERT_TRUE(again.ok());
            EXPECT_NE(again->kind, Kind::kExhausted);
            if (again->kind == Kind::kFresh) continue;
            for (const std::string& report : left) {
              if (report.find(BatchHeader(*survey, "").substr(0, 60)) == 0) {
                EXPECT_EQ(report, again->report);
              }
            }
          }
          if (is_last) break;
        }
      }
    }
  }
}

TEST(DeviceLedger, ACrashNeverForgetsThatAnotherBudgetPaid) {
  const Survey first = *Survey::Create(OneQuestion("a", "1", "2"));
  const Survey other = WithBudget(OneQuestion("a", "1", "2"), "traffic");
  for (const bool fails : {false, true}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(std::to_string(n) + (fails ? " fails" : " stops"));
      FaultyFileSystem files;
      SeededEntropy entropy(26);
      ASSERT_TRUE(Ask(files, first, 1, entropy).ok());
      const int before = files.operations();
      if (fails) {
        files.FailAt(before + n);
      } else {
        files.StopAt(before + n);
      }
      const bool left = Ask(files, other, 1, entropy).ok();
      const bool is_last = files.operations() < before + n;
      files.Crash();
      const Result<DeviceLedger> ledger = OpenState(files);
      ASSERT_TRUE(ledger.ok()) << ledger.error().message;
      EXPECT_EQ(ledger->Spent("health"), Rational(1));
      EXPECT_GE(ledger->Spent("traffic"), Rational(left ? 1 : 0));
      if (is_last) {
        EXPECT_TRUE(left);
        break;
      }
    }
  }
}

TEST(DeviceLedger, AfterAFailedWriteTheSameLedgerSendsNothingThatIsNotDurable) {
  const Survey survey = *Survey::Create(OneQuestion("a", "1", "2"));
  for (int n = 1; n <= 5; ++n) {
    FaultyFileSystem files;
    SeededEntropy entropy(6);
    DeviceLedger ledger = *OpenState(files);
    files.FailAt(n);
    ASSERT_FALSE(ledger.Answer(survey, 0, 1, entropy).ok()) << n;
    const Result<DeviceAnswer> again = ledger.Answer(survey, 0, 1, entropy);
    ASSERT_TRUE(again.ok());
    files.Crash();
    const Result<DeviceAnswer> after = Ask(files, survey, 0, entropy);
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->report, again->report);
  }
}

TEST(DeviceLedger, ADamagedStateIsRefusedAndNeverANewStart) {
  FaultyFileSystem files;
  SeededEntropy entropy(7);
  const Survey survey = *Survey::Create(OneQuestion("a", "1", "2"));
  ASSERT_TRUE(Ask(files, survey, 1, entropy).ok());
  const std::string state = *files.Read(kPath);
  const auto refuses = [&](const std::string& bytes) {
    FaultyFileSystem other;
    auto file = *other.Create(kPath);
    EXPECT_TRUE(file->Append(bytes).ok());
    const Result<DeviceLedger> ledger = OpenState(other);
    return !ledger.ok() && ledger.error().code == Code::kLedger;
  };
  EXPECT_FALSE(refuses(state));
  for (size_t size = 0; size < state.size(); ++size) EXPECT_TRUE(refuses(state.substr(0, size)));
  for (size_t i = 0; i < state.size(); ++i) {
    std::string changed = state;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_TRUE(refuses(changed)) << i;
  }
  EXPECT_TRUE(refuses(state + state));
  EXPECT_TRUE(refuses("tacet-device 1\n" + state.substr(15)));
  EXPECT_TRUE(refuses("tacet-device 3\n" + state.substr(15)));
  // Sealed, but with lines that no version wrote.
  for (const std::string line : {"budget health 2", "budget health 2 -1", "memo x y z",
                                 "gift 1 2 3", "budget health 2 1\nbudget health 2 0"}) {
    for (const char* magic : {"tacet-device 1\n", "tacet-device 2\n"}) {
      EXPECT_TRUE(refuses(Sealed(magic + line + "\n"))) << line;
    }
  }
  // A budget that is not there has paid nothing.
  const std::string key = ToHex(survey.questions()[0].QuestionDigest());
  const std::string memo = "memo " + key + " " + std::string(32, 'a') + " 1";
  EXPECT_FALSE(refuses(Sealed("tacet-device 2\nbudget health 2 1\n" + memo + " health\n")));
  EXPECT_TRUE(refuses(Sealed("tacet-device 2\nbudget health 2 1\n" + memo + " wealth\n")));
}

TEST(DeviceLedger, OneQuestionOfSeveralIsDrawnOnceAndForGood) {
  SeededEntropy entropy(8);
  const Survey survey = *Survey::Create(ThreeQuestions(Asks::kOne));
  std::vector<int> picked(3);
  for (int device = 0; device < 600; ++device) {
    FaultyFileSystem files;
    DeviceLedger ledger = *OpenState(files);
    const size_t pick = *ledger.Pick(survey, entropy);
    ++picked.at(pick);
    files.Crash();
    EXPECT_EQ(*OpenState(files)->Pick(survey, entropy), pick);
  }
  // 600 draws of 1/3: within 55 of 200 but for one time in a million.
  for (const int count : picked) EXPECT_NEAR(count, 200, 59);
}

TEST(DeviceLedger, ReportsOfDevicesAreCollectedOnceEach) {
  SeededEntropy entropy(9);
  const Survey survey = *Survey::Create(ThreeQuestions(Asks::kAll));
  Collector collector(survey, /*skip_duplicates=*/true);
  for (int device = 0; device < 20; ++device) {
    FaultyFileSystem files;
    for (int day = 0; day < 3; ++day) {
      for (size_t question = 0; question < 3; ++question) {
        const Result<DeviceAnswer> answer = Ask(files, survey, 1, entropy, question);
        ASSERT_TRUE(answer.ok());
        collector.Begin("device");
        ASSERT_TRUE(collector.Feed(answer->report).ok());
        ASSERT_TRUE(collector.End().ok());
      }
    }
  }
  for (const Tally& tally : collector.tallies()) EXPECT_EQ(tally.reports(), 20u);
}

TEST(DeviceLedger, WithoutEntropyNothingIsSpentAndNothingLeaves) {
  FaultyFileSystem files;
  const Survey survey = *Survey::Create(OneQuestion("a", "1", "2"));
  for (const size_t bytes : {size_t{0}, size_t{16}}) {
    FailingEntropy entropy(bytes);
    EXPECT_FALSE(Ask(files, survey, 1, entropy).ok());
    EXPECT_FALSE(files.Exists(kPath));
  }
}

}  // namespace
}  // namespace tacet
