// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/predicate_region.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/base/sha256.h"
#include "tacet/catalog/vault_names.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;

// At least the people for whose row a condition has each of SQL's three truth values.
struct Truths {
  Region is_true = {};
  Region is_false = {};
  Region is_null = {};
};

Truths Constant(bool value) {
  return {.is_true = value ? Region() : Region::Nobody(),
          .is_false = value ? Region::Nobody() : Region(),
          .is_null = Region::Nobody()};
}

Truths Not(Truths truths) {
  std::swap(truths.is_true, truths.is_false);
  return truths;
}

Truths And(const Truths& a, const Truths& b) {
  return {.is_true = a.is_true & b.is_true,
          .is_false = a.is_false | b.is_false,
          .is_null = (a.is_null & (b.is_true | b.is_null)) | (a.is_true & b.is_null)};
}

Truths Or(Truths a, Truths b) { return Not(And(Not(std::move(a)), Not(std::move(b)))); }

// Of a condition that is never NULL.
Truths Whether(Region yes, Region no) {
  return {.is_true = std::move(yes), .is_false = std::move(no), .is_null = Region::Nobody()};
}

// Any function of the stored text would do: where two texts share a number, more people are taken
// to be the same.
int64_t NumberOfText(const std::string& text) {
  const Digest digest = Sha256(text);
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) number |= uint64_t{digest[i]} << (8 * i);
  return static_cast<int64_t>(number);
}

// What a column is stored as.
enum class Storage { kInteger, kBoolean, kText, kDouble };

Storage StorageOf(const Column& column) {
  if (column.type.kind == TypeKind::kBoolean) return Storage::kBoolean;
  if (column.range || !column.texts.empty() || column.type.is_moment()) return Storage::kInteger;
  return column.type.kind == TypeKind::kText ? Storage::kText : Storage::kDouble;
}

// What the import leaves in a column: it brings values into the range or the list, or makes them
// NULL, and it fails on a NULL where there may be none.
ValueSet StoredValues(const Column& column) {
  ValueSet values = ValueSet::Integers();
  switch (column.domain()) {
    case DomainKind::kBoolean:
      values = ValueSet::Between(0, 1);
      break;
    case DomainKind::kRange:
      values = ValueSet::Between(column.range->grid_lo, column.range->grid_hi);
      break;
    case DomainKind::kTexts:
      values = ValueSet::Between(0, static_cast<int64_t>(column.texts.size()) - 1);
      break;
    case DomainKind::kNumbers:
      values = ValueSet::Of(column.numbers);
      break;
    case DomainKind::kUnknown:
    case DomainKind::kReference:
      break;
  }
  return column.nullable ? values | ValueSet::Null() : values;
}

// The integers x with `x op value`; of a list, those that are in it.
std::optional<ValueSet> Satisfying(EngineOp op, const std::vector<int64_t>& values) {
  const ValueSet up_to = ValueSet::Between(ValueSet::kLeast, values[0]);
  const ValueSet from = ValueSet::Between(values[0], ValueSet::kMost);
  switch (op) {
    case EngineOp::kIn:
    case EngineOp::kEqual:
      return ValueSet::Of(values);
    case EngineOp::kNotEqual:
      return ValueSet::Of(values).OtherIntegers();
    case EngineOp::kLess:
      return from.OtherIntegers();
    case EngineOp::kLessEqual:
      return up_to;
    case EngineOp::kGreater:
      return up_to.OtherIntegers();
    case EngineOp::kGreaterEqual:
      return from;
    default:
      return std::nullopt;
  }
}

class Evaluator {
 public:
  explicit Evaluator(const RegionColumns& columns) : columns_(columns) {}

  Truths Of(const EngineExpr& expr) const {
    if (const bool* value = std::get_if<bool>(&expr.node())) return Constant(*value);
    if (std::holds_alternative<EngineExpr::NullNode>(expr.node())) {
      return {.is_true = Region::Nobody(), .is_false = Region::Nobody(), .is_null = Region()};
    }
    if (const auto* call = std::get_if<EngineExpr::CallNode>(&expr.node())) return OfCall(*call);
    if (const auto* cases = std::get_if<EngineExpr::CaseNode>(&expr.node())) return OfCase(*cases);
    const RegionColumn* found = Find(expr);
    if (found == nullptr || StorageOf(*found->column) != Storage::kBoolean) return {};
    return Test(expr, ValueSet::Of({1}), ValueSet::Of({0}));
  }

 private:
  Truths OfCall(const EngineExpr::CallNode& call) const {
    switch (call.op) {
      case EngineOp::kNot:
        if (TACET_FAULT(region_not_keeps_set)) return Of(call.args[0]);
        return Not(Of(call.args[0]));
      case EngineOp::kAnd:
      case EngineOp::kOr: {
        Truths truths = Of(call.args[0]);
        for (size_t i = 1; i < call.args.size(); ++i) {
          const Truths next = Of(call.args[i]);
          truths = call.op == EngineOp::kAnd ? And(truths, next) : Or(truths, next);
        }
        return truths;
      }
      case EngineOp::kIsNull: {
        if (Find(call.args[0]) != nullptr) {
          return Whether(Where(call.args[0], ValueSet::Null()),
                         Where(call.args[0], ValueSet::Integers()));
        }
        const Truths truths = Of(call.args[0]);
        return Whether(truths.is_null, truths.is_true | truths.is_false);
      }
      case EngineOp::kIsTrue: {
        const Truths truths = Of(call.args[0]);
        if (TACET_FAULT(region_ignores_null)) return Whether(truths.is_true, truths.is_false);
        return Whether(truths.is_true, truths.is_false | truths.is_null);
      }
      case EngineOp::kIsFalse: {
        const Truths truths = Of(call.args[0]);
        return Whether(truths.is_false, truths.is_true | truths.is_null);
      }
      default:
        return OfComparison(call);
    }
  }

  // The first condition that is TRUE decides.
  Truths OfCase(const EngineExpr::CaseNode& cases) const {
    Truths result = Constant(false);
    result.is_false = Region::Nobody();
    Region undecided;
    const auto decide = [&](const Region& who, const Truths& truths) {
      result.is_true = result.is_true | (who & truths.is_true);
      result.is_false = result.is_false | (who & truths.is_false);
      result.is_null = result.is_null | (who & truths.is_null);
    };
    for (const sql::EngineWhen& when : cases.whens) {
      const Truths condition = Of(when.condition);
      decide(undecided & condition.is_true, Of(when.result));
      undecided = undecided & (condition.is_false | condition.is_null);
    }
    decide(undecided, Of(cases.otherwise[0]));
    return result;
  }

  // A column with one constant, or with those of a list.
  Truths OfComparison(const EngineExpr::CallNode& call) const {
    const RegionColumn* found = Find(call.args[0]);
    if (found == nullptr || call.args.size() < 2) return {};
    const Column* column = found->column;
    std::vector<int64_t> values;
    for (size_t i = 1; i < call.args.size(); ++i) {
      const std::optional<int64_t> value = StoredConstant(*column, call.args[i]);
      if (!value) return {};
      values.push_back(*value);
    }
    const std::optional<ValueSet> satisfying = Satisfying(call.op, values);
    if (!satisfying) return {};
    if (StorageOf(*column) != Storage::kText) {
      return Test(call.args[0], *satisfying, satisfying->OtherIntegers());
    }
    // Other texts may have the same number, and numbers are not in the order of texts.
    const bool equality = call.op == EngineOp::kEqual || call.op == EngineOp::kIn;
    return Test(call.args[0], equality ? *satisfying : ValueSet::Integers(), ValueSet::Integers());
  }

  static std::optional<int64_t> StoredConstant(const Column& column, const EngineExpr& constant) {
    switch (StorageOf(column)) {
      case Storage::kInteger:
        if (const auto* value = std::get_if<int64_t>(&constant.node())) return *value;
        return std::nullopt;
      case Storage::kBoolean:
        if (const bool* value = std::get_if<bool>(&constant.node())) return *value ? 1 : 0;
        return std::nullopt;
      case Storage::kText:
        if (const auto* value = std::get_if<EngineExpr::TextNode>(&constant.node())) {
          return NumberOfText(value->text);
        }
        return std::nullopt;
      case Storage::kDouble:
        break;
    }
    return std::nullopt;
  }

  // A test of a column that is NULL on NULL.
  Truths Test(const EngineExpr& column, const ValueSet& yes, const ValueSet& no) const {
    return {.is_true = Where(column, yes),
            .is_false = Where(column, no),
            .is_null = Where(column, ValueSet::Null())};
  }

  // `column` must be one.
  Region Where(const EngineExpr& column, const ValueSet& values) const {
    const RegionColumn& found = *Find(column);
    // NULL may stand for a row that is not there.
    if (found.may_be_missing && values.has_null() && !TACET_FAULT(region_of_missing_row)) return {};
    const ValueSet stored = StoredValues(*found.column);
    const ValueSet possible = values & stored;
    if (possible == stored) return {};
    return Region::Where(found.name, possible);
  }

  // nullptr if it is no such column.
  const RegionColumn* Find(const EngineExpr& expr) const {
    const auto* node = std::get_if<EngineExpr::ColumnNode>(&expr.node());
    if (node == nullptr) return nullptr;
    const auto found = columns_.find({node->table, node->name});
    return found == columns_.end() ? nullptr : &found->second;
  }

  const RegionColumns& columns_;
};

}  // namespace

Region RegionOf(const std::optional<EngineExpr>& predicate, const Catalog& catalog,
                const Table& table) {
  const bool has_keys = std::holds_alternative<PersonColumn>(table.person) ||
                        std::holds_alternative<PersonThrough>(table.person);
  const bool one_row = table.rows_per_person_max == 1 || TACET_FAULT(region_of_many_rows);
  if (!predicate || !has_keys || !one_row) return {};
  RegionColumns columns;
  for (const Column& column : table.columns) {
    const std::string stored = VaultColumnName(table, column);
    columns[{"", stored}] = {.name = VaultTableName(catalog, table) + "." + stored,
                             .column = &column};
  }
  return RegionOf(*predicate, columns);
}

Region RegionOf(const EngineExpr& predicate, const RegionColumns& columns) {
  return Evaluator(columns).Of(predicate).is_true;
}

}  // namespace tacet
