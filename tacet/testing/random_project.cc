// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/random_project.h"

namespace tacet::testing {
namespace {

using Kind = RandomColumn::Kind;

bool IsNumber(const RandomColumn& column) {
  return column.kind == Kind::kSmall || column.kind == Kind::kHuge ||
         column.kind == Kind::kDecimal || column.kind == Kind::kDouble ||
         column.kind == Kind::kNumbers;
}

// A note has undeclared values and a huge number too many: their keys are selected privately.
bool IsKey(const RandomColumn& column) {
  return column.kind == Kind::kSmall || column.kind == Kind::kBoolean ||
         column.kind == Kind::kText || column.kind == Kind::kNumbers ||
         column.kind == Kind::kDate || column.kind == Kind::kNote || column.kind == Kind::kHuge ||
         column.kind == Kind::kNamed || column.kind == Kind::kRated;
}

// The values that data and statements are made of; some are outside what is declared.
std::vector<std::string> ValuesOf(Kind kind) {
  switch (kind) {
    case Kind::kSmall:
      return {"-3", "-2", "0", "1", "2", "4", "9", "-100", "2.0", "2147483647"};
    case Kind::kHuge:
      return {"4611686018427387903",
              "-4611686018427387904",
              "9223372036854775807",
              "-9223372036854775808",
              "0",
              "1",
              "-1"};
    case Kind::kDecimal:
      return {"-1.50", "2.25", "0.01", "0", "-0.00", "99.99", "1.1"};
    case Kind::kDouble:
      return {"-2", "3", "0.1", "1e300", "-1e300", "2.99999", "0.0625", "-0.0", "5e-324"};
    case Kind::kBoolean:
      return {"true", "false"};
    case Kind::kText:
      return {"a", "b", "c d", "it''s"};
    case Kind::kNumbers:
      return {"1", "3", "-7"};
    case Kind::kDate:
      return {"2026-01-01", "2026-01-02", "2026-01-03", "1999-12-31", "2026-02-28"};
    case Kind::kNote:
      return {"x", "", "y'; DROP TABLE t1; --", "\xC3\xA9", "zz"};
    case Kind::kNamed:
      return {"a", "b d", "it''s", "elsewhere"};
    case Kind::kRated:
      return {"-1.50", "2.25", "0.10", "7.77"};
  }
  return {};
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

RandomColumn ProjectGenerator::MakeColumn(std::string name) {
  RandomColumn column;
  column.name = std::move(name);
  column.kind = static_cast<Kind>(Below(11));
  const bool refers = column.kind == Kind::kNamed || column.kind == Kind::kRated;
  column.nullable = Chance(60) || refers;
  std::string settings;
  switch (column.kind) {
    case Kind::kSmall:
      settings = R"(type = "integer", range = [-3, 4])";
      break;
    case Kind::kHuge:
      settings = Chance(50)
                     ? R"(type = "bigint", range = [-4611686018427387904, 4611686018427387903])"
                     : R"(type = "bigint", range = [5, 4611686018427387903])";
      break;
    case Kind::kDecimal:
      settings = R"toml(type = "decimal(6,2)", range = ["-1.50", "2.25"])toml";
      break;
    case Kind::kDouble:
      settings = Chance(50) ? R"(type = "double", range = [-2, 3])"
                            : R"(type = "double", range = ["0.5", 3], grid = "0.125")";
      break;
    case Kind::kBoolean:
      settings = R"(type = "boolean")";
      break;
    case Kind::kText:
      settings = R"(type = "text", values = ["a", "b", "c d", "it's"])";
      break;
    case Kind::kNumbers:
      settings = R"(type = "integer", values = [1, 3, -7])";
      break;
    case Kind::kDate:
      settings = R"(type = "date", range = ["2026-01-01", "2026-01-03"])";
      break;
    case Kind::kNote:
      settings = R"(type = "text")";
      break;
    case Kind::kNamed:
      settings = R"(type = "text", values = "w.name")";
      break;
    case Kind::kRated:
      settings = R"toml(type = "decimal(6,2)", values = "w.rate")toml";
      break;
  }
  const bool bounded = column.kind != Kind::kBoolean && column.kind != Kind::kNote;
  if (bounded && column.nullable && Chance(30)) settings += R"(, outside = "null")";
  if (!column.nullable) settings += ", nullable = false";
  column.declaration = column.name + " = { " + settings + " }\n";
  return column;
}

std::string ProjectGenerator::MakeBounds(int& rows_max) {
  std::string text;
  const int form = Below(3);
  if (form != 1) {
    rows_max = 1 + Below(4);
    text += "rows_per_person = " + std::to_string(rows_max) + "\n";
  } else {
    rows_max = 5;
  }
  if (form != 0) {
    text += "bounds = { groups_per_person = " + std::to_string(1 + Below(3)) +
            ", rows_per_group = " + std::to_string(1 + Below(3)) + " }\n";
  }
  return text;
}

RandomSchema ProjectGenerator::MakeSchema() {
  RandomSchema schema;
  schema.person_is_row = Chance(15);
  std::string table = "[tables.t]\nsource = \"t.csv\"\n";
  table += schema.person_is_row ? "person = \"row\"\n" : "person = \"pid\"\n";
  schema.rows_max = 1;
  if (!schema.person_is_row) table += MakeBounds(schema.rows_max);
  table += "[tables.t.columns]\n";
  const int columns = 1 + Below(4);
  for (int i = 0; i < columns; ++i) {
    schema.columns.push_back(MakeColumn("x" + std::to_string(i)));
    table += schema.columns.back().declaration;
  }
  table +=
      "[tables.w]\nsource = \"w.csv\"\npublic = true\n[tables.w.columns]\n"
      "name = { type = \"text\" }\nrate = { type = \"decimal(6,2)\" }\n";
  if (!schema.person_is_row) {
    // Often one row for each person: facts.
    schema.more_rows_max = 1;
    table += "[tables.u]\nsource = \"u.csv\"\nperson = \"pid\"\n";
    table += Chance(50) ? "rows_per_person = 1\n" : MakeBounds(schema.more_rows_max);
    table += "[tables.u.columns]\n";
    for (int i = Below(2); i >= 0; --i) {
      schema.more.push_back(MakeColumn("y" + std::to_string(i)));
      table += schema.more.back().declaration;
    }
    table +=
        "[tables.codes]\nsource = \"codes.csv\"\npublic = true\n[tables.codes.columns]\n"
        "code = { type = \"integer\", range = [-3, 4], unique = true, nullable = false }\n"
        "z = { type = \"integer\", range = [-3, 4] }\n";
    for (int code = -3; code <= 4; ++code) {
      if (Chance(70)) {
        schema.public_rows.push_back({std::to_string(code), std::to_string(Below(8) - 3)});
      }
    }
  }
  schema.catalog = "[budget]\nepsilon = \"100000\"\n" + table;
  return schema;
}

std::optional<std::string> ProjectGenerator::MakeValue(const RandomColumn& column) {
  if (column.nullable && Chance(20)) return std::nullopt;
  if (column.kind == Kind::kDouble && column.nullable && Chance(20)) {
    return Pick(std::vector<std::string>{"NaN", "inf", "-inf"});
  }
  std::string value = Replaced(Pick(ValuesOf(column.kind)), "''", "'");
  // An empty field of a CSV file is NULL.
  if (value.empty()) return column.nullable ? std::nullopt : std::optional<std::string>("e");
  return value;
}

PersonRows ProjectGenerator::MakeRows(const std::vector<RandomColumn>& columns, int count) {
  PersonRows rows(static_cast<size_t>(count));
  for (SourceRow& row : rows) {
    for (const RandomColumn& column : columns) row.push_back(MakeValue(column));
    // Rows that are the same, so that somebody fills a group.
    if (Chance(50)) row = rows.front().empty() ? row : rows.front();
  }
  return rows;
}

RandomPerson ProjectGenerator::MakePerson(const RandomSchema& schema) {
  if (schema.person_is_row) return {.rows = MakeRows(schema.columns, 1), .more = {}};
  // Some have rows in one table only.
  const int kind = Below(10);
  RandomPerson person;
  if (kind != 0) person.rows = MakeRows(schema.columns, 1 + Below(schema.rows_max));
  if (kind > 1) person.more = MakeRows(schema.more, 1 + Below(schema.more_rows_max));
  return person;
}

std::string ProjectGenerator::MakeConstant(const RandomColumn& column) {
  const std::string value = Pick(ValuesOf(column.kind));
  switch (column.kind) {
    case Kind::kDate:
      return (Chance(50) ? "DATE '" : "'") + value + "'";
    case Kind::kText:
    case Kind::kNamed:
      return "'" + value + "'";
    case Kind::kNote:
      return "'" + Replaced(value, "'", "''") + "'";
    default:
      return value;
  }
}

// A number computed from a row.
std::string ProjectGenerator::MakeNumber(const RandomSchema& schema, int depth) {
  const RandomColumn& column = Pick(schema.columns);
  if (depth == 0)
    return IsNumber(column) ? column.name : Pick(std::vector<std::string>{"1", "-2", "0.5"});
  const std::string a = MakeNumber(schema, depth - 1);
  const std::string b = MakeNumber(schema, depth - 1);
  switch (Below(9)) {
    case 0:
      return "(" + a + " + " + b + ")";
    case 1:
      return "(" + a + " * " + b + ")";
    case 2:
      return "clamp(" + a + " / " + b + ", -1, 2)";
    case 3:
      return "CASE WHEN " + MakeComparison(schema) + " THEN " + a + " ELSE " + b + " END";
    case 4:
      return "coalesce(" + a + ", " + b + ")";
    case 5:
      return "abs(" + a + ")";
    case 6:
      return "round(" + a + ")";
    case 7:
      return column.kind == Kind::kDate ? "extract(day FROM " + column.name + ")"
                                        : "(" + a + " - " + b + ")";
    default:
      return "greatest(" + a + ", " + b + ")";
  }
}

std::string ProjectGenerator::MakeComparison(const RandomSchema& schema) {
  const RandomColumn& column = Pick(schema.columns);
  const std::string op = Pick(std::vector<std::string>{"=", "<>", "<", "<=", ">", ">="});
  switch (Below(8)) {
    case 6:
      return MakeNumber(schema, 1) + " " + op + " " + MakeNumber(schema, 0);
    case 7:
      if (column.kind == Kind::kText || column.kind == Kind::kNote) {
        return column.name + " LIKE '" + Pick(std::vector<std::string>{"a%", "%", "_", "%''%"}) +
               "'";
      }
      break;
    case 0:
      return column.name + " IS " + (Chance(50) ? "NOT " : "") + "NULL";
    case 1:
      return column.name + (Chance(30) ? " NOT" : "") + " IN (" + MakeConstant(column) + ", " +
             MakeConstant(column) + ")";
    case 2:
      return column.name + " BETWEEN " + MakeConstant(column) + " AND " + MakeConstant(column);
    case 3: {
      const RandomColumn& other = Pick(schema.columns);
      if (IsNumber(column) && IsNumber(other)) return column.name + " " + op + " " + other.name;
      break;
    }
    case 4:
      return MakeConstant(column) + " " + op + " " + column.name;
    default:
      break;
  }
  return column.name + " " + op + " " + MakeConstant(column);
}

std::string ProjectGenerator::MakeCondition(const RandomSchema& schema, int depth) {
  if (depth == 0 || Chance(50)) return MakeComparison(schema);
  switch (Below(3)) {
    case 0:
      return "NOT (" + MakeCondition(schema, depth - 1) + ")";
    case 1:
      return "(" + MakeCondition(schema, depth - 1) + " AND " + MakeCondition(schema, depth - 1) +
             ")";
    default:
      return "(" + MakeCondition(schema, depth - 1) + " OR " + MakeCondition(schema, depth - 1) +
             ")";
  }
}

// Something that is chosen of values.
std::string ProjectGenerator::MakeChoice(const RandomSchema& schema) {
  const RandomColumn& column = Pick(schema.columns);
  const bool is_ordered = IsNumber(column) || column.kind == Kind::kDate;
  const std::string of = is_ordered && Chance(70) ? column.name : MakeNumber(schema, 1);
  const std::string fraction = Pick(std::vector<std::string>{"0", "0.1", "0.25", "0.75", "0.999"});
  switch (Below(5)) {
    case 0:
      return "min(" + of + ")";
    case 1:
      return "max(" + of + ")";
    case 2:
      return "mode() WITHIN GROUP (ORDER BY " + column.name + ")";
    case 3:
      return column.kind == Kind::kDate ? "percentile_disc(0.5) WITHIN GROUP (ORDER BY " + of + ")"
                                        : "median(" + of + ")";
    default:
      return "percentile_disc(" + fraction + ") WITHIN GROUP (ORDER BY " + of + ")";
  }
}

std::string ProjectGenerator::MakeAggregate(const RandomSchema& schema) {
  const RandomColumn& column = Pick(schema.columns);
  std::string text = "count(*)";
  switch (Below(11)) {
    case 7:
      text = "count(DISTINCT " + (Chance(70) ? column.name : MakeNumber(schema, 1)) + ")";
      break;
    case 8:
    case 9:
    case 10:
      text = MakeChoice(schema);
      break;
    case 5:
      text = "sum(" + MakeNumber(schema, 1 + Below(2)) + ")";
      break;
    case 6:
      text = (Chance(50) ? "count(" : "avg(") + MakeNumber(schema, 1) + ")";
      break;
    case 0:
      text = "count(" + column.name + ")";
      break;
    case 1:
      if (!schema.person_is_row) text = "count(DISTINCT pid)";
      break;
    case 2:
      if (IsNumber(column)) text = "sum(" + column.name + ")";
      break;
    case 3:
      if (IsNumber(column)) text = (Chance(70) ? "avg(" : "stddev(") + column.name + ")";
      break;
    default:
      break;
  }
  if (Chance(30)) text += " FILTER (WHERE " + MakeCondition(schema, 1) + ")";
  return text;
}

// What stands behind FROM, and the columns that it has.
std::string ProjectGenerator::MakeFrom(const RandomSchema& schema,
                                       std::vector<RandomColumn>& columns) {
  columns = schema.columns;
  if (schema.person_is_row) return "t";
  const RandomColumn code{.name = "code", .kind = Kind::kSmall};
  const RandomColumn z{.name = "z", .kind = Kind::kSmall};
  const auto where = [&](const std::vector<RandomColumn>& of) {
    RandomSchema inner = schema;
    inner.columns = of;
    return Chance(50) ? " WHERE " + MakeCondition(inner, 1) : "";
  };
  // Totals of each person, by names that nothing else has.
  const auto totals = [&](const std::string& table, const std::vector<RandomColumn>& of) {
    RandomSchema inner = schema;
    inner.columns = of;
    const std::string key = Chance(30) ? ", " + of[0].name : "";
    return "(SELECT pid" + key + ", clamp(count(*), 0, 4) AS n, clamp(sum(" + MakeNumber(inner, 0) +
           "), -3, 4) AS s FROM " + table + where(of) + " GROUP BY pid" + key +
           (Chance(20) ? " HAVING count(*) > 1" : "") + ")";
  };
  const RandomColumn n{.name = "n", .kind = Kind::kSmall};
  const RandomColumn s{.name = "s", .kind = Kind::kSmall};
  const std::string join = Chance(60) ? " JOIN " : " LEFT JOIN ";
  std::string number = "x0";
  for (const RandomColumn& column : schema.columns) {
    if (column.kind == Kind::kSmall || column.kind == Kind::kNumbers) number = column.name;
  }
  switch (Below(8)) {
    case 0:
      columns.insert(columns.end(), schema.more.begin(), schema.more.end());
      return "t" + join + "u USING (pid)";
    case 1: {
      columns.insert(columns.end(), schema.more.begin(), schema.more.end());
      RandomSchema both = schema;
      both.columns = columns;
      return "t" + join + "u ON t.pid = u.pid AND " + MakeComparison(both);
    }
    case 2:
      columns.insert(columns.end(), {code, z});
      return "t" + join + "codes ON " + number + " = code";
    case 3:
      columns = {n, s};
      return totals("t", schema.columns) + " AS q";
    case 4:
      columns.insert(columns.end(), {n, s});
      return "t" + join + totals("u", schema.more) + " AS q USING (pid)";
    case 5: {
      std::string names = "pid";
      for (const RandomColumn& column : columns) names += ", " + column.name;
      return "(SELECT " + names + " FROM t" + where(columns) + ") AS q";
    }
    case 6:
      columns.insert(columns.end(), schema.more.begin(), schema.more.end());
      columns.insert(columns.end(), {code, z});
      return "u JOIN t ON u.pid = t.pid" + join + "codes ON " + number + " = code";
    default:
      return "t";
  }
}

std::string ProjectGenerator::MakeSemiJoin(const RandomSchema& schema,
                                           const std::vector<RandomColumn>& columns) {
  RandomSchema inner = schema;
  inner.columns = schema.more;
  const std::string condition = MakeCondition(inner, 1);
  const std::string negation = Chance(40) ? " NOT" : "";
  switch (Below(3)) {
    case 0:
      return "pid" + negation + " IN (SELECT pid FROM u WHERE " + condition + ")";
    case 1:
      return "pid" + negation + " IN (SELECT pid FROM u GROUP BY pid HAVING count(*) > 1)";
    default: {
      const RandomColumn& column = Pick(columns);
      return IsNumber(column) && column.kind != Kind::kDouble
                 ? column.name + " IN (SELECT code FROM codes WHERE z > 0)"
                 : "pid IN (SELECT pid FROM u)";
    }
  }
}

std::string ProjectGenerator::MakeStatement(const RandomSchema& written) {
  RandomSchema schema = written;
  const bool is_plain = Chance(40);
  const std::string from = is_plain ? "t" : MakeFrom(written, schema.columns);
  std::string text = "SELECT " + MakeAggregate(schema);
  for (int i = Below(3); i > 0; --i) text += ", " + MakeAggregate(schema);
  text += " FROM " + from;
  std::string condition = Chance(50) ? MakeCondition(schema, 2) : "";
  if (!is_plain && !schema.person_is_row && Chance(25)) {
    const std::string semi_join = MakeSemiJoin(written, schema.columns);
    condition =
        condition.empty() ? semi_join : semi_join + (Chance(50) ? " AND " : " OR ") + condition;
  }
  if (!condition.empty()) text += " WHERE " + condition;
  std::string keys;
  for (const RandomColumn& column : schema.columns) {
    if (IsKey(column) && Chance(45)) keys += (keys.empty() ? "" : ", ") + column.name;
  }
  if (Chance(15)) {
    keys += (keys.empty() ? "" : ", ") +
            (Chance(50) ? "CASE WHEN " + MakeComparison(schema) + " THEN 'yes' ELSE 'no' END"
                        : "clamp(" + MakeNumber(schema, 1) + ", 0, 3)");
  }
  if (!keys.empty()) text += " GROUP BY " + keys;
  if (Chance(20)) text += " HAVING count(*) > 1";
  return text;
}

}  // namespace tacet::testing
