// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/release.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/evaluate.h"
#include "tacet/execute/groups.h"
#include "tacet/execute/post_process.h"
#include "tacet/execute/union_all.h"

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

ValueMeasure::Kind MeasureOf(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::kMinimum:
      return ValueMeasure::Kind::kLeast;
    case ChoiceKind::kMaximum:
      return ValueMeasure::Kind::kGreatest;
    default:
      return ValueMeasure::Kind::kRows;
  }
}

// How often each of the values was counted; what is none of them does not exist.
std::vector<int64_t> CountsOf(const Choice& choice, const ValueCounts* counted) {
  std::vector<int64_t> counts(static_cast<size_t>(choice.values.size()), 0);
  if (counted == nullptr) return counts;
  for (const auto& [number, count] : *counted) {
    if (const std::optional<size_t> place = choice.values.Find(number)) counts[*place] += count;
  }
  return counts;
}

// One group after the other: only one has all of its values in memory.
Status Choose(const Choice& choice, const std::vector<const ValueCounts*>& groups,
              std::vector<ReleasedRow>& rows, Entropy& entropy) {
  for (size_t row = 0; row < rows.size(); ++row) {
    TACET_TRY(const std::vector<size_t> places,
              choice.chooser->Release(CountsOf(choice, groups[row]), entropy));
    rows[row].chosen.emplace_back(places.begin(), places.end());
  }
  return {};
}

}  // namespace

Result<HashKey> DrawHashKey(Entropy& entropy) {
  HashKey key;
  TACET_RETURN_IF_ERROR(entropy.Fill(key));
  return key;
}

Request RequestOf(const Plan& plan, const HashKey& hash_key) {
  TACET_CHECK(!plan.is_public);
  Request request{.from = plan.from, .predicate = plan.predicate, .hash_key = hash_key};
  for (const Key& key : plan.keys) {
    request.keys.push_back({.value = key.stored, .is_text = key.column.is_stored_as_text()});
  }
  std::optional<int64_t> kept_max;
  if (plan.caps_rows) kept_max = plan.contribution.rows;
  for (const Primitive& primitive : plan.primitives) {
    if (primitive.kind == Primitive::Kind::kDistinct) {
      request.values.push_back(
          {.kind = ValueMeasure::Kind::kDistinct, .value = primitive.value, .kept_max = kept_max});
      continue;
    }
    request.measures.push_back({.kind = primitive.kind == Primitive::Kind::kPersons
                                            ? Measure::Kind::kPersons
                                            : Measure::Kind::kSum,
                                .value = primitive.value,
                                .low = primitive.group.low,
                                .high = primitive.group.high});
  }
  for (const Choice& choice : plan.choices) {
    request.values.push_back(
        {.kind = MeasureOf(choice.shape.kind), .value = choice.value, .kept_max = kept_max});
  }
  if (plan.selection) request.measures.push_back(PersonsMeasure());
  request.has_one_row_per_person = plan.contribution.rows_in_all == 1;
  if (plan.caps_groups) request.groups_max = plan.contribution.groups;
  if (plan.caps_rows) request.rows_max = plan.contribution.rows;
  return request;
}

namespace {

Result<Answer> ReleaseOne(const Plan& plan, const Exact& exact, Entropy& entropy) {
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
  for (size_t i = 0; i < plan.choices.size(); ++i) {
    TACET_RETURN_IF_ERROR(Choose(plan.choices[i], groups.values[i], rows, entropy));
  }
  for (size_t row = 0; row < rows.size(); ++row) rows[row].keys = std::move(groups.keys[row]);
  if (TACET_FAULT(having_below_noise) && plan.having) {
    size_t cell = 0;
    std::erase_if(rows, [&](const ReleasedRow& row) {
      ReleasedRow plain{.keys = row.keys, .steps = {}, .chosen = row.chosen};
      for (const std::vector<Int128>& sum : sums) plain.steps.push_back(sum[cell]);
      ++cell;
      const auto leaf = [&](const PostExpr& expr) { return ValueOf(expr, plan, plain); };
      return Evaluate(*plan.having, leaf) != Value(true);
    });
  }
  return PostProcess(plan, rows);
}

}  // namespace

Result<Answer> Release(const Plan& plan, Charge charge, std::span<const Exact> exact,
                       Entropy& entropy) {
  std::move(charge).Consume(plan.Bytes());
  TACET_CHECK(exact.size() == PartsOf(plan).size());
  std::vector<Answer> answers;
  for (size_t i = 0; i < exact.size(); ++i) {
    TACET_TRY(Answer answer, ReleaseOne(PartsOf(plan)[i], exact[i], entropy));
    answers.push_back(std::move(answer));
  }
  return plan.parts.empty() ? std::move(answers[0]) : AnswerOfAll(plan, answers);
}

Result<Answer> Release(const Plan& plan, Charge charge, const Exact& exact, Entropy& entropy) {
  return Release(plan, std::move(charge), std::span(&exact, 1), entropy);
}

namespace {

// Which number of a row of the answer, behind its keys, each primitive and then each choice is: the
// request asks for sums, different values, least and greatest values.
std::vector<size_t> PlacesOf(const Plan& plan) {
  std::vector<std::pair<int, size_t>> order;
  for (const Primitive& primitive : plan.primitives) {
    order.emplace_back(primitive.kind == Primitive::Kind::kDistinct ? 1 : 0, order.size());
  }
  for (const Choice& choice : plan.choices) {
    order.emplace_back(choice.shape.kind == ChoiceKind::kMinimum ? 2 : 3, order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<size_t> places(order.size());
  for (size_t i = 0; i < order.size(); ++i) places[order[i].second] = i;
  return places;
}

Result<ReleasedRow> PublicRow(const Plan& plan, const std::vector<duckdb::Cell>& cells) {
  ReleasedRow row;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    row.keys.push_back(PublicValue(plan.keys[i].column, cells[i]));
  }
  const std::vector<size_t> places = PlacesOf(plan);
  for (size_t i = 0; i < places.size(); ++i) {
    const duckdb::Cell& cell = cells[plan.keys.size() + places[i]];
    const auto* number = std::get_if<Int128>(&cell);
    const bool is_choice = i >= plan.primitives.size();
    if (number == nullptr && !(is_choice && duckdb::IsNull(cell))) {
      return Error{.code = Code::kEngine,
                   .message = "the query engine failed",
                   .detail = "a sum of another type"};
    }
    if (!is_choice) row.steps.push_back(*number);
    if (is_choice) {
      row.chosen.push_back({number == nullptr ? std::nullopt : std::optional<Int128>(*number)});
    }
  }
  return row;
}

}  // namespace

PublicRequest PublicRequestOf(const Plan& plan) {
  TACET_CHECK(plan.is_public);
  PublicRequest request{.from = plan.from, .predicate = plan.predicate};
  for (const Key& key : plan.keys) request.keys.push_back(key.stored);
  for (const Primitive& primitive : plan.primitives) {
    const bool is_distinct = primitive.kind == Primitive::Kind::kDistinct;
    (is_distinct ? request.distinct : request.sums).push_back(primitive.value);
  }
  for (const Choice& choice : plan.choices) {
    const bool is_least = choice.shape.kind == ChoiceKind::kMinimum;
    (is_least ? request.least : request.greatest).push_back(choice.value);
  }
  request.lists_rows = plan.lists_rows;
  return request;
}

Result<Answer> AnswerPublic(const Plan& plan, const duckdb::Rows& rows) {
  std::vector<ReleasedRow> released;
  released.reserve(rows.size());
  for (const std::vector<duckdb::Cell>& row : rows) {
    TACET_TRY(ReleasedRow one, PublicRow(plan, row));
    released.push_back(std::move(one));
  }
  return PostProcess(plan, released);
}

Result<Answer> AnswerPublic(const Plan& plan, Engine& engine) {
  std::vector<Answer> answers;
  for (const Plan& part : PartsOf(plan)) {
    TACET_TRY(const duckdb::Rows rows, engine.Read(PublicRequestOf(part)));
    TACET_TRY(Answer answer, AnswerPublic(part, rows));
    answers.push_back(std::move(answer));
  }
  return plan.parts.empty() ? std::move(answers[0]) : AnswerOfAll(plan, answers);
}

}  // namespace tacet
