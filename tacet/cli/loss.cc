// SPDX-License-Identifier: Apache-2.0
// tacet loss: the privacy loss of a mechanism, as a number and as a random variable.
#include <CLI/CLI.hpp>

#include "tacet/cli/channel_file.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/loss_text.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

struct LossFlags {
  std::string mechanism;
  std::string channel;
  std::string neighbours;
  std::map<std::string, std::string> parameters;  // by name: scale, sigma, epsilon, ...
  std::string group = "1";
  std::string compose = "1";
  std::vector<std::string> at;
  std::string simulate;
  std::string ratio;
  std::string svg;
};

Error SenselessLoss(std::string what, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

Error OfLossFlag(const char* flag, Error error) {
  error.message = std::string(flag) + ": " + error.message;
  error.position = std::nullopt;
  return error;
}

Result<uint64_t> ParseLossCount(const char* flag, const std::string& text) {
  const Result<Rational> count = Rational::Parse(text);
  if (!count.ok() || !count->is_integer() || count->sign() <= 0 ||
      *count > Rational(static_cast<int64_t>(kStepCountMax))) {
    return SenselessLoss(std::string(flag) + " must be a whole number from 1 to 10^12");
  }
  return count->numerator().get_ui();
}

Result<LossOptions> ReadLossOptions(const LossFlags& flags) {
  LossOptions options;
  TACET_TRY(options.uses, ParseLossCount("--compose", flags.compose));
  TACET_TRY(options.group, ParseLossCount("--group", flags.group));
  for (const std::string& text : flags.at) {
    const Result<ExactLoss> at = ExactLoss::Parse(text);
    if (!at.ok()) return OfLossFlag("--at", at.error());
    options.at.push_back(*at);
  }
  if (!flags.ratio.empty()) {
    const Result<Rational> ratio = Rational::Parse(flags.ratio);
    if (!ratio.ok()) return OfLossFlag("--ratio", ratio.error());
    if (*ratio < Rational(1)) return SenselessLoss("--ratio must be at least 1");
    if (!flags.at.empty() && !flags.simulate.empty()) {
      return SenselessLoss("--simulate needs either --ratio or --at, not both");
    }
    options.at.push_back({.ratio = *ratio});
  }
  return options;
}

// The table whose pairs can be imitated; only exact probabilities can be.
Result<TableMechanism> TableOf(const LossMechanism& mechanism) {
  if (const auto* table = std::get_if<TableMechanism>(&mechanism.what)) return *table;
  const auto* response = std::get_if<ResponseMechanism>(&mechanism.what);
  if (response == nullptr || response->epsilon.linear.sign() != 0) {
    return SenselessLoss(
        "--simulate needs a mechanism with finitely many outputs and exact "
        "probabilities",
        "give a table with --channel FILE, or epsilon as ln(3).");
  }
  TACET_TRY(Channel channel, LeakyChannel(response->epsilon.ratio, response->delta));
  InputPairs pairs = channel.EveryPair();
  return TableMechanism{std::move(channel), std::move(pairs)};
}

Result<SimulationReport> RunSimulation(const LossFlags& flags, const LossMechanism& mechanism,
                                       const LossOptions& options) {
  const Result<Rational> delta = Rational::Parse(flags.simulate);
  if (!delta.ok()) return OfLossFlag("--simulate", delta.error());
  if (options.at.size() != 1) {
    return SenselessLoss("--simulate needs --ratio R, or one --at E",
                         "for example: tacet loss coin-toss --ratio 2 --simulate 1/4");
  }
  if (options.uses > 1) return SenselessLoss("--simulate does not go with --compose");
  TACET_TRY(const TableMechanism table, TableOf(mechanism));
  SimulationReport report;
  report.delta = *delta;
  TACET_TRY(report.ratio, RatioBelow(options.at.front()));
  if (options.at.front().linear.sign() != 0) report.epsilon = options.at.front();

  const InputPairs pairs = table.channel.Groups(table.neighbours, options.group);
  if (pairs.empty()) return SenselessLoss("there are no neighbours to tell apart");
  std::pair<size_t, size_t> worst = pairs.front();
  for (const auto& pair : pairs) {
    const Rational least = table.channel.Pair(pair.first, pair.second).Delta(report.ratio);
    if (least <= report.delta_least) continue;
    report.delta_least = least;
    worst = pair;
  }
  report.p_name = table.channel.inputs()[worst.first];
  report.q_name = table.channel.inputs()[worst.second];
  report.outputs = table.channel.outputs();
  const FinitePair pair = table.channel.Pair(worst.first, worst.second);
  auto found = Simulate(pair, report.ratio, report.delta);
  if (!found.ok()) return OfLossFlag("--simulate", found.error());
  report.found = *std::move(found);
  return report;
}

Result<LossMechanism> ReadChannelMechanism(const LossFlags& flags) {
  if (!flags.mechanism.empty()) {
    return SenselessLoss("give a mechanism or --channel FILE, not both");
  }
  for (const auto& [name, value] : flags.parameters) {
    if (!value.empty()) return SenselessLoss("--" + name + " does not go with --channel");
  }
  TACET_TRY(Channel channel, ReadChannel(flags.channel));
  InputPairs pairs = channel.EveryPair();
  if (!flags.neighbours.empty()) {
    TACET_TRY(pairs, ReadNeighbours(flags.neighbours, channel));
  }
  return LossMechanism{.text = flags.channel,
                       .about = {},
                       .refused = {},
                       .what = TableMechanism{std::move(channel), std::move(pairs)}};
}

Result<LossMechanism> ReadLossMechanism(const LossFlags& flags) {
  if (!flags.channel.empty()) return ReadChannelMechanism(flags);
  if (!flags.neighbours.empty()) return SenselessLoss("--neighbours goes with --channel only");
  if (flags.mechanism.empty()) {
    return SenselessLoss("a mechanism or --channel FILE is missing",
                         "for example: tacet loss coin-toss");
  }
  return ReadMechanism(flags.mechanism, flags.parameters);
}

Result<LossReport> MakeLossReport(const LossMechanism& mechanism, const LossOptions& options) {
  if (const auto* table = std::get_if<TableMechanism>(&mechanism.what)) {
    return ReportOfChannel(table->channel, table->neighbours, options);
  }
  if (const auto* response = std::get_if<ResponseMechanism>(&mechanism.what)) {
    return ReportOfResponse(response->epsilon, response->delta, options);
  }
  std::optional<ExactLoss> promised;
  if (mechanism.target) promised = mechanism.target->epsilon;
  return ReportOfNoise(std::get<NoiseMechanism>(mechanism.what).law, promised, options);
}

Status RunLoss(const LossFlags& flags, const Terminal& terminal) {
  TACET_TRY(const LossOptions options, ReadLossOptions(flags));
  TACET_TRY(const LossMechanism mechanism, ReadLossMechanism(flags));
  LossAnswer answer{.text = mechanism.text,
                    .about = mechanism.about,
                    .refused = mechanism.refused,
                    .target = mechanism.target,
                    .options = options};
  if (!flags.simulate.empty()) {
    TACET_TRY(answer.simulation, RunSimulation(flags, mechanism, options));
  }
  TACET_TRY(answer.report, MakeLossReport(mechanism, options));
  if (!flags.svg.empty()) {
    TACET_TRY(OutputFile file, OutputFile::Create(flags.svg));
    TACET_RETURN_IF_ERROR(file.Commit(SvgChart(LossChart(answer))));
  }
  terminal.Print(terminal.json ? DocumentText(LossJson(answer)) : LossText(answer, terminal));
  constexpr size_t kHeight = 10;
  // Where every loss is infinite there is nothing to draw.
  if (!terminal.json && !answer.report.bars.empty()) {
    terminal.Note("\n" + TerminalChart(LossChart(answer), ChartStyleOf(terminal, kHeight)));
  }
  return {};
}

}  // namespace

void AddLoss(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("loss", "Show the privacy loss of a mechanism.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<LossFlags>();
  command->add_option("MECHANISM", flags->mechanism,
                      "coin-toss, randomized-response, leaky, subsample, name-and-shame,\n"
                      "laplace, discrete-laplace, gaussian or discrete-gaussian; with its\n"
                      "parameters as flags, or as laplace(10)");
  command
      ->add_option("--channel", flags->channel,
                   "a table instead: a line for each input, its exact probabilities of\n"
                   "the outputs, as 3/4 or 0.75; the first line and column may be names")
      ->type_name("FILE");
  command
      ->add_option("--neighbours", flags->neighbours,
                   "which inputs are neighbours, two names a line (default: all)")
      ->type_name("FILE");
  const auto parameter = [&](const char* name, const char* type, const char* help) {
    command->add_option(std::string("--") + name, flags->parameters[name], help)->type_name(type);
  };
  parameter("epsilon", "E", "of randomized-response, leaky, or to be kept by gaussian");
  parameter("delta", "D", "of leaky, name-and-shame, or to be kept by gaussian");
  parameter("gamma", "G", "of randomized-response: the truth with probability 1/2 + G");
  parameter("rate", "Q", "of subsample: how likely each person is drawn");
  parameter("scale", "B", "of laplace and discrete-laplace");
  parameter("sigma", "S", "of gaussian and discrete-gaussian");
  parameter("sensitivity", "S", "how far neighbours are apart, for noise (default: 1)");
  command->add_option("--compose", flags->compose, "uses of the mechanism on the same input")
      ->type_name("K")
      ->capture_default_str();
  command->add_option("--group", flags->group, "people who change together")
      ->type_name("K")
      ->capture_default_str();
  command
      ->add_option("--at", flags->at,
                   "where to evaluate delta(epsilon), a number or ln(3); repeatable")
      ->type_name("E")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--simulate", flags->simulate,
                   "imitate it by leaky randomized response of this delta, exactly, with\n"
                   "--ratio or --at")
      ->type_name("DELTA");
  command->add_option("--ratio", flags->ratio, "e^epsilon, exactly")->type_name("R");
  command->add_option("--svg", flags->svg, "write the picture to this file too, as SVG")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  tacet loss coin-toss\n"
      "  tacet loss gaussian --epsilon 1 --delta 1e-6\n"
      "  tacet loss 'randomized_response(0.1)' --compose 1000 --at 19.35\n"
      "  printf '3/4,1/4\\n1/4,3/4\\n' > table.csv\n"
      "  tacet loss --channel table.csv --ratio 3 --simulate 1/100");
  command->callback([flags, &invocation] {
    invocation.outcome = Outcome(RunLoss(*flags, invocation.terminal),
                                 Asked{.statement = flags->mechanism, .is_free = true});
  });
}

}  // namespace tacet::cli
