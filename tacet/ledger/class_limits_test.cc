// SPDX-License-Identifier: Apache-2.0
// Limits of classes: nobody has more than they were promised until a raise, whatever the catalog
// says in between.
#include <gtest/gtest.h>

#include "tacet/ledger/person_budgets_testing.h"

namespace tacet {
namespace {

// Also where the budget of all waits for a raise and is larger than a class's.
TEST_F(PersonClasses, RefusalsKeepToTheSmallestClass) {
  std::unique_ptr<Ledger> ledger = *Create("2");
  ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("2", "1/2")).ok());
  ASSERT_EQ(ledger->Remaining().epsilon, E("1/2"));
  EXPECT_EQ(ledger->Spend(Ask("2/3")).error().code, Code::kBudget);
  EXPECT_TRUE(ledger->Spend(Ask("1/2")).ok());
  ledger.reset();
  ledger = *Open();
  EXPECT_EQ(ledger->Spend(Ask("1/100")).error().code, Code::kBudget);
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("2", "1"), "a new consent").ok());
  EXPECT_EQ(ledger->Remaining().epsilon, E("1/2"));
}

// The registry is lost as well: whoever comes may have been there before.
TEST_F(PersonClasses, NoClassUndoesARecovery) {
  {
    const std::unique_ptr<Ledger> ledger = *Create("3");
    ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  }
  std::filesystem::remove(File());
  const Ledger::Recovery recovery{
      .budget = Pure("3"), .largest = {}, .dataset_id = {}, .reason = "lost"};
  std::unique_ptr<Ledger> ledger = *Ledger::Recover(place_, recovery, clock_, kNoWait);
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("100", "3")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 2, {{"study", Only(0)}, {"", Only(1)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(3), Rational(3)}));
  ledger.reset();
  ledger = *Open();
  EXPECT_EQ(ledger->Spend(AskExcluding("1/100"))->exclusion()->people, PersonSet::FirstPeople(2));
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("5", "4"), "goes on").ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(4), Rational(5)}));
  const std::vector<ClassLimit> more = {{.name = "", .epsilon = E("5"), .rho = {}},
                                        {.name = "study", .epsilon = E("4"), .rho = {}},
                                        {.name = "full", .epsilon = E("100"), .rho = {}}};
  ASSERT_TRUE(ledger->ApplyClassLimits(more).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"full", Only(2)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(4), Rational(5), Rational(5)}));
}

TEST_F(PersonClasses, WhoCameWhileClassesWereLeftOutKeepsTheLimitOfThatTime) {
  const std::unique_ptr<Ledger> ledger = *Create("3");
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("3", "5")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"study", Only(0)}}).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(5), Rational(3)}));
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"study", PersonSet::FirstPeople(3)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(5), Rational(3), Rational(5)}));
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("3", "5"), "a new consent").ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(5), Rational(5), Rational(5)}));
}

// A raise is of the classes in which people are then.
TEST_F(PersonClasses, ARaiseBeforeAnybodyIsInAClassIsNoRaiseOfIt) {
  const std::unique_ptr<Ledger> ledger = *Create("1");
  ASSERT_TRUE(RecordNextImport(*ledger, 2).ok());
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("1", "5")).ok());
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("1", "5"), "nothing is larger").ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"study", PersonSet::FirstPeople(3)}}).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(1), Rational(1), Rational(5)}));
}

TEST_F(PersonClasses, AClassThatARaiseLeftOutDoesNotComeBackLarger) {
  const std::unique_ptr<Ledger> ledger = *Create("3");
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("3", "5")).ok());
  ASSERT_TRUE(RecordNextImport(*ledger, 1, {{"study", Only(0)}}).ok());
  const ClassLimit rest{.name = "", .epsilon = E("3"), .rho = {}};
  ASSERT_TRUE(ledger->RaiseClassLimits({rest}, "no classes any more").ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(3)}));
  ASSERT_TRUE(ledger->ApplyClassLimits(Limits("3", "5")).ok());
  EXPECT_EQ(LimitsOfPeople(*ledger), (Amounts{Rational(3)}));
}

TEST_F(PersonClasses, ANewClassCountsUnderTheDeltaInForce) {
  const auto budget = [](const char* epsilon, const char* delta) {
    return *Budget::Approximate(E(epsilon), *Delta::Create(*Rational::Parse(delta)), Rational(0));
  };
  const std::unique_ptr<Ledger> ledger =
      *Ledger::Create(place_, budget("2", "1e-6"), clock_, kNoWait);
  std::vector<ClassLimit> declared = Limits("2", "1/2");
  for (ClassLimit& limit : declared) {
    limit.rho = budget(limit.epsilon.ToString().c_str(), "1e-3").filter().rho;
  }
  ASSERT_TRUE(ledger->ApplyClassLimits(declared).ok());
  EXPECT_EQ(ledger->class_limits()[0].rho, budget("2", "1e-6").filter().rho);
  EXPECT_EQ(ledger->class_limits()[1].rho, budget("1/2", "1e-6").filter().rho);
}

}  // namespace
}  // namespace tacet
