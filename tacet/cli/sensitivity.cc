// SPDX-License-Identifier: Apache-2.0
// tacet sensitivity: how far one person can move an exact answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/base/suggest.h"
#include "tacet/cli/account_flags.h"
#include "tacet/cli/amount_text.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"
#include "tacet/cli/text_table.h"
#include "tacet/mechanism/query_sensitivity.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;
using SensitivityKind = QuerySensitivity::Kind;

struct SensitivityFlags {
  std::string query;
  std::vector<std::string> range;  // two words each
  std::string rows;
  std::string columns;
  bool nullable = false;
  // Of a utility.
  std::string change;
  std::string lambda;
  bool monotone = false;
};

struct NamedQuery {
  std::string_view name;
  Statistic query;
};
constexpr NamedQuery kQueries[] = {
    {"sum", Statistic::kSum},
    {"mean", Statistic::kMean},
    {"count", Statistic::kCount},
    {"histogram", Statistic::kHistogram},
    {"min", Statistic::kMin},
    {"max", Statistic::kMax},
    {"median", Statistic::kMedian},
    {"variance", Statistic::kVariance},
    {"variance_sample", Statistic::kVarianceSample},
    {"stddev", Statistic::kStddev},
    {"stddev_sample", Statistic::kStddevSample},
};
constexpr std::string_view kUtility = "utility";

Error WrongSensitivity(std::string message, std::string hint = "") {
  return {.code = Code::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

// `3*sqrt(2) (4.243)`, or just `5`.
std::string SurdText(const Surd& surd) {
  const std::string exact = surd.ToString();
  const Result<Rational> rational = Rational::Parse(exact);
  if (rational.ok() && rational->is_integer()) return exact;
  const Rational value = rational.ok() ? *rational : surd.Enclosure(128).High();
  return exact + " (" + DecimalText(value, Rounding::kUp) + ")";
}

Json SensitivityJson(const QuerySensitivity& sensitivity) {
  switch (sensitivity.kind) {
    case SensitivityKind::kExact:
      return {{"l1", sensitivity.l1.ToString()}, {"l2", sensitivity.l2.ToString()}};
    case SensitivityKind::kInfinite:
      return {{"l1", "infinity"}, {"l2", "infinity"}};
    case SensitivityKind::kNone:
      return {{"l1", nullptr}, {"l2", nullptr}};
  }
  return {};
}

void AddSensitivityRow(TextTable& table, const char* neighbours,
                       const QuerySensitivity& sensitivity) {
  switch (sensitivity.kind) {
    case SensitivityKind::kExact:
      table.AddRow({{.text = neighbours},
                    {.text = SurdText(sensitivity.l1)},
                    {.text = SurdText(sensitivity.l2)}});
      break;
    case SensitivityKind::kInfinite:
      table.AddRow({{.text = neighbours}, {.text = "infinity"}, {.text = "infinity"}});
      break;
    case SensitivityKind::kNone:
      table.AddRow({{.text = neighbours}, {.text = "no single number"}, {.text = "see below"}});
      break;
  }
}

// The same query about the midpoint of its range, for noisy sums that are divided by noisy counts.
QueryShape SumAboutMidpoint(const QueryShape& shape, bool of_squares) {
  QueryShape sum = shape;
  sum.query = Statistic::kSum;
  for (ValueRange& range : sum.ranges) {
    const Rational half = (range.high - range.low) / Rational(2);
    range = of_squares ? ValueRange{.low = 0, .high = half * half}
                       : ValueRange{.low = -half, .high = half};
  }
  return sum;
}

// What to do instead where the sensitivity is of no use, or with what was found.
Result<std::string> SensitivityAdvice(const QueryShape& shape, const QuerySensitivity& change_one,
                                      const QuerySensitivity& add_remove) {
  if (add_remove.kind == SensitivityKind::kInfinite) {
    return std::string(
        "One person can move the answer as far as they like, so no noise is enough. Bound the\n"
        "values: --range A B here, range = [A, B] of the column in tacet.toml. Values outside are\n"
        "moved to the nearest end.");
  }
  if (add_remove.kind == SensitivityKind::kNone) {
    TACET_TRY(const QuerySensitivity sum,
              SensitivityOf(SumAboutMidpoint(shape, false), Neighbours::kAddOrRemove));
    std::string text =
        "How many people there are is private, and the answer depends on it. Divide noisy sums\n"
        "by a noisy count instead. One person moves the count by 1, the sum about the midpoint\n"
        "of the range by " +
        SurdText(sum.l1);
    if (shape.query != Statistic::kMean) {
      TACET_TRY(const QuerySensitivity squares,
                SensitivityOf(SumAboutMidpoint(shape, true), Neighbours::kAddOrRemove));
      text += ", the sum of squares about it by " + SurdText(squares.l1);
    }
    return text + ".";
  }
  if (shape.query == Statistic::kMin || shape.query == Statistic::kMax ||
      shape.query == Statistic::kMedian) {
    return std::string(
        "That is as large as the answer itself: noise would drown it. Choose a value by its rank\n"
        "instead, with the exponential mechanism: one person moves a rank by 1. See\n"
        "'tacet sensitivity utility' and 'tacet choose'.");
  }
  if (change_one.l1.square().sign() == 0) {
    return std::string("The answer is the same for all data: it needs no noise.");
  }
  return std::string(
      "Laplace noise of scale l1/epsilon makes the answer epsilon-private; Gaussian noise\n"
      "goes by l2.");
}

Status PrintUtility(const SensitivityFlags& flags, const Terminal& terminal) {
  if (!flags.range.empty() || !flags.rows.empty() || !flags.columns.empty() || flags.nullable) {
    return WrongSensitivity("utility takes --change, --monotone and --lambda only",
                            "--change is how far one person moves a score.");
  }
  Utility utility{.monotone = flags.monotone};
  if (!flags.change.empty()) {
    TACET_TRY(utility.change, ParseNumber("--change", flags.change));
  }
  if (utility.change.sign() <= 0) return WrongSensitivity("--change must be positive");
  std::optional<Rational> lambda;
  if (!flags.lambda.empty()) {
    TACET_TRY(lambda, ParseNumber("--lambda", flags.lambda));
    if (lambda->sign() <= 0) return WrongSensitivity("--lambda must be positive");
  }
  Json document = {{"query", kUtility}};
  TextTable table({{.name = "neighbours"},
                   {.name = "one score"},
                   {.name = "width w"},
                   {.name = "epsilon"},
                   {.name = "rho"}});
  for (const auto& [key, name, neighbours] :
       {std::tuple{"change_one", "change one", Neighbours::kChangeOne},
        std::tuple{"add_remove", "add or remove one", Neighbours::kAddOrRemove}}) {
    const Rational width = ScoreWidth(utility, neighbours);
    const std::string change = utility.change.ToString();
    Json row = {{"l1", change}, {"l2", change}, {"width", width.ToString()}};
    std::string epsilon = width.ToString() + " l";
    std::string rho = (width * width / Rational(8)).ToString() + " l^2";
    if (lambda) {
      const ChoiceCost cost = CostOfChoice(*lambda, width);
      epsilon = cost.epsilon.ToString();
      rho = cost.rho.ToString();
      row["epsilon"] = epsilon;
      row["rho"] = rho;
    }
    document[key] = row;
    table.AddRow({{.text = name},
                  {.text = change},
                  {.text = width.ToString()},
                  {.text = epsilon},
                  {.text = rho}});
  }
  if (terminal.json) {
    terminal.Print(DocumentText(document));
    return {};
  }
  terminal.Print(table.Render("  ", terminal, terminal.out));
  terminal.Note(
      "\nThe changes of all scores span at most w. Choosing an output with probability\n"
      "proportional to exp(l u) costs epsilon = l w and rho = (l w)^2/8. Scores that all move\n"
      "one way when somebody is added (--monotone) span half of it, under add or remove only.\n");
  return {};
}

Result<QueryShape> QueryShapeOf(const SensitivityFlags& flags, const NamedQuery& named) {
  constexpr uint64_t kWholeMax = 1'000'000'000'000'000'000;
  if (!flags.change.empty() || !flags.lambda.empty() || flags.monotone) {
    return WrongSensitivity("--change, --monotone and --lambda go with utility",
                            "for example: tacet sensitivity utility --change 1 --monotone.");
  }
  QueryShape shape{.query = named.query, .nullable = flags.nullable};
  for (size_t i = 0; i + 1 < flags.range.size(); i += 2) {
    TACET_TRY(const Rational low, ParseNumber("--range", flags.range[i]));
    TACET_TRY(const Rational high, ParseNumber("--range", flags.range[i + 1]));
    shape.ranges.push_back({.low = low, .high = high});
  }
  if (!flags.rows.empty()) {
    TACET_TRY(const uint64_t rows, ParseWhole("--rows", flags.rows, kWholeMax));
    shape.rows = static_cast<int64_t>(rows);
  }
  if (!flags.columns.empty()) {
    TACET_TRY(const uint64_t columns, ParseWhole("--columns", flags.columns, kWholeMax));
    shape.columns = static_cast<int64_t>(columns);
  }
  return shape;
}

Status RunSensitivity(const SensitivityFlags& flags, const Terminal& terminal) {
  std::string name = flags.query;
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == kUtility) return PrintUtility(flags, terminal);
  const NamedQuery* named =
      std::find_if(std::begin(kQueries), std::end(kQueries),
                   [&](const NamedQuery& known) { return known.name == name; });
  if (named == std::end(kQueries)) {
    std::vector<std::string_view> names;
    for (const NamedQuery& known : kQueries) names.push_back(known.name);
    names.push_back(kUtility);
    return WrongSensitivity("unknown query '" + flags.query + "'", SuggestionHint(name, names));
  }
  TACET_TRY(const QueryShape shape, QueryShapeOf(flags, *named));
  TACET_TRY(const QuerySensitivity change_one, SensitivityOf(shape, Neighbours::kChangeOne));
  TACET_TRY(const QuerySensitivity add_remove, SensitivityOf(shape, Neighbours::kAddOrRemove));
  TACET_TRY(const std::string advice, SensitivityAdvice(shape, change_one, add_remove));
  if (terminal.json) {
    std::string line = advice;
    std::replace(line.begin(), line.end(), '\n', ' ');
    terminal.Print(DocumentText({{"query", name},
                                 {"change_one", SensitivityJson(change_one)},
                                 {"add_remove", SensitivityJson(add_remove)},
                                 {"advice", line}}));
    return {};
  }
  TextTable table({{.name = "neighbours"}, {.name = "l1"}, {.name = "l2"}});
  AddSensitivityRow(table, "change one", change_one);
  AddSensitivityRow(table, "add or remove one", add_remove);
  terminal.Print(table.Render("  ", terminal, terminal.out));
  terminal.Note("\n" + advice + "\n");
  if (named->query == Statistic::kSum && !shape.nullable &&
      change_one.kind == SensitivityKind::kExact) {
    terminal.Note(
        "Change one holds where everybody always contributes a value; where one may be NULL or\n"
        "filtered out, add --nullable.\n");
  }
  return {};
}

}  // namespace

void AddSensitivity(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "sensitivity", "Show how far one person can move the exact answer of a query.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<SensitivityFlags>();
  command
      ->add_option("QUERY", flags->query,
                   "sum, mean, count, histogram, min, max, median, variance,\n"
                   "variance-sample, stddev, stddev-sample or utility")
      ->required();
  command
      ->add_option("--range", flags->range, "the values are between A and B; once for each column")
      ->type_name("A B")
      ->type_size(2)
      ->allow_extra_args(false);
  command->add_option("--rows", flags->rows, "how many people, where that is public")
      ->type_name("N");
  command
      ->add_option("--columns", flags->columns,
                   "ask of K columns at once, all with that range (default: 1)")
      ->type_name("K");
  command->add_flag("--nullable", flags->nullable,
                    "somebody may contribute nothing: NULL, or filtered out");
  command
      ->add_option("--change", flags->change,
                   "of utility: how far one person moves a score (default: 1)")
      ->type_name("S");
  command->add_flag("--monotone", flags->monotone,
                    "of utility: one person more moves all scores the same way");
  command->add_option("--lambda", flags->lambda, "of utility: the cost of exp(L u)")
      ->type_name("L");
  command->footer(
      "How data may differ in a person:\n"
      "  change one         their value is another, and the number of people is public\n"
      "  add or remove one  they are there or not; SQL answers go by this\n\n"
      "stddev and variance are of the population; -sample divides by n - 1.\n\n"
      "Examples:\n"
      "  tacet sensitivity sum --range 0 100\n"
      "  tacet sensitivity stddev --range 0 10 --rows 50 --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunSensitivity(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
