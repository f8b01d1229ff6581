// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/draft.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "tacet/catalog/identifier.h"
#include "tacet/catalog/type.h"

namespace tacet {
namespace {

constexpr std::string_view kHead =
    R"(# What analysts may ask of these tables, and what it costs the people in them.
# Drafted from the schema alone. Bounds and values must come from what you know without looking at
# the data: they are public. What is not declared does not exist for analysts.
# Lines that begin with a # and no space are settings: take the # off those that you want.

[budget]
# What one person may ever lose, over all queries. Smaller is more private.
epsilon = "1"
# A delta far below 1 / people makes many queries cheaper, and lets groups be found whose names are
# not public. Leave it out for a pure budget.
#delta = "1e-9"
# When it is used up: "refuse" the query, or silently "exclude" those who cannot pay any more.
exhausted = "refuse"

[query]
# What a query costs unless it says otherwise.
epsilon = "1/10"

[person]
# Of the key that tells people apart: "integer" or "text", the same in all tables.
)";

// A name that the source spells otherwise is read from it.
struct Name {
  std::string ours;
  std::string from;
};

std::string TomlText(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool utf8 = IsUtf8(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\0' || (byte >= 0x80 && !utf8)) {
      quoted += '?';  // cannot be written in a catalog; in a path it stands for any character
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string TomlKey(const std::string& name) {
  const bool bare = std::all_of(name.begin(), name.end(),
                                [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return bare ? name : TomlText(name);
}

// `name` made usable and distinct from `taken`, which it joins.
Name Claim(const std::string& name, std::set<std::string>& taken) {
  const std::string made = IdentifierProblem(name).empty() ? name : MakeIdentifier(name);
  std::string ours = made;
  for (int number = 2; !taken.insert(FoldIdentifier(ours)).second; ++number) {
    const std::string suffix = "_" + std::to_string(number);
    ours = MakeIdentifier(made.substr(0, kIdentifierBytesMax - 2 - suffix.size())) + suffix;
  }
  return {.ours = ours, .from = name};
}

std::optional<Type> TypeOfSql(std::string_view sql_type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kTypes = {{
      {"", "text"},
      {"tinyint", "integer"},
      {"smallint", "integer"},
      {"int", "integer"},
      {"utinyint", "integer"},
      {"usmallint", "integer"},
      {"uinteger", "bigint"},
      {"int2", "integer"},
      {"int4", "integer"},
      {"int8", "bigint"},
      {"hugeint", "decimal(38,0)"},
      {"ubigint", "decimal(20,0)"},
      {"float", "double"},
      {"real", "double"},
      {"double precision", "double"},
      {"numeric", "double"},
      {"decimal", "double"},
      {"bool", "boolean"},
      {"varchar", "text"},
      {"character varying", "text"},
      {"character", "text"},
      {"char", "text"},
      {"string", "text"},
      {"uuid", "text"},
      {"enum", "text"},
      {"timestamp_s", "timestamp"},
      {"timestamp_ms", "timestamp"},
      {"timestamp_ns", "timestamp"},
  }};
  const std::string folded = FoldIdentifier(sql_type);
  if (folded.ends_with("]")) return std::nullopt;  // an array
  if (const auto type = ParseType(folded)) return type;
  if (folded.starts_with("numeric(")) return ParseType("decimal" + folded.substr(7));
  if (folded.starts_with("timestamp")) return Type{.kind = TypeKind::kTimestamp};
  const std::string_view head = std::string_view(folded).substr(0, folded.find('('));
  for (const auto& [sql, ours] : kTypes) {
    if (head == sql) return ParseType(ours);
  }
  return std::nullopt;
}

bool IsPerson(const DraftColumn& column, std::string_view person) {
  return SameIdentifier(column.name, person);
}

std::string ColumnLine(const Name& name, const DraftColumn& column) {
  if (column.name.empty() || column.name.find('\0') != std::string::npos || !IsUtf8(column.name)) {
    return "# A column's name is empty or not UTF-8, so it cannot be declared: " +
           Quoted(column.name) + "\n";
  }
  const std::optional<Type> type = TypeOfSql(column.sql_type);
  if (!type) {
    return "# " + Shown(column.name) +
           " is of a type that has no counterpart here: " + Shown(column.sql_type) + "\n";
  }
  std::string line = "#" + TomlKey(name.ours) + " = { type = " + TomlText(type->ToString());
  if (name.ours != name.from) line += ", from = " + TomlText(name.from);
  if (type->is_number() || type->is_moment()) line += ", range = [LOWEST, HIGHEST]";
  line += " }";
  if (type->kind == TypeKind::kText)
    line += "  # and values = [\"A\", \"B\"] if the list is public";
  if (type->is_moment()) line += "  # as \"2026-01-01\", in quotes";
  return line + "\n";
}

std::string TableText(const Name& name, const DraftTable& table, std::string_view person) {
  const auto key =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const DraftColumn& column) { return IsPerson(column, person); });
  const bool has_person = key != table.columns.end();
  // The whole table is a setting where nobody has said yet whom it is about.
  const std::string mark = has_person ? "" : "#";
  const std::string section = "tables." + TomlKey(name.ours);
  std::set<std::string> taken;
  std::string columns;
  std::string text = "\n";
  if (!has_person) {
    text += "# This table has no column " + Shown(person) +
            ". Whom it is about is for you to say: person = \"COLUMN\", or\n"
            "# person = { through = \"COLUMN\", table = \"TABLE\" }, or person = \"row\"; or about "
            "nobody:\n"
            "# public = true instead of person.\n";
  }
  text += mark + "[" + section + "]\n" + mark + "source = " + TomlText(table.source) + "\n";
  if (!table.source_table.empty() && table.source_table != name.ours) {
    text += mark + "table = " + TomlText(table.source_table) + "\n";
  }
  if (has_person) {
    taken.insert("row");  // person = "row" would mean something else
    const Name person_name = Claim(key->name, taken);
    taken = {FoldIdentifier(person_name.ours)};
    text += "person = " + TomlText(person_name.ours) + "\n";
    if (person_name.ours != person_name.from) {
      columns += TomlKey(person_name.ours) + " = { from = " + TomlText(person_name.from) + " }\n";
    }
  } else {
    text += "#person = CHOOSE\n";
  }
  text +=
      "# Verified by the import; the fewer rows a person may have, the better the answers.\n"
      "#rows_per_person = 1\n"
      "# What a person adds to a query at most, unless it says less.\n"
      "#bounds = { groups_per_person = 1, rows_per_group = 1 }\n\n" +
      mark + "[" + section + ".columns]\n" + columns;
  for (const DraftColumn& column : table.columns) {
    if (has_person && &column == &*key) continue;
    text += ColumnLine(Claim(column.name, taken), column);
  }
  return text;
}

// Whether every table's person is an integer.
bool HasIntegerKeys(std::span<const DraftTable> tables, std::string_view person) {
  bool found = false;
  for (const DraftTable& table : tables) {
    for (const DraftColumn& column : table.columns) {
      if (!IsPerson(column, person)) continue;
      const std::optional<Type> type = TypeOfSql(column.sql_type);
      if (!type || (type->kind != TypeKind::kInteger && type->kind != TypeKind::kBigint))
        return false;
      found = true;
    }
  }
  return found;
}

}  // namespace

std::string DraftCatalog(std::span<const DraftTable> tables, std::string_view person) {
  std::string text(kHead);
  text += HasIntegerKeys(tables, person) ? "type = \"integer\"\n" : "type = \"text\"\n";
  std::set<std::string> taken;
  for (const DraftTable& table : tables) text += TableText(Claim(table.name, taken), table, person);
  return text;
}

}  // namespace tacet
