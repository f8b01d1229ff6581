// SPDX-License-Identifier: Apache-2.0
// What the owner is told about a catalog that is wrong: one row for each mistake.
#include "tacet/catalog/problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/catalog/parse.h"

namespace tacet {
namespace {

// `text` stands behind a prefix that is right; `line` counts from its own first line.
struct Case {
  std::string_view text;
  uint32_t line;
  std::string_view message;  // all of it
  std::string_view hint;     // a part of it
};

void ExpectOneProblem(const std::string& prefix, const Case& wrong) {
  const std::string text = prefix + std::string(wrong.text);
  SCOPED_TRACE(wrong.text);
  const ParsedCatalog parsed = ParseCatalog(text);
  EXPECT_FALSE(parsed.catalog.has_value());
  ASSERT_EQ(parsed.problems.size(), 1u)
      << (parsed.problems.empty() ? "" : CatalogError("tacet.toml", parsed.problems).message);
  const Problem& problem = parsed.problems[0];
  const auto before = static_cast<uint32_t>(std::count(prefix.begin(), prefix.end(), '\n'));
  EXPECT_EQ(problem.message, wrong.message);
  EXPECT_EQ(problem.position.line, before + wrong.line);
  EXPECT_NE(problem.hint.find(wrong.hint), std::string::npos) << problem.hint;
}

TEST(Problems, OfBudgetsAndOtherSections) {
  const std::vector<Case> cases = {
      {"", 1, "the catalog is empty", "tacet init"},
      {"# only a comment\n", 1, "the catalog is empty", "tacet init"},
      {"[query]\n", 1, "there is no [budget]", "under [budget]"},
      {"[package]\nname = \"x\"\n[dependencies]\n", 1,
       "this is TOML, but no catalog: it has none of a catalog's keys", "[budget]"},
      {"[budget]\nepsilon = 1\n[version]\n", 3,
       "the catalog says version, which no catalog of this Tacet has", "a newer one"},
      {std::string("\x7f"
                   "ELF\x02\0\xff",
                   7),
       1, "this is no text in UTF-8", "is this the file"},
      {"\n[budget]\n", 2, "[budget]: epsilon is missing", "epsilon = \"1\""},
      {"budget = 3\n", 1, "[budget] must be a section of keys, not an integer", "epsilon = ..."},
      {"[budgets]\nepsilon = 1\n[budget]\nepsilon = 1\n", 1, "the catalog: unknown key 'budgets'",
       "did you mean 'budget'?"},
      {"[budget]\nepsilon = 0.5\n", 2,
       "[budget]: epsilon is a floating-point number, which is not exact", "in quotes"},
      {"[budget]\nepsilon = inf\n", 2,
       "[budget]: epsilon is a floating-point number, which is not exact", "in quotes"},
      {"[budget]\nepsilon = 0\n", 2, "[budget]: epsilon must be greater than 0", "positive"},
      {"[budget]\nepsilon = \"-1/2\"\n", 2, "[budget]: epsilon must be greater than 0", "positive"},
      {"[budget]\nepsilon = true\n", 2, "[budget]: epsilon must be a number, not true or false",
       "integer"},
      {"[budget]\nepsilon = \"1,5\"\n", 2,
       "[budget]: epsilon: '1,5' is not an exact number: it has a comma", "fraction"},
      {"[budget]\nepsilom = 1\nepsilon = 1\n", 2, "[budget]: unknown key 'epsilom'",
       "did you mean 'epsilon'?"},
      {"[budget]\nepsilon = 1\ncolour = 2\n", 3, "[budget]: unknown key 'colour'",
       "one of epsilon, delta, exhausted"},
      {"[budget]\nepsilon = 1\ndelta = 0\n", 3,
       "[budget]: delta must lie between 0 and 1, without the ends", "1e-9"},
      {"[budget]\nepsilon = 1\ndelta = 1\n", 3,
       "[budget]: delta must lie between 0 and 1, without the ends", "1e-9"},
      {"[budget]\nepsilon = 1\ndelta = 1e-9\n", 3,
       "[budget]: delta is a floating-point number, which is not exact", "in quotes"},
      {"[budget]\nepsilon = 1\ndelta = \"1e-9\"\nselection_share = 1\n", 4,
       "[budget]: selection_share must lie between 0 and 1, without the ends", "1/2"},
      {"[budget]\nepsilon = 1\nselection_share = \"1/2\"\n", 3,
       "[budget]: selection_share is a part of delta, which is not given", "add delta"},
      {"[budget]\nepsilon = 1\nexhausted = \"exclud\"\n", 3,
       "[budget]: exhausted cannot be 'exclud'", "did you mean 'exclude'?"},
      {"[budget]\nepsilon = 1\nexhausted = false\n", 3,
       "[budget]: exhausted must be a text, not true or false", "quotes"},
      {"[budget]\nepsilon = 1\nclasses = 3\n", 3,
       "budget.classes must be a section, not an integer", "[budget.classes]"},
      {"[budget]\nepsilon = 1\n[budget.classes]\nstaff = 5\n", 3,
       "[budget.classes]: no table has a budget_class", "budget_class = "},
      {"[budget]\nepsilon = 1\n[person]\ntype = \"bigint\"\n", 4,
       "[person]: type cannot be 'bigint'", "integer"},
      {"[budget]\nepsilon = 1\n[person]\ntyp = \"text\"\n", 4, "[person]: unknown key 'typ'",
       "did you mean 'type'?"},
      {"[budget]\nepsilon = 1\n[query]\nepsilon = 2\n", 4,
       "[query]: epsilon is more than the whole budget of 1", "less"},
      {"[budget]\nepsilon = 1\n[query]\ndelta = \"1e-9\"\n", 4,
       "[query]: delta does not go with a pure budget", "remove it"},
      {"[budget]\nepsilon = 1\ndelta = \"1e-6\"\n[query]\ndelta = \"1e-6\"\n", 5,
       "[query]: delta is more than the selection share of 1/2000000", "less"},
      {"[budget]\nepsilon = 1\n[analysts.research]\n", 3, "analyst research: epsilon is missing",
       "epsilon ="},
      {"[budget]\nepsilon = 1\n[analysts]\nresearch = \"5\"\n", 4,
       "analyst research must be a section of keys, not a text", "epsilon ="},
      {"[budget]\nepsilon = 1\n[analysts.\"a\\u200bb\"]\nepsilon = 1\n", 3,
       "analysts: a name is empty or has an invisible character: 'a?b'", "seen"},
      {"[budget]\nepsilon = 1\n[tables]\nvisits = 5\n", 4,
       "table visits must be a section of keys, not an integer", "source ="},
      {"tables = 1\n[budget]\nepsilon = 1\n", 1, "tables must be a section, not an integer",
       "[tables.NAME]"},
      {"[budget]\nepsilon = 1\nepsilon = 2\n", 3,
       "not TOML: parsing key-value pair: cannot redefine existing integer 'epsilon'", "once"},
      {"[budget]\nepsilon = \"1\n", 2,
       "not TOML: parsing string: unescaped control characters other than TAB (U+0009) are "
       "explicitly "
       "prohibited",
       "quotes"},
  };
  for (const Case& wrong : cases) ExpectOneProblem("", wrong);
}

constexpr std::string_view kBudget = "[budget]\nepsilon = 1\n";

TEST(Problems, OfTables) {
  const std::vector<Case> cases = {
      {"[tables.t]\nperson = \"id\"\n", 1, "table t: source is missing", "data/file.csv"},
      {"[tables.t]\nsource = 5\nperson = \"id\"\n", 2,
       "table t: source must be a text, not an integer", "quotes"},
      {"[tables.t]\nsource = \"t.xlsx\"\nperson = \"id\"\n", 2,
       "table t: source is of no known kind: 't.xlsx'", ".parquet"},
      {"[tables.t]\nsource = \"postgres://host/t.db\"\nperson = \"id\"\n", 2,
       "table t: source is of no known kind: 'postgres://host/t.db'", ".csv"},
      {"[tables.t]\nsource = \"t.csv\"\n", 1, "table t: person is missing", "public = true"},
      {"[tables.t]\nsource = \"t.csv\"\npublic = false\n", 1, "table t: person is missing", "row"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\npublic = true\n", 3,
       "table t: person does not go with public = true", "no person"},
      {"[tables.t]\nsource = \"t.csv\"\npublic = \"true\"\nperson = \"id\"\n", 3,
       "table t: public must be true or false, not a text", "without quotes"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"Patient ID\"\n", 3,
       "table t: person names a column, but 'Patient ID' has a character other than letters, "
       "digits "
       "and underscores",
       "from"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = 5\n", 3,
       "table t: person must be a text, not an integer", "quotes"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrow_per_person = 1\n", 4,
       "table t: unknown key 'row_per_person'", "did you mean 'rows_per_person'?"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 0\n", 4,
       "table t: rows_per_person must be an integer of at least 1, not 0", "1 or more"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = \"1\"\n", 4,
       "table t: rows_per_person must be an integer of at least 1, not a text", "without quotes"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\n[tables.t.columns]\nward = { type = "
       "\"text\", unique = true }\n",
       5, "table t: column ward: unique is for public tables only", "remove it"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"row\"\nrows_per_person = 2\n", 4,
       "table t: rows_per_person must be 1 where person = \"row\"", "remove"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"row\"\nnull_person = \"drop\"\n", 4,
       "table t: null_person does not go with person = \"row\"", "remove"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nnull_person = \"skip\"\n", 4,
       "table t: null_person cannot be 'skip'", "one of refuse, drop"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\npeople = -3\n", 4,
       "table t: people must be an integer of at least 1, not -3", "1 or more"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nbounds = { groups_per_person = 0 }\n", 4,
       "table t: bounds: groups_per_person must be an integer of at least 1, not 0", "1 or more"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nbounds = { rows_per_person = 1 }\n", 4,
       "table t: bounds: unknown key 'rows_per_person'", "groups_per_person"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nbounds = \"auto\"\n", 4,
       "table t: bounds cannot be 'auto' in this version", "groups_per_person"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nbounds = 5\n", 4,
       "table t: bounds must be a section of keys, not an integer", "groups_per_person"},
      {"[tables.t]\nsource = \"t.csv\"\npublic = true\nbounds = { rows_per_group = 1 }\n", 4,
       "table t: bounds does not go with public = true", "remove"},
      {"[tables.t]\nsource = \"t.csv\"\npublic = true\nrows_per_person = 1\n", 4,
       "table t: rows_per_person does not go with public = true", "remove"},
      {"[tables.t]\nsource = \"t.parquet\"\nperson = \"id\"\ndelimiter = \";\"\n", 4,
       "table t: delimiter is for CSV files only", "remove"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\ndelimiter = \"ab\"\n", 4,
       "table t: delimiter must be one ASCII character, but no quote or line end", "\\t"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nheader = 1\n", 4,
       "table t: header must be true or false, not an integer", "without quotes"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nnull = \"a\\u0000b\"\n", 4,
       "table t: null has a NUL in it", "leave"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\ntable = \"x\"\n", 4,
       "table t: table is for DuckDB files only", "remove"},
      {"[tables.t]\nsource = \"t.db\"\nperson = \"id\"\ntable = \"\"\n", 4,
       "table t: table is empty", "DuckDB"},
      {"[tables.\"my table\"]\nsource = \"t.csv\"\nperson = \"id\"\n", 1,
       "table 'my table': the name has a character other than letters, digits and underscores",
       "underscores"},
      {"[tables.\"\"]\nsource = \"t.csv\"\nperson = \"id\"\n", 1, "table '': the name is empty",
       "choose"},
      {"[tables.pg_class]\nsource = \"t.csv\"\nperson = \"id\"\n", 1,
       "table 'pg_class': the name is reserved", "choose"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\n[tables.T]\nsource = \"t.csv\"\nperson = "
       "\"id\"\n",
       4, "table 'T': the name is that of line 3 but for upper and lower case", "rename"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\ncolumns = 3\n", 4,
       "table t: columns must be a section, not an integer", "[tables.t.columns]"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { through = \"a\" }\n", 3,
       "table t: person: table is missing", "through ="},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { table = \"u\", through = \"\" }\n"
       "[tables.u]\nsource = \"u.csv\"\nperson = \"id\"\n",
       3, "table t: person: through names no column", "quotes"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { through = \"a\", table = \"visit\" }\n"
       "[tables.visits]\nsource = \"u.csv\"\nperson = \"id\"\n",
       3, "table t: person: there is no table 'visit'", "did you mean 'visits'?"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { through = \"a\", table = \"u\" }\n"
       "[tables.u]\nsource = \"u.csv\"\npublic = true\n",
       3, "table t: person: table 'u' is public, so it leads to no person", "column"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { through = \"a\", table = \"u\" }\n"
       "[tables.u]\nsource = \"u.csv\"\nperson = \"row\"\n",
       3, "table t: person: table 'u' has rows without identity, so nothing leads to its persons",
       "column"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = { through = \"a\", table = \"t\" }\n", 3,
       "table t: person goes round in a circle", "circle"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nbudget_class = \"role\"\n", 4,
       "table t: budget_class needs a table with one row for each person", "rows_per_person = 1"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\nbudget_class = "
       "\"rol\"\n"
       "columns.role = { type = \"text\", values = [\"a\"] }\n",
       5, "table t: budget_class names no column of the table: 'rol'", "did you mean 'role'?"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\nbudget_class = "
       "\"role\"\n"
       "columns.role = { type = \"text\" }\n",
       5, "table t: budget_class needs a text column with a list of values", "values"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\nbudget_class = "
       "\"role\"\n"
       "columns.role = { type = \"text\", values = [\"a\"] }\n",
       5, "table t: budget_class needs [budget.classes]", "limit"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\nbudget_class = "
       "\"role\"\n"
       "columns.role = { type = \"text\", values = [\"staff\"] }\n[budget.classes]\nstuff = 5\n",
       8, "[budget.classes]: 'stuff' is no value of column t.role", "did you mean 'staff'?"},
      {"[tables.t]\nsource = \"t.csv\"\nperson = \"id\"\nrows_per_person = 1\nbudget_class = "
       "\"role\"\n"
       "columns.role = { type = \"text\", values = [\"staff\"] }\n[budget.classes]\nstaff = 0\n",
       8, "[budget.classes]: staff must be greater than 0", "positive"},
  };
  for (const Case& wrong : cases) ExpectOneProblem(std::string(kBudget), wrong);
}

TEST(Problems, OfColumns) {
  const std::string prefix = std::string(kBudget) + R"([tables.wards]
source = "wards.csv"
public = true
columns.ward = { type = "text" }
[tables.t]
source = "t.csv"
person = "id"
[tables.t.columns]
)";
  const std::vector<Case> cases = {
      {"x = \"integer\"\n", 1, "column t.x must be a section of keys, not a text", "type ="},
      {"x = { }\n", 1, "column t.x: type is missing", "integer"},
      {"x = { type = \"varchar\" }\n", 1, "column t.x: type cannot be 'varchar'",
       "did you mean 'text'?"},
      {"x = { type = \"integr\" }\n", 1, "column t.x: type cannot be 'integr'",
       "did you mean 'integer'?"},
      {"x = { type = \"decimal\" }\n", 1, "column t.x: type cannot be 'decimal'", "decimal(p,s)"},
      {"x = { type = \"decimal(39,2)\" }\n", 1, "column t.x: type cannot be 'decimal(39,2)'", "38"},
      {"x = { type = \"decimal(2,3)\" }\n", 1, "column t.x: type cannot be 'decimal(2,3)'",
       "digits"},
      {"x = { type = \"integer\", rang = [0, 1] }\n", 1, "column t.x: unknown key 'rang'",
       "did you mean 'range'?"},
      {"x = { type = \"integer\", range = [2, 1] }\n", 1, "column t.x: range begins above its end",
       "lower"},
      {"x = { type = \"integer\", range = [1] }\n", 1, "column t.x: range must be a list of two",
       "[lowest, highest]"},
      {"x = { type = \"integer\", range = \"0-9\" }\n", 1,
       "column t.x: range must be a list of two", "[lowest, highest]"},
      {"x = { type = \"integer\", range = [\n0,\n1.5] }\n", 3,
       "column t.x: range is a floating-point number, which is not exact", "quotes"},
      {"x = { type = \"integer\", range = [0, \"1/2\"] }\n", 1,
       "column t.x: range must have integers only", "decimal"},
      {"x = { type = \"integer\", range = [0, 2147483648] }\n", 1,
       "column t.x: range goes beyond what integer holds", "wider"},
      {"x = { type = \"bigint\", range = [0, \"1e19\"] }\n", 1,
       "column t.x: range goes beyond what bigint holds", "wider"},
      {"x = { type = \"decimal(4,2)\", range = [0, 100] }\n", 1,
       "column t.x: range goes beyond what decimal(4,2) holds", "wider"},
      {"x = { type = \"double\", range = [0, \"1e309\"] }\n", 1,
       "column t.x: range goes beyond what double holds", "narrower"},
      {"x = { type = \"text\", range = [0, 1] }\n", 1, "column t.x: range does not go with text",
       "values"},
      {"x = { type = \"boolean\", range = [0, 1] }\n", 1,
       "column t.x: range does not go with boolean", "numbers"},
      {"x = { type = \"date\", range = [\"2026-02-30\", \"2026-12-31\"] }\n", 1,
       "column t.x: range must have dates", "2026-12-31"},
      {"x = { type = \"date\", range = [0, \"2026-12-31\"] }\n", 1,
       "column t.x: range must have dates", "quotes"},
      {"x = { type = \"timestamp\", range = [\"2026-01-01\", \"2026-01-01 25:00\"] }\n", 1,
       "column t.x: range must have timestamps", "23:59:59"},
      {"x = { type = \"double\", range = [\"1e18\", \"1000000000000000001\"] }\n", 1,
       "column t.x: range needs more than 64 bits on a grid of 1/1073741824", "coarser"},
      {"x = { type = \"decimal(38,0)\", range = [0, \"1e30\"] }\n", 1,
       "column t.x: range needs more than 64 bits on a grid of 1", "coarser"},
      {"x = { type = \"double\", range = [\"0.2\", \"0.8\"], grid = 1 }\n", 1,
       "column t.x: range has no point of the grid of 1 in it", "finer"},
      {"x = { type = \"double\", range = [0, \"1e-320\"] }\n", 1,
       "column t.x: range has a grid that a double does not hold", "ordinary"},
      {"x = { type = \"double\", range = [0, 1], grid = \"0.3\" }\n", 1,
       "column t.x: grid must be a power of two or of ten", "1/1024"},
      {"x = { type = \"double\", range = [0, 1], grid = 0 }\n", 1,
       "column t.x: grid must be greater than 0", "positive"},
      {"x = { type = \"double\", range = [0, 1], grid = 0.5 }\n", 1,
       "column t.x: grid is a floating-point number, which is not exact", "quotes"},
      {"x = { type = \"integer\", range = [0, 1], grid = \"1/2\" }\n", 1,
       "column t.x: grid is finer than integer", "multiple of 1"},
      {"x = { type = \"decimal(10,2)\", range = [0, 1], grid = \"1/8\" }\n", 1,
       "column t.x: grid is finer than decimal(10,2)", "multiple of 1/100"},
      {"x = { type = \"double\", grid = 1 }\n", 1, "column t.x: grid needs a range", "range ="},
      {"x = { type = \"date\", range = [\"2026-01-01\", \"2026-12-31\"], grid = 2 }\n", 1,
       "column t.x: grid does not go with date", "remove"},
      {"x = { type = \"text\", values = [] }\n", 1, "column t.x: values are empty", "list"},
      {"x = { type = \"text\", values = [\"a\",\n\"b\",\n\"a\"] }\n", 3,
       "column t.x: values have 'a' twice", "once"},
      {"x = { type = \"text\", values = [\"a\", 5] }\n", 1,
       "column t.x: values must be texts, not an integer", "quotes"},
      {"x = { type = \"text\", values = 5 }\n", 1,
       "column t.x: values must be a list or \"table.column\", not an integer", "values ="},
      {"x = { type = \"integer\", values = [1, \"01\"] }\n", 1, "column t.x: values have one twice",
       "once"},
      {"x = { type = \"decimal(4,1)\", values = [\"0.15\"] }\n", 1,
       "column t.x: values are not all of type decimal(4,1)", "at most 1"},
      {"x = { type = \"double\", values = [1, 2] }\n", 1,
       "column t.x: values do not go with double", "decimal"},
      {"x = { type = \"boolean\", values = [true] }\n", 1,
       "column t.x: values do not go with boolean", "already"},
      {"x = { type = \"integer\", range = [0, 1], values = [0] }\n", 1,
       "column t.x: values do not go with a range", "one of the two"},
      {"x = { type = \"text\", values = \"wards\" }\n", 1,
       "column t.x: values must be a list or \"table.column\"", "wards.ward"},
      {"x = { type = \"text\", values = \"ward.ward\" }\n", 1,
       "column t.x: values: there is no table 'ward'", "did you mean 'wards'?"},
      {"x = { type = \"text\", values = \"wards.name\" }\n", 1,
       "column t.x: values: table 'wards' declares no column 'name'", "ward"},
      {"x = { type = \"text\", values = \"t.x\" }\n", 1, "column t.x: values: table 't' is private",
       "public"},
      {"x = { type = \"integer\", values = \"wards.ward\" }\n", 1,
       "column t.x: values: 'wards.ward' is text, but the column is integer", "same type"},
      {"x = { type = \"integer\", range = [0, 1], outside = \"clip\" }\n", 1,
       "column t.x: outside cannot be 'clip'", "clamp"},
      {"x = { type = \"text\", values = [\"a\"], outside = \"clamp\" }\n", 1,
       "column t.x: outside cannot be 'clamp' for a list of values", "null"},
      {"x = { type = \"text\", values = [\"a\"], outside = \"null\", nullable = false }\n", 1,
       "column t.x: outside cannot be 'null' where nullable = false", "refuse"},
      {"x = { type = \"text\", outside = \"null\" }\n", 1,
       "column t.x: outside needs a range or values", "remove"},
      {"x = { type = \"text\", nullable = \"no\" }\n", 1,
       "column t.x: nullable must be true or false, not a text", "without quotes"},
      {"x = { type = \"text\", from = \"\" }\n", 1, "column t.x: from is empty", "source"},
      {"id = { type = \"integer\" }\n", 1,
       "column t.id, the person: type must be 'text', as [person] says", "no entry"},
      {"ID = { type = \"text\", values = [\"a\"] }\n", 1,
       "column t.ID, the person: unknown key 'values'", "one of type, from"},
      {"x = { type = \"text\" }\nX = { type = \"text\" }\n", 2,
       "column 'X': the name is that of line 11 but for upper and lower case", "rename"},
      {"\"a b\" = { type = \"text\" }\n", 1,
       "column 'a b': the name has a character other than letters, digits and underscores",
       "from ="},
      {"\"a\\tb\" = { type = \"text\" }\n", 1, "column 'a?b': the name has an invisible character",
       "from ="},
      {"tacet_person = { type = \"text\" }\n", 1, "column 'tacet_person': the name is reserved",
       "from ="},
      {"a123456789012345678901234567890123456789012345678901234567890123 = { type = \"text\" }\n",
       1,
       "column 'a123456789012345678901234567890123456789012345678901234567890123': the name is "
       "longer "
       "than 63 bytes",
       "from ="},
  };
  for (const Case& wrong : cases) ExpectOneProblem(prefix, wrong);
}

// Outside quotes TOML wants ASCII. The library's own tables of characters have gaps there.
TEST(Problems, OfKeysWithoutQuotesPointAtTheCharacter) {
  for (const std::string key : {"größe", "ä", "あ", "a\u1700", "\u2010", "\ufe70", "\U0001f600"}) {
    for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "a = [1, " + key + "]\n"}) {
      const ParsedCatalog parsed = ParseCatalog("[budget]\nepsilon = 1\n" + text);
      ASSERT_EQ(parsed.problems.size(), 1u) << text;
      EXPECT_EQ(parsed.problems[0].position.line, 3u) << text;
      EXPECT_TRUE(parsed.problems[0].message.starts_with("not TOML: "))
          << parsed.problems[0].message;
    }
  }
}

TEST(Problems, AreAllReportedInTheOrderOfTheFile) {
  const ParsedCatalog parsed = ParseCatalog(R"([tables.t]
source = "t.txt"
person = "id"
rows_per_person = 0
[tables.t.columns]
x = { type = "integer", range = [3, 1], nullable = 1, grit = "1" }
[budget]
epsilon = 0.1
delta = 3
)");
  ASSERT_EQ(parsed.problems.size(), 7u) << CatalogError("", parsed.problems).message;
  const std::vector<uint32_t> expected = {2, 4, 6, 6, 6, 8, 9};
  std::vector<uint32_t> lines;
  for (const Problem& problem : parsed.problems) lines.push_back(problem.position.line);
  EXPECT_EQ(lines, expected);
}

// A mistake is not reported again wherever the thing it spoiled is used.
TEST(Problems, AreReportedOnce) {
  const ParsedCatalog parsed = ParseCatalog(R"([budget]
epsilon = 1
[tables.wards]
source = "wards.csv"
public = "yes"
columns.ward = { type = "texts" }
[tables.t]
source = "t.csv"
person = { through = "ward", table = "wards" }
columns.ward = { type = "text", values = "wards.ward" }
)");
  std::vector<std::string> messages;
  for (const Problem& problem : parsed.problems) messages.push_back(problem.message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{"table wards: person is missing",
                                      "table wards: public must be true or false, not a text",
                                      "column wards.ward: type cannot be 'texts'"}));
}

TEST(Problems, PointAtTheColumnInCharacters) {
  const ParsedCatalog parsed = ParseCatalog("[budget]\n\"größe\" = 1\nepsilon = \"x\"\n");
  ASSERT_EQ(parsed.problems.size(), 2u);
  EXPECT_EQ(parsed.problems[0].position, (Position{2, 1}));
  EXPECT_EQ(parsed.problems[1].position, (Position{3, 11}));
}

TEST(Problems, ShowNothingThatATerminalObeys) {
  const ParsedCatalog parsed = ParseCatalog(
      "[budget]\nepsilon = \"\\u001b[31m\"\n\"\\u001b]0;x\" = 1\nexhausted = \"\\u001b\"\n"
      "[tables.\"\\u001bt\"]\nsource = \"\\u001b.x\"\n[tables.\"\\u001bt\".columns]\n\"\\u001b\" = "
      "1\n");
  ASSERT_GE(parsed.problems.size(), 6u);
  for (const Problem& problem : parsed.problems) {
    EXPECT_EQ((problem.message + problem.hint).find('\x1b'), std::string::npos) << problem.message;
  }
}

TEST(Problems, OfATextTooLargeAreReportedWithoutReadingIt) {
  const ParsedCatalog parsed = ParseCatalog(std::string((size_t{16} << 20) + 1, '#'));
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].message, "the catalog is larger than 16 MiB");
}

TEST(CatalogErrorDeathTest, NeedsAProblem) { EXPECT_DEATH(CatalogError("f", {}), "CHECK failed"); }

}  // namespace
}  // namespace tacet
