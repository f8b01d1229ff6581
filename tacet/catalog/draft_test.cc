// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/draft.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tacet/catalog/parse.h"

namespace tacet {
namespace {

const std::vector<DraftTable>& Tables() {
  static const std::vector<DraftTable> tables = {
      {.name = "visits",
       .source = "data/visits.csv",
       .source_table = "",
       .columns = {{"Patient_ID", "BIGINT"},
                   {"ward", "VARCHAR"},
                   {"cost", "DECIMAL(10,2)"},
                   {"day", "DATE"}}},
      {.name = "patients",
       .source = "clinic.duckdb",
       .source_table = "All Patients",
       .columns = {{"patient_id", "INTEGER"},
                   {"Body Height", "DOUBLE"},
                   {"größe", "FLOAT"},
                   {"smoker", "BOOLEAN"},
                   {"since", "TIMESTAMP WITH TIME ZONE"},
                   {"kind", "ENUM('a', 'b')"},
                   {"photo", "BLOB"},
                   {"marks", "INTEGER[]"}}},
      {.name = "wards",
       .source = "wards.parquet",
       .source_table = "",
       .columns = {{"ward", "VARCHAR"}}},
  };
  return tables;
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The draft as an owner leaves it who takes the # off every setting and fills in what is asked for.
std::string Finished(std::string draft) {
  std::string finished;
  for (size_t at = 0; at < draft.size();) {
    const size_t end = draft.find('\n', at) + 1;
    std::string line = draft.substr(at, end - at);
    if (line.starts_with("#") && !line.starts_with("# ")) line.erase(0, 1);
    const bool moment = line.find("\"date\"") != std::string::npos ||
                        line.find("\"timestamp\"") != std::string::npos;
    Replace(line, "LOWEST", moment ? "\"2026-01-01\"" : "0");
    Replace(line, "HIGHEST", moment ? "\"2026-12-31\"" : "9");
    Replace(line, "person = CHOOSE", "person = \"row\"");
    finished += line;
    at = end;
  }
  return finished;
}

Catalog Parsed(const std::string& text) {
  ParsedCatalog parsed = ParseCatalog(text);
  EXPECT_TRUE(parsed.catalog.has_value())
      << (parsed.problems.empty() ? "" : CatalogError("tacet.toml", parsed.problems).message)
      << "\n"
      << text;
  return parsed.catalog ? *std::move(parsed.catalog) : Catalog{};
}

TEST(DraftCatalog, ParsesAsItStandsAndDeclaresNothing) {
  const Catalog catalog = Parsed(DraftCatalog(Tables(), "patient_id"));
  ASSERT_EQ(catalog.tables.size(), 2u);
  EXPECT_EQ(catalog.person_key, PersonKeyType::kInteger);
  EXPECT_EQ(std::get<PersonColumn>(catalog.tables[0].person).source, "Patient_ID");
  EXPECT_EQ(catalog.tables[1].source.table, "All Patients");
  for (const Table& table : catalog.tables) {
    EXPECT_TRUE(table.columns.empty());
    EXPECT_FALSE(table.is_public());
  }
}

TEST(DraftCatalog, ParsesOnceTheOwnerHasFilledItIn) {
  const Catalog catalog = Parsed(Finished(DraftCatalog(Tables(), "patient_id")));
  ASSERT_EQ(catalog.tables.size(), 3u);
  const Table& visits = catalog.tables[0];
  ASSERT_EQ(visits.columns.size(), 3u);
  EXPECT_EQ(visits.FindColumn("cost")->type.ToString(), "decimal(10,2)");
  EXPECT_EQ(visits.FindColumn("cost")->range->grid_hi, 900);
  EXPECT_EQ(visits.FindColumn("day")->range->cells(), Int128{365});
  EXPECT_EQ(visits.rows_per_person_max, 1);
  const Table& patients = catalog.tables[1];
  ASSERT_EQ(patients.columns.size(), 5u);
  EXPECT_EQ(patients.FindColumn("body_height")->source, "Body Height");
  EXPECT_EQ(patients.FindColumn("größe")->type.kind, TypeKind::kDouble);
  EXPECT_EQ(patients.FindColumn("since")->type.kind, TypeKind::kTimestamp);
  EXPECT_EQ(patients.FindColumn("kind")->type.kind, TypeKind::kText);
  EXPECT_TRUE(std::holds_alternative<RowPerson>(catalog.tables[2].person));
}

TEST(DraftCatalog, CannotBeUsedWithItsPlaceholders) {
  for (const std::string_view placeholder : {"LOWEST", "CHOOSE"}) {
    std::string text = DraftCatalog(Tables(), "patient_id");
    const size_t at = text.rfind('\n', text.find(placeholder, text.find("[tables."))) + 1;
    text.erase(at, 1);
    EXPECT_FALSE(ParseCatalog(text).catalog.has_value()) << placeholder;
  }
}

TEST(DraftCatalog, MakesNoTablePublic) {
  const std::string text = DraftCatalog(Tables(), "nobody");
  EXPECT_TRUE(Parsed(text).tables.empty());
  EXPECT_EQ(Parsed(text).person_key, PersonKeyType::kText);
}

TEST(DraftCatalog, KeepsAColumnNamedRowApartFromEveryRow) {
  const std::vector<DraftTable> tables = {
      {.name = "t", .source = "t.csv", .source_table = "", .columns = {{"row", ""}, {"x", ""}}}};
  const Catalog catalog = Parsed(DraftCatalog(tables, "row"));
  ASSERT_EQ(catalog.tables.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<PersonColumn>(catalog.tables[0].person));
  EXPECT_EQ(std::get<PersonColumn>(catalog.tables[0].person).source, "row");
}

TEST(DraftCatalog, ReadsAPersonWhoseNameIsNoIdentifier) {
  const std::vector<DraftTable> tables = {{.name = "my table",
                                           .source = "t.csv",
                                           .source_table = "",
                                           .columns = {{"Patient ID", ""}, {"x", ""}}}};
  const Catalog catalog = Parsed(DraftCatalog(tables, "patient id"));
  ASSERT_EQ(catalog.tables.size(), 1u);
  EXPECT_EQ(catalog.tables[0].name, "my_table");
  EXPECT_EQ(std::get<PersonColumn>(catalog.tables[0].person).name, "Patient_ID");
  EXPECT_EQ(std::get<PersonColumn>(catalog.tables[0].person).source, "Patient ID");
}

// Names and types of any bytes: the draft parses as it stands and when it is filled in.
TEST(DraftCatalog, ParsesWhateverTheSourceCallsItsColumns) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> pieces = {"a",
                                           "A",
                                           "_",
                                           " ",
                                           "\"",
                                           "\\",
                                           "\n",
                                           "#",
                                           "]",
                                           "\x1b",
                                           "\xff",
                                           "ä",
                                           "=",
                                           "pg_",
                                           "'",
                                           "\x7f",
                                           "1",
                                           std::string(1, '\0'),
                                           std::string(61, 'x')};
  const std::vector<std::string> types = {
      "",        "INTEGER", "VARCHAR", "STRUCT(a\nb)", "DECIMAL(18,3)",
      "BOOLEAN", "DATE",    "TIME",    "HUGEINT",      "UBIGINT"};
  for (int i = 0; i < 500; ++i) {
    std::vector<DraftTable> tables(1 + random() % 3);
    const auto name = [&] {
      std::string made;
      for (size_t length = random() % 4; length > 0; --length)
        made += pieces[random() % pieces.size()];
      return made;
    };
    for (DraftTable& table : tables) {
      table.name = name();
      table.source = "data/" + name() + ".duckdb";
      table.source_table = "t" + name();
      for (size_t count = random() % 6; count > 0; --count) {
        table.columns.push_back({.name = name(), .sql_type = types[random() % types.size()]});
      }
    }
    const std::string draft = DraftCatalog(tables, "a");
    ASSERT_TRUE(ParseCatalog(draft).catalog.has_value()) << draft;
    const ParsedCatalog finished = ParseCatalog(Finished(draft));
    ASSERT_TRUE(finished.catalog.has_value())
        << CatalogError("draft", finished.problems).message << "\n"
        << Finished(draft);
  }
}

}  // namespace
}  // namespace tacet
