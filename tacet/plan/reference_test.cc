// SPDX-License-Identifier: Apache-2.0
// The tables of functions, the binders that look names up in them, and docs/sql.md say the same.
#include "tacet/sql/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tacet/catalog/parse.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

using sql::Place;

std::string ReadText(const std::string& path) {
  std::ifstream file(std::string(TACET_SOURCE_DIR) + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SqlReference : public ::testing::Test {
 protected:
  std::string Refused(const std::string& statement) const {
    const Result<sql::Select> select = sql::Parse(statement);
    if (!select.ok()) return select.error().message;
    const Result<Plan> plan = MakePlan(
        *select, catalog_, {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1))}});
    return plan.ok() ? "" : plan.error().message;
  }

  const Catalog catalog_ = *ParseCatalog(ReadText("/tests/sql/pure.toml")).catalog;
};

TEST_F(SqlReference, EveryFunctionOfATableHasABinder) {
  for (const sql::FunctionRow& row : sql::Functions(Place::kRow)) {
    const std::string example(row.example);
    EXPECT_EQ(Refused("SELECT count(" + example + ") FROM patients"), "") << example;
  }
  for (const Place place : {Place::kAfter, Place::kWindow}) {
    for (const sql::FunctionRow& row : sql::Functions(place)) {
      const std::string example(row.example);
      EXPECT_EQ(Refused("SELECT sex, count(*), " + example + " FROM patients GROUP BY sex"), "")
          << example;
    }
  }
  for (const sql::AggregateRow& row : sql::Aggregates()) {
    const std::string example(row.example);
    EXPECT_EQ(Refused("SELECT " + example + " FROM patients"), "") << example;
  }
}

TEST_F(SqlReference, ExamplesCallWhatTheyAreExamplesOf) {
  const auto calls = [](const std::string& expr, std::string_view name) {
    const sql::Select select = *sql::Parse("SELECT " + expr + " FROM patients");
    const sql::Expr& item = select.items[0].expr;
    if (const auto* call = std::get_if<sql::Function>(&item.node)) return call->name == name;
    if (const auto* window = std::get_if<sql::Window>(&item.node)) return window->name == name;
    const auto* aggregate = std::get_if<sql::Aggregate>(&item.node);
    return aggregate != nullptr && sql::Name(aggregate->function) == name;
  };
  for (const Place place : {Place::kRow, Place::kAfter, Place::kWindow}) {
    for (const sql::FunctionRow& row : sql::Functions(place)) {
      EXPECT_TRUE(calls(std::string(row.example), row.name)) << row.example;
    }
    const std::vector<std::string_view> names = sql::FunctionNames(place);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  }
  for (const sql::AggregateRow& row : sql::Aggregates()) {
    EXPECT_TRUE(calls(std::string(row.example), sql::Name(row.function))) << row.example;
  }
}

TEST_F(SqlReference, WhatIsInNoTableCannotBeCalled) {
  EXPECT_EQ(Refused("SELECT count(md5(notes)) FROM patients"),
            "the function 'md5' is not supported on rows");
  EXPECT_EQ(Refused("SELECT ln(count(*)) FROM patients"), "the function 'ln' is not supported");
  EXPECT_EQ(Refused("SELECT cume_dist() OVER () FROM patients"),
            "the window function 'cume_dist' is not supported");
  EXPECT_NE(Refused("SELECT corr(age, age) FROM patients"), "");
  EXPECT_EQ(Refused("SELECT count(abs(age, age)) FROM patients"), "abs does not take 2 arguments");
  EXPECT_EQ(Refused("SELECT sqrt(count(*), 2) FROM patients"), "sqrt does not take 2 arguments");
}

TEST_F(SqlReference, ThePageIsPrintedFromTheTables) {
  const std::string page = ReadText("/docs/sql.md");
  const std::string printed = sql::WithReferenceTables(page);
  if (std::getenv("TACET_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(std::string(TACET_SOURCE_DIR) + "/docs/sql.md") << printed;
  }
  EXPECT_EQ(printed, page) << "TACET_UPDATE_GOLDEN=1 writes it";
  for (const std::string_view table : {"clauses", "aggregates", "rows", "after", "windows"}) {
    EXPECT_NE(page.find("<!-- table " + std::string(table) + " -->"), std::string::npos) << table;
  }
}

}  // namespace
}  // namespace tacet
