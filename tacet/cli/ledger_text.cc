// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/ledger_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/mark_text.h"
#include "tacet/cli/text_table.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

// The beginning of a text that may be long; TextTable takes care of what cannot be shown.
std::string Cut(const std::string& text) {
  constexpr size_t kCharactersMax = 80;
  if (sql::FindInvalidUtf8(text) || sql::CharacterCount(text) <= kCharactersMax) return text;
  std::string_view rest = text;
  for (size_t i = 0; i < kCharactersMax - 3; ++i) sql::TakeCharacter(rest);
  return text.substr(0, text.size() - rest.size()) + "...";
}

std::string ChargesText(const std::vector<ListedCharge>& charges, const Terminal& terminal) {
  const bool is_pure = std::all_of(charges.begin(), charges.end(), [](const ListedCharge& charge) {
    return charge.cost.rho.is_zero() && charge.cost.delta.is_zero();
  });
  std::vector<TextTable::Column> columns = {{.name = "charge", .to_the_right = true},
                                            {.name = "epsilon", .to_the_right = true}};
  if (!is_pure) {
    columns.push_back({.name = "rho", .to_the_right = true});
    columns.push_back({.name = "delta", .to_the_right = true});
  }
  for (const char* name : {"time", "analyst", "import", "statement"}) {
    columns.push_back({.name = name});
  }
  TextTable table(std::move(columns));
  for (const ListedCharge& charge : charges) {
    std::vector<TextTable::Cell> row = {{.text = std::to_string(charge.number)},
                                        {.text = CostText(charge.cost.epsilon.value())}};
    if (!is_pure) {
      row.push_back({.text = CostText(charge.cost.rho.value())});
      row.push_back({.text = CostText(charge.cost.delta.value())});
    }
    if (!charge.details) {
      row.insert(row.end(), {{.text = ""}, {.text = ""}, {.text = ""}, {.text = ""}});
    } else if (charge.details->is_recovery()) {
      row.insert(row.end(), {{.text = ShortTime(charge.details->time)},
                             {.text = ""},
                             {.text = ""},
                             {.text = "(recovery: a whole limit)"}});
    } else {
      row.insert(row.end(), {{.text = ShortTime(charge.details->time)},
                             {.text = charge.details->analyst},
                             {.text = std::to_string(charge.details->import)},
                             {.text = Cut(charge.details->statement)}});
    }
    table.AddRow(std::move(row));
  }
  return table.Render("", terminal, terminal.out);
}

std::string LimitText(const BudgetRecord& budget) {
  std::string text = "epsilon " + CostText(budget.epsilon.value());
  if (!budget.delta.is_zero()) text += ", delta " + CostText(budget.delta.value());
  return text;
}

std::string LimitsText(const std::vector<ListedLimit>& limits, const Terminal& terminal) {
  TextTable table({{.name = "limit"}, {.name = "since"}, {.name = "why"}});
  for (const ListedLimit& limit : limits) {
    const bool is_first = &limit == &limits.front();
    table.AddRow({{.text = LimitText(limit.budget)},
                  {.text = ShortTime(limit.budget.time)},
                  {.text = limit.reason ? "raised: " + Cut(*limit.reason)
                           : is_first   ? "the ledger began"
                                        : "the catalog declared less"}});
  }
  return table.Render("", terminal, terminal.out);
}

std::string ImportsText(const std::vector<ImportRecord>& imports, const Terminal& terminal) {
  TextTable table({{.name = "import", .to_the_right = true}, {.name = "time"}});
  for (const ImportRecord& import : imports) {
    table.AddRow({{.text = std::to_string(import.number)}, {.text = ShortTime(import.time)}});
  }
  return table.Render("", terminal, terminal.out);
}

Json ChargeJson(const ListedCharge& charge) {
  Json json = {{"number", charge.number}, {"cost", CostJson(charge.cost)}};
  if (!charge.details) return json;
  const ChargeDetails& details = *charge.details;
  json["kind"] = details.is_recovery() ? "recovery" : "query";
  json["time"] = ToString(details.time);
  json["analyst"] = details.is_recovery() ? Json() : Json(details.analyst);
  json["import"] = details.import;
  json["statement"] = details.statement.empty() ? Json() : Json(details.statement);
  json["digest"] = ToHex(details.digest);
  return json;
}

Json PointJson(const ChainPoint& point) {
  return {{"sequence", point.sequence}, {"hash", ToHex(point.hash)}};
}

}  // namespace

std::string ShortTime(Time time) {
  const std::string text = ToString(time);
  return text.substr(0, text.find('.')) + "Z";
}

std::string ListText(const LedgerList& list, const Terminal& terminal) {
  std::string text =
      list.charges.empty() ? "Nothing was charged yet.\n" : ChargesText(list.charges, terminal);
  text += "\n" + LimitsText(list.limits, terminal);
  if (!list.imports.empty()) text += "\n" + ImportsText(list.imports, terminal);
  if (!list.marks.empty()) text += "\n" + MarksText(list.marks);
  return text;
}

Json ListJson(const LedgerList& list) {
  Json document;
  document["dataset_id"] = list.dataset_id;
  document["charges"] = Json::array();
  for (const ListedCharge& charge : list.charges) {
    document["charges"].push_back(ChargeJson(charge));
  }
  document["limits"] = Json::array();
  for (const ListedLimit& limit : list.limits) {
    const BudgetRecord& budget = limit.budget;
    document["limits"].push_back(
        {{"time", ToString(budget.time)},
         {"limit", CostJson({.epsilon = budget.epsilon, .delta = budget.delta, .rho = budget.rho})},
         {"selection_share", budget.selection_share.ToString()},
         {"reason", limit.reason ? Json(*limit.reason) : Json()}});
  }
  document["imports"] = Json::array();
  for (const ImportRecord& import : list.imports) {
    document["imports"].push_back({{"number", import.number}, {"time", ToString(import.time)}});
  }
  document["marks"] = MarksJson(list.marks);
  return document;
}

std::string CheckText(const LedgerCheck& check, const Terminal& terminal) {
  std::string text;
  if (!check.dataset_id.empty()) {
    text += "dataset  " + check.dataset_id + "\n";
    text += fmt::format("records  {}, the last one {}\n", check.head.sequence,
                        ToHex(check.head.hash).substr(0, 16));
    text += fmt::format("charges  {}\n", check.charges);
  }
  text += "witness  " +
          (check.witness ? fmt::format("knows of record {}", check.witness->sequence)
                         : std::string("not there, or not readable")) +
          (check.witness_path.empty() ? "" : " (" + check.witness_path + ")") + "\n";
  text += "vault    " +
          (check.vault ? fmt::format("of import {}, begun at record {}", check.vault->import_number,
                                     check.vault->ledger_head.sequence)
                       : std::string("not there, or not readable")) +
          "\n";
  text += MarksText(check.marks);
  for (const LedgerFinding& finding : check.findings) {
    text += terminal.Strong("finding:", terminal.out) + " " + finding.text + "\n";
    if (!finding.hint.empty()) {
      text += terminal.Strong("hint:", terminal.out) + " " + finding.hint + "\n";
    }
  }
  if (check.is_ok()) {
    text += "Nothing is wrong: the chain is whole, and every charge covers what its plan costs.\n";
  }
  return text;
}

Json CheckJson(const LedgerCheck& check) {
  Json document;
  document["ok"] = check.is_ok();
  document["dataset_id"] = check.dataset_id.empty() ? Json() : Json(check.dataset_id);
  document["records"] = check.head.sequence;
  document["charges"] = check.charges;
  document["head"] = PointJson(check.head);
  document["witness"] = check.witness ? PointJson(*check.witness) : Json();
  document["vault"] = check.vault ? Json{{"dataset_id", check.vault->dataset_id},
                                         {"import", check.vault->import_number},
                                         {"head", PointJson(check.vault->ledger_head)}}
                                  : Json();
  document["marks"] = MarksJson(check.marks);
  document["findings"] = Json::array();
  for (const LedgerFinding& finding : check.findings) {
    document["findings"].push_back({{"charge", finding.charge ? Json(*finding.charge) : Json()},
                                    {"text", finding.text},
                                    {"hint", finding.hint.empty() ? Json() : Json(finding.hint)}});
  }
  return document;
}

}  // namespace tacet::cli
