// SPDX-License-Identifier: Apache-2.0
// Budgets of people: who drops out, among threads, after crashes and imports, in classes, and from
// balances that were kept in a file.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "tacet/ledger/person_budgets_testing.h"

namespace tacet {
namespace {

TEST_F(PersonBudgets, ExactlyAsManyChargesOfManyThreadsReachEachPersonAsTheirBudgetHolds) {
  constexpr int kThreads = 256;
  {
    const std::unique_ptr<Ledger> ledger = *Create("1");
    ASSERT_TRUE(RecordNextImport(*ledger, 4).ok());
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        PersonSet people;
        people.Add(0);
        if (i % 2 == 0) people.Add(1);
        if (i < 50) people.Add(2);
        Answer(*ledger, "1/100", people);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ledger->charges(), uint64_t{kThreads});
  }
  const std::unique_ptr<Ledger> ledger = *Open();
  std::vector<int> reached(4);
  for (uint64_t charge = 1; charge <= kThreads; ++charge) {
    const Result<std::optional<PersonSet>> touched = ledger->Touched(charge);
    ASSERT_TRUE(touched.ok() && touched->has_value());
    for (const uint32_t person : (*touched)->ToVector()) ++reached[person];
  }
  EXPECT_EQ(reached, (std::vector<int>{100, 100, 50, 0}));
  EXPECT_EQ(SpentOn(*ledger, 0), Rational(1));
  EXPECT_EQ(SpentOn(*ledger, 2), Rational(1, 2));
}

// A charge in flight counts against everyone until it is narrowed; who waits for that sees whom it
// touched.
TEST_F(PersonBudgets, WhoIsLeftOutDoesNotDependOnWhatIsInFlight) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  ASSERT_TRUE(RecordNextImport(*ledger, 3).ok());
  std::optional<Charge> first = *ledger->Spend(AskExcluding("1"));
  std::atomic<bool> has_begun = false;
  PersonSet excluded;
  std::thread second([&] {
    has_begun = true;
    has_begun.notify_all();
    const Result<Charge> charge = ledger->Spend(AskExcluding("1/2"));
    ASSERT_TRUE(charge.ok() && charge->exclusion().has_value());
    excluded = charge->exclusion()->people;
  });
  has_begun.wait(false);
  // Whether the other one has come far by now changes nothing, unless it does not wait.
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  PersonSet touched;
  touched.Add(1);
  ASSERT_TRUE(ledger->Narrow(*first, touched).ok());
  second.join();
  EXPECT_EQ(excluded, touched);
}

TEST_F(PersonBudgets, WhenNobodyCanPayThereIsStillAnAnswer) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  ASSERT_TRUE(RecordNextImport(*ledger, 3).ok());
  Answer(*ledger, "1", PersonSet::FirstPeople(3));
  const Result<Charge> charge = ledger->Spend(AskExcluding("1/10"));
  ASSERT_TRUE(charge.ok());
  EXPECT_EQ(charge->exclusion()->people, PersonSet::FirstPeople(3));
  EXPECT_FALSE(charge->exclusion()->rows);
}

TEST_F(PersonBudgets, RowsWithoutIdentityAreLeftOutTogether) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  for (int i = 0; i < 10; ++i) {
    const Result<Charge> charge = ledger->Spend(AskExcluding("1/10"));
    ASSERT_TRUE(charge.ok());
    EXPECT_FALSE(charge->exclusion().has_value());
  }
  const Result<Charge> charge = ledger->Spend(AskExcluding("1/10"));
  ASSERT_TRUE(charge.ok() && charge->exclusion().has_value());
  EXPECT_TRUE(charge->exclusion()->rows);
}

TEST_F(PersonBudgets, WhatNobodyCouldEverPayIsRefused) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  EXPECT_EQ(ledger->Spend(AskExcluding("11/10")).error().code, Code::kBudget);
  EXPECT_EQ(ledger->charges(), 0u);
}

// Killed between charge and scan, between scan and narrowing, and after the narrowing was handed
// over but before it was written: everyone stays charged.
TEST_F(PersonBudgets, ALostNarrowingLeavesEveryoneCharged) {
  {
    const std::unique_ptr<Ledger> ledger = *Create("1");
    ASSERT_TRUE(RecordNextImport(*ledger, 3).ok());
    Answer(*ledger, "1/2", PersonSet::FirstPeople(1));
    ASSERT_TRUE(ledger->Flush().ok());
    Charge charge = *ledger->Spend(AskExcluding("1/2"));
    CopyTo("charged");
    ASSERT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(2)).ok());
    CopyTo("narrowed in memory");
    ASSERT_TRUE(ledger->Flush().ok());
    CopyTo("narrowed");
  }
  const std::vector<std::pair<const char*, PersonSet>> states = {
      // Person 0 has spent all of it by their own charge and everyone's; others half.
      {"charged", PersonSet::FirstPeople(1)},
      {"narrowed in memory", PersonSet::FirstPeople(1)},
      {"narrowed", PersonSet::FirstPeople(1)}};
  for (const auto& [state, used_up] : states) {
    SCOPED_TRACE(state);
    BringBack(state);
    const std::unique_ptr<Ledger> ledger = *Open();
    ASSERT_EQ(ledger->charges(), 2u);
    const bool is_narrowed = ledger->Touched(2)->has_value();
    EXPECT_EQ(is_narrowed, std::string_view(state) == "narrowed");
    {
      const Charge charge = *ledger->Spend(AskExcluding("1/2"));
      EXPECT_EQ(charge.exclusion()->people, used_up);
    }
    // That one was thrown away, so it stays against everyone, too.
    const Charge charge = *ledger->Spend(AskExcluding("1/4"));
    PersonSet expected = PersonSet::FirstPeople(is_narrowed ? 2 : 3);
    EXPECT_EQ(charge.exclusion()->people, expected);
  }
}

TEST_F(PersonBudgets, PeopleKeepWhatTheySpentWhenOthersCome) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  Answer(*ledger, "1", PersonSet::FirstPeople(2));
  ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  const Charge charge = *ledger->Spend(AskExcluding("1/2"));
  EXPECT_EQ(charge.exclusion()->people, PersonSet::FirstPeople(2));
}

TEST_F(PersonClasses, EachHasItsOwnLimit) {
  const std::unique_ptr<Ledger> ledger = *Create("1/2");
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("1", "1/2")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 3, {{"study", Only(1)}, {"", Only(0)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(1), Rational(1, 2), Rational(1)}));
  Answer(*ledger, "1/2", PersonSet::FirstPeople(3));
  {
    const Charge charge = *ledger->Spend(AskExcluding("1/4"));
    EXPECT_EQ(charge.exclusion()->people, Only(1));
  }
  // That charge was thrown away: everyone has 1/4 less.
  const Charge charge = *ledger->Spend(AskExcluding("1/2"));
  EXPECT_EQ(charge.exclusion()->people, PersonSet::FirstPeople(3));
}

TEST_F(PersonClasses, TheSmallestThatWasEverHeldAppliesUntilARaise) {
  std::unique_ptr<Ledger> ledger = *Create("1/2");
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("1", "1/2")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 3, {{"study", Only(1)}, {"", Only(0)}}).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 0, {{"study", Only(0)}, {"", Only(1)}}).ok());
  const Amounts held = {Rational(1, 2), Rational(1, 2), Rational(1)};
  EXPECT_EQ(LimitsOfPeople(*ledger), held);
  ledger.reset();
  ledger = *Open();
  EXPECT_EQ(LimitsOfPeople(*ledger), held);
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("2", "1/4")).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(1, 4), Rational(1, 4), Rational(1)}));
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("2", "3/4"), "a new consent").ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(3, 4), Rational(2), Rational(2)}));
  ASSERT_TRUE(ledger->Verify().ok());
}

TEST_F(PersonClasses, NobodyGetsMoreBecauseThereAreClassesNow) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("3", "2")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"study", PersonSet::FirstPeople(3)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(1), Rational(1), Rational(2)}));
}

// What was lost may have been charged to somebody with a larger limit than the smallest.
TEST_F(PersonClasses, ARecoveryChargesTheLargestLimitOfAll) {
  {
    const std::unique_ptr<Ledger> ledger = *Create("1/2");
    ASSERT_TRUE(ledger->ApplyClassLimits(Limits("3", "1/2")).ok());
    ASSERT_TRUE(RecordNextImport(*ledger, 2, {{"study", Only(0)}, {"", Only(1)}}).ok());
  }
  const std::unique_ptr<Ledger> ledger = *Ledger::Recover(place_,
                                                          {.budget = Pure("1/2"),
                                                           .largest = Pure("2"),
                                                           .dataset_id = {},
                                                           .reason = "lost",
                                                           .is_known_behind = true},
                                                          clock_, kNoWait);
  EXPECT_EQ(ledger->Spent().epsilon, E("3"));
  const Charge charge = *ledger->Spend(AskExcluding("1/100"));
  EXPECT_EQ(charge.exclusion()->people, PersonSet::FirstPeople(2));
}

class BalancesFile : public PersonBudgets {
 protected:
  std::string Path() const { return place_.folder + "/ledger.balances"; }
  static PersonSet Some(int i) { return PersonSet::FirstPeople(static_cast<uint64_t>(i) % 7 + 1); }
  // Enough charges that balances are worth keeping.
  void Fill() {
    const std::unique_ptr<Ledger> ledger = *Create("1");
    ASSERT_TRUE(RecordNextImport(*ledger, 9).ok());
    for (int i = 0; i < 80; ++i) Answer(*ledger, "1/50", Some(i));
  }
  Result<PersonBalances> Balances() { return (*Open())->Accounts()->balances; }
};

TEST_F(BalancesFile, SaysWhatTheLogSays) {
  Fill();
  ASSERT_TRUE(std::filesystem::exists(Path()));
  const std::string bytes = ReadAll(Path());
  const PersonBalances kept = *Balances();
  std::filesystem::remove(Path());
  EXPECT_EQ(*Balances(), kept);
  // Only what came behind it is added.
  WriteAll(Path(), bytes);
  {
    const std::unique_ptr<Ledger> ledger = *Open();
    Answer(*ledger, "1/50", PersonSet::FirstPeople(9));
  }
  const PersonBalances later = *Balances();
  EXPECT_EQ(later.Of(8).Amount(), Rational(1, 50));
  std::filesystem::remove(Path());
  EXPECT_EQ(*Balances(), later);
}

TEST_F(BalancesFile, IsNotBelievedIfItDoesNotVerify) {
  Fill();
  const std::string bytes = ReadAll(Path());
  const PersonBalances kept = *Balances();
  const size_t step = testing::Soaking() ? 1 : 7;
  for (size_t i = 0; i < bytes.size(); i += step) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 1);
    WriteAll(Path(), other);
    ASSERT_EQ(*Balances(), kept) << i;
  }
  for (const size_t size : {size_t{0}, size_t{5}, bytes.size() / 2, bytes.size() - 1}) {
    WriteAll(Path(), bytes.substr(0, size));
    ASSERT_EQ(*Balances(), kept) << size;
  }
}

// A file that was made up is no damage of the ledger, which goes on without it.
TEST_F(BalancesFile, FalseOnesAreFoundAndMayBeDeleted) {
  Fill();
  BalancesCheckpoint saved = *ReadBalances(Path());
  saved.balances.Charge(PersonSet::FirstPeople(1), Units::Up(Rational(1)));
  ASSERT_TRUE(WriteBalances(Path(), saved).ok());
  {
    const std::unique_ptr<Ledger> ledger = *Open();
    EXPECT_TRUE(ledger->Verify().ok());
    const Status verified = ledger->VerifyBalances();
    ASSERT_FALSE(verified.ok());
    EXPECT_NE(verified.error().hint.find("delete ledger.balances"), std::string::npos);
  }
  std::filesystem::remove(Path());
  EXPECT_TRUE((*Open())->VerifyBalances().ok());
}

TEST_F(BalancesFile, OfAnotherLedgerIsNotBelieved) {
  Fill();
  const std::string bytes = ReadAll(Path());
  StartAgain();
  {
    const std::unique_ptr<Ledger> ledger = *Create("1");
    ASSERT_TRUE(RecordNextImport(*ledger, 9).ok());
    WriteAll(Path(), bytes);
    EXPECT_EQ(ledger->Accounts()->balances, PersonBalances());
  }
}

// B2: a budget is for life. A person is in a count every day of a year, at epsilon 1. With a ledger
// that forgets every night the loss adds up to what tells them apart beyond doubt; with a budget of
// 10 for life it ends at 10. The loss is that of what was really answered.
TEST_F(PersonBudgets, B2AYearOfDailyResetsAgainstALifeWithABudget) {
  constexpr int kDays = 365;
  const auto loss_of_a_year = [&](bool resets) {
    std::unique_ptr<Ledger> ledger;
    int64_t loss = 0;
    int answers = 0;
    for (int day = 0; day < kDays; ++day) {
      if (ledger == nullptr || resets) {
        ledger.reset();
        StartAgain();
        ledger = *Create("10");
        EXPECT_TRUE(RecordNextImport(*ledger, 1).ok());
      }
      Charge charge = *ledger->Spend(AskExcluding("1"));
      PersonSet touched = PersonSet::FirstPeople(1);
      if (charge.exclusion()) touched -= charge.exclusion()->people;
      const auto sum = static_cast<int64_t>(touched.size());
      answers += static_cast<int>(sum);
      const int64_t answer = sum + TwoSidedGeometric(random_, 1);
      loss += std::abs(answer) - std::abs(answer - sum);
      EXPECT_TRUE(ledger->Narrow(charge, touched).ok());
    }
    RecordProperty(resets ? "loss_with_resets" : "loss_for_life", static_cast<int>(loss));
    return std::pair(answers, loss);
  };
  SCOPED_TRACE(seed_);
  const auto [answers_for_life, loss_for_life] = loss_of_a_year(/*resets=*/false);
  EXPECT_EQ(answers_for_life, 10);
  EXPECT_LE(std::abs(loss_for_life), 10);
  const auto [answers, loss] = loss_of_a_year(/*resets=*/true);
  EXPECT_EQ(answers, kDays);
  // On average 168.7 with a deviation of 16.9: below 80 with a probability of 1e-7.
  EXPECT_GT(loss, 80);
}

// Whoever is used up is in none of 10,000 answers: their mean is the same as without that person,
// but for what the budget paid for. A false alarm has a probability below 1e-6.
TEST_F(PersonBudgets, TenThousandAnswersDoNotTellOfAnExhaustedPerson) {
  constexpr int kAnswers = 10'000;
  constexpr double kEpsilon = 0.5;
  constexpr double kPaidFor = 4;  // answers, of a budget of 2
  const auto mean_of_answers = [&](const PersonSet& people) {
    StartAgain();
    const std::unique_ptr<Ledger> ledger = *Create("2");
    EXPECT_TRUE(RecordNextImport(*ledger, 3).ok());
    double sum = 0;
    for (int i = 0; i < kAnswers; ++i) {
      Result<Charge> charge = ledger->Spend(AskExcluding("1/2"));
      if (!charge.ok()) return 0.0;
      PersonSet touched = people;
      if (charge->exclusion()) touched -= charge->exclusion()->people;
      EXPECT_TRUE(ledger->Narrow(*charge, touched).ok());
      sum += static_cast<double>(touched.size()) +
             static_cast<double>(TwoSidedGeometric(random_, kEpsilon));
    }
    return sum / kAnswers;
  };
  SCOPED_TRACE(seed_);
  const double with = mean_of_answers(PersonSet::FirstPeople(1));
  const double without = mean_of_answers(PersonSet());
  const double q = std::exp(-kEpsilon);
  const double deviation = std::sqrt(2 * 2 * q) / (1 - q) / std::sqrt(double{kAnswers});
  constexpr double kDeviations = 5;  // two-sided: 6e-7
  EXPECT_LT(std::abs(with - without), kPaidFor / kAnswers + kDeviations * deviation);
}

}  // namespace
}  // namespace tacet
