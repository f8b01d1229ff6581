// SPDX-License-Identifier: Apache-2.0
// tacet size: how many people an answer of given quality takes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tacet/cli/account_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/program.h"
#include "tacet/cli/text_table.h"
#include "tacet/mechanism/sample_size.h"

namespace tacet::cli {
namespace {

struct SizeFlags {
  std::string epsilon;
  std::string error;
  std::string confidence = "0.95";
  PictureFlags pictures;
};

// People against the error, from four times the one that is asked for to a quarter of it.
Result<Chart> SizeChart(const SampleTarget& target) {
  Series answer{.name = "noise on the answer", .points = {}};
  Series reports{.name = "noise on every report", .points = {}};
  for (const Rational& factor :
       {Rational(1, 4), Rational(1, 2), Rational(1), Rational(2), Rational(4)}) {
    SampleTarget at = target;
    at.error *= factor;
    if (at.error >= Rational(1)) break;
    TACET_TRY(const int64_t laplace, PeopleForLaplace(at));
    TACET_TRY(const int64_t response, PeopleForResponse(at));
    answer.points.push_back({at.error.ToDouble(), static_cast<double>(laplace)});
    reports.points.push_back({at.error.ToDouble(), static_cast<double>(response)});
  }
  return Chart{.title = "People needed, at epsilon " + target.epsilon.ToString(),
               .x = {.label = "error", .logarithmic = true},
               .y = {.label = "people", .logarithmic = true},
               .series = {std::move(reports), std::move(answer)}};
}

Status RunSize(const SizeFlags& flags, const Terminal& terminal) {
  if (flags.epsilon.empty() || flags.error.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "size needs --epsilon and --error",
                 .hint = "for example: tacet size --epsilon 1/2 --error 1/100"};
  }
  TACET_TRY(const ExactEpsilon epsilon, ExactEpsilon::Parse(flags.epsilon));
  TACET_TRY(const Rational error, ParseNumber("--error", flags.error));
  TACET_TRY(const Rational confidence, ParseNumber("--confidence", flags.confidence));
  const SampleTarget target{.epsilon = epsilon, .error = error, .confidence = confidence};
  TACET_TRY(Pictures pictures, Pictures::Open(flags.pictures));
  TACET_TRY(const int64_t laplace, PeopleForLaplace(target));
  TACET_TRY(const int64_t response, PeopleForResponse(target));
  std::optional<Chart> chart;
  if (flags.pictures.wanted()) {
    TACET_TRY(chart, SizeChart(target));
  }
  if (terminal.json) {
    const nlohmann::ordered_json document = {{"epsilon", epsilon.ToString()},
                                             {"error", error.ToString()},
                                             {"confidence", confidence.ToString()},
                                             {"laplace", laplace},
                                             {"randomized_response", response}};
    terminal.Print(DocumentText(document));
    return chart ? pictures.Show(*chart, terminal) : Status();
  }
  TextTable table({{.name = "noise is added"}, {.name = "people", .to_the_right = true}});
  table.AddRow({{.text = "to the answer (Laplace)"}, {.text = std::to_string(laplace)}});
  table.AddRow(
      {{.text = "to every report (randomized response)"}, {.text = std::to_string(response)}});
  terminal.Note(
      fmt::format("People needed for a mean of values in [0, 1], off by at most {} with\n"
                  "confidence {}, at epsilon {}:\n\n",
                  flags.error, flags.confidence, epsilon.ToString()));
  terminal.Print(table.Render("  ", terminal, terminal.out));
  terminal.Note(
      fmt::format("\nEvery larger number does as well, whatever the people's values are. Laplace\n"
                  "needs somebody who is trusted with them; randomized response needs nobody, and\n"
                  "{:.3g} times the people.\n",
                  static_cast<double>(response) / static_cast<double>(laplace)));
  return chart ? pictures.Show(*chart, terminal) : Status();
}

}  // namespace

void AddSize(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("size", "Show how many people it takes to keep an error.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<SizeFlags>();
  command->add_option("--epsilon", flags->epsilon, "the privacy loss, a number or ln(3) (required)")
      ->type_name("E");
  command
      ->add_option("--error", flags->error,
                   "how far off the mean may be, between 0 and 1; more is a failure (required)")
      ->type_name("A");
  command->add_option("--confidence", flags->confidence, "how often the error must be kept")
      ->type_name("C")
      ->capture_default_str();
  AddPictureFlags(*command, flags->pictures, "people against errors around this one");
  command->footer(
      "Noise on the answer, or on each report:\n"
      "  laplace              the mean of values in [0, 1], with Laplace noise of scale "
      "1/(n epsilon)\n"
      "  randomized_response  everybody says yes or no, the truth with probability "
      "e^epsilon/(1 + e^epsilon); the estimate is unbiased, and the number holds for "
      "every true count\n\n"
      "Neither counts the error of drawing the people from more.\n\n"
      "Examples:\n"
      "  tacet size --epsilon 1/2 --error 1/100\n"
      "  tacet size --epsilon 'ln(3)' --error 0.05 --confidence 0.99 --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunSize(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
