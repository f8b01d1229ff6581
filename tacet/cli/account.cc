// SPDX-License-Identifier: Apache-2.0
// tacet account: what a sequence of mechanisms costs together, by every method that applies.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tacet/base/suggest.h"
#include "tacet/cli/account_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/program.h"
#include "tacet/cli/step_text.h"
#include "tacet/cli/text_table.h"
#include "tacet/measure/accountant.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct AccountFlags {
  std::vector<std::string> steps;
  std::string delta;
  std::string epsilon;
  bool has_delta = false;  // an empty text is something else than none
  bool has_epsilon = false;
  std::string precision = "1e-5";
  std::string repetitions = "1000";
  PictureFlags pictures;
};

// Which of the two is given, and how much of it.
struct Given {
  bool is_delta;
  Rational value;     // of epsilon, where it is irrational, the next lower one
  bool is_rounded;    // whether it is
  std::string text;   // as people wrote it
  std::string exact;  // as programs read it

  const char* name() const { return is_delta ? "delta" : "epsilon"; }
  const char* other() const { return is_delta ? "epsilon" : "delta"; }
};

Result<Given> ParseGiven(const AccountFlags& flags) {
  if (flags.has_delta && flags.has_epsilon) {
    return Error{.code = Code::kUsage,
                 .message = "--delta and --epsilon do not go together",
                 .hint = "give one of them; the other one is computed."};
  }
  if (!flags.has_epsilon) {
    const std::string text = flags.has_delta ? flags.delta : "0";
    const Result<Rational> delta = Rational::Parse(text);
    if (!delta.ok()) return AboutFlag("--delta", delta.error());
    if (delta->sign() < 0 || *delta >= Rational(1)) {
      return Error{.code = Code::kUsage, .message = "--delta must be at least 0 and below 1"};
    }
    return Given{true, *delta, false, text, delta->ToString()};
  }
  const Result<ExactEpsilon> epsilon = ExactEpsilon::Parse(flags.epsilon);
  if (!epsilon.ok()) return AboutFlag("--epsilon", epsilon.error());
  if (epsilon->ratio == Rational(1)) {
    return Given{false, epsilon->linear, false, flags.epsilon, epsilon->ToString()};
  }
  // delta falls by at most the difference of two epsilons, which is less than any double here.
  constexpr mpfr_prec_t kPrecision = 1200;
  return Given{false, epsilon->Enclosure(kPrecision).Low(), true, flags.epsilon,
               epsilon->ToString()};
}

Result<double> ParsePrecision(const std::string& text) {
  const Result<Rational> precision = Rational::Parse(text);
  if (!precision.ok()) return AboutFlag("--precision", precision.error());
  const double value = precision->ToDouble();
  constexpr double kFinest = 1e-9;
  constexpr double kCoarsest = 1e-1;
  if (value < kFinest || value > kCoarsest) {
    return Error{.code = Code::kUsage,
                 .message = "--precision must be between 1e-9 and 1e-1",
                 .hint = "it is the relative width of the numerical method's interval."};
  }
  return value;
}

Result<Account> Compute(const DeclaredSequence& sequence, const Given& given, double precision) {
  const AccountOptions options{.precision = precision};
  if (given.is_delta) return AccountEpsilon(sequence, given.value, options);
  TACET_TRY(Account account, AccountDelta(sequence, given.value, options));
  if (given.is_rounded) {
    for (MethodResult& method : account.methods) {
      method.bounds.lower = std::nextafter(method.bounds.lower, 0.0);
    }
  }
  return account;
}

// Every method at every number of repetitions of the whole sequence.
struct AccountCurve {
  struct Place {
    uint64_t repetitions;
    Account account;
  };
  std::vector<Place> places;
};

AccountCurve ComputeAccountCurve(const DeclaredSequence& sequence, const Given& given,
                                 uint64_t most) {
  for (const Step& step : sequence.steps()) most = std::min(most, kStepCountMax / step.count);
  AccountCurve curve;
  for (const uint64_t repetitions : SpreadCounts(most)) {
    const Result<DeclaredSequence> repeated = sequence.Repeated(repetitions);
    constexpr double kPrecision = 1e-3;  // finer than any picture
    const Result<Account> account =
        repeated.ok() ? Compute(*repeated, given, kPrecision) : repeated.error();
    // Where no method says anything any more, the lines end.
    if (account.ok()) curve.places.push_back({repetitions, *account});
  }
  return curve;
}

std::string SequenceText(const DeclaredSequence& sequence) {
  std::string text;
  for (const Step& step : sequence.steps()) {
    if (!text.empty()) text += ", ";
    if (step.count > 1) text += std::to_string(step.count) + " * ";
    text += StepText(step);
  }
  return text;
}

bool IsSingle(const DeclaredSequence& sequence) {
  return sequence.steps().size() == 1 && sequence.steps().front().count == 1;
}

Chart AccountChart(const AccountCurve& curve, const DeclaredSequence& sequence,
                   const Given& given) {
  Chart chart{
      .title = fmt::format("{} at {} {} of {}", given.other(), given.name(), given.text,
                           SequenceText(sequence)),
      .x = {.label = IsSingle(sequence) ? "times that it is used" : "repetitions of the sequence",
            .logarithmic = true},
      .y = {.label = given.other(), .logarithmic = true},
      .series = {}};
  for (const AccountCurve::Place& place : curve.places) {
    for (const MethodResult& method : place.account.methods) {
      auto series = std::find_if(chart.series.begin(), chart.series.end(),
                                 [&](const Series& known) { return known.name == method.name; });
      if (series == chart.series.end()) {
        chart.series.push_back({.name = std::string(method.name), .points = {}});
        series = chart.series.end() - 1;
      }
      series->points.push_back({static_cast<double>(place.repetitions), method.bounds.upper});
    }
  }
  return chart;
}

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json("infinity"); }

Json MethodsJson(const Account& account, bool timed) {
  Json methods = Json::array();
  for (const MethodResult& method : account.methods) {
    Json& row = methods.emplace_back(Json{{"name", method.name},
                                          {"lower", NumberJson(method.bounds.lower)},
                                          {"upper", NumberJson(method.bounds.upper)}});
    if (timed) row["seconds"] = method.seconds;
  }
  return methods;
}

Json AccountDocument(const DeclaredSequence& sequence, const Given& given, const Account& account,
                     const std::optional<AccountCurve>& curve) {
  Json document;
  document[given.name()] = given.exact;
  document["methods"] = MethodsJson(account, /*timed=*/true);
  document["best"] = account.methods[account.best].name;
  Json& steps = document["steps"] = Json::array();
  for (const Step& step : sequence.steps()) {
    steps.push_back({{"step", StepText(step)}, {"count", step.count}});
  }
  if (curve) {
    Json& places = document["curve"] = Json::array();
    for (const AccountCurve::Place& place : curve->places) {
      places.push_back({{"repetitions", place.repetitions},
                        {"methods", MethodsJson(place.account, /*timed=*/false)}});
    }
  }
  return document;
}

std::string TimeText(double seconds) {
  constexpr double kMilli = 1e-3;
  if (seconds < kMilli) return "< 1 ms";
  return seconds < 1 ? fmt::format("{:.0f} ms", seconds / kMilli)
                     : fmt::format("{:.1f} s", seconds);
}

// What the best bound promises, in words.
std::string Meaning(const DeclaredSequence& sequence, const Given& given, const Account& account) {
  constexpr int kDigits = 6;
  const std::string best = TextOf(account.methods[account.best].bounds, kDigits).upper;
  const std::string epsilon = given.is_delta ? best : given.text;
  const std::string delta = given.is_delta ? given.text : best;
  const bool is_pure = given.is_delta && given.value.sign() == 0;
  const bool is_number = epsilon.find_first_of("/(") == std::string::npos;
  return fmt::format(
      "{} {}-private:\n"
      "  P[E | x] <= e^{} P[E | y]{}\n"
      "for every event E and all neighbours x and y, which differ in one person{}.\n"
      "This is for parameters declared in advance; for those that depend on earlier answers, it\n"
      "is no filter.\n",
      IsSingle(sequence) ? "It is" : "Together they are",
      is_pure ? epsilon : "(" + epsilon + ", " + delta + ")",
      is_number ? epsilon : "(" + epsilon + ")", is_pure ? "" : " + " + delta,
      sequence.HasSampling() ? " added or removed" : "");
}

std::string AccountTable(const DeclaredSequence& sequence, const Given& given,
                         const Account& account, const Terminal& terminal) {
  TextTable table({{"method"}, {"lower", true}, {"upper", true}, {"time", true}, {""}});
  for (size_t i = 0; i < account.methods.size(); ++i) {
    const MethodResult& method = account.methods[i];
    const BoundsText bounds = TextOf(method.bounds);
    table.AddRow({{std::string(method.name)},
                  {bounds.lower},
                  {bounds.upper},
                  {TimeText(method.seconds)},
                  {i == account.best ? "◀ best" : ""}});
  }
  return fmt::format("{} of {}, at {} {}:\n\n", given.other(), SequenceText(sequence), given.name(),
                     given.text) +
         table.Render("  ", terminal, terminal.out);
}

Result<Account> ComputeOrExplain(const DeclaredSequence& sequence, const Given& given,
                                 double precision, bool nothing_given) {
  Result<Account> account = Compute(sequence, given, precision);
  if (!account.ok() && nothing_given) {
    return Error{.code = Code::kUsage,
                 .message = "these steps have no finite epsilon at delta 0",
                 .hint = "give a delta, as in --delta 1e-6, or an epsilon to get its delta."};
  }
  return account;
}

Status RunAccount(const AccountFlags& flags, const Terminal& terminal, std::vector<Step> steps) {
  TACET_TRY(const Given given, ParseGiven(flags));
  TACET_TRY(const double precision, ParsePrecision(flags.precision));
  TACET_TRY(const uint64_t repetitions,
            ParseWhole("--repetitions", flags.repetitions, kStepCountMax));
  TACET_TRY(const DeclaredSequence sequence, DeclaredSequence::Create(std::move(steps)));
  TACET_TRY(Pictures pictures, Pictures::Open(flags.pictures));
  const bool nothing_given = !flags.has_delta && !flags.has_epsilon;
  TACET_TRY(const Account account, ComputeOrExplain(sequence, given, precision, nothing_given));
  std::optional<AccountCurve> curve;
  if (flags.pictures.wanted()) curve = ComputeAccountCurve(sequence, given, repetitions);
  if (terminal.json) {
    terminal.Print(DocumentText(AccountDocument(sequence, given, account, curve)));
  } else {
    terminal.Print(AccountTable(sequence, given, account, terminal));
    terminal.Note("\n" + Meaning(sequence, given, account));
  }
  if (!curve) return {};
  return pictures.Show(AccountChart(*curve, sequence, given), terminal);
}

Outcome ParseAndRunAccount(const AccountFlags& flags, const Terminal& terminal) {
  if (flags.steps.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "a step is missing",
                 .hint = "for example: tacet account '500 * pure(1/1000)' --delta 1e-6"};
  }
  std::vector<Step> steps;
  for (const std::string& text : flags.steps) {
    const Result<Step> step = ParseStep(text);
    if (!step.ok()) {
      Error error = step.error();
      constexpr std::string_view kCompare[] = {"compare"};
      if (!text.empty() && !Suggest(text, kCompare).empty()) {
        error.hint = "did you mean 'tacet account compare'?";
      }
      return Outcome(error, Asked{.statement = text, .is_free = true});
    }
    steps.push_back(*step);
  }
  return RunAccount(flags, terminal, std::move(steps));
}

std::string AccountFooter() {
  std::string text = "A STEP is MECHANISM or COUNT * MECHANISM, with\n";
  std::string line = " ";
  for (const std::string_view form : StepForms()) {
    constexpr size_t kLineMax = 78;
    if (line.size() + form.size() + 2 > kLineMax) {
      text += line + "\n";
      line = " ";
    }
    line += " ";
    line += form;
  }
  return text + line +
         "\n\n"
         "Methods: basic, advanced, optimal (of the steps' epsilons and deltas), zcdp, rdp,\n"
         "gaussian (closed form), numerical (of the exact loss distributions). Each gives an\n"
         "interval that contains its value for certain. With neither --delta nor --epsilon,\n"
         "delta is 0.\n\n"
         "'tacet account compare --help': the noise that many queries need.\n\n"
         "Examples:\n"
         "  tacet account '500 * pure(1/1000)' --delta 1e-6\n"
         "  tacet account '1000 * subsampled(1/100, gaussian(1))' 'laplace(10)' --delta 1e-5 \\\n"
         "      --plot --svg account.svg";
}

}  // namespace

void AddAccount(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "account", "Add up what mechanisms cost together, by every method that applies.");
  command->set_help_flag("-h,--help", "this help");
  command->require_subcommand(0, 1);
  auto flags = std::make_shared<AccountFlags>();
  command->add_option("STEP", flags->steps, "what is done, in quotes; see below")->type_name("");
  command->add_option("--delta", flags->delta, "show epsilon at this delta")->type_name("D");
  command->add_option("--epsilon", flags->epsilon, "show delta at this epsilon, a number or ln(3)")
      ->type_name("E");
  command
      ->add_option("--precision", flags->precision,
                   "relative width to aim for, numerically, from 1e-9 to 1e-1")
      ->type_name("P")
      ->capture_default_str();
  AddPictureFlags(*command, flags->pictures, "the loss against the number of repetitions");
  command->add_option("--repetitions", flags->repetitions, "how far a picture goes")
      ->type_name("N")
      ->capture_default_str();
  command->footer(AccountFooter());
  AddCompare(*command, invocation);
  command->callback([command, flags, &invocation] {
    flags->has_delta = command->count("--delta") > 0;
    flags->has_epsilon = command->count("--epsilon") > 0;
    if (command->get_subcommands().empty()) {
      invocation.outcome = ParseAndRunAccount(*flags, invocation.terminal);
    }
  });
}

}  // namespace tacet::cli
