// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/plan/aggregates.h"
#include "tacet/plan/explain.h"
#include "tacet/plan/from.h"
#include "tacet/plan/predicate.h"
#include "tacet/plan/union_all.h"
#include "tacet/plan/referenced.h"
#include "tacet/plan/row_column.h"
#include "tacet/sql/canonical.h"
#include "tacet/sql/printer.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;

// A boolean as 0 and 1, so that every stored key is an integer.
EngineExpr KeyOf(const Column& column, EngineExpr stored) {
  if (column.type.kind != TypeKind::kBoolean) return stored;
  return EngineExpr::Case(
      {{EngineExpr::Call(EngineOp::kIsNull, {stored}), EngineExpr::Null(sql::EngineType::kBigint)},
       {stored, EngineExpr::Integer(1)}},
      EngineExpr::Integer(0));
}

class Planner {
 public:
  Planner(const sql::Select& select, const Scope& scope, const PlanOptions& options)
      : select_(select), scope_(scope), options_(options), aggregates_(scope) {
    leaves_.column = [this](const sql::Column& name, size_t position) {
      return BindColumn(name, position);
    };
    leaves_.key = [this](const sql::Expr& expr) { return BindKeyExpression(expr); };
    leaves_.aggregate = [this](const sql::Aggregate& aggregate, size_t position) {
      return aggregates_.Bind(aggregate, position);
    };
    leaves_.is_chosen = [this](size_t aggregate) { return aggregates_.IsChosen(aggregate); };
    leaves_with_windows_ = leaves_;
    leaves_with_windows_.window = [this](const sql::Window& window, size_t position) {
      return AddWindow(window, position);
    };
  }

  Result<Plan> Run() {
    plan_.statement = sql::ToString(select_);
    plan_.table = scope_.name();
    plan_.from = scope_.from();
    plan_.is_public = scope_.is_public();
    plan_.has_person_keys = scope_.rows().has_person_keys;
    plan_.lists_rows = plan_.is_public && ListsRows();
    if (select_.where) {
      TACET_TRY(EngineExpr predicate, BindPredicate(*select_.where, scope_));
      plan_.predicate = std::move(predicate);
    }
    plan_.region = scope_.RegionWhere(plan_.predicate);
    plan_.region_columns = scope_.NamesIn(plan_.region);
    TACET_RETURN_IF_ERROR(BindKeys());
    TACET_RETURN_IF_ERROR(BindOutputs());
    plan_.is_distinct = select_.distinct;
    plan_.limit = select_.limit;
    plan_.offset = select_.offset;
    TACET_RETURN_IF_ERROR(CheckPersonColumn());
    if (!plan_.is_public) {
      if (aggregates_.empty()) {
        return Refusal(Code::kForbidden, "only aggregates leave a private table",
                       "ask for COUNT(*), SUM or AVG.", select_.items[0].expr.position);
      }
      TACET_RETURN_IF_ERROR(BoundContribution());
      TACET_RETURN_IF_ERROR(CheckPersonsOfLevels());
    }
    TACET_RETURN_IF_ERROR(aggregates_.CheckLevels(plan_));
    TACET_RETURN_IF_ERROR(aggregates_.Finish(plan_));
    if (plan_.is_public) return std::move(plan_);
    if (cells_.value_or(1) * static_cast<int64_t>(plan_.primitives.size()) > kReleasedMax) {
      return Unsupported("more than " + std::to_string(kReleasedMax) + " numbers would be noised",
                         "ask for fewer aggregates or fewer groups at a time.",
                         select_.items[0].expr.position);
    }
    TACET_RETURN_IF_ERROR(aggregates_.CheckBuckets(plan_, cells_.value_or(1)));
    TACET_RETURN_IF_ERROR(ChooseNoise());
    return std::move(plan_);
  }

 private:
  // Whether rows of a public table are asked for as they are.
  bool ListsRows() const {
    return select_.group_by.empty() && select_.grouping_sets.empty() && !select_.having &&
           std::none_of(select_.items.begin(), select_.items.end(),
                        [](const sql::Item& item) { return sql::HasAggregate(item.expr); }) &&
           std::none_of(select_.order_by.begin(), select_.order_by.end(),
                        [](const sql::Order& order) { return sql::HasAggregate(order.expr); });
  }

  // What GROUP BY and ORDER BY may mean besides what is written: an item by its number or alias.
  const sql::Expr& ItemNamedBy(const sql::Expr& expr) const {
    if (const std::optional<size_t> ordinal = sql::Ordinal(expr)) {
      return select_.items[*ordinal].expr;
    }
    const auto* name = std::get_if<sql::Column>(&expr.node);
    if (name == nullptr || !name->table.empty()) return expr;
    for (const sql::Item& item : select_.items) {
      if (!item.alias.empty() && SameIdentifier(item.alias, name->name)) return item.expr;
    }
    return expr;
  }

  // In GROUP BY a column goes before an alias, as in PostgreSQL.
  const sql::Expr& GroupNamedBy(const sql::Expr& expr) const {
    const auto* name = std::get_if<sql::Column>(&expr.node);
    const bool is_column = name != nullptr && scope_.HasColumn({.name = name->name});
    return is_column ? expr : ItemNamedBy(expr);
  }

  Status BindKeys() {
    std::vector<size_t> places;  // in plan_.keys, of each expression of GROUP BY
    for (const sql::Expr& group : select_.group_by) {
      const sql::Expr& expr = GroupNamedBy(group);
      const auto* name = std::get_if<sql::Column>(&expr.node);
      std::optional<size_t> known;
      const Column* column = nullptr;
      if (name == nullptr) {
        known = FindKeyExpression(expr);
      } else {
        TACET_TRY(column, scope_.Find(*name, group.position));
        known = FindKey(*column);
      }
      places.push_back(known.value_or(plan_.keys.size()));
      if (known) continue;
      if (column != nullptr) {
        AddKey(*column);
      } else {
        TACET_TRY(Key key, ExpressionKey(expr));
        plan_.keys.push_back(std::move(key));
      }
      if (!plan_.is_public) {
        TACET_RETURN_IF_ERROR(
            CountCells(plan_.keys.back(), name == nullptr ? expr.position : group.position));
      }
    }
    return BindLevels(places);
  }

  Status BindLevels(const std::vector<size_t>& places) {
    for (const std::vector<size_t>& set : select_.grouping_sets) {
      std::set<size_t> level;
      for (const size_t group : set) level.insert(places[group]);
      plan_.levels.emplace_back(level.begin(), level.end());
    }
    if (plan_.levels.empty()) return {};
    if (!cells_) {
      // What is not shown would be missing in the sums.
      return Unsupported("GROUPING SETS need keys that are all public",
                         "ask for each level by itself, with GROUP BY.",
                         select_.group_by.front().position);
    }
    if (*cells_ * static_cast<int64_t>(plan_.levels.size()) <= kSummedMax) return {};
    return Unsupported(
        "GROUPING SETS would add up more than " + std::to_string(kSummedMax) + " groups",
        "ask for fewer levels, or group by columns with fewer values.",
        select_.group_by.front().position);
  }

  // A person who is in several groups would be counted in each.
  Status CheckPersonsOfLevels() const {
    const bool has_sums = std::any_of(
        plan_.levels.begin(), plan_.levels.end(),
        [&](const std::vector<size_t>& level) { return level.size() < plan_.keys.size(); });
    if (!has_sums || !aggregates_.counts_persons_at() || plan_.contribution.groups == 1) return {};
    if (TACET_FAULT(persons_of_levels_added)) return {};
    return Unsupported(
        "COUNT(DISTINCT ...) is no sum over groups, as a person may be in several of them",
        "ask for each level by itself, with GROUP BY.", *aggregates_.counts_persons_at());
  }

  static Error NotPublic(size_t position) {
    return Unsupported("this expression has no public list of values to group by",
                       "group by a CASE with constant results, a part of a date, or a number "
                       "with ends such as CLAMP(x, 0, 10).",
                       position);
  }

  // A key that is computed, if its values are public: a CASE with constant results, a part of a
  // date, anything whole with ends.
  Result<Key> ExpressionKey(const sql::Expr& expr) const {
    if (plan_.is_public) {
      return Unsupported("GROUP BY of an expression is not supported for public tables",
                         "group by columns.", expr.position);
    }
    TACET_TRY(const RowValue value, BindRowValue(expr, scope_));
    const bool has_ends = value.is_bounded || value.form != RowValue::Form::kSteps;
    std::optional<RowColumn> made = ColumnOf(value, sql::ToString(expr));
    if (!made || !has_ends || value.form == RowValue::Form::kDouble) {
      return NotPublic(expr.position);
    }
    EngineExpr stored = KeyOf(made->column, value.expr);
    return Key{std::move(made->column), std::move(stored), expr};
  }

  std::optional<size_t> FindKeyExpression(const sql::Expr& expr) const {
    for (size_t i = 0; i < plan_.keys.size(); ++i) {
      if (plan_.keys[i].expression && *plan_.keys[i].expression == expr) return i;
    }
    return std::nullopt;
  }

  std::optional<PostExpr> BindKeyExpression(const sql::Expr& expr) const {
    const std::optional<size_t> key = FindKeyExpression(expr);
    if (!key) return std::nullopt;
    return PostExpr{PostKey{*key}, plan_.keys[*key].column.type};
  }

  // A pure budget can show no key that it does not know, nor select among many.
  Status CountCells(Key& key, size_t position) {
    if (key.column.reference && options_.referenced) {
      TACET_TRY(const std::vector<Value> values, options_.referenced(*key.column.reference));
      ListReferenced(values, key);
    }
    const Column& column = key.column;
    const std::optional<Int128> count = column.key_count();
    const bool is_pure = options_.price.is_pure;
    if (!count && (is_pure || column.type.is_number())) {
      if (key.expression) return NotPublic(position);
      return Unsupported(
          "column " + Quoted(key.shown) + " has no public list of values to group by",
          column.reference
              ? "they are those of a public table, which was not imported or has more than " +
                    std::to_string(kCellsMax) + "."
              : "ask the data owner to declare its values or its range.",
          position);
    }
    if (count && cells_ && *cells_ * *count <= kCellsMax) {
      cells_ = static_cast<int64_t>(*cells_ * *count);
      return {};
    }
    if (is_pure) {
      return Unsupported("GROUP BY has more than " + std::to_string(kCellsMax) + " possible groups",
                         "group by fewer columns, or by columns with fewer values.", position);
    }
    cells_.reset();
    return {};
  }

  std::optional<size_t> FindKey(const Column& column) const {
    const std::string place = sql::ToDuckDb(scope_.Stored(column));
    for (size_t i = 0; i < plan_.keys.size(); ++i) {
      const Key& key = plan_.keys[i];
      if (!key.expression && key.place == place) return i;
    }
    return std::nullopt;
  }

  size_t AddKey(const Column& column) {
    const EngineExpr stored = scope_.Stored(column);
    plan_.keys.push_back({.column = column,
                          .stored = plan_.is_public ? stored : KeyOf(column, stored),
                          .shown = scope_.NameOf(column),
                          .place = sql::ToDuckDb(stored)});
    return plan_.keys.size() - 1;
  }

  Result<PostExpr> BindColumn(const sql::Column& name, size_t position) {
    const bool is_alias =
        std::any_of(select_.items.begin(), select_.items.end(),
                    [&](const sql::Item& item) { return SameIdentifier(item.alias, name.name); });
    if (is_alias && !scope_.HasColumn({.name = name.name})) {
      return Unsupported("the alias " + Quoted(name.name) + " cannot be used here",
                         "write the expression itself; aliases stand in GROUP BY and ORDER BY.",
                         position);
    }
    TACET_TRY(const Column* column, scope_.Find(name, position));
    std::optional<size_t> key = FindKey(*column);
    if (!key && plan_.lists_rows) key = AddKey(*column);
    if (key) return PostExpr{PostKey{*key}, column->type};
    if (plan_.is_public || !select_.group_by.empty() || !select_.grouping_sets.empty()) {
      return Unsupported(
          "column " + Quoted(column->name) + " must stand in GROUP BY or inside an aggregate",
          "add it to GROUP BY.", position);
    }
    return Refusal(Code::kForbidden,
                   "table " + Quoted(scope_.name()) + " is private; only aggregates leave it",
                   "write COUNT, SUM or AVG of it, or group by it.", position);
  }

  Result<PostExpr> AddWindow(const sql::Window& window, size_t position) {
    if (plan_.windows.size() == kWindowsMax) {
      return Unsupported(
          "more than " + std::to_string(kWindowsMax) + " window functions are not supported",
          "ask for fewer at a time.", position);
    }
    TACET_TRY(WindowExpr bound, BindWindow(window, position, leaves_));
    const Type type = bound.type;
    plan_.windows.push_back(std::move(bound));
    return PostExpr{PostWindow{plan_.windows.size() - 1}, type};
  }

  Status BindOutputs() {
    for (const sql::Item& item : select_.items) {
      TACET_TRY(PostExpr expr, BindPost(item.expr, leaves_with_windows_));
      plan_.outputs.push_back({sql::OutputName(item), std::move(expr)});
    }
    if (select_.having) {
      TACET_TRY(PostExpr having, BindPost(*select_.having, leaves_));
      if (having.type.kind != TypeKind::kBoolean) {
        return Unsupported("HAVING needs a condition", "compare an aggregate with a number.",
                           select_.having->position);
      }
      plan_.having = std::move(having);
    }
    for (const sql::Order& order : select_.order_by) {
      const sql::Expr& named = ItemNamedBy(order.expr);
      TACET_RETURN_IF_ERROR(CheckOrderOfDistinct(named, order.expr.position));
      TACET_TRY(PostExpr expr, BindPost(named, leaves_with_windows_));
      plan_.order_by.push_back({std::move(expr), order.descending, order.nulls_first});
    }
    return {};
  }

  // Rows that are shown alike may differ in what is not shown.
  Status CheckOrderOfDistinct(const sql::Expr& expr, size_t position) const {
    const bool is_shown = std::any_of(select_.items.begin(), select_.items.end(),
                                      [&](const sql::Item& item) { return item.expr == expr; });
    if (!select_.distinct || is_shown) return {};
    return Unsupported("ORDER BY after SELECT DISTINCT needs a column of the select list",
                       "add it to the select list, or leave DISTINCT out.", position);
  }

  // Who a person is, the catalog says; a statement may say the same.
  Status CheckPersonColumn() const {
    if (!select_.privacy || select_.privacy->person.empty()) return {};
    if (scope_.IsPerson({.name = select_.privacy->person})) return {};
    return Unsupported("the person of table " + Quoted(scope_.name()) + " is not in column " +
                           Quoted(select_.privacy->person),
                       "leave privacy_unit_column out: the catalog says who a person is.", 0);
  }

  // Whether all rows of a person are in one group.
  bool HasFactsOnly() const {
    if (TACET_FAULT(fact_key_of_many_rows)) return true;
    return std::all_of(plan_.keys.begin(), plan_.keys.end(),
                       [&](const Key& key) { return scope_.IsFact(key.stored); });
  }

  // Proof: docs/proofs/contribution.md.
  Status BoundContribution() {
    const Bounds& bounds = scope_.rows().bounds;
    const std::optional<int64_t> in_all = scope_.rows().per_person_max;
    Contribution& contribution = plan_.contribution;
    contribution.rows_in_all = in_all;
    // Nobody is in more groups than there are, or than they have rows.
    const int64_t cells = cells_.value_or(std::numeric_limits<int64_t>::max());
    int64_t groups_possible = std::min(cells, in_all.value_or(cells));
    plan_.keys_are_facts = groups_possible > 1 && HasFactsOnly();
    if (plan_.keys_are_facts) groups_possible = 1;
    const sql::PrivacyOptions asked = select_.privacy.value_or(sql::PrivacyOptions{});
    contribution.groups =
        std::min({groups_possible, bounds.groups_per_person_max.value_or(groups_possible),
                  asked.groups_max.value_or(groups_possible)});
    plan_.caps_groups = contribution.groups < groups_possible;
    if (contribution.groups > kGroupsPerPersonMax) {
      return Unsupported(
          "table " + Quoted(scope_.name()) + " does not say in how many groups one person may be",
          "ask the data owner for bounds = { groups_per_person = ... }, or for fewer values: keys "
          "are selected privately only where a person is in few of them.",
          select_.group_by[0].position);
    }
    const std::optional<size_t> position = aggregates_.counts_rows_at();
    if (!position) return {};  // persons are counted once, whatever their rows
    std::optional<int64_t> rows_max = bounds.rows_per_group_max;
    if (asked.rows_max) rows_max = std::min(*asked.rows_max, rows_max.value_or(*asked.rows_max));
    if (!in_all && !rows_max) {
      return Unsupported(
          "table " + Quoted(scope_.name()) + " does not say how many rows one person may have",
          "ask the data owner for bounds, count people with COUNT(DISTINCT ...), or write SELECT "
          "WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed = 10).",
          *position);
    }
    contribution.rows =
        std::min(rows_max.value_or(kRowsPerGroupMax), in_all.value_or(kRowsPerGroupMax));
    contribution.rows = std::min(contribution.rows, kRowsPerGroupMax);
    plan_.caps_rows = !in_all || contribution.rows < *in_all;
    return {};
  }

  // The primitive that counts every person of a group once, if there is one.
  std::optional<size_t> FindPersons() const {
    for (size_t i = 0; i < plan_.primitives.size(); ++i) {
      const Primitive& primitive = plan_.primitives[i];
      const auto* every_row = std::get_if<int64_t>(&primitive.value.node());
      const bool is_once =
          primitive.kind == Primitive::Kind::kPersons || plan_.contribution.rows == 1;
      if (every_row != nullptr && *every_row == 1 && is_once) return i;
    }
    return std::nullopt;
  }

  Status ChooseSelection() {
    Result<KeySelection> selection =
        SelectKeys(options_.price, plan_.contribution.groups,
                   plan_.primitives.size() + plan_.choices.size(), FindPersons());
    if (!selection.ok()) {
      Error error = selection.error();
      error.position = select_.group_by[0].position;
      return error;
    }
    plan_.selection = *std::move(selection);
    if (!TACET_FAULT(selection_delta_not_charged)) plan_.cost.delta = plan_.selection->loss.delta;
    return {};
  }

  // Every primitive and every choice gets the same share of the price, and the selection one of its
  // own unless its noise serves a primitive.
  Status ChooseNoise() {
    auto count = static_cast<int64_t>(plan_.primitives.size() + plan_.choices.size());
    const Price& price = options_.price;
    Rational epsilon;
    Rational rho;
    if (!cells_) {
      TACET_RETURN_IF_ERROR(ChooseSelection());
      if (!plan_.selection->shared) ++count;
      rho += plan_.selection->loss.rho.value();
    }
    for (size_t i = 0; i < plan_.primitives.size(); ++i) {
      Primitive& primitive = plan_.primitives[i];
      if (plan_.selection && plan_.selection->shared == i) {
        TACET_TRY(primitive.noise, Noise::Gaussian(plan_.selection->gaussian()->sigma_squared(),
                                                   primitive.sensitivity));
        continue;
      }
      const Rational part = TACET_FAULT(hidden_count_not_charged) && count > 1
                                ? Rational(1, count - 1)
                                : Rational(1, count);
      TACET_TRY(primitive.noise, Noise::Choose(price, part, primitive.sensitivity));
      const PrivacyLoss& loss = primitive.noise->loss();
      if (price.is_pure) epsilon += loss.epsilon->value();
      if (!price.is_pure) rho += loss.rho.value();
    }
    for (Choice& choice : plan_.choices) {
      TACET_TRY(choice.chooser, ValueChoice::Choose(price, Rational(1, count), choice.shape));
      const PrivacyLoss& loss = choice.chooser->loss();
      if (price.is_pure) epsilon += loss.epsilon->value();
      if (!price.is_pure) rho += loss.rho.value();
    }
    if (TACET_FAULT(hidden_count_not_charged)) {
      epsilon = std::min(epsilon, price.Amount());
      rho = std::min(rho, price.Amount());
    }
    plan_.cost.epsilon = price.epsilon;
    if (price.is_pure) {
      TACET_CHECK(epsilon <= price.Amount());
      TACET_TRY(plan_.cost.epsilon, Epsilon::Create(price.Amount()));
    } else {
      TACET_CHECK(rho <= price.Amount());
      TACET_CHECK(plan_.cost.delta <= price.delta);
      TACET_TRY(plan_.cost.rho, Rho::Create(rho));
    }
    return {};
  }

  const sql::Select& select_;
  const Scope& scope_;
  const PlanOptions& options_;
  AggregateBinder aggregates_;
  PostLeaves leaves_;
  PostLeaves leaves_with_windows_;
  Plan plan_;
  std::optional<int64_t> cells_ = 1;  // how many groups are shown; none: they are selected
};

}  // namespace

Result<Plan> MakePlan(const sql::Select& select, const Catalog& catalog,
                      const PlanOptions& options) {
  if (!select.union_all.empty()) return PlanUnion(select, catalog, options);
  TACET_TRY(const Scope scope, BindFrom(select, catalog));
  return Planner(select, scope, options).Run();
}

std::string Plan::Bytes() const { return RecordOf(*this); }

Cells Plan::MakeCells() const {
  TACET_CHECK(!selection);
  std::vector<Domain> domains;
  domains.reserve(keys.size());
  for (const Key& key : keys) domains.emplace_back(key.column);
  return Cells(std::move(domains));
}

}  // namespace tacet
