// SPDX-License-Identifier: Apache-2.0
// tacet choose: one of many candidates by their scores, and the law of that.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tacet/base/suggest.h"
#include "tacet/cli/account_flags.h"
#include "tacet/cli/amount_text.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"
#include "tacet/cli/score_file.h"
#include "tacet/cli/text_table.h"
#include "tacet/mechanism/choice.h"

namespace tacet::cli {
namespace {

struct ChooseFlags {
  std::string scores;
  std::string epsilon;
  std::string sensitivity;
  std::string rule = "exponential";
  std::string neighbours = "add-remove";
  bool monotone = false;
  std::string count = "1";
  std::string top;
  bool law = false;
};

enum class Rule { kExponential, kPermuteAndFlip };

struct ChooseRequest {
  ExactEpsilon epsilon;
  Utility utility;
  Neighbours neighbours = Neighbours::kAddOrRemove;
  Rule rule = Rule::kExponential;
  size_t count = 1;  // each time among all
  size_t top = 0;    // instead, if not 0: so many different ones
  bool law = false;
};

struct Choices {
  Rational rate;
  PrivacyLoss loss;  // of one choice
  std::vector<size_t> chosen;
  std::vector<double> law;  // of a choice among all; empty unless it is asked for
};

// Which candidates there are, for how good a choice must be.
struct Field {
  size_t best = 0;        // the best that can be chosen
  size_t worst = 0;       // the worst
  mpz_class weights = 0;  // of all together
};

constexpr std::string_view kRules[] = {"exponential", "permute-and-flip"};
constexpr std::string_view kNeighbourNames[] = {"add-remove", "change-one"};

Error WrongChoice(std::string message, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

// Which of `names` a flag says; hyphens and underscores are equal.
Result<size_t> ParseOneOf(const char* flag, std::string text,
                          std::span<const std::string_view> names) {
  std::replace(text.begin(), text.end(), '_', '-');
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  return WrongChoice(std::string("unknown ") + flag + " '" + text + "'",
                     SuggestionHint(text, names));
}

Result<ChooseRequest> ReadChooseRequest(const ChooseFlags& flags) {
  if (flags.scores.empty() || flags.epsilon.empty() || flags.sensitivity.empty()) {
    return WrongChoice("choose needs --scores, --epsilon and --sensitivity",
                       "for example: tacet choose --scores votes.csv --epsilon 1 --sensitivity 1");
  }
  constexpr uint64_t kChoicesMax = 1'000'000;
  ChooseRequest request;
  request.law = flags.law;
  const Result<ExactEpsilon> epsilon = ExactEpsilon::Parse(flags.epsilon);
  if (!epsilon.ok()) return AboutFlag("--epsilon", epsilon.error());
  request.epsilon = *epsilon;
  TACET_TRY(request.utility.change, ParseNumber("--sensitivity", flags.sensitivity));
  if (request.utility.change.sign() <= 0) {
    return WrongChoice("--sensitivity must be positive",
                       "it is how far one person can move a score.");
  }
  request.utility.monotone = flags.monotone;
  TACET_TRY(const size_t rule, ParseOneOf("rule", flags.rule, kRules));
  request.rule = static_cast<Rule>(rule);
  TACET_TRY(const size_t neighbours, ParseOneOf("neighbours", flags.neighbours, kNeighbourNames));
  request.neighbours = neighbours == 0 ? Neighbours::kAddOrRemove : Neighbours::kChangeOne;
  if (request.utility.monotone && request.neighbours == Neighbours::kChangeOne) {
    return WrongChoice(
        "--monotone saves nothing with --neighbours change-one",
        "who changes leaves and comes back as another, so scores move both ways; leave one out.");
  }
  if (!flags.top.empty()) {
    TACET_TRY(request.top, ParseWhole("--top", flags.top, kChoicesMax));
    if (flags.count != "1") return WrongChoice("give --count or --top, not both");
  }
  if (flags.count == "0") {
    if (!flags.law) return WrongChoice("--count 0 goes with --law only: it chooses nothing");
    request.count = 0;
  } else {
    TACET_TRY(request.count, ParseWhole("--count", flags.count, kChoicesMax));
  }
  return request;
}

Status CheckAgainst(const ChooseRequest& request, const ScoreFile& scores) {
  if (request.rule != Rule::kPermuteAndFlip) return {};
  if (scores.candidates.is_weighted()) {
    return WrongChoice("permute-and-flip knows no weights",
                       "leave out the column of weights, or use --rule exponential.");
  }
  constexpr size_t kFlippedMax = 1000;
  if (request.law && scores.candidates.size() > kFlippedMax) {
    return WrongChoice(
        fmt::format("the law of permute-and-flip is too slow for {} candidates; at most {}",
                    scores.candidates.size(), kFlippedMax),
        "leave out --law, or use --rule exponential, which takes any number.");
  }
  return {};
}

// At most what was asked for, and a number that a rate can be made of.
Result<Epsilon> EpsilonBelow(const ExactEpsilon& epsilon) {
  constexpr mpfr_prec_t kRatePrecision = 128;
  return Epsilon::Create(epsilon.ratio == Rational(1) ? epsilon.linear
                                                      : epsilon.Enclosure(kRatePrecision).Low());
}

template <typename Mechanism>
Result<Choices> Choose(const ChooseRequest& request, const Candidates& candidates) {
  TACET_TRY(const Epsilon epsilon, EpsilonBelow(request.epsilon));
  TACET_TRY(const Mechanism mechanism,
            Mechanism::For(epsilon, request.utility, request.neighbours));
  TACET_TRY(PrivacyLoss loss, mechanism.Loss(ScoreWidth(request.utility, request.neighbours)));
  Choices choices{.rate = mechanism.rate(), .loss = std::move(loss), .chosen = {}, .law = {}};
  SystemEntropy entropy;
  if (request.top > 0) {
    TACET_TRY(choices.chosen, mechanism.ReleaseTop(candidates, request.top, entropy));
  } else {
    TACET_TRY(choices.chosen, mechanism.ReleaseMany(candidates, request.count, entropy));
  }
  if (request.law) {
    constexpr mpfr_prec_t kLawPrecision = 96;
    for (const Interval& probability : mechanism.Law(candidates, kLawPrecision)) {
      choices.law.push_back(mpfr_get_d(probability.low(), MPFR_RNDN));
    }
  }
  return choices;
}

Field FieldOf(const Candidates& candidates) {
  const auto is_better = [&](size_t a, size_t b) {
    return candidates.is_stepped() ? candidates.StepsBelow(a) < candidates.StepsBelow(b)
                                   : candidates.Gap(a) < candidates.Gap(b);
  };
  std::optional<Field> field;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates.Weight(i) == 0) continue;
    if (!field) field = Field{.best = i, .worst = i};
    field->weights += static_cast<unsigned long>(candidates.Weight(i));
    if (is_better(i, field->best)) field->best = i;
    if (is_better(field->worst, i)) field->worst = i;
  }
  return *field;
}

// How far below the best a choice falls with probability 1/20 at most: ln(20 W / w) / rate, where
// w of all weights W are the best one's.
Rational ShortfallMost(const Candidates& candidates, const Field& field, const Rational& rate) {
  constexpr mpfr_prec_t kPrecision = 128;
  const Rational best(mpz_class(static_cast<unsigned long>(candidates.Weight(field.best))));
  const Rational odds = Rational(20) * Rational(field.weights) / best;
  return (Log(Interval(odds, kPrecision)) / Interval(rate, kPrecision)).High();
}

// `8.5`, `1/3`, `1e300`: exact where that is short.
std::string ScoreText(const Rational& score) {
  constexpr int kDigits = 20;
  const std::string decimal = DecimalText(score, Rounding::kDown, kDigits);
  if (decimal == DecimalText(score, Rounding::kUp, kDigits) && decimal.find('e') == decimal.npos) {
    return decimal;
  }
  const std::string exact = score.ToString();
  return exact.size() <= kDigits ? exact : DecimalText(score, Rounding::kDown);
}

std::string ProbabilityText(double probability) {
  constexpr double kPlainMin = 0.001;
  constexpr double kShownMin = 1e-300;
  if (probability >= kPlainMin) return fmt::format("{:.5f}", probability);
  if (probability < kShownMin) return "< 1e-300";
  return DecimalText(Rational::FromDouble(probability), Rounding::kDown, 3);
}

// By candidate: how often it was chosen, and when at last, from 1.
struct Tally {
  size_t times = 0;
  size_t place = 0;
};
using Tallies = std::map<size_t, Tally>;

Tallies TalliesOf(const std::vector<size_t>& chosen) {
  Tallies tallies;
  for (size_t i = 0; i < chosen.size(); ++i) {
    Tally& tally = tallies[chosen[i]];
    ++tally.times;
    tally.place = i + 1;
  }
  return tallies;
}

// The candidates of the table, in its order: all if the law is shown, else those that were chosen.
std::vector<size_t> ShownCandidates(const ChooseRequest& request, const Candidates& candidates,
                                    const Choices& choices, const Tallies& tallies) {
  std::vector<size_t> shown;
  if (request.law) {
    shown.resize(choices.law.size());
    std::iota(shown.begin(), shown.end(), size_t{0});
    return shown;
  }
  if (request.top > 0) return choices.chosen;
  for (const auto& [candidate, tally] : tallies) shown.push_back(candidate);
  std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
    const size_t times_a = tallies.at(a).times;
    const size_t times_b = tallies.at(b).times;
    return times_a != times_b ? times_a > times_b : candidates.Gap(a) < candidates.Gap(b);
  });
  return shown;
}

TextTable ChoiceTable(const ChooseRequest& request, const ScoreFile& scores,
                      const Choices& choices) {
  const bool weighted = scores.candidates.is_weighted();
  const bool counted =
      request.top == 0 && (request.count > 1 || (request.law && request.count > 0));
  std::vector<TextTable::Column> columns;
  if (request.top > 0) columns.push_back({.name = "choice", .to_the_right = true});
  columns.push_back({.name = "candidate"});
  columns.push_back({.name = "score", .to_the_right = true});
  if (weighted) columns.push_back({.name = "weight", .to_the_right = true});
  if (request.law) columns.push_back({.name = "probability", .to_the_right = true});
  if (counted) columns.push_back({.name = "chosen", .to_the_right = true});
  TextTable table(std::move(columns));
  const auto number_text = [](size_t number) {
    return number == 0 ? std::string() : std::to_string(number);
  };
  const Tallies tallies = TalliesOf(choices.chosen);
  const std::vector<size_t> shown = ShownCandidates(request, scores.candidates, choices, tallies);
  constexpr size_t kCountedMax = 20;
  size_t rows = shown.size();
  if (counted && !request.law && rows > kCountedMax) rows = kCountedMax - 1;
  size_t others = choices.chosen.size();
  for (size_t i = 0; i < rows; ++i) {
    const size_t candidate = shown[i];
    const auto found = tallies.find(candidate);
    const Tally tally = found == tallies.end() ? Tally{} : found->second;
    const uint64_t weight = scores.candidates.Weight(candidate);
    std::vector<TextTable::Cell> row;
    if (request.top > 0) row.push_back({number_text(tally.place)});
    row.push_back({scores.NameOf(candidate)});
    row.push_back({ScoreText(scores.ScoreOf(candidate))});
    if (weighted) row.push_back({std::to_string(weight)});
    if (request.law) row.push_back({weight == 0 ? "0" : ProbabilityText(choices.law[candidate])});
    if (counted) row.push_back({number_text(tally.times)});
    table.AddRow(std::move(row));
    others -= tally.times;
  }
  if (rows < shown.size()) {
    std::vector<TextTable::Cell> row = {{fmt::format("{} others", shown.size() - rows)}, {""}};
    if (weighted) row.push_back({""});
    row.push_back({std::to_string(others)});
    table.AddRow(std::move(row));
  }
  return table;
}

std::string EpsilonText(const ExactEpsilon& epsilon) {
  return epsilon.ratio == Rational(1) ? CostText(epsilon.linear) : epsilon.ToString();
}

std::string ChoiceHeadline(const ChooseRequest& request, size_t candidates) {
  std::string what = request.count == 1 ? "A choice" : fmt::format("{} choices", request.count);
  if (request.top > 0) what = fmt::format("The top {}", request.top);
  if (request.count == 0) what = "The law of a choice";
  return fmt::format(
      "{} among {} candidate{}, {}, epsilon {}{}:\n\n", what, candidates,
      candidates == 1 ? "" : "s",
      request.rule == Rule::kExponential ? "exponential mechanism" : "permute-and-flip",
      EpsilonText(request.epsilon), request.count > 1 || request.top > 1 ? " each" : "");
}

std::string LawRemark(const ChooseRequest& request, bool weighted, const Rational& rate) {
  const std::string factor = rate == Rational(1) ? "" : CostText(rate) + " ";
  std::string text =
      request.rule == Rule::kExponential
          ? fmt::format("Probabilities are proportional to {}exp({}score), and add up to 1.\n",
                        weighted ? "weight " : "", factor)
          : fmt::format(
                "Tried in random order, each is taken with probability exp({}(score - best)).\n",
                factor);
  if (request.top > 1) text += "The law shown is that of the first choice.\n";
  return text;
}

std::string ShortfallRemark(const ChooseRequest& request, const Candidates& candidates,
                            const Rational& rate) {
  const Field field = FieldOf(candidates);
  const Rational shortfall = ShortfallMost(candidates, field, rate);
  const std::string text = DecimalText(shortfall, Rounding::kUp);
  if (request.top > 1) {
    return "With probability at least 95% each choice is within " + text +
           " of the best that is left.\n";
  }
  const bool all_are = candidates.Gap(field.worst) - candidates.Gap(field.best) <= shortfall;
  return "With probability at least 95% the score is within " + text + " of the best" +
         (all_are ? " (all are).\n" : ".\n");
}

std::string ChoiceCostRemark(const ChooseRequest& request, const Choices& choices) {
  const Rational& epsilon = choices.loss.epsilon->value();
  const Rational& rho = choices.loss.rho.value();
  const auto count = static_cast<int64_t>(choices.chosen.size());
  std::string text = fmt::format("One choice costs epsilon {} (rho {}); ",
                                 EpsilonText(request.epsilon), CostText(rho));
  text += count > 1
              ? fmt::format("{} cost epsilon {} (rho {}).\n", count,
                            CostText(Rational(count) * epsilon), CostText(Rational(count) * rho))
              : std::string("N of them cost N times that.\n");
  const Rational of_bounded_range = epsilon * epsilon / Rational(8);
  if (request.rule == Rule::kPermuteAndFlip && of_bounded_range < rho) {
    text +=
        "At this epsilon the exponential mechanism has rho " + CostText(of_bounded_range) + ".\n";
  }
  return text;
}

nlohmann::ordered_json ChoiceJson(const ChooseRequest& request, const ScoreFile& scores,
                                  const Choices& choices) {
  const auto count = static_cast<int64_t>(choices.chosen.size());
  const Field field = FieldOf(scores.candidates);
  nlohmann::ordered_json document = {
      {"rule", kRules[static_cast<size_t>(request.rule)]},
      {"candidates", scores.candidates.size()},
      {"epsilon", request.epsilon.ToString()},
      {"rho", choices.loss.rho.ToString()},
      {"rate", choices.rate.ToString()},
      {"total",
       {{"epsilon", (Rational(count) * choices.loss.epsilon->value()).ToString()},
        {"rho", (Rational(count) * choices.loss.rho.value()).ToString()}}},
      {"shortfall_95", ShortfallMost(scores.candidates, field, choices.rate).ToDoubleUp()},
      {"choices", choices.chosen}};
  if (!scores.names.empty()) {
    document["names"] = nlohmann::ordered_json::array();
    for (size_t candidate : choices.chosen) document["names"].push_back(scores.names[candidate]);
  }
  if (request.law) document["probabilities"] = choices.law;
  return document;
}

Status RunChoose(const ChooseFlags& flags, const Terminal& terminal) {
  TACET_TRY(const ChooseRequest request, ReadChooseRequest(flags));
  TACET_TRY(const ScoreFile scores, ReadScores(flags.scores, terminal));
  TACET_RETURN_IF_ERROR(CheckAgainst(request, scores));
  TACET_TRY(const Choices choices, request.rule == Rule::kExponential
                                       ? Choose<ExponentialMechanism>(request, scores.candidates)
                                       : Choose<PermuteAndFlip>(request, scores.candidates));
  if (terminal.json) {
    terminal.Print(DocumentText(ChoiceJson(request, scores, choices)));
    return {};
  }
  terminal.Note(ChoiceHeadline(request, scores.candidates.size()));
  terminal.Print(ChoiceTable(request, scores, choices).Render("  ", terminal, terminal.out));
  std::string remarks = "\n";
  if (request.law) remarks += LawRemark(request, scores.candidates.is_weighted(), choices.rate);
  remarks += ShortfallRemark(request, scores.candidates, choices.rate);
  terminal.Note(remarks + ChoiceCostRemark(request, choices));
  return {};
}

}  // namespace

void AddChoose(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("choose", "Choose one of many candidates by their scores, privately.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<ChooseFlags>();
  command
      ->add_option("--scores", flags->scores,
                   "a candidate a line: its score, or name,score, or\n"
                   "name,score,weight; - is standard input (required)")
      ->type_name("FILE");
  command
      ->add_option("--epsilon", flags->epsilon,
                   "what one choice may cost, a number or ln(3) (required)")
      ->type_name("E");
  command
      ->add_option("--sensitivity", flags->sensitivity,
                   "how far one person moves a score (required)")
      ->type_name("S");
  command->add_option("--rule", flags->rule, "exponential or permute-and-flip")
      ->type_name("RULE")
      ->capture_default_str();
  command->add_option("--count", flags->count, "choose N times, each time among all")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--top", flags->top, "choose K different ones instead, one after the other")
      ->type_name("K");
  command->add_flag("--law", flags->law,
                    "show the probability of every candidate too; with\n"
                    "--count 0 nothing else");
  command->add_flag("--monotone", flags->monotone,
                    "one person more moves all scores the same way, as counts\n"
                    "do: half the noise for the same epsilon");
  command
      ->add_option("--neighbours", flags->neighbours,
                   "add-remove or change-one: they differ for --monotone only")
      ->type_name("WHICH")
      ->capture_default_str();
  command->footer(
      "Rules:\n"
      "  exponential       probability proportional to exp(epsilon score/(2 S))\n"
      "  permute-and-flip  never worse at the same epsilon, but its rho is larger and it "
      "knows no weights\n\n"
      "Scores are exact: 10, 8.5, 1/3, 1e300. ln(3) is rounded down, to 128 bits. JSON\n"
      "counts candidates from 0. Nothing is charged: no ledger knows of these scores.\n\n"
      "Examples:\n"
      "  printf 'red,51\\nblue,43\\ngreen,6\\n' > votes.csv\n"
      "  tacet choose --scores votes.csv --epsilon 1 --sensitivity 1 --law\n"
      "  tacet choose --scores votes.csv --epsilon 'ln(3)' --sensitivity 1/2 --top 2 --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunChoose(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
