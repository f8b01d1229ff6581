// SPDX-License-Identifier: Apache-2.0
// What is computed after the noise changes neither what is noised nor what it costs.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tacet/catalog/parse.h"
#include "tacet/plan/plan.h"
#include "tacet/plan/recost.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

Catalog CatalogOf(const std::string& name) {
  std::ifstream file(std::string(TACET_SOURCE_DIR) + "/tests/sql/" + name + ".toml");
  std::stringstream text;
  text << file.rdbuf();
  return *ParseCatalog(text.str()).catalog;
}

// The record without the text of the statement.
nlohmann::ordered_json RecordWithoutStatement(const std::string& statement,
                                              const Catalog& catalog) {
  const Result<sql::Select> select = sql::Parse(statement);
  EXPECT_TRUE(select.ok()) << statement << ": " << select.error().message;
  const Result<Plan> plan = MakePlan(*select, catalog,
                                     {.price = {.is_pure = !catalog.budget.delta.has_value(),
                                                .epsilon = *Epsilon::Create(Rational(1))}});
  EXPECT_TRUE(plan.ok()) << statement << ": " << plan.error().message;
  if (!plan.ok()) return {};
  EXPECT_TRUE(RecomputeCost(plan->Bytes()).ok()) << statement;
  auto record = nlohmann::ordered_json::parse(plan->Bytes());
  record.erase("statement");
  return record;
}

struct Pair {
  std::string plain;
  std::string more;
};

const std::vector<Pair> kPairs = {
    {"SELECT count(*) FROM patients",
     "SELECT CASE WHEN count(*) > 10 THEN count(*) ELSE 0 END FROM patients"},
    {"SELECT ward, count(*), sum(cost) FROM visits GROUP BY ward",
     "SELECT CASE ward WHEN 'west' THEN 1 END, count(*) FROM visits GROUP BY ward "
     "HAVING CASE WHEN sum(cost) > 5 THEN TRUE END ORDER BY CASE WHEN count(*) > 1 THEN 1 END"},
    {"SELECT smoker, count(*) FROM patients GROUP BY smoker, sex",
     "SELECT DISTINCT smoker, count(*) FROM patients GROUP BY smoker, sex"},
    {"SELECT sex, count(*) FROM patients GROUP BY sex",
     "SELECT sex, count(*) FROM patients GROUP BY sex HAVING count(*) IS DISTINCT FROM 0"},
    {"SELECT sex, count(*), avg(income) FROM patients GROUP BY sex",
     "SELECT sex, interval_low(count(*)), interval_high(avg(income)) FROM patients GROUP BY sex"},
    {"SELECT count(*), avg(cost) FROM visits GROUP BY ward, code",
     "SELECT count(*), avg(cost), grouping(ward) FROM visits GROUP BY CUBE (ward, code)"},
    {"SELECT count(DISTINCT patient_id) FROM patients GROUP BY sex, smoker",
     "SELECT count(DISTINCT patient_id) FROM patients GROUP BY GROUPING SETS (sex, smoker)"},
    {"SELECT ward, count(*), sum(cost) FROM visits GROUP BY ward",
     "SELECT ward, count(*) * 1.0 / sum(count(*)) OVER (), lag(sum(cost)) OVER (ORDER BY ward) "
     "FROM visits GROUP BY ward ORDER BY rank() OVER (PARTITION BY count(*) > 5)"},
};

TEST(AfterTheNoise, NothingChangesWhatIsNoisedOrWhatItCosts) {
  for (const std::string name : {"pure", "approximate"}) {
    const Catalog catalog = CatalogOf(name);
    for (const auto& [plain, more] : kPairs) {
      EXPECT_EQ(RecordWithoutStatement(plain, catalog), RecordWithoutStatement(more, catalog))
          << more;
    }
  }
}

}  // namespace
}  // namespace tacet
