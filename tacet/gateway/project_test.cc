// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/project.h"

#include <gtest/gtest.h>

#include "tacet/gateway/vault_testing.h"

namespace tacet {
namespace {

// Whoever is in a class was promised its limit, also where the others have more.
TEST(BudgetOf, NobodysLimitIsPassed) {
  const std::string table =
      "[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\n"
      "budget_class = \"role\"\n[tables.t.columns]\n"
      "role = { type = \"text\", values = [\"staff\", \"guest\"], nullable = false }\n";
  const Catalog smaller =
      Parsed("[budget]\nepsilon = \"10\"\nclasses = { staff = \"2\", guest = \"20\" }\n" + table);
  EXPECT_EQ(BudgetOf(smaller)->epsilon().value(), Rational(2));
  const Catalog larger = Parsed(
      "[budget]\nepsilon = \"10\"\ndelta = \"1e-9\"\nclasses = { staff = \"20\" }\n" + table);
  EXPECT_EQ(BudgetOf(larger)->epsilon().value(), Rational(10));
}

// The ledger counts in units; below one there is nothing to divide.
TEST(BudgetOf, WhatCannotBeCountedIsNoBudget) {
  const Result<Budget> budget = BudgetOf(Parsed("[budget]\nepsilon = \"1e-80\"\n"));
  ASSERT_FALSE(budget.ok());
  EXPECT_EQ(budget.error().code, Code::kCatalog);
}

}  // namespace
}  // namespace tacet
