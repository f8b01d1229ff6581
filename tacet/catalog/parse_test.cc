// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "tacet/testing/example_catalog.h"
#include "tacet/testing/faulty_file.h"

namespace tacet {
namespace {

using testing::kExampleCatalog;

std::string Listed(const std::vector<Problem>& problems) {
  std::string listed;
  for (const Problem& problem : problems) listed += problem.Locate("tacet.toml") + "\n";
  return listed;
}

Catalog Parsed(std::string_view text) {
  ParsedCatalog parsed = ParseCatalog(text);
  EXPECT_TRUE(parsed.catalog.has_value()) << Listed(parsed.problems);
  return parsed.catalog ? *std::move(parsed.catalog) : Catalog{};
}

// One private table whose columns section is `columns`.
Catalog WithColumns(const std::string& columns) {
  return Parsed(R"(
[budget]
epsilon = 1
[tables.t]
source = "t.csv"
person = "id"
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
ward = { type = "text" }
number = { type = "bigint" }
[tables.t.columns]
)" + columns);
}

// The one column `x` of such a table.
Column WithColumn(const std::string& declaration) {
  const Catalog catalog = WithColumns("x = " + declaration + "\n");
  const Table* table = catalog.FindTable("t");
  const Column* column = table == nullptr ? nullptr : table->FindColumn("x");
  EXPECT_NE(column, nullptr) << declaration;
  return column == nullptr ? Column{} : *column;
}

TEST(ParseCatalog, ReadsTheExampleOfTheDocumentation) {
  const Catalog catalog = Parsed(kExampleCatalog);
  EXPECT_EQ(catalog.budget.epsilon, Rational(10));
  EXPECT_EQ(catalog.budget.delta, Rational(1, 1'000'000'000));
  EXPECT_EQ(catalog.budget.exhausted, Exhausted::kRefuse);
  EXPECT_EQ(catalog.budget.selection_share, Rational(1, 2));
  EXPECT_EQ(catalog.budget.selection_delta(), Rational(1, 2'000'000'000));
  EXPECT_TRUE(catalog.budget.classes.empty());
  EXPECT_EQ(catalog.person_key, PersonKeyType::kInteger);
  EXPECT_EQ(catalog.query.epsilon, Rational(1, 10));
  EXPECT_EQ(catalog.query.delta, Rational(1, 1'000'000'000'000));
  ASSERT_EQ(catalog.tables.size(), 3u);
  ASSERT_EQ(catalog.analysts.size(), 1u);
  EXPECT_EQ(catalog.FindAnalyst("research")->epsilon, Rational(2));
  EXPECT_EQ(catalog.FindAnalyst("Research"), nullptr);

  const Table& patients = catalog.tables[0];
  EXPECT_EQ(patients.name, "patients");
  EXPECT_EQ(patients.position.line, 14u);
  EXPECT_EQ(patients.source.format, SourceFormat::kParquet);
  EXPECT_EQ(patients.source.path, "data/patients.parquet");
  EXPECT_FALSE(patients.is_public());
  EXPECT_EQ(std::get<PersonColumn>(patients.person).source, "patient_id");
  EXPECT_EQ(patients.rows_per_person_max, 1);
  EXPECT_FALSE(patients.bounds.groups_per_person_max.has_value());
  ASSERT_EQ(patients.columns.size(), 3u);

  const Column& age = patients.columns[0];
  EXPECT_EQ(age.name, "age");
  EXPECT_EQ(age.source, "age");
  EXPECT_EQ(age.position, (Position{20, 1}));
  EXPECT_EQ(age.type, Type{.kind = TypeKind::kInteger});
  EXPECT_TRUE(age.nullable);
  EXPECT_EQ(age.range->grid_lo, 0);
  EXPECT_EQ(age.range->grid_hi, 110);
  EXPECT_EQ(age.range->grid, Rational(1));
  EXPECT_EQ(age.outside, Outside::kClamp);
  EXPECT_EQ(age.domain(), DomainKind::kRange);
  EXPECT_EQ(age.key_count(), Int128{112});

  const Column& sex = patients.columns[1];
  EXPECT_EQ(sex.texts, (std::vector<std::string>{"F", "M"}));
  EXPECT_EQ(sex.domain(), DomainKind::kTexts);
  EXPECT_EQ(sex.key_count(), Int128{3});
  EXPECT_EQ(sex.outside, Outside::kNull);

  const Column& income = patients.columns[2];
  EXPECT_EQ(income.type.kind, TypeKind::kDouble);
  EXPECT_EQ(income.range->grid_hi, 200000);

  const Table& visits = catalog.tables[1];
  EXPECT_EQ(visits.source.format, SourceFormat::kCsv);
  EXPECT_EQ(visits.source.delimiter, ',');
  EXPECT_TRUE(visits.source.header);
  EXPECT_EQ(visits.source.null, "");
  EXPECT_EQ(visits.bounds.groups_per_person_max, 5);
  EXPECT_EQ(visits.bounds.rows_per_group_max, 10);
  EXPECT_FALSE(visits.rows_per_person_max.has_value());
  EXPECT_FALSE(visits.drops_null_person);
  EXPECT_EQ(visits.columns[0].domain(), DomainKind::kUnknown);
  EXPECT_FALSE(visits.columns[0].key_count().has_value());

  const Column& cost = visits.columns[1];
  EXPECT_EQ(cost.type, (Type{.kind = TypeKind::kDecimal, .precision = 10, .scale = 2}));
  EXPECT_EQ(cost.range->lo, Rational(0));
  EXPECT_EQ(cost.range->hi, Rational(5000));
  EXPECT_EQ(cost.range->grid, Rational(1, 100));
  EXPECT_EQ(cost.range->grid_hi, 500000);

  const Column& day = visits.columns[2];
  EXPECT_EQ(day.range->grid_lo, 20454);
  EXPECT_EQ(day.range->grid_hi, 20818);
  EXPECT_EQ(day.range->cells(), Int128{365});

  EXPECT_TRUE(catalog.tables[2].is_public());
  EXPECT_TRUE(catalog.tables[2].columns.empty());
}

TEST(ParseCatalog, KeepsTheOrderOfTheFile) {
  const Catalog catalog = WithColumns(
      "zebra = { type = \"boolean\" }\nape = { type = \"boolean\" }\nlion = { type = \"boolean\" "
      "}\n");
  EXPECT_EQ(catalog.tables[0].name, "t");
  EXPECT_EQ(catalog.tables[1].name, "wards");
  ASSERT_EQ(catalog.tables[0].columns.size(), 3u);
  EXPECT_EQ(catalog.tables[0].columns[0].name, "zebra");
  EXPECT_EQ(catalog.tables[0].columns[1].name, "ape");
  EXPECT_EQ(catalog.tables[0].columns[2].name, "lion");
}

TEST(ParseCatalog, GivesAQueryAThousandthOfTheSelectionShareUnlessToldOtherwise) {
  const Catalog catalog =
      Parsed("[budget]\nepsilon = 1\ndelta = \"1e-6\"\nselection_share = \"1/4\"\n");
  EXPECT_EQ(catalog.query.delta, Rational(1, 4'000'000'000));
  EXPECT_FALSE(catalog.query.epsilon.has_value());
}

TEST(ParseCatalog, LeavesAPureBudgetWithoutDelta) {
  const Catalog catalog = Parsed("[budget]\nepsilon = \"3/2\"\n");
  EXPECT_EQ(catalog.budget.epsilon, Rational(3, 2));
  EXPECT_FALSE(catalog.budget.delta.has_value());
  EXPECT_EQ(catalog.budget.selection_delta(), Rational(0));
  EXPECT_FALSE(catalog.query.delta.has_value());
  EXPECT_EQ(catalog.person_key, PersonKeyType::kText);
}

TEST(ParseCatalog, FindsNamesInEitherCase) {
  const Catalog catalog = Parsed(kExampleCatalog);
  EXPECT_EQ(catalog.FindTable("VISITS"), &catalog.tables[1]);
  EXPECT_EQ(catalog.FindTable("Visits")->FindColumn("Cost"), &catalog.tables[1].columns[1]);
  EXPECT_EQ(catalog.FindTable("visit"), nullptr);
  EXPECT_EQ(catalog.tables[1].FindColumn("patient_id"), nullptr);
}

TEST(ParseCatalog, TakesNamesInOtherScripts) {
  const Catalog catalog =
      WithColumns("\"größe\" = { type = \"integer\" }\n\"年齢\" = { type = \"integer\" }\n");
  EXPECT_NE(catalog.tables[0].FindColumn("Größe"), nullptr);
  EXPECT_NE(catalog.tables[0].FindColumn("年齢"), nullptr);
}

TEST(ParseCatalog, ReadsEveryKeyOfATable) {
  const Catalog catalog = Parsed(R"(
[budget]
epsilon = 10
exhausted = "exclude"
classes = { staff = "5", guest = 1 }
[tables.people]
source = "people.tsv"
delimiter = ";"
header = false
null = "NA"
person = "key"
rows_per_person = 1
people = 12345
budget_class = "Role"
null_person = "drop"
columns.key = { type = "text", from = "Person Key" }
columns.role = { type = "text", values = ["staff", "guest", "other"], nullable = false }
[tables.visits]
source = "shop.DUCKDB"
table = "All Visits"
person = { through = "owner", table = "People", key = "KEY" }
[tables.items]
source = "shop.db"
person = { through = "visit_id", table = "visits" }
[tables.logs]
source = "logs-*.csv.gz"
person = "row"
)");
  EXPECT_EQ(catalog.budget.exhausted, Exhausted::kExclude);
  ASSERT_EQ(catalog.budget.classes.size(), 2u);
  EXPECT_EQ(catalog.budget.classes[0].name, "staff");
  EXPECT_EQ(catalog.budget.classes[0].epsilon, Rational(5));

  const Table& people = catalog.tables[0];
  EXPECT_EQ(people.source.delimiter, ';');
  EXPECT_FALSE(people.source.header);
  EXPECT_EQ(people.source.null, "NA");
  EXPECT_EQ(std::get<PersonColumn>(people.person).name, "key");
  EXPECT_EQ(std::get<PersonColumn>(people.person).source, "Person Key");
  EXPECT_EQ(people.people, 12345);
  EXPECT_TRUE(people.drops_null_person);
  ASSERT_EQ(people.columns.size(), 1u);
  EXPECT_EQ(people.budget_class, 0u);
  EXPECT_EQ(people.columns[0].outside, Outside::kRefuse);
  EXPECT_EQ(people.columns[0].key_count(), Int128{3});

  const Table& visits = catalog.tables[1];
  EXPECT_EQ(visits.source.format, SourceFormat::kDuckDb);
  EXPECT_EQ(visits.source.table, "All Visits");
  EXPECT_EQ(std::get<PersonThrough>(visits.person).table, 0u);
  EXPECT_EQ(std::get<PersonThrough>(visits.person).source, "owner");
  EXPECT_EQ(std::get<PersonThrough>(visits.person).key, "Person Key");

  const Table& items = catalog.tables[2];
  EXPECT_EQ(items.source.table, "items");
  EXPECT_EQ(std::get<PersonThrough>(items.person).table, 1u);
  EXPECT_EQ(std::get<PersonThrough>(items.person).key, "visit_id");

  const Table& logs = catalog.tables[3];
  EXPECT_TRUE(std::holds_alternative<RowPerson>(logs.person));
  EXPECT_EQ(logs.rows_per_person_max, 1);
}

TEST(ParseCatalog, SeparatesTsvByTabs) {
  EXPECT_EQ(Parsed("[budget]\nepsilon = 1\n[tables.t]\nsource = \"t.tsv\"\npublic = true\n")
                .tables[0]
                .source.delimiter,
            '\t');
}

TEST(ColumnRange, RoundsInwardsOntoTheGrid) {
  const Range range =
      *WithColumn(R"toml({ type = "double", range = ["-2.5", "7.5"], grid = "1" })toml").range;
  EXPECT_EQ(range.lo, Rational(-5, 2));
  EXPECT_EQ(range.grid_lo, -2);
  EXPECT_EQ(range.grid_hi, 7);
  const Range cents =
      *WithColumn(R"toml({ type = "decimal(6,2)", range = ["0.001", "9.999"] })toml").range;
  EXPECT_EQ(cents.grid_lo, 1);
  EXPECT_EQ(cents.grid_hi, 999);
  const Range tens =
      *WithColumn(R"toml({ type = "integer", range = [-15, 15], grid = 10 })toml").range;
  EXPECT_EQ(tens.grid_lo, -1);
  EXPECT_EQ(tens.grid_hi, 1);
}

TEST(ColumnRange, GivesDoublesAGridOfAtLeastTwoToTheThirtySteps) {
  const Range unit = *WithColumn(R"toml({ type = "double", range = [0, 1] })toml").range;
  EXPECT_EQ(unit.grid, Rational::PowerOfTwo(-30));
  EXPECT_EQ(unit.grid_hi, int64_t{1} << 30);
  for (const std::string hi : {"1", "3", "1/3", "200000", "1e-9", "1e300", "0.75"}) {
    const Range range = *WithColumn("{ type = \"double\", range = [0, \"" + hi + "\"] }").range;
    const Rational steps = (range.hi - range.lo) / range.grid;
    EXPECT_GE(steps, Rational::PowerOfTwo(30)) << hi;
    EXPECT_LT(steps, Rational::PowerOfTwo(31)) << hi;
    EXPECT_TRUE(range.grid.numerator() == 1 || range.grid.denominator() == 1) << hi;
  }
  EXPECT_EQ(WithColumn(R"toml({ type = "double", range = [7, 7] })toml").range->cells(), Int128{1});
}

TEST(ColumnRange, HoldsTheWholeOfEveryIntegerType) {
  const Range bigint =
      *WithColumn(
           R"toml({ type = "bigint", range = [-9223372036854775808, 9223372036854775807] })toml")
           .range;
  EXPECT_EQ(bigint.grid_lo, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(bigint.grid_hi, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(bigint.cells(), Int128{1} << 64);
  const Range integer =
      *WithColumn(R"toml({ type = "INTEGER", range = [-2147483648, 2147483647] })toml").range;
  EXPECT_EQ(integer.cells(), Int128{1} << 32);
  const Range wide =
      *WithColumn(R"toml({ type = "decimal(38,0)", range = [0, "1e30"], grid = "1e15" })toml")
           .range;
  EXPECT_EQ(wide.grid_hi, 1'000'000'000'000'000);
}

TEST(ColumnRange, TakesDatesAndTimestampsAsTextsOrAsToml) {
  EXPECT_EQ(
      WithColumn(R"toml({ type = "date", range = [1970-01-01, 1970-01-31] })toml").range->grid_hi,
      30);
  const Range range =
      *WithColumn(
           R"toml({ type = "timestamp", range = ["1970-01-01", 1970-01-02T00:00:00.5+01:00] })toml")
           .range;
  EXPECT_EQ(range.grid_lo, 0);
  EXPECT_EQ(range.grid_hi, (int64_t{86400} - 3600) * 1'000'000 + 500'000);
  EXPECT_EQ(range.grid, Rational(1));
}

TEST(ColumnValues, MayBeNumbersAndDates) {
  const Column grades = WithColumn(R"toml({ type = "integer", values = [6, 1, 3] })toml");
  EXPECT_EQ(grades.numbers, (std::vector<int64_t>{6, 1, 3}));
  EXPECT_EQ(grades.domain(), DomainKind::kNumbers);
  EXPECT_EQ(grades.range->grid_lo, 1);
  EXPECT_EQ(grades.range->grid_hi, 6);
  EXPECT_EQ(grades.key_count(), Int128{4});
  EXPECT_EQ(grades.outside, Outside::kNull);
  const Column rates = WithColumn(
      R"toml({ type = "decimal(4,2)", values = ["0.05", "0.19"], nullable = false })toml");
  EXPECT_EQ(rates.numbers, (std::vector<int64_t>{5, 19}));
  EXPECT_EQ(rates.key_count(), Int128{2});
  EXPECT_EQ(WithColumn(R"toml({ type = "date", values = ["1970-01-02"] })toml").numbers,
            std::vector<int64_t>{1});
}

TEST(ColumnValues, MayStandInAPublicTable) {
  const Catalog catalog = WithColumns("x = { type = \"text\", values = \"Wards.WARD\" }\n");
  const Column& column = catalog.tables[0].columns[0];
  EXPECT_EQ(column.domain(), DomainKind::kReference);
  EXPECT_EQ(catalog.Resolve(*column.reference).name, "ward");
  EXPECT_FALSE(column.key_count().has_value());
  EXPECT_EQ(column.outside, Outside::kNull);
}

TEST(ColumnDomain, OfABooleanIsItsTwoValuesAndNull) {
  EXPECT_EQ(WithColumn(R"toml({ type = "boolean" })toml").key_count(), Int128{3});
  EXPECT_EQ(WithColumn(R"toml({ type = "boolean", nullable = false })toml").key_count(), Int128{2});
}

TEST(ColumnOutside, IsWhatTheOwnerSays) {
  EXPECT_EQ(WithColumn(R"toml({ type = "integer", range = [0, 9], outside = "null" })toml").outside,
            Outside::kNull);
  EXPECT_EQ(
      WithColumn(R"toml({ type = "integer", range = [0, 9], outside = "refuse" })toml").outside,
      Outside::kRefuse);
  EXPECT_EQ(WithColumn(R"toml({ type = "text", values = ["a"], outside = "refuse" })toml").outside,
            Outside::kRefuse);
}

// Damaged texts: every one gives a catalog or problems that say where.
TEST(ParseCatalog, SurvivesRandomEdits) {
  constexpr int kEdits = 20000;
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kBytes =
      "\"'[]{}=,.#\n\r\t \\0123456789eE-+abtrue_\0\x01\x7f\x80\xc3\xff"sv;
  const std::string original = std::string(kExampleCatalog) + R"(
[tables.wards.columns]
ward = { type = "text" }
[tables.items]
source = "items.db"
person = { through = "visit_id", table = "visits" }
columns.ward = { type = "text", values = "wards.ward" }
)";
  ASSERT_TRUE(ParseCatalog(original).catalog.has_value());
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  size_t parsed_count = 0;
  for (int i = 0; i < kEdits; ++i) {
    std::string text = original;
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
      const size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = kBytes[below(kBytes.size())];
          break;
        case 1:
          text.insert(at, 1, kBytes[below(kBytes.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, original.substr(below(original.size()), below(40)));
      }
    }
    const ParsedCatalog parsed = ParseCatalog(text);
    ASSERT_EQ(parsed.catalog.has_value(), parsed.problems.empty()) << text;
    if (parsed.catalog) ++parsed_count;
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const Problem& problem : parsed.problems) {
      ASSERT_GE(problem.position.line, 1u) << text;
      ASSERT_LE(problem.position.line, lines) << problem.message << "\n" << text;
      ASSERT_FALSE(problem.message.empty()) << text;
      ASSERT_EQ(problem.message.find("cannot say where"), std::string::npos)
          << problem.message << text;
      ASSERT_FALSE(problem.hint.empty()) << problem.message << "\n" << text;
    }
  }
  EXPECT_GT(parsed_count, size_t{0});
}

TEST(LoadCatalog, NamesTheFileInEveryProblem) {
  testing::FaultyFileSystem files;
  ASSERT_TRUE(WriteAtomically(files, "one.toml", "[budget]\nepsilon = 0.5\n").ok());
  const Result<Catalog> one = LoadCatalog(files, "one.toml");
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().code, Code::kCatalog);
  EXPECT_EQ(one.error().message,
            "one.toml:2:11: [budget]: epsilon is a floating-point number, which is not exact");
  EXPECT_EQ(one.error().hint, "put it in quotes: \"0.1\" or \"1/10\".");

  ASSERT_TRUE(WriteAtomically(files, "two.toml", "[budget]\nepsilon = 0.5\ndelta = 2\n").ok());
  const Result<Catalog> two = LoadCatalog(files, "two.toml");
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.error().message.find("two.toml has 2 problems\n  two.toml:2:11: "),
            std::string::npos);
  EXPECT_NE(two.error().message.find("\n  two.toml:3:9: [budget]: delta must"), std::string::npos);

  ASSERT_TRUE(WriteAtomically(files, "good.toml", kExampleCatalog).ok());
  EXPECT_TRUE(LoadCatalog(files, "good.toml").ok());
  EXPECT_EQ(LoadCatalog(files, "absent.toml").error().code, Code::kIo);
}

}  // namespace
}  // namespace tacet
