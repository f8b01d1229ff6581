// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/reach.h"

#include <optional>
#include <utility>
#include <vector>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/predicate.h"
#include "tacet/plan/predicate_region.h"
#include "tacet/plan/scope.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

Result<sql::Expr> ParseCondition(const std::string& predicate) {
  // On lines of its own, so that a comment ends with it.
  Result<sql::Select> select = sql::Parse("SELECT 1 FROM t WHERE (\n" + predicate + "\n)");
  const bool is_condition = select.ok() && select->where && select->group_by.empty() &&
                            select->grouping_sets.empty() && !select->having &&
                            select->order_by.empty() && !select->limit && select->offset == 0;
  if (is_condition) return *std::move(select->where);
  Error error{.code = Code::kUsage,
              .message = "this is no condition",
              .hint = "write it as after WHERE: \"sex = 'F' AND age > 50\"."};
  if (!select.ok()) error.message += ": " + select.error().message;
  return error;
}

// Facts about people stand in tables with one row for each.
bool HasFacts(const Table& table) {
  return table.rows_per_person_max == 1 && !std::holds_alternative<RowPerson>(table.person);
}

}  // namespace

About AboutPeople(const Ledger& ledger, const Region& region) {
  About about{.data_version = ledger.last_import(), .disjoint = {}};
  for (const KnownRegion& known : ledger.RegionsOf(about.data_version)) {
    const Result<Region> other = Region::Parse(known.reach.region);
    // What cannot be read may be about anybody.
    if (other.ok() && region.IsDisjointFrom(*other)) about.disjoint.push_back(known.number);
  }
  return about;
}

Result<Region> PredicateRegion(const Catalog& catalog, const std::string& predicate,
                               const std::string& table) {
  TACET_TRY(const sql::Expr condition, ParseCondition(predicate));
  std::vector<std::string_view> names;
  std::vector<std::pair<const Table*, Region>> found;
  std::optional<Error> failure;
  for (const Table& candidate : catalog.tables) {
    if (candidate.is_public()) continue;
    names.push_back(candidate.name);
    if (!table.empty() && FoldIdentifier(candidate.name) != FoldIdentifier(table)) continue;
    TACET_TRY(const Scope scope, Scope::Create(catalog, {.name = candidate.name}));
    Result<sql::EngineExpr> bound = BindPredicate(condition, scope);
    if (bound.ok()) {
      found.emplace_back(&candidate, RegionOf(*std::move(bound), catalog, candidate));
    } else if (!failure || HasFacts(candidate)) {
      failure =
          Error{.code = Code::kUsage, .message = bound.error().message, .hint = bound.error().hint};
    }
  }
  if (found.empty() && failure) return *failure;
  if (found.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "there is no private table " + Quoted(table),
                 .hint = SuggestionHint(table, names)};
  }
  if (found.size() > 1) {
    std::erase_if(found, [](const auto& entry) { return !HasFacts(*entry.first); });
  }
  // In none of several tables is it a fact about people.
  if (found.empty()) return Region();
  if (found.size() > 1) {
    return Error{.code = Code::kUsage,
                 .message = "the condition can be about table " + Quoted(found[0].first->name) +
                            " or " + Quoted(found[1].first->name),
                 .hint = "name one with --table."};
  }
  return found[0].second;
}

}  // namespace tacet
