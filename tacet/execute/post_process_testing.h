// SPDX-License-Identifier: Apache-2.0
// Statements over released tables that are written down, without engine, noise or ledger.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacet/base/check.h"
#include "tacet/catalog/parse.h"
#include "tacet/execute/post_process.h"
#include "tacet/sql/parser.h"

namespace tacet::testing {

using Lines = std::vector<std::string>;

inline constexpr char kPostCatalog[] = R"toml(
[budget]
epsilon = "1"
[tables.t]
source = "t.csv"
person = "id"
rows_per_person = 1
[tables.t.columns]
sex = { type = "text", values = ["F", "M"] }
smoker = { type = "boolean", nullable = false }
age = { type = "integer", range = [0, 110], nullable = false }
pay = { type = "decimal(8,2)", range = [0, 5000], nullable = false }
[tables.v]
source = "v.csv"
person = "id"
bounds = { groups_per_person = 2, rows_per_group = 10 }
[tables.v.columns]
ward = { type = "text", values = ["a", "b", "c"], nullable = false }
night = { type = "boolean", nullable = false }
[tables.pub]
source = "pub.csv"
public = true
[tables.pub.columns]
ward = { type = "text" }
beds = { type = "integer", range = [0, 500] }
)toml";

inline Result<Plan> PlanOf(const std::string& statement) {
  const ParsedCatalog parsed = ParseCatalog(kPostCatalog);
  TACET_CHECK(parsed.catalog.has_value());
  TACET_TRY(const sql::Select select, sql::Parse(statement));
  return MakePlan(select, *parsed.catalog,
                  {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1))}});
}

inline std::string Shown(const Value& value) {
  if (IsNull(value)) return "NULL";
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* exact = std::get_if<Rational>(&value)) return exact->ToString();
  if (const auto* number = std::get_if<double>(&value)) {
    return Rational::FromDouble(*number).ToString();
  }
  return std::get<std::string>(value);
}

// A statement of a private table with its plan.
class Asked {
 public:
  explicit Asked(const std::string& statement) : plan_(PlanOf(statement)) {
    TACET_CHECK(plan_.ok());
  }

  const Plan& plan() const { return *plan_; }

  // `steps` of every public group, in their order.
  Answer Run(const std::vector<std::vector<Int128>>& steps) const {
    const Cells cells = plan_->MakeCells();
    TACET_CHECK(cells.size() == steps.size());
    std::vector<ReleasedRow> rows;
    for (size_t i = 0; i < steps.size(); ++i) rows.push_back({cells.ValuesAt(i), steps[i]});
    return PostProcess(*plan_, rows);
  }

  // The answer, a line a row: F|12.
  Lines Rows(const std::vector<std::vector<Int128>>& steps) const {
    Lines lines;
    for (const std::vector<Value>& row : Run(steps).rows) {
      std::string line;
      for (const Value& value : row) line += (line.empty() ? "" : "|") + Shown(value);
      lines.push_back(line);
    }
    return lines;
  }

 private:
  Result<Plan> plan_;
};

}  // namespace tacet::testing
