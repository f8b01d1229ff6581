// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/digest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tacet/base/sha256.h"
#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

// Names the canonical text below; a vault made under another one does not fit.
constexpr std::string_view kForm = "tacet catalog digest 1";

// A text from which every field can be read back: no two different lists of fields give the same
// one.
class Canonical {
 public:
  void Add(std::string_view name, std::string_view value) {
    text_.append(name).append(" ").append(std::to_string(value.size())).append(":");
    text_.append(value).append("\n");
  }
  void Add(std::string_view name, int64_t value) {
    Add(name, std::string_view(std::to_string(value)));
  }
  void Add(std::string_view name, const Rational& value) {
    Add(name, std::string_view(value.ToString()));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Pointers to `all` in the order of their names, which differ by more than case.
template <typename T>
std::vector<const T*> ByName(const std::vector<T>& all) {
  std::vector<const T*> sorted;
  sorted.reserve(all.size());
  for (const T& one : all) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const T* a, const T* b) {
    return FoldIdentifier(a->name) < FoldIdentifier(b->name);
  });
  return sorted;
}

void AddPerson(const Catalog& catalog, const Person& person, Canonical& canonical) {
  canonical.Add("person", static_cast<int64_t>(person.index()));
  if (const auto* column = std::get_if<PersonColumn>(&person)) {
    canonical.Add("name", FoldIdentifier(column->name));
    canonical.Add("source", column->source);
  } else if (const auto* through = std::get_if<PersonThrough>(&person)) {
    canonical.Add("source", through->source);
    canonical.Add("table", FoldIdentifier(catalog.tables[through->table].name));
    canonical.Add("key", through->key);
  }
}

void AddColumn(const Catalog& catalog, const Column& column, Canonical& canonical) {
  canonical.Add("column", FoldIdentifier(column.name));
  canonical.Add("source", column.source);
  canonical.Add("type", column.type.ToString());
  canonical.Add("nullable", int64_t{column.nullable});
  canonical.Add("outside", static_cast<int64_t>(column.outside));
  canonical.Add("domain", static_cast<int64_t>(column.domain()));
  // Only where it is said, so that vaults from before there was such a thing still fit.
  if (column.is_unique) canonical.Add("unique", int64_t{1});
  if (column.range) {
    canonical.Add("lo", column.range->lo);
    canonical.Add("hi", column.range->hi);
    canonical.Add("grid", column.range->grid);
  }
  for (const std::string& text : column.texts) canonical.Add("value", text);
  for (const int64_t number : column.numbers) canonical.Add("value", number);
  if (column.reference) {
    canonical.Add("table", FoldIdentifier(catalog.tables[column.reference->table].name));
    canonical.Add("column", FoldIdentifier(catalog.Resolve(*column.reference).name));
  }
}

void AddTable(const Catalog& catalog, const Table& table, Canonical& canonical) {
  canonical.Add("table", FoldIdentifier(table.name));
  canonical.Add("format", static_cast<int64_t>(table.source.format));
  canonical.Add("path", table.source.path);
  canonical.Add("in", table.source.table);
  canonical.Add("delimiter", std::string_view(&table.source.delimiter, 1));
  canonical.Add("header", int64_t{table.source.header});
  canonical.Add("null", table.source.null);
  AddPerson(catalog, table.person, canonical);
  canonical.Add("drops_null_person", int64_t{table.drops_null_person});
  canonical.Add("rows_per_person", table.rows_per_person_max.value_or(0));
  canonical.Add("budget_class",
                table.budget_class ? FoldIdentifier(table.columns[*table.budget_class].name) : "");
  canonical.Add("columns", static_cast<int64_t>(table.columns.size()));
  for (const Column* column : ByName(table.columns)) AddColumn(catalog, *column, canonical);
}

}  // namespace

std::string ImportDigest(const Catalog& catalog) {
  Canonical canonical;
  canonical.Add("form", kForm);
  canonical.Add("person_key", static_cast<int64_t>(catalog.person_key));
  for (const Table* table : ByName(catalog.tables)) AddTable(catalog, *table, canonical);
  return ToHex(Sha256(canonical.text()));
}

}  // namespace tacet
