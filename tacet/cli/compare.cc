// SPDX-License-Identifier: Apache-2.0
// tacet account compare: the noise that many queries need, four textbook ways and the best two.
#include "tacet/measure/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tacet/cli/account_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/program.h"
#include "tacet/cli/text_table.h"
#include "tacet/measure/step.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareFlags {
  std::string queries;
  std::string epsilon;
  std::string delta;
  PictureFlags pictures;
};

struct NoiseTarget {
  uint64_t queries;
  ExactEpsilon exact_epsilon;
  Epsilon epsilon;  // where that is irrational, the next lower one: no less noise
  Delta delta;
};

Result<NoiseTarget> ParseNoiseTarget(const CompareFlags& flags) {
  TACET_TRY(const uint64_t queries, ParseWhole("--queries", flags.queries, kStepCountMax));
  const Result<ExactEpsilon> exact = ExactEpsilon::Parse(flags.epsilon);
  if (!exact.ok()) return AboutFlag("--epsilon", exact.error());
  // Beyond these nothing is ever used, and noise leaves the range of doubles.
  const Rational most = *Rational::Parse("1e60");
  if (exact->Amount().value() > most || exact->Amount().value() < most.Inverse()) {
    return Error{.code = Code::kUsage, .message = "--epsilon must be between 1e-60 and 1e60"};
  }
  constexpr mpfr_prec_t kPrecision = 128;
  TACET_TRY(const Epsilon epsilon,
            Epsilon::Create(exact->ratio == Rational(1) ? exact->linear
                                                        : exact->Enclosure(kPrecision).Low()));
  const Result<Rational> number = Rational::Parse(flags.delta);
  if (!number.ok()) return AboutFlag("--delta", number.error());
  if (number->sign() <= 0 || *number >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "--delta must be above 0 and below 1"};
  }
  TACET_TRY(const Delta delta, Delta::Create(*number));
  return NoiseTarget{queries, *exact, epsilon, delta};
}

// The rows for several numbers of queries.
using NoiseCurve = std::vector<std::pair<uint64_t, std::vector<NoiseRow>>>;

NoiseCurve ComputeNoiseCurve(const NoiseTarget& target) {
  constexpr uint64_t kLeast = 10;
  NoiseCurve curve;
  for (const uint64_t queries : SpreadCounts(std::max(target.queries, kLeast))) {
    Result<std::vector<NoiseRow>> rows = CompareNoise(queries, target.epsilon, target.delta);
    if (rows.ok()) curve.emplace_back(queries, *std::move(rows));
  }
  return curve;
}

Chart NoiseChart(const NoiseCurve& curve, const CompareFlags& flags) {
  Chart chart{.title = fmt::format("Error of one query of many, together ({}, {})-private",
                                   flags.epsilon, flags.delta),
              .x = {.label = "queries", .logarithmic = true},
              .y = {.label = "expected error of one query (sensitivity 1)", .logarithmic = true},
              .series = {}};
  for (const auto& [queries, rows] : curve) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (chart.series.size() == i) {
        chart.series.push_back(
            {.name = fmt::format("{}, {}", rows[i].noise, rows[i].composition), .points = {}});
      }
      chart.series[i].points.push_back({static_cast<double>(queries), rows[i].expected_error});
    }
  }
  return chart;
}

Json NoiseRowsJson(const std::vector<NoiseRow>& rows) {
  Json list = Json::array();
  for (const NoiseRow& row : rows) {
    list.push_back({{"noise", row.noise},
                    {"composition", row.composition},
                    {"scale", row.scale},
                    {"expected_error", row.expected_error}});
  }
  return list;
}

std::string NoiseTable(const std::vector<NoiseRow>& rows, const CompareFlags& flags,
                       const Terminal& terminal) {
  const auto best = std::min_element(
      rows.begin(), rows.end(),
      [](const NoiseRow& a, const NoiseRow& b) { return a.expected_error < b.expected_error; });
  TextTable table({{"noise"}, {"composition"}, {"scale", true}, {"expected error", true}, {""}});
  for (const NoiseRow& row : rows) {
    table.AddRow({{std::string(row.noise)},
                  {std::string(row.composition)},
                  {fmt::format("{:.6g}", row.scale)},
                  {fmt::format("{:.6g}", row.expected_error)},
                  {&row == &*best ? "◀ best" : ""}});
  }
  return fmt::format("Noise for each of {} queries, together ({}, {})-private:\n\n", flags.queries,
                     flags.epsilon, flags.delta) +
         table.Render("  ", terminal, terminal.out);
}

constexpr char kNoiseMeaning[] =
    "\nThe scale is b of Laplace and sigma of Gaussian noise, for answers that one person moves "
    "by\n"
    "at most 1; the expected error is the mean of the absolute noise. The queries may depend on\n"
    "earlier answers, the noise is chosen in advance. advanced: half of delta is for the\n"
    "composition, half for the steps. optimal: the least noise of its kind that keeps the "
    "promise.\n";

Status RunCompare(const CompareFlags& flags, const Terminal& terminal) {
  TACET_TRY(const NoiseTarget target, ParseNoiseTarget(flags));
  TACET_TRY(Pictures pictures, Pictures::Open(flags.pictures));
  TACET_TRY(const std::vector<NoiseRow> rows,
            CompareNoise(target.queries, target.epsilon, target.delta));
  std::optional<NoiseCurve> curve;
  if (flags.pictures.wanted()) curve = ComputeNoiseCurve(target);
  if (terminal.json) {
    Json document{{"queries", target.queries},
                  {"epsilon", target.exact_epsilon.ToString()},
                  {"delta", target.delta.ToString()},
                  {"rows", NoiseRowsJson(rows)}};
    if (curve) {
      Json& places = document["curve"] = Json::array();
      for (const auto& [queries, at] : *curve) {
        places.push_back({{"queries", queries}, {"rows", NoiseRowsJson(at)}});
      }
    }
    terminal.Print(DocumentText(document));
  } else {
    terminal.Print(NoiseTable(rows, flags, terminal));
    terminal.Note(kNoiseMeaning);
  }
  if (!curve) return {};
  return pictures.Show(NoiseChart(*curve, flags), terminal);
}

// What stands before `compare` is meant for `account`, and what it does not know falls through to
// that; neither may be ignored.
Status CheckNothingElse(const CLI::App& account) {
  for (const CLI::Option* option : account.get_options()) {
    if (option->count() == 0) continue;
    return Error{.code = Code::kUsage,
                 .message = option->get_positional()
                                ? "unexpected '" + option->results().front() + "'"
                                : option->get_name() + " is not for compare, or comes too early",
                 .hint = "see 'tacet account compare --help'."};
  }
  return {};
}

}  // namespace

void AddCompare(CLI::App& account, Invocation& invocation) {
  CLI::App* command = account.add_subcommand(
      "compare", "Compare the noise that many queries need, by its law and the method.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<CompareFlags>();
  command->add_option("--queries", flags->queries, "how many queries")->type_name("K")->required();
  command->add_option("--epsilon", flags->epsilon, "what all may cost together, a number or ln(3)")
      ->type_name("E")
      ->required();
  command->add_option("--delta", flags->delta, "what all may cost together")
      ->type_name("D")
      ->required();
  AddPictureFlags(*command, flags->pictures, "the error against the number of queries");
  command->footer(
      "Every query has sensitivity 1. Laplace or Gaussian noise, its losses added up by basic or\n"
      "advanced composition, or the least noise that is enough.\n\n"
      "Examples:\n"
      "  tacet account compare --queries 500 --epsilon 1 --delta 1e-6\n"
      "  tacet account compare --queries 100 --epsilon 1/2 --delta 1e-9 --json");
  command->callback([&account, flags, &invocation] {
    const Status clean = CheckNothingElse(account);
    invocation.outcome = clean.ok() ? RunCompare(*flags, invocation.terminal) : clean;
  });
}

}  // namespace tacet::cli
