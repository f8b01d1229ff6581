// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/table_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/column_reader.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/source_format.h"

namespace tacet {
namespace {

constexpr std::array<std::string_view, 13> kKeys = {
    "source",          "table",  "delimiter", "header",       "null",        "person", "public",
    "rows_per_person", "bounds", "people",    "budget_class", "null_person", "columns"};
constexpr std::array<std::string_view, 3> kThroughKeys = {"through", "table", "key"};
constexpr std::array<std::string_view, 2> kBoundsKeys = {"groups_per_person", "rows_per_group"};
constexpr std::array<std::string_view, 2> kNullPerson = {"refuse", "drop"};

// A table and what of it waits until all tables are read. Nothing is left out because of a problem,
// so that one mistake is not reported again wherever the table is used.
struct ReadTable {
  ReadTable(const Entry& entry, Problems& problems)
      : section(&entry.value, "table " + Shown(entry.key), kKeys, problems) {
    table.name = entry.key;
    table.position = entry.position;
  }

  Table table;
  Section section;
  std::vector<ReadColumn> columns;
  bool has_person = false;        // whether table.person is what the text means
  const Node* through = nullptr;  // the table named by person = { through, table }
};

// Whether `name` may be used and is not taken by another in `taken`, which it joins.
bool Claim(const Entry& entry, std::string_view kind, std::map<std::string, Position>& taken,
           Problems& problems) {
  const std::string what = std::string(kind) + " " + Quoted(entry.key);
  if (const std::string_view why = IdentifierProblem(entry.key); !why.empty()) {
    problems.push_back({entry.position, what + ": the name " + std::string(why),
                        kind == "column"
                            ? "choose another name, and give the source's as from = \"...\"."
                            : "choose a name of at most 63 letters, digits and underscores."});
    return false;
  }
  const auto [first, is_new] = taken.emplace(FoldIdentifier(entry.key), entry.position);
  if (!is_new) {
    problems.push_back({entry.position,
                        what + ": the name is that of line " + std::to_string(first->second.line) +
                            " but for upper and lower case",
                        "names match in either case; rename one of the two."});
  }
  return is_new;
}

// The name in the source of a column that other keys speak of: analysts' name or the source's own.
std::string SourceName(const Table& table, const std::string& name) {
  if (const auto* person = std::get_if<PersonColumn>(&table.person)) {
    if (SameIdentifier(person->name, name)) return person->source;
  }
  const Column* column = table.FindColumn(name);
  return column != nullptr ? column->source : name;
}

class TableReader {
 public:
  TableReader(ReadTable& read, const Node* columns, PersonKeyType person_key)
      : read_(read),
        table_(read.table),
        section_(read.section),
        columns_(columns),
        person_key_(person_key) {}

  void Read() {
    ReadSource();
    ReadPerson();
    ReadColumns();
    ReadFacts();
  }

 private:
  void ReadSource() {
    Source& source = table_.source;
    if (!section_.Has("source")) {
      section_.Complain("source", "is missing", "write source = \"data/file.csv\".");
      return;
    }
    const std::optional<std::string> path = section_.Text("source");
    if (!path) return;
    source.path = *path;
    const std::optional<SourceFormat> format = FormatOfPath(*path);
    if (!format) {
      section_.Complain("source", "is of no known kind: " + Quoted(*path),
                        "name a file that ends in .csv, .tsv, .parquet, .duckdb or .db.");
      return;
    }
    source.format = *format;
    const bool csv = source.format == SourceFormat::kCsv;
    ReadDelimiter(DelimiterOfPath(*path));
    source.header = section_.Boolean("header").value_or(true);
    source.null = section_.Text("null").value_or("");
    for (const std::string_view key : {"delimiter", "header", "null"}) {
      if (!csv && section_.Has(key)) {
        section_.Complain(key, "is for CSV files only", "remove it.");
      }
    }
    const bool database = source.format == SourceFormat::kDuckDb;
    source.table = section_.Text("table").value_or(database ? table_.name : "");
    if (database && source.table.empty()) {
      section_.Complain("table", "is empty", "name a table of the DuckDB file.");
    } else if (!database && section_.Has("table")) {
      section_.Complain("table", "is for DuckDB files only", "remove it.");
    }
  }

  void ReadDelimiter(char standard) {
    table_.source.delimiter = standard;
    const std::optional<std::string> text = section_.Text("delimiter");
    if (!text) return;
    const std::string_view forbidden("\n\r\"", 3);
    if (text->size() != 1 || static_cast<unsigned char>(text->front()) >= 0x80 ||
        forbidden.find(text->front()) != std::string_view::npos) {
      section_.Complain("delimiter", "must be one ASCII character, but no quote or line end",
                        "write \",\", \";\", \"|\" or \"\\t\".");
      return;
    }
    table_.source.delimiter = text->front();
  }

  void ReadPerson() {
    const bool is_public = section_.Boolean("public").value_or(false);
    const Node* person = section_.Find("person");
    if (is_public && person != nullptr) {
      section_.Complain("person", "does not go with public = true",
                        "a public table is about no person; remove one of the two.");
      return;
    }
    if (is_public) {
      read_.has_person = true;
      return;
    }
    if (person == nullptr) {
      section_.Complain(
          "person", "is missing",
          "write person = \"COLUMN\", person = \"row\" where each row is a person of its "
          "own, or public = true where the table is about nobody.");
      return;
    }
    if (person->kind == Node::Kind::kTable) return ReadThrough(*person);
    const std::optional<std::string> name = section_.Text("person");
    if (!name) return;
    if (*name == "row") {
      table_.person = RowPerson{};
      table_.rows_per_person_max = 1;
    } else if (const std::string_view why = IdentifierProblem(*name); !why.empty()) {
      section_.Complain("person", "names a column, but " + Quoted(*name) + " " + std::string(why),
                        "choose a name and declare it under columns as NAME = { from = \"...\" }.");
      return;
    } else {
      table_.person = PersonColumn{.name = *name, .source = *name};
    }
    read_.has_person = true;
  }

  void ReadThrough(const Node& node) {
    const Section section(&node, section_.name() + ": person", kThroughKeys, section_.problems());
    PersonThrough through;
    for (const std::string_view key : {"through", "table"}) {
      if (!section.Has(key)) {
        section.Complain(key, "is missing",
                         "write person = { through = \"COLUMN\", table = \"TABLE\" }.");
      }
    }
    through.source = section.Text("through").value_or("");
    through.key = section.Text("key").value_or(through.source);
    if (section.Text("table")) read_.through = section.Find("table");
    for (const std::string_view key : {"through", "key"}) {
      if (section.Has(key) && section.Find(key)->text.empty()) {
        section.Complain(key, "names no column", "write a column's name in quotes.");
      }
    }
    table_.person = std::move(through);
  }

  void ReadColumns() {
    if (columns_ == nullptr) return;
    if (columns_->kind != Node::Kind::kTable) {
      section_.Complain("columns", "must be a section, not " + std::string(KindName(*columns_)),
                        "write [tables." + table_.name +
                            ".columns] and under it "
                            "NAME = { type = \"integer\" }.");
      return;
    }
    std::map<std::string, Position> taken;
    for (const Entry& entry : columns_->entries) {
      const bool usable = Claim(entry, "column", taken, section_.problems());
      auto* person = std::get_if<PersonColumn>(&table_.person);
      if (person != nullptr && SameIdentifier(person->name, entry.key)) {
        person->source =
            ReadPersonColumnEntry(entry, Shown(table_.name), person_key_, section_.problems());
        continue;
      }
      if (std::holds_alternative<RowPerson>(table_.person) && SameIdentifier(entry.key, "row")) {
        section_.ComplainAt(entry.position,
                            "person = \"row\" means every row, but there is a column row",
                            "give the column another name, and this one as from = \"row\".");
      }
      ReadColumn column = ReadColumnEntry(entry, Shown(table_.name), section_.problems());
      if (!usable) continue;
      table_.columns.push_back(column.column);
      read_.columns.push_back(std::move(column));
    }
  }

  void ReadFacts() {
    const bool is_public = read_.has_person && table_.is_public();
    for (const std::string_view key :
         {"rows_per_person", "bounds", "people", "budget_class", "null_person"}) {
      if (is_public && section_.Has(key)) {
        section_.Complain(key, "does not go with public = true",
                          "a public table is about no person; remove it.");
      }
    }
    for (const Column& column : table_.columns) {
      if (!column.is_unique || is_public) continue;
      section_.ComplainAt(column.position,
                          "column " + Shown(column.name) + ": unique is for public tables only",
                          "remove it; rows_per_person says how many rows a person has.");
    }
    const bool row = std::holds_alternative<RowPerson>(table_.person);
    if (const auto rows = section_.Count("rows_per_person")) {
      if (row && *rows != 1) {
        section_.Complain("rows_per_person", "must be 1 where person = \"row\"", "remove it.");
      }
      table_.rows_per_person_max = rows;
    }
    table_.people = section_.Count("people");
    table_.drops_null_person = section_.Choice("null_person", kNullPerson) == 1;
    if (row && section_.Has("null_person")) {
      section_.Complain("null_person", "does not go with person = \"row\"",
                        "a row is never NULL; remove it.");
    }
    ReadBounds();
  }

  void ReadBounds() {
    const Node* node = section_.Find("bounds");
    if (node != nullptr && node->kind == Node::Kind::kString && node->text == "auto") {
      section_.Complain("bounds", "cannot be 'auto' in this version",
                        "write bounds = { groups_per_person = 5, rows_per_group = 10 }.");
      return;
    }
    const Section section(node, section_.name() + ": bounds", kBoundsKeys, section_.problems());
    table_.bounds = {.groups_per_person_max = section.Count("groups_per_person"),
                     .rows_per_group_max = section.Count("rows_per_group")};
  }

  ReadTable& read_;
  Table& table_;
  const Section& section_;
  const Node* columns_;
  PersonKeyType person_key_;
};

// What tables say of each other, once all of them are read.
class TableResolver {
 public:
  TableResolver(std::vector<ReadTable>& tables, Problems& problems)
      : tables_(tables), problems_(problems) {}

  void Resolve() {
    for (ReadTable& read : tables_) ResolveThrough(read);
    for (ReadTable& read : tables_) RefuseCircle(read);
    for (ReadTable& read : tables_) {
      for (size_t i = 0; i < read.columns.size(); ++i) ResolveValues(read, i);
      ResolveBudgetClass(read);
    }
  }

 private:
  // The index of a table; reports `node` if there is none.
  std::optional<size_t> FindTable(std::string_view name, const Node& node,
                                  const std::string& what) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (SameIdentifier(tables_[i].table.name, name)) return i;
      names.push_back(tables_[i].table.name);
    }
    problems_.push_back(
        {node.position, what + ": there is no table " + Quoted(name), SuggestionHint(name, names)});
    return std::nullopt;
  }

  void ResolveThrough(ReadTable& read) {
    if (read.through == nullptr) return;
    const std::string what = read.section.name() + ": person";
    const std::optional<size_t> target = FindTable(read.through->text, *read.through, what);
    if (!target) return;
    const Table& other = tables_[*target].table;
    const bool reaches = std::holds_alternative<PersonColumn>(other.person) ||
                         std::holds_alternative<PersonThrough>(other.person);
    if (tables_[*target].has_person && !reaches) {
      problems_.push_back(
          {read.through->position,
           what + ": table " + Quoted(other.name) +
               (other.is_public() ? " is public, so it leads to no person"
                                  : " has rows without identity, so nothing leads to its persons"),
           "name a table whose person is a column."});
      return;
    }
    auto& through = std::get<PersonThrough>(read.table.person);
    through.table = *target;
    through.key = SourceName(other, through.key);
    through.source = SourceName(read.table, through.source);
    read.has_person = true;
  }

  void RefuseCircle(const ReadTable& read) {
    if (!read.has_person || read.through == nullptr) return;
    const ReadTable* at = &read;
    for (size_t steps = 0; steps <= tables_.size(); ++steps) {
      const auto* through = std::get_if<PersonThrough>(&at->table.person);
      if (through == nullptr || !at->has_person) return;
      at = &tables_[through->table];
      if (at != &read) continue;
      problems_.push_back({read.through->position,
                           read.section.name() + ": person goes round in a circle",
                           "one table of the circle must have the person as a column."});
      return;
    }
  }

  void ResolveValues(ReadTable& read, size_t index) {
    const ReadColumn& from = read.columns[index];
    if (from.values == nullptr) return;
    const Node& node = *from.values;
    const std::string what =
        "column " + Shown(read.table.name) + "." + Shown(from.column.name) + ": values";
    const size_t dot = node.text.find('.');
    if (dot == std::string::npos) {
      problems_.push_back(
          {node.position, what + " must be a list or \"table.column\"",
           "write values = [" + Quoted(node.text) + "] or values = \"wards.ward\"."});
      return;
    }
    const std::optional<size_t> target = FindTable(node.text.substr(0, dot), node, what);
    if (!target) return;
    const ReadTable& other = tables_[*target];
    if (other.has_person && !other.table.is_public()) {
      problems_.push_back({node.position,
                           what + ": table " + Quoted(other.table.name) + " is private",
                           "name a column of a public table, or list the values."});
      return;
    }
    const std::string column_name = node.text.substr(dot + 1);
    const Column* column = other.table.FindColumn(column_name);
    if (column == nullptr) {
      std::vector<std::string_view> names;
      for (const Column& known : other.table.columns) names.push_back(known.name);
      problems_.push_back({node.position,
                           what + ": table " + Quoted(other.table.name) + " declares no column " +
                               Quoted(column_name),
                           names.empty()
                               ? "declare it under [tables." + other.table.name + ".columns]."
                               : SuggestionHint(column_name, names)});
      return;
    }
    const auto position = static_cast<size_t>(column - other.table.columns.data());
    if (other.columns[position].has_type && from.has_type && column->type != from.column.type) {
      problems_.push_back({node.position,
                           what + ": " + Quoted(node.text) + " is " + column->type.ToString() +
                               ", but the column is " + from.column.type.ToString(),
                           "give both the same type."});
      return;
    }
    read.table.columns[index].reference = ColumnReference{.table = *target, .column = position};
  }

  void ResolveBudgetClass(ReadTable& read) {
    const Section& section = read.section;
    const std::optional<std::string> name = section.Text("budget_class");
    if (!name || (read.has_person && read.table.is_public())) return;
    if (read.has_person && (!std::holds_alternative<PersonColumn>(read.table.person) ||
                            read.table.rows_per_person_max != 1)) {
      section.Complain("budget_class", "needs a table with one row for each person",
                       "put it where person is a column and rows_per_person = 1.");
      return;
    }
    const Column* column = read.table.FindColumn(*name);
    if (column == nullptr) {
      std::vector<std::string_view> names;
      for (const Column& known : read.table.columns) names.push_back(known.name);
      section.Complain("budget_class", "names no column of the table: " + Quoted(*name),
                       SuggestionHint(*name, names));
      return;
    }
    const auto index = static_cast<size_t>(column - read.table.columns.data());
    if (read.columns[index].has_type && column->texts.empty()) {
      section.Complain("budget_class", "needs a text column with a list of values",
                       "declare " + *name + " = { type = \"text\", values = [...] }.");
      return;
    }
    read.table.budget_class = index;
  }

  std::vector<ReadTable>& tables_;
  Problems& problems_;
};

}  // namespace

std::vector<Table> ReadTables(const Node* node, PersonKeyType person_key, Problems& problems) {
  if (node == nullptr) return {};
  if (node->kind != Node::Kind::kTable) {
    problems.push_back({node->position,
                        "tables must be a section, not " + std::string(KindName(*node)),
                        "write [tables.NAME] for each table."});
    return {};
  }
  std::map<std::string, Position> taken;
  std::vector<ReadTable> read;
  for (const Entry& entry : node->entries) {
    const bool usable = Claim(entry, "table", taken, problems);
    ReadTable table(entry, problems);
    if (entry.value.kind == Node::Kind::kTable) {
      TableReader(table, entry.value.Find("columns"), person_key).Read();
    }
    if (usable) read.push_back(std::move(table));
  }
  TableResolver(read, problems).Resolve();
  std::vector<Table> tables;
  tables.reserve(read.size());
  for (ReadTable& table : read) tables.push_back(std::move(table.table));
  return tables;
}

}  // namespace tacet
