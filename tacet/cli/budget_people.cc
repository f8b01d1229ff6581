// SPDX-License-Identifier: Apache-2.0
// tacet budget --person, tacet budget --people: what was spent on people, for the owner.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/budget_text.h"
#include "tacet/cli/chart.h"
#include "tacet/cli/data_commands.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/ledger_text.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/text_table.h"
#include "tacet/gateway/people_report.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Down(const Rational& amount) { return DecimalText(amount, Rounding::kDown); }
std::string Up(const Rational& amount) { return DecimalText(amount, Rounding::kUp); }

Json ChargeJson(const PersonCharge& one) {
  const ChargeDetails& details = *one.charge.details;
  return {{"number", one.charge.number},       {"time", ToString(details.time)},
          {"analyst", details.analyst},        {"statement", details.statement},
          {"cost", CostJson(one.charge.cost)}, {"everyone", one.is_for_everyone}};
}

// What a charge was for, in plain words.
std::string WhatFor(const PersonCharge& one) {
  const ChargeDetails& details = *one.charge.details;
  if (details.is_recovery()) return "everyone was charged a whole limit after records were lost";
  std::string text = details.statement.empty() ? "a query" : details.statement;
  if (one.is_for_everyone) text += " (counts for everyone: whom it touched is not recorded)";
  return text;
}

std::string AccountText(const PersonReport& report, size_t columns) {
  if (report.is_pure) {
    return fmt::format(
        "limit  epsilon {} for life\nspent  epsilon {} in {}\nleft   epsilon {}\n{}\n",
        CostText(report.limit.epsilon.value()), Up(report.spent.epsilon.value()),
        ChargeCount(report.charges.size()), Down(report.remaining.epsilon.value()),
        SpentBar(report.spent.epsilon.value(), report.limit.epsilon.value(), columns));
  }
  return fmt::format(
      "limit  epsilon {}, delta {} for life, counted as rho {}\nspent  rho {}, delta {} in {} "
      "(prices: epsilon {})\n"
      "left   rho {}, delta {}, enough for one query of epsilon {}\n{}\n",
      CostText(report.limit.epsilon.value()), Up(report.limit.delta.value()),
      Down(report.limit.rho.value()), Up(report.spent.rho.value()), Up(report.spent.delta.value()),
      ChargeCount(report.charges.size()), Up(report.spent.epsilon.value()),
      Down(report.remaining.rho.value()), Down(report.remaining.delta.value()),
      Down(report.remaining.epsilon.value()),
      SpentBar(report.spent.rho.value(), report.limit.rho.value(), columns));
}

std::string HistoryText(const PersonReport& report, const Terminal& terminal) {
  if (report.charges.empty()) return "No query has touched this person.\n";
  TextTable table({{.name = "charge", .to_the_right = true},
                   {.name = "time"},
                   {.name = "analyst"},
                   {.name = report.is_pure ? "epsilon" : "rho", .to_the_right = true},
                   {.name = "for"}});
  for (const PersonCharge& one : report.charges) {
    const Cost& cost = one.charge.cost;
    table.AddRow({{.text = std::to_string(one.charge.number)},
                  {.text = ShortTime(one.charge.details->time)},
                  {.text = one.charge.details->analyst},
                  {.text = CostText(report.is_pure ? cost.epsilon.value() : cost.rho.value())},
                  {.text = WhatFor(one)}});
  }
  return table.Render("", terminal, terminal.out);
}

// How many people have spent which part of their limit.
std::string Histogram(const PeopleReport& report, const Terminal& terminal) {
  Chart chart{.title = "People by what they have spent of their limit",
              .x = {.label = "spent, % of the limit"},
              .y = {.label = "people"},
              .series = {{.name = "", .mark = Mark::kBars, .points = {}}}};
  for (size_t i = 0; i < report.parts.size(); ++i) {
    chart.series[0].points.push_back(
        {.x = static_cast<double>(10 * i + 5), .y = static_cast<double>(report.parts[i])});
  }
  return TerminalChart(chart, ChartStyleOf(terminal, /*height=*/8));
}

std::string PeopleCount(uint64_t count) {
  return count == 1 ? "1 person" : fmt::format("{} people", count);
}

Json PeopleJson(const PeopleReport& report) {
  Json nearest = Json::array();
  for (const PeopleReport::Account& account : report.nearest) {
    nearest.push_back({{"person", account.key.empty() ? Json(nullptr) : Json(account.key)},
                       {"spent_part", account.part.ToString()}});
  }
  return {{"people", report.people},
          {"untouched", report.untouched},
          {"spent_tenths", report.parts},
          {"beyond_nine_tenths", report.beyond_nine_tenths},
          {"price", report.price ? Json(report.price->ToString()) : Json(nullptr)},
          {"unable_to_pay", report.unable_to_pay},
          {"nearest", nearest}};
}

}  // namespace

Status ShowPerson(const Project& project, const std::string& key, const Services& services,
                  const Terminal& terminal) {
  TACET_TRY(const PersonReport report, ReportPerson(project, services, key));
  if (terminal.json) {
    Json document = {{"person", key},
                     {"limit", CostJson(report.limit)},
                     {"spent", CostJson(report.spent)},
                     {"remaining", CostJson(report.remaining)},
                     {"charges", Json::array()}};
    for (const PersonCharge& one : report.charges) document["charges"].push_back(ChargeJson(one));
    terminal.Print(DocumentText(document, terminal));
    return {};
  }
  terminal.Say(AccountText(report, Terminal::Columns(terminal.out)));
  terminal.Print(HistoryText(report, terminal));
  terminal.Note("For the owner and this person alone: it tells of their rows.\n");
  return {};
}

Status ShowPeople(const Project& project, const Services& services, const Terminal& terminal) {
  TACET_TRY(const PeopleReport report, ReportPeople(project, services));
  if (terminal.json) {
    terminal.Print(DocumentText(PeopleJson(report), terminal));
    return {};
  }
  terminal.Say(fmt::format("{}, {} of them not touched by any query\n", PeopleCount(report.people),
                           report.untouched));
  if (report.untouched < report.people) terminal.Print(Histogram(report, terminal));
  terminal.Say(fmt::format(
      "near the limit        {} (more than nine tenths are spent)\n"
      "cannot pay any more   {} ({})\n",
      PeopleCount(report.beyond_nine_tenths), PeopleCount(report.unable_to_pay),
      report.price ? "for a query of epsilon " + CostText(*report.price) : "for anything"));
  if (report.unable_to_pay > 0) {
    const bool excludes = project.catalog.budget.exhausted == Exhausted::kExclude;
    terminal.Say(excludes ? "Answers have become incomplete for them: they are left out.\n"
                          : "Queries that may touch them are refused.\n");
  }
  if (!report.nearest.empty()) {
    TextTable table({{.name = "person"}, {.name = "spent", .to_the_right = true}});
    for (const PeopleReport::Account& account : report.nearest) {
      table.AddRow({{.text = account.key.empty() ? "(not in the data now)" : account.key},
                    {.text = Up(account.part * Rational(100)) + "%"}});
    }
    terminal.Print(table.Render("", terminal, terminal.out));
  }
  terminal.Note("For the owner alone: balances tell of people's rows.\n");
  return {};
}

}  // namespace tacet::cli
