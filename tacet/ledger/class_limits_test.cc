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
  EXPECT_EQ(ledger->Remaining().epsilon, E("1/2"));
  EXPECT_EQ(ledger->Spend(Ask("2/3")).error().code, Code::kBudget);
  EXPECT_TRUE(ledger->Spend(Ask("1/2")).ok());
  ledger.reset();
  ledger = *Open();
  EXPECT_EQ(ledger->Spend(Ask("1/100")).error().code, Code::kBudget);
  ASSERT_TRUE(ledger->RaiseClassLimits(Limits("2", "1"), "a new consent").ok());
  EXPECT_EQ(ledger->Remaining().epsilon, E("1/2"));
}

}  // namespace
}  // namespace tacet
