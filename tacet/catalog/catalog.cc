// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/catalog.h"

#include <algorithm>

#include "tacet/base/check.h"
#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

template <typename T>
const T* FindByIdentifier(const std::vector<T>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const T& one) { return SameIdentifier(one.name, name); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

DomainKind Column::domain() const {
  if (type.kind == TypeKind::kBoolean) return DomainKind::kBoolean;
  if (reference) return DomainKind::kReference;
  if (!texts.empty()) return DomainKind::kTexts;
  if (!numbers.empty()) return DomainKind::kNumbers;
  return range ? DomainKind::kRange : DomainKind::kUnknown;
}

std::optional<Int128> Column::key_count() const {
  const Int128 null_count = nullable ? 1 : 0;
  switch (domain()) {
    case DomainKind::kBoolean:
      return 2 + null_count;
    case DomainKind::kRange:
      return range->cells() + null_count;
    case DomainKind::kTexts:
      return static_cast<Int128>(texts.size()) + null_count;
    case DomainKind::kNumbers:
      return static_cast<Int128>(numbers.size()) + null_count;
    case DomainKind::kReference:
      if (texts.empty() && numbers.empty()) break;
      return static_cast<Int128>(texts.size() + numbers.size()) + null_count;
    case DomainKind::kUnknown:
      break;
  }
  return std::nullopt;
}

const Column* Table::FindColumn(std::string_view column_name) const {
  return FindByIdentifier(columns, column_name);
}

Rational BudgetDeclaration::selection_delta() const {
  return delta ? *delta * selection_share : Rational(0);
}

const Table* Catalog::FindTable(std::string_view table_name) const {
  return FindByIdentifier(tables, table_name);
}

const Analyst* Catalog::FindAnalyst(std::string_view analyst_name) const {
  const auto found = std::find_if(analysts.begin(), analysts.end(),
                                  [&](const Analyst& one) { return one.name == analyst_name; });
  return found == analysts.end() ? nullptr : &*found;
}

const Column& Catalog::Resolve(const ColumnReference& reference) const {
  TACET_CHECK(reference.table < tables.size());
  TACET_CHECK(reference.column < tables[reference.table].columns.size());
  return tables[reference.table].columns[reference.column];
}

}  // namespace tacet
