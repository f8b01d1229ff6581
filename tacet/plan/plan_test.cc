// SPDX-License-Identifier: Apache-2.0
// What golden statements are too short for.
#include "tacet/plan/plan.h"

#include <gtest/gtest.h>

#include "tacet/catalog/parse.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1"
[tables.t]
source = "t.csv"
person = "row"
[tables.t.columns]
x = { type = "integer", range = [1, 100000], nullable = false }
)toml";

Result<Plan> PlanOf(const std::string& statement) {
  const ParsedCatalog parsed = ParseCatalog(kCatalog);
  return MakePlan(*sql::Parse(statement), *parsed.catalog,
                  {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1))}});
}

std::string Counts(int count) {
  std::string statement = "SELECT count(*) FILTER (WHERE x > 0)";
  for (int i = 1; i < count; ++i) {
    statement += ", count(*) FILTER (WHERE x > " + std::to_string(i) + ")";
  }
  return statement + " FROM t GROUP BY x";
}

TEST(MakePlan, RefusesMoreNumbersThanAreEverNeeded) {
  EXPECT_TRUE(PlanOf(Counts(50)).ok());
  const Result<Plan> refused = PlanOf(Counts(51));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
}

TEST(MakePlan, RecordsEverythingThatTheCostDependsOn) {
  const std::string record = PlanOf("SELECT sum(x) FROM t WHERE x > 5")->Bytes();
  for (const char* part : {R"("statement":"SELECT sum(x) FROM t WHERE x > 5")", R"("l1":"100000")",
                           R"("law":"discrete_laplace","scale":"100000")", R"("epsilon":"1")"}) {
    EXPECT_NE(record.find(part), std::string::npos) << part << " in " << record;
  }
  EXPECT_EQ(PlanOf("select SUM(x)  from T as t where x>5")->Bytes().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tacet
