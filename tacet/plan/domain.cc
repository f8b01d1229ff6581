// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/domain.h"

#include <algorithm>

#include "tacet/base/check.h"

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
}

std::optional<size_t> Domain::Find(const StoredKey& key) const {
  if (!key) return column_.nullable ? std::optional<size_t>(values_) : std::nullopt;
  int64_t first = 0;
  if (column_.domain() == DomainKind::kNumbers) {
    const auto found = std::find(column_.numbers.begin(), column_.numbers.end(), *key);
    if (found == column_.numbers.end()) return std::nullopt;
    return static_cast<size_t>(found - column_.numbers.begin());
  }
  if (column_.domain() == DomainKind::kRange) first = column_.range->grid_lo;
  const Int128 index = Int128{*key} - first;
  if (index < 0 || index >= static_cast<Int128>(values_)) return std::nullopt;
  return static_cast<size_t>(index);
}

Value Domain::ValueAt(size_t index) const {
  TACET_CHECK(index < size_);
  if (index == values_) return NullValue{};
  switch (column_.domain()) {
    case DomainKind::kBoolean:
      return index == 1;
    case DomainKind::kTexts:
      return column_.texts[index];
    case DomainKind::kNumbers:
      return ValueOfSteps(column_, column_.numbers[index]);
    default:
      return ValueOfSteps(column_, column_.range->grid_lo + static_cast<int64_t>(index));
  }
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
