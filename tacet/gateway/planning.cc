// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/planning.h"

#include <utility>

#include "tacet/gateway/referenced.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

Result<Price> PriceOf(const Catalog& catalog, Question question, const sql::Select& select) {
  if (select.privacy && select.privacy->epsilon) question.epsilon = select.privacy->epsilon;
  if (select.privacy && select.privacy->delta) question.delta = select.privacy->delta;
  const std::optional<Rational> asked = question.epsilon ? question.epsilon : catalog.query.epsilon;
  if (!asked) {
    return Error{.code = Code::kUsage,
                 .message = "the query does not say what it may spend",
                 .hint = "give --epsilon, or set epsilon under [query] in the catalog."};
  }
  if (asked->sign() <= 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must be greater than 0"};
  }
  if (question.delta && (question.delta->sign() < 0 || *question.delta >= Rational(1))) {
    return Error{.code = Code::kUsage, .message = "delta must be at least 0 and less than 1"};
  }
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(*asked));
  if (!catalog.budget.delta) return Price{.is_pure = true, .epsilon = epsilon};
  const std::optional<Rational> spare = question.delta ? question.delta : catalog.query.delta;
  TACET_TRY(const Delta delta, Delta::Create(spare.value_or(Rational(0))));
  return Price{.is_pure = false, .epsilon = epsilon, .delta = delta};
}

}  // namespace

Result<Plan> PlanOf(const Project& project, const Question& question, const sql::Select& select,
                    Referenced referenced) {
  TACET_TRY(const Price price, PriceOf(project.catalog, question, select));
  const ReadReferenced read = [&](const ColumnReference& reference) -> Result<std::vector<Value>> {
    Result<std::vector<Value>> values = ReadReferencedValues(project, reference);
    const bool is_absent = !values.ok() && values.error().code == Code::kCatalog;
    if (referenced == Referenced::kIfImported && is_absent) return std::vector<Value>();
    return values;
  };
  return MakePlan(select, project.catalog, {.price = price, .referenced = read});
}

Result<Plan> PlanOf(const Project& project, const Question& question, Referenced referenced) {
  TACET_TRY(const sql::Select select, sql::Parse(question.statement));
  return PlanOf(project, question, select, referenced);
}

}  // namespace tacet
