// SPDX-License-Identifier: Apache-2.0
// tacet describe: what analysts may know of the tables. From the catalog and the ledger's marks,
// never from data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/cli/answer_text.h"
#include "tacet/cli/data_commands.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/mark_text.h"
#include "tacet/cli/program.h"
#include "tacet/cli/text_table.h"
#include "tacet/gateway/ledger_report.h"
#include "tacet/plan/domain.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DescribeFlags {
  DataFlags data;
  std::string table;
};

// The ends of a range, as values of the column's type.
std::string End(const Column& column, const Rational& end) {
  const bool is_exact = column.type.kind != TypeKind::kDouble;
  return ValueText(is_exact ? Value(end) : Value(end.ToDouble()), column.type);
}

std::vector<std::string> Values(const Column& column) {
  std::vector<std::string> values = column.texts;
  for (const int64_t number : column.numbers) {
    values.push_back(ValueText(ValueOfSteps(column, number), column.type));
  }
  return values;
}

std::string ReferenceName(const Catalog& catalog, const ColumnReference& reference) {
  return catalog.tables[reference.table].name + "." + catalog.Resolve(reference).name;
}

// Whose rows they are.
std::string PersonText(const Catalog& catalog, const Table& table) {
  if (table.is_public()) return "public: about no person, exact and free";
  if (std::holds_alternative<RowPerson>(table.person)) return "every row is a person";
  if (const auto* column = std::get_if<PersonColumn>(&table.person)) {
    return "private; the person is " + column->name;
  }
  const auto& through = std::get<PersonThrough>(table.person);
  return "private; the person is found through " + catalog.tables[through.table].name;
}

std::string Rows(int64_t count) { return fmt::format("{} row{}", count, count == 1 ? "" : "s"); }

// What one person may contribute, and how many there are; one line each.
std::vector<std::string> Facts(const Table& table) {
  std::vector<std::string> facts;
  if (table.rows_per_person_max) {
    facts.push_back("a person has at most " + Rows(*table.rows_per_person_max));
  }
  const Bounds& bounds = table.bounds;
  if (bounds.groups_per_person_max) {
    const int64_t groups = *bounds.groups_per_person_max;
    facts.push_back(
        fmt::format("a person counts in at most {} group{}", groups, groups == 1 ? "" : "s"));
  }
  if (bounds.rows_per_group_max) {
    facts.push_back("a person counts with at most " + Rows(*bounds.rows_per_group_max) +
                    " in each group");
  }
  if (table.people) facts.push_back(fmt::format("about {} people", *table.people));
  return facts;
}

std::string ListText(const std::vector<std::string>& values) {
  constexpr size_t kShownMax = 8;
  std::string text;
  for (size_t i = 0; i < values.size() && i < kShownMax; ++i) {
    text += (i > 0 ? ", " : "") + Shown(values[i]);
  }
  if (values.size() > kShownMax) text += fmt::format(", ... ({} in all)", values.size());
  return text;
}

std::string DomainText(const Catalog& catalog, const Column& column) {
  switch (column.domain()) {
    case DomainKind::kBoolean:
      return "false, true";
    case DomainKind::kTexts:
    case DomainKind::kNumbers:
      return ListText(Values(column));
    case DomainKind::kReference:
      return "those of " + ReferenceName(catalog, *column.reference);
    case DomainKind::kRange: {
      std::string text = End(column, column.range->lo) + " to " + End(column, column.range->hi);
      if (column.type.step() != column.range->grid && !column.type.is_moment()) {
        text += ", in steps of " + fmt::format("{:.6g}", column.range->grid.ToDouble());
      }
      return text;
    }
    case DomainKind::kUnknown:
      break;
  }
  return column.type.is_number() ? "not declared; use CLAMP" : "not declared";
}

std::string TableText(const Catalog& catalog, const Table& table, const Terminal& terminal) {
  std::string text =
      terminal.Strong(table.name, terminal.out) + "  (" + PersonText(catalog, table) + ")\n";
  for (const std::string& fact : Facts(table)) text += "  " + fact + "\n";
  if (table.columns.empty()) return text + "  no column is declared\n";
  TextTable columns({{.name = "column"}, {.name = "type"}, {.name = "NULL"}, {.name = "values"}});
  for (const Column& column : table.columns) {
    columns.AddRow({{.text = column.name},
                    {.text = column.type.ToString()},
                    {.text = column.nullable ? "yes" : "no"},
                    {.text = DomainText(catalog, column) + (column.is_unique ? "; unique" : "")}});
  }
  return text + columns.Render("  ", terminal, terminal.out);
}

Json ColumnJson(const Catalog& catalog, const Column& column) {
  Json json = {
      {"name", column.name}, {"type", column.type.ToString()}, {"nullable", column.nullable}};
  if (column.domain() == DomainKind::kRange) {
    json["range"] = {End(column, column.range->lo), End(column, column.range->hi)};
    json["grid"] = column.range->grid.ToString();
  }
  if (!column.texts.empty() || !column.numbers.empty()) json["values"] = Values(column);
  if (column.is_unique) json["unique"] = true;
  if (column.reference) json["values_of"] = ReferenceName(catalog, *column.reference);
  return json;
}

Json TableJson(const Catalog& catalog, const Table& table) {
  const auto number = [](const std::optional<int64_t>& value) {
    return value ? Json(*value) : Json();
  };
  Json json = {{"name", table.name}, {"public", table.is_public()}};
  const auto* column = std::get_if<PersonColumn>(&table.person);
  const auto* through = std::get_if<PersonThrough>(&table.person);
  json["person"] = column != nullptr    ? Json(column->name)
                   : through != nullptr ? Json{{"through", catalog.tables[through->table].name}}
                   : table.is_public()  ? Json()
                                        : Json("row");
  if (!table.is_public()) {
    json["people"] = number(table.people);
    json["rows_per_person"] = number(table.rows_per_person_max);
    json["bounds"] = {{"groups_per_person", number(table.bounds.groups_per_person_max)},
                      {"rows_per_group", number(table.bounds.rows_per_group_max)}};
  }
  json["columns"] = Json::array();
  for (const Column& one : table.columns) json["columns"].push_back(ColumnJson(catalog, one));
  return json;
}

// Nothing if it cannot be told; the tables are described all the same.
Result<std::optional<std::vector<MarkRecord>>> MarksOf(const Project& project,
                                                       const Services& services,
                                                       const Terminal& terminal) {
  Result<std::vector<MarkRecord>> marks = ReadMarks(project, services);
  if (marks.ok()) return std::optional<std::vector<MarkRecord>>(*std::move(marks));
  if (marks.error().code == Code::kInterrupted) return marks.error();
  terminal.Aside("Whether the ledger was ever adopted or recovered is not known: " +
                 marks.error().message + "\n");
  return std::optional<std::vector<MarkRecord>>();
}

Status RunDescribe(const DescribeFlags& flags, const Terminal& terminal) {
  TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.data.wait));
  TACET_TRY(const Project project, OpenProject(flags.data));
  const Interrupts interrupts;
  SystemClock clock;
  SystemEntropy entropy;
  return ShowTables(project, flags.table,
                    {.clock = clock,
                     .entropy = entropy,
                     .lock_wait = wait,
                     .interrupted = &interrupts.requested()},
                    terminal);
}

Json TablesJson(const Catalog& catalog, const std::vector<const Table*>& tables,
                const std::optional<std::vector<MarkRecord>>& marks) {
  Json document;
  document["tables"] = Json::array();
  for (const Table* table : tables) document["tables"].push_back(TableJson(catalog, *table));
  document["marks"] = marks ? MarksJson(*marks) : Json();
  return document;
}

}  // namespace

std::string TableList(const Catalog& catalog, const Terminal& terminal) {
  TextTable list({{.name = "table"}, {.name = "privacy"}});
  for (const Table& table : catalog.tables) {
    list.AddRow({{.text = table.name}, {.text = PersonText(catalog, table)}});
  }
  return list.Render("", terminal, terminal.out);
}

Status ShowTables(const Project& project, const std::string& table_name, const Services& services,
                  const Terminal& terminal) {
  const Catalog& catalog = project.catalog;
  std::vector<const Table*> tables;
  if (table_name.empty()) {
    for (const Table& table : catalog.tables) tables.push_back(&table);
  } else if (const Table* table = catalog.FindTable(table_name); table != nullptr) {
    tables.push_back(table);
  } else {
    std::vector<std::string_view> names;
    for (const Table& known : catalog.tables) names.push_back(known.name);
    return Error{.code = Code::kUsage,
                 .message = "the catalog has no table " + Quoted(table_name),
                 .hint = SuggestionHint(table_name, names)};
  }
  TACET_TRY(const std::optional<std::vector<MarkRecord>> marks,
            MarksOf(project, services, terminal));
  if (terminal.json) {
    terminal.Print(DocumentText(TablesJson(catalog, tables, marks), terminal));
    return {};
  }
  if (tables.empty()) terminal.Note("The catalog declares no table.\n");
  for (const Table* table : tables) {
    if (table != tables.front()) terminal.Print("\n");
    terminal.Print(TableText(catalog, *table, terminal));
  }
  if (marks && !marks->empty()) terminal.Print("\n" + MarksText(*marks));
  return {};
}

void AddDescribe(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("describe", "Show what analysts may know of the tables.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<DescribeFlags>();
  command->add_option("TABLE", flags->table, "show this table only (default: all)")
      ->option_text(" ");
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(std::string(kDemoExamples) +
                  "  tacet describe\n"
                  "  tacet describe participants --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunDescribe(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
