// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/release.h"

#include <cmath>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/evaluate.h"
#include "tacet/execute/groups.h"
#include "tacet/execute/post_process.h"

namespace tacet {
namespace {

// A stored value of a public column as analysts see it.
Value PublicValue(const Column& column, const duckdb::Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (column.domain() != DomainKind::kTexts) return ValueOfSteps(column, *integer);
    const auto code = static_cast<size_t>(*integer);
    return code < column.texts.size() ? Value(column.texts[code]) : Value(NullValue{});
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    if (!std::isfinite(*number)) return NullValue{};
    if (column.type.kind == TypeKind::kDouble) return *number;
    return Rational::FromDouble(*number);
  }
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return NullValue{};
}

}  // namespace

Result<HashKey> DrawHashKey(Entropy& entropy) {
  HashKey key;
  TACET_RETURN_IF_ERROR(entropy.Fill(key));
  return key;
}

Request RequestOf(const Plan& plan, const HashKey& hash_key) {
  TACET_CHECK(!plan.is_public);
  Request request{.table = plan.vault_table, .predicate = plan.predicate, .hash_key = hash_key};
  for (const Key& key : plan.keys) {
    request.keys.push_back({.value = key.stored, .is_text = key.column.is_stored_as_text()});
  }
  for (const Primitive& primitive : plan.primitives) {
    request.measures.push_back({.kind = primitive.kind == Primitive::Kind::kPersons
                                            ? Measure::Kind::kPersons
                                            : Measure::Kind::kSum,
                                .value = primitive.value,
                                .low = primitive.group.low,
                                .high = primitive.group.high});
  }
  if (plan.selection) request.measures.push_back(PersonsMeasure());
  request.has_one_row_per_person = plan.contribution.rows_in_all == 1;
  if (plan.caps_groups) request.groups_max = plan.contribution.groups;
  if (plan.caps_rows) request.rows_max = plan.contribution.rows;
  return request;
}

Result<Answer> Release(const Plan& plan, Charge charge, const Exact& exact, Entropy& entropy) {
  std::move(charge).Consume(plan.Bytes());
  Groups groups;
  if (plan.selection) {
    TACET_TRY(groups, SelectGroups(plan, exact, entropy));
  } else {
    groups = PublicGroups(plan, exact);
  }
  const std::vector<std::vector<Int128>>& sums = groups.sums;
  std::vector<ReleasedRow> rows(groups.keys.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const bool is_known = plan.selection && plan.selection->shared == i;
    TACET_TRY(const std::vector<Int128> noisy,
              is_known ? Result<std::vector<Int128>>(groups.noisy_persons)
                       : plan.primitives[i].noise->Release(sums[i], entropy));
    for (size_t row = 0; row < rows.size(); ++row) rows[row].steps.push_back(noisy[row]);
  }
  for (size_t row = 0; row < rows.size(); ++row) rows[row].keys = std::move(groups.keys[row]);
  if (TACET_FAULT(having_below_noise) && plan.having) {
    size_t cell = 0;
    std::erase_if(rows, [&](const ReleasedRow& row) {
      ReleasedRow plain{.keys = row.keys, .steps = {}};
      for (const std::vector<Int128>& sum : sums) plain.steps.push_back(sum[cell]);
      ++cell;
      const auto leaf = [&](const PostExpr& expr) { return ValueOf(expr, plan, plain); };
      return Evaluate(*plan.having, leaf) != Value(true);
    });
  }
  return PostProcess(plan, rows);
}

PublicRequest PublicRequestOf(const Plan& plan) {
  TACET_CHECK(plan.is_public);
  PublicRequest request{.table = plan.vault_table, .predicate = plan.predicate};
  for (const Key& key : plan.keys) request.keys.push_back(key.stored);
  for (const Primitive& primitive : plan.primitives) request.sums.push_back(primitive.value);
  request.lists_rows = plan.lists_rows;
  return request;
}

Result<Answer> AnswerPublic(const Plan& plan, const duckdb::Rows& rows) {
  std::vector<ReleasedRow> released;
  released.reserve(rows.size());
  for (const std::vector<duckdb::Cell>& row : rows) {
    ReleasedRow one;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i < plan.keys.size()) {
        one.keys.push_back(PublicValue(plan.keys[i].column, row[i]));
      } else if (const auto* sum = std::get_if<Int128>(&row[i])) {
        one.steps.push_back(*sum);
      } else {
        return Error{.code = Code::kEngine,
                     .message = "the query engine failed",
                     .detail = "a sum of another type"};
      }
    }
    released.push_back(std::move(one));
  }
  return PostProcess(plan, released);
}

}  // namespace tacet
