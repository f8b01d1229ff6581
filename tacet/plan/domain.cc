// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/domain.h"

#include <algorithm>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/date.h"

namespace tacet {

Value ValueOfSteps(const Column& column, int64_t steps) {
  const Rational grid = column.range ? column.range->grid : Rational(1);
  const Rational value = Rational(steps) * grid;
  if (column.type.kind == TypeKind::kDouble) return value.ToDouble();
  return value;
}

Domain::Domain(const Column& column) : column_(column) {
  const std::optional<Int128> count = column.key_count();
  TACET_CHECK(count.has_value());
  size_ = static_cast<size_t>(*count);
  values_ = size_ - (column.nullable ? 1 : 0);
  for (size_t i = 0; i < column.numbers.size(); ++i) places_.emplace(column.numbers[i], i);
  if (!column.is_stored_as_text()) return;
  for (size_t i = 0; i < column.texts.size(); ++i) places_.emplace(column.texts[i], i);
}

std::optional<size_t> Domain::Find(const StoredKey& key) const {
  if (IsNull(key)) return column_.nullable ? std::optional<size_t>(values_) : std::nullopt;
  if (!places_.empty()) {
    const auto found = places_.find(key);
    return found == places_.end() ? std::nullopt : std::optional<size_t>(found->second);
  }
  const auto* number = std::get_if<int64_t>(&key);
  if (number == nullptr) return std::nullopt;
  const int64_t first = column_.domain() == DomainKind::kRange ? column_.range->grid_lo : 0;
  const Int128 index = Int128{*number} - first;
  if (index < 0 || index >= static_cast<Int128>(values_)) return std::nullopt;
  return static_cast<size_t>(index);
}

Value Domain::ValueAt(size_t index) const {
  TACET_CHECK(index < size_);
  if (index == values_) return NullValue{};
  if (column_.domain() == DomainKind::kBoolean) return index == 1;
  if (!column_.texts.empty()) return column_.texts[index];
  if (!column_.numbers.empty()) return ValueOfSteps(column_, column_.numbers[index]);
  return ValueOfSteps(column_, column_.range->grid_lo + static_cast<int64_t>(index));
}

namespace {

bool IsPrintable(const Column& column, int64_t steps) {
  if (column.type.kind == TypeKind::kDate) return steps >= kFirstDay && steps <= kLastDay;
  return steps >= kFirstDay * kMicrosecondsPerDay && steps < (kLastDay + 1) * kMicrosecondsPerDay;
}

// Whether a value may be stored as `number`.
bool MayBe(const Column& column, int64_t number) {
  switch (column.domain()) {
    case DomainKind::kBoolean:
      return number == 0 || number == 1;
    case DomainKind::kTexts:
      return number >= 0 && std::cmp_less(number, column.texts.size());
    case DomainKind::kNumbers:
      return std::count(column.numbers.begin(), column.numbers.end(), number) > 0;
    case DomainKind::kRange:
      return number >= column.range->grid_lo && number <= column.range->grid_hi;
    case DomainKind::kReference:
      if (!column.numbers.empty()) {
        return std::binary_search(column.numbers.begin(), column.numbers.end(), number);
      }
      [[fallthrough]];
    default:
      return column.type.is_moment() && IsPrintable(column, number);
  }
}

}  // namespace

std::optional<Value> KeyValue(const Column& column, const StoredKey& key) {
  if (IsNull(key)) return column.nullable ? std::optional<Value>(NullValue{}) : std::nullopt;
  if (const auto* text = std::get_if<std::string>(&key)) {
    return column.is_stored_as_text() ? std::optional<Value>(*text) : std::nullopt;
  }
  const int64_t number = std::get<int64_t>(key);
  if (!MayBe(column, number)) return std::nullopt;
  if (column.domain() == DomainKind::kBoolean) return number == 1;
  if (column.domain() == DomainKind::kTexts) return column.texts[static_cast<size_t>(number)];
  return ValueOfSteps(column, number);
}

size_t Cells::size() const {
  size_t size = 1;
  for (const Domain& domain : domains_) size *= domain.size();
  return size;
}

std::optional<size_t> Cells::Find(std::span<const StoredKey> keys) const {
  TACET_CHECK(keys.size() == domains_.size());
  size_t cell = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::optional<size_t> index = domains_[i].Find(keys[i]);
    if (!index) return std::nullopt;
    cell = cell * domains_[i].size() + *index;
  }
  return cell;
}

std::vector<Value> Cells::ValuesAt(size_t cell) const {
  std::vector<Value> values(domains_.size());
  for (size_t i = domains_.size(); i > 0; --i) {
    const size_t size = domains_[i - 1].size();
    values[i - 1] = domains_[i - 1].ValueAt(cell % size);
    cell /= size;
  }
  return values;
}

}  // namespace tacet
