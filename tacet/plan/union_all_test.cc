// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/union_all.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tacet/catalog/parse.h"
#include "tacet/plan/recost.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

constexpr char kTables[] = R"toml(
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
sex = { type = "text", values = ["F", "M"], nullable = false }
age = { type = "integer", range = [0, 110], nullable = false }
town = { type = "text" }
)toml";

Result<Plan> PlanOf(const std::string& statement, bool is_pure) {
  const std::string budget =
      is_pure ? "[budget]\nepsilon = \"5\"\n" : "[budget]\nepsilon = \"5\"\ndelta = \"1e-6\"\n";
  const ParsedCatalog parsed = ParseCatalog(budget + kTables);
  TACET_CHECK(parsed.catalog.has_value());
  TACET_TRY(const sql::Select select, sql::Parse(statement));
  return MakePlan(select, *parsed.catalog,
                  {.price = {.is_pure = is_pure,
                             .epsilon = *Epsilon::Create(Rational(3, 2)),
                             .delta = *Delta::Create(Rational(1, 10'000'000))}});
}

constexpr char kThree[] =
    "SELECT sex, count(*), avg(age) FROM people GROUP BY sex UNION ALL "
    "SELECT 'all', count(*), avg(age) FROM people UNION ALL "
    "SELECT 'old', count(*), median(age) FROM people WHERE age > 65";

TEST(UnionAll, PartsSpendThePriceTogetherAndNoMore) {
  const Plan pure = *PlanOf(kThree, true);
  Rational epsilon;
  for (const Plan& part : pure.parts) epsilon += part.cost.epsilon.value();
  EXPECT_EQ(epsilon, Rational(3, 2));
  EXPECT_EQ(pure.cost.epsilon.value(), epsilon);

  const Plan concentrated = *PlanOf(kThree, false);
  Rational rho;
  for (const Plan& part : concentrated.parts) rho += part.cost.rho.value();
  EXPECT_LE(rho, Rational(9, 8));
  EXPECT_GT(rho, Rational(9, 8) * Rational(99, 100));
  EXPECT_EQ(concentrated.cost.rho.value(), rho);
}

TEST(UnionAll, DeltaIsSharedToo) {
  const Plan plan = *PlanOf(
      "SELECT town, count(*) FROM people GROUP BY town UNION ALL "
      "SELECT town, count(*) FROM people WHERE sex = 'F' GROUP BY town",
      false);
  Rational delta;
  for (const Plan& part : plan.parts) delta += part.cost.delta.value();
  EXPECT_EQ(plan.cost.delta.value(), delta);
  EXPECT_LE(delta, Rational(1, 10'000'000));
  EXPECT_GT(plan.parts[1].cost.delta.value(), Rational(0));
}

TEST(UnionAll, TheRecordIsWorkedOutAgainPartByPart) {
  for (const bool is_pure : {true, false}) {
    const Plan plan = *PlanOf(kThree, is_pure);
    const Result<Cost> cost = RecomputeCost(plan.Bytes());
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(cost->epsilon.value(), plan.cost.epsilon.value());
    auto record = nlohmann::ordered_json::parse(plan.Bytes());
    auto without = record;
    without["parts"].erase(without["parts"].begin());
    EXPECT_FALSE(RecomputeCost(without.dump()).ok());
    auto dearer = record;
    dearer["parts"][1]["cost"][is_pure ? "epsilon" : "rho"] = "1/100";
    EXPECT_FALSE(RecomputeCost(dearer.dump()).ok());
    auto nested = record;
    nested["parts"][0] = record;
    EXPECT_FALSE(RecomputeCost(nested.dump()).ok());
  }
}

TEST(UnionAll, IsAboutWhoeverOneOfItsPartsIsAbout) {
  const Plan both = *PlanOf(
      "SELECT count(*) FROM people WHERE sex = 'F' UNION ALL "
      "SELECT count(*) FROM people WHERE age > 100",
      true);
  const Plan men = *PlanOf("SELECT count(*) FROM people WHERE sex = 'M' AND age < 50", true);
  const Plan old_men = *PlanOf("SELECT count(*) FROM people WHERE sex = 'M' AND age > 105", true);
  EXPECT_TRUE(both.region.IsDisjointFrom(men.region));
  EXPECT_FALSE(both.region.IsDisjointFrom(old_men.region));
}

TEST(UnionAll, ColumnsHaveTheNamesOfTheFirstAndATypeForAll) {
  const Plan plan = *PlanOf(kThree, true);
  ASSERT_EQ(plan.outputs.size(), 3u);
  EXPECT_EQ(plan.outputs[0].name, "sex");
  EXPECT_EQ(plan.outputs[2].expr.type.kind, TypeKind::kDouble);
  EXPECT_FALSE(PlanOf("SELECT sex, count(*) FROM people GROUP BY sex UNION ALL SELECT count(*), 1 "
                      "FROM people",
                      true)
                   .ok());
}

TEST(UnionAll, HasALimit) {
  std::string statement = "SELECT count(*) FROM people";
  for (size_t i = 1; i < kUnionMax; ++i) statement += " UNION ALL SELECT count(*) FROM people";
  EXPECT_TRUE(PlanOf(statement, true).ok());
  EXPECT_FALSE(PlanOf(statement + " UNION ALL SELECT count(*) FROM people", true).ok());
}

}  // namespace
}  // namespace tacet
