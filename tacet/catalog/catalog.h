// SPDX-License-Identifier: Apache-2.0
// What the owner declares in tacet.toml: who a person is, which columns analysts may use and what
// is public about them, and the budgets. Typed and resolved: nobody behind this folder reads the
// file.
//
//   TACET_TRY(const Catalog catalog, LoadCatalog(files, "tacet.toml"));   // tacet/catalog/parse.h
//   const Table* visits = catalog.FindTable("Visits");
//   const Column* cost = visits->FindColumn("cost");
//   cost->range->grid_hi;   // 500000: cents, because cost is a decimal(10,2) of at most 5000
//
// Plain values. Only ParseCatalog makes a catalog, and what it promises below holds because nobody
// changes one afterwards: hold it as const. Safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/rational.h"
#include "tacet/catalog/type.h"

namespace tacet {

// In the text of the catalog; lines and columns count from 1, columns in characters.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;

  bool operator==(const Position&) const = default;
  friend bool operator<(const Position& a, const Position& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  }
};

// The interval that a column's values are brought into, ends included. Numbers are themselves,
// dates are days since 1970-01-01, timestamps microseconds since then.
struct Range {
  Rational lo;
  Rational hi;
  // Values are kept as integers in units of `grid`: a power of two or of ten, 1 for dates and
  // timestamps, a multiple of the type's own step.
  Rational grid;
  // The multiples of `grid` inside [lo, hi], in units of it: never empty.
  int64_t grid_lo = 0;
  int64_t grid_hi = 0;

  // How many values there are on the grid.
  Int128 cells() const { return Int128{grid_hi} - grid_lo + 1; }
};

// What becomes of a value outside the range or the list.
enum class Outside {
  kClamp,   // the nearest end of the range
  kNull,    // NULL
  kRefuse,  // the import fails
};

// Where in Catalog::tables, and there in Table::columns.
struct ColumnReference {
  size_t table = 0;
  size_t column = 0;
};

// What is publicly known of the values that a column can take, NULL aside.
enum class DomainKind {
  kUnknown,    // nothing: groups are selected privately
  kBoolean,    // false, true
  kRange,      // every point of the grid
  kTexts,      // a list
  kNumbers,    // a list, in units of range->grid
  kReference,  // what stands in a column of a public table
};

// A column that analysts may use.
struct Column {
  std::string name;
  std::string source;  // its name in the source
  Type type;
  // Where true, NULL is one more value of the public domain.
  bool nullable = true;
  // Of numbers, dates and timestamps; never together with a reference. Of a list of numbers: from
  // its least to its greatest. A number without one may be used only under CLAMP.
  std::optional<Range> range;
  // At most one of these three; distinct values, in the order of the file, which gives the codes.
  // In a plan, a key that refers to a public table also has what stands there (ListReferenced).
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
  std::optional<ColumnReference> reference;
  // Of a public table: no two rows share a value, NULL aside. A fact that the import verifies.
  bool is_unique = false;
  // Meaningful where there is a range, a list or a reference.
  Outside outside = Outside::kRefuse;
  Position position;

  DomainKind domain() const;
  // Whether the vault holds texts as they came, rather than their places in a list.
  bool is_stored_as_text() const {
    return type.kind == TypeKind::kText && (texts.empty() || reference);
  }
  // How many keys a GROUP BY of this column has, with NULL if it is nullable. Nothing if that is
  // unknown; of a reference it is, until the public data was read.
  std::optional<Int128> key_count() const;
};

enum class SourceFormat { kCsv, kParquet, kDuckDb };

struct Source {
  SourceFormat format = SourceFormat::kCsv;
  std::string path;  // relative to the catalog's folder unless absolute; may be a glob
  // Of a DuckDB file: which table.
  std::string table;
  // Of a CSV file. `null` is the text that means NULL; an empty field always does.
  char delimiter = ',';
  bool header = true;
  std::string null;
};

// About no person: exact and free.
struct NoPerson {};
// Every row is a person of its own, without identity.
struct RowPerson {};
// A column of the table holds the person's key.
struct PersonColumn {
  std::string name;    // what analysts call it; it is not among Table::columns
  std::string source;  // its name in the source
};
// The row belongs to the person of that row of another table whose `key` equals this row's
// `source`. The other table's person is a column, or again reached through a table; there are no
// circles.
struct PersonThrough {
  std::string source;
  size_t table = 0;
  std::string key;
};
using Person = std::variant<NoPerson, RowPerson, PersonColumn, PersonThrough>;

// Defaults that a query may tighten. At least 1 where given.
struct Bounds {
  std::optional<int64_t> groups_per_person_max;
  std::optional<int64_t> rows_per_group_max;
};

struct Table {
  std::string name;
  Source source;
  Person person;
  // A fact that the import verifies. At least 1; 1 where every row is a person.
  std::optional<int64_t> rows_per_person_max;
  Bounds bounds;
  // A public number of people, at least 1.
  std::optional<int64_t> people;
  // The column of this table with people's budget classes: text with a list of values.
  std::optional<size_t> budget_class;
  // Whether rows with a NULL person are left out by the import, rather than failing it.
  bool drops_null_person = false;
  std::vector<Column> columns;  // in the order of the file
  Position position;

  bool is_public() const { return std::holds_alternative<NoPerson>(person); }
  // By a name as analysts write it; nullptr if there is none.
  const Column* FindColumn(std::string_view column_name) const;
};

enum class Exhausted { kRefuse, kExclude };

struct BudgetClass {
  std::string name;  // a value of the column that some table names as its budget_class
  Rational epsilon;
};

// Per person, for life.
struct BudgetDeclaration {
  Rational epsilon;
  std::optional<Rational> delta;  // in (0, 1); absent: a pure budget
  Exhausted exhausted = Exhausted::kRefuse;
  // The part of delta set aside for keys that are selected privately, in (0, 1).
  Rational selection_share;
  std::vector<BudgetClass> classes;

  // delta times selection_share; 0 for a pure budget.
  Rational selection_delta() const;
};

// What a query spends unless it says otherwise.
struct QueryDefaults {
  std::optional<Rational> epsilon;  // at most the budget's; absent: every query has to say
  std::optional<Rational> delta;    // at most the budget's selection_delta; absent: a pure budget
};

// A quota under the budget.
struct Analyst {
  std::string name;
  Rational epsilon;
};

enum class PersonKeyType { kText, kInteger };

struct Catalog {
  BudgetDeclaration budget;
  PersonKeyType person_key = PersonKeyType::kText;
  QueryDefaults query;
  std::vector<Table> tables;  // in the order of the file
  std::vector<Analyst> analysts;

  // By a name as analysts write it; nullptr if there is none.
  const Table* FindTable(std::string_view table_name) const;
  // By the exact name; nullptr if there is none.
  const Analyst* FindAnalyst(std::string_view analyst_name) const;
  const Column& Resolve(const ColumnReference& reference) const;
};

}  // namespace tacet
