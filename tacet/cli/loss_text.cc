// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/loss_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/text_table.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLossDigits = 10;
constexpr size_t kFractionMax = 24;  // characters of a fraction that people would read
constexpr std::array<const char*, 4> kLeakyOutputs = {"0", "1", "U", "V"};

// Rounded up, which is towards more loss; but what is off by the last place of a double only is
// taken for what it stands for: 0.01, not 0.01000000001. JSON has the upper end itself.
std::string LossNumberText(double value) {
  if (!std::isfinite(value)) return "infinite";
  const Rational exact = Rational::FromDouble(value);
  const Rational slack = exact.Abs() * Rational::PowerOfTwo(-50);
  return DecimalText(exact - slack, Rounding::kUp, kLossDigits);
}

// Exact where that is short, else a decimal.
std::string LossFractionText(const Rational& value) {
  const std::string exact = value.ToString();
  return exact.size() <= kFractionMax ? exact : DecimalText(value, Rounding::kUp, kLossDigits);
}

// What was given as a number is that number; a logarithm is rounded up.
double UpperLoss(const ExactLoss& loss) {
  constexpr mpfr_prec_t kPrecision = 192;
  if (loss.ratio == Rational(1)) return loss.linear.ToDouble();
  return LossBounds::Of(loss.Enclosure(kPrecision)).upper;
}

// `ln(3) = 1.0986122886681098`, or only the one that says enough.
std::string LossValueText(const ExactLoss& loss) {
  const std::string decimal = fmt::format("{}", UpperLoss(loss));
  const std::string exact = loss.ToString();
  if (exact.size() > kFractionMax) return decimal;
  if (loss.ratio == Rational(1)) {
    constexpr int kGivenDigits = 16;
    const std::string shown = DecimalText(loss.linear, Rounding::kUp, kGivenDigits);
    if (*Rational::Parse(shown) == loss.linear) return shown;
  }
  return exact + " = " + decimal;
}

Json LossNumberJson(double value) { return std::isfinite(value) ? Json(value) : Json("infinity"); }

std::string CleanName(const std::string& text) {
  return sql::FindInvalidUtf8(text) ? "?" : sql::Printable(text);
}

std::string OutputLoss(const LossReport::Output& output) {
  if (output.loss) return LossValueText(*output.loss);
  return output.p.near == 0 ? "-infinite" : "infinite";
}

std::string LossProbabilityText(const LossReport::Probability& probability) {
  if (probability.exact) return LossFractionText(*probability.exact);
  return fmt::format("{:.10g}", probability.near);
}

Json LossProbabilityJson(const LossReport::Probability& probability) {
  return probability.exact ? Json(probability.exact->ToString()) : Json(probability.near);
}

std::string LossRangeText(const LossBounds& bounds) {
  // The lower end matters where it is told apart from the upper one in the digits shown.
  const std::string upper = LossNumberText(bounds.upper);
  if (bounds.upper - bounds.lower <= 1e-9 * bounds.upper) return upper;
  return DecimalText(Rational::FromDouble(bounds.lower), Rounding::kDown, kLossDigits) + " to " +
         upper;
}

std::string LossEventText(const Violation& violation, const std::vector<std::string>& outputs) {
  std::string text;
  for (const size_t output : violation.event) {
    text += (text.empty() ? "" : ", ") + CleanName(outputs[output]);
  }
  return "{" + text + "}";
}

Json SimulationJson(const SimulationReport& simulation) {
  const auto* map = std::get_if<SimulationMap>(&simulation.found);
  if (map == nullptr) return {};
  Json rows = Json::array();
  for (const std::vector<Rational>& row : map->rows) {
    Json entries = Json::array();
    for (const Rational& entry : row) entries.push_back(entry.ToString());
    rows.push_back(std::move(entries));
  }
  return rows;
}

void AddSimulationJson(const SimulationReport& simulation, Json& document) {
  document["simulation"] = SimulationJson(simulation);
  document["simulation_outputs"] = simulation.outputs;
  document["simulation_inputs"] = {simulation.p_name, simulation.q_name};
  document["ratio"] = simulation.ratio.ToString();
  document["delta_r"] = simulation.delta_least.ToString();
  const auto* violation = std::get_if<Violation>(&simulation.found);
  if (violation == nullptr) {
    document["violation"] = Json();
    return;
  }
  Json event = Json::array();
  for (const size_t output : violation->event) event.push_back(simulation.outputs[output]);
  const bool swapped = violation->swapped;
  document["violation"] = {{"event", std::move(event)},
                           {"likelier", swapped ? simulation.q_name : simulation.p_name},
                           {"p", violation->p.ToString()},
                           {"q", violation->q.ToString()},
                           {"excess", violation->excess.ToString()}};
}

std::string SimulationText(const SimulationReport& simulation, const Terminal& terminal) {
  std::string text =
      "\nSimulation by leaky randomized response, ratio r = " + LossFractionText(simulation.ratio);
  if (simulation.epsilon) text += " <= e^(" + simulation.epsilon->ToString() + ")";
  text += ", delta " + LossFractionText(simulation.delta) + "\n";
  text += "delta_r = " + LossFractionText(simulation.delta_least) +
          ", the most that an event of input " + CleanName(simulation.p_name) +
          " exceeds r times that of " + CleanName(simulation.q_name) + ", in either order\n";
  if (const auto* violation = std::get_if<Violation>(&simulation.found)) {
    const bool swapped = violation->swapped;
    text += "There is no map: the event " + LossEventText(*violation, simulation.outputs) +
            " has probability " + LossFractionText(violation->p) + " from input " +
            CleanName(swapped ? simulation.q_name : simulation.p_name) + " and " +
            LossFractionText(violation->q) + " from its neighbour;\n" +
            LossFractionText(violation->p) + " - r " + LossFractionText(violation->q) + " = " +
            LossFractionText(violation->excess) + " > " + LossFractionText(simulation.delta) + "\n";
    return text;
  }
  text += "The map F, exact: F(U) is input " + CleanName(simulation.p_name) + ", F(V) is input " +
          CleanName(simulation.q_name) + "\n\n";
  std::vector<TextTable::Column> columns = {{"it said"}};
  for (const std::string& output : simulation.outputs) columns.push_back({output, true});
  TextTable table(std::move(columns));
  const auto& map = std::get<SimulationMap>(simulation.found);
  for (size_t i = 0; i < map.rows.size(); ++i) {
    std::vector<TextTable::Cell> cells = {{kLeakyOutputs[i]}};
    for (const Rational& entry : map.rows[i]) cells.push_back({LossFractionText(entry)});
    table.AddRow(std::move(cells));
  }
  return text + table.Render("  ", terminal, terminal.out);
}

std::string LossOutputsText(const LossReport& report, const Terminal& terminal) {
  constexpr size_t kOutputsMax = 40;
  if (report.outputs.empty()) return "";
  TextTable table({{"output"},
                   {"from input " + report.p_name, true},
                   {"from input " + report.q_name, true},
                   {"loss", true}});
  for (size_t i = 0; i < std::min(report.outputs.size(), kOutputsMax); ++i) {
    const LossReport::Output& output = report.outputs[i];
    table.AddRow({{output.name},
                  {LossProbabilityText(output.p)},
                  {LossProbabilityText(output.q)},
                  {OutputLoss(output)}});
  }
  std::string text = "\n" + table.Render("  ", terminal, terminal.out);
  if (report.outputs.size() > kOutputsMax) {
    text += fmt::format("  ... and {} more\n", report.outputs.size() - kOutputsMax);
  }
  return text;
}

std::string LossPointsText(const LossAnswer& answer, const Terminal& terminal) {
  const bool has_tail = !answer.report.points.empty() && answer.report.points.front().tail;
  const bool has_bound = !answer.report.points.empty() && answer.report.points.front().group_bound;
  std::vector<TextTable::Column> columns = {
      {"epsilon", true}, {has_bound && !has_tail ? "delta, at most" : "delta(epsilon)", true}};
  if (has_tail) columns.push_back({"P[loss > epsilon]", true});
  if (has_tail && has_bound) columns.push_back({"by the rule for groups", true});
  TextTable table(std::move(columns));
  for (const LossReport::Point& point : answer.report.points) {
    std::vector<TextTable::Cell> cells = {
        {LossValueText(point.epsilon)},
        {point.group_bound && !point.tail ? LossNumberText(point.delta.upper)
                                          : LossRangeText(point.delta)}};
    if (has_tail) cells.push_back({LossRangeText(*point.tail)});
    if (has_tail && has_bound) cells.push_back({LossNumberText(*point.group_bound)});
    table.AddRow(std::move(cells));
  }
  return "\n" + table.Render("  ", terminal, terminal.out);
}

std::string TargetText(const GaussianTarget& target) {
  const auto line = [](const char* name, const std::optional<Rational>& sigma) {
    return fmt::format("  {:<18}{}\n", name,
                       sigma ? DecimalText(*sigma, Rounding::kUp, kLossDigits) : "does not apply");
  };
  return "\nsigma for epsilon " + target.epsilon.ToString() + ", delta " +
         LossFractionText(target.delta) + "\n" + line("textbook", target.classical) +
         line("exact", target.exact) + line("on the integers", target.discrete);
}

std::string LossSituation(const LossOptions& options) {
  std::string text;
  if (options.uses > 1) text += fmt::format(", {} uses", options.uses);
  if (options.group > 1) text += fmt::format(", groups of {}", options.group);
  return text;
}

}  // namespace

Chart LossChart(const LossAnswer& answer) {
  const LossReport& report = answer.report;
  std::string title = "Privacy loss of " + answer.text + LossSituation(answer.options);
  if (report.infinite_probability > 0) {
    title += "; infinite with probability " + LossNumberText(report.infinite_probability);
  }
  const bool binned = report.bars.size() != report.distribution.size() ||
                      (report.bars.size() > 1 && report.bars[1].range);
  Series bars{.name = "", .mark = Mark::kBars, .points = {}};
  for (const LossReport::Bar& bar : report.bars) bars.points.push_back({bar.loss, bar.probability});
  return {.title = std::move(title),
          .x = {"privacy loss"},
          .y = {binned ? "probability of a bar" : "probability"},
          .series = {std::move(bars)}};
}

Json LossJson(const LossAnswer& answer) {
  const LossReport& report = answer.report;
  Json document;
  document["mechanism"] = answer.text;
  document["uses"] = answer.options.uses;
  document["group"] = answer.options.group;
  document["epsilon"] =
      report.epsilon ? LossNumberJson(UpperLoss(*report.epsilon)) : Json("infinity");
  if (report.epsilon) {
    constexpr size_t kStringMax = 1000;
    const std::string exact = report.epsilon->ToString();
    if (exact.size() <= kStringMax) document["epsilon_exact"] = exact;
  } else {
    document["infinite_because"] = report.infinite_why;
  }
  document["expected_loss"] =
      report.expected ? LossNumberJson(report.expected->upper) : Json("infinity");
  if (!report.outputs.empty()) {
    document["inputs"] = {report.p_name, report.q_name};
    Json& outputs = document["outputs"];
    for (const LossReport::Output& output : report.outputs) {
      const Json loss = output.loss ? LossNumberJson(UpperLoss(*output.loss))
                                    : Json(output.p.near == 0 ? "-infinity" : "infinity");
      outputs.push_back({{"name", output.name},
                         {"p", LossProbabilityJson(output.p)},
                         {"q", LossProbabilityJson(output.q)},
                         {"loss", loss}});
    }
  }
  Json& distribution = document["distribution"];
  distribution = Json::array();
  for (const LossReport::Bar& bar : report.distribution) {
    Json entry = {{"loss", bar.loss}, {"probability", bar.probability}};
    if (bar.range) {
      entry["from"] = bar.range->lower;
      entry["to"] = bar.range->upper;
    }
    distribution.push_back(std::move(entry));
  }
  if (report.infinite_probability > 0) {
    distribution.push_back({{"loss", "infinity"}, {"probability", report.infinite_probability}});
  }
  for (const LossReport::Cumulative& entry : report.cumulative) {
    document["cumulative"].push_back({{"loss", entry.loss},
                                      {"lower", entry.probability.lower},
                                      {"upper", entry.probability.upper}});
  }
  Json& delta = document["delta"];
  delta = Json::array();
  for (const LossReport::Point& point : report.points) {
    Json entry = {{"epsilon", LossNumberJson(UpperLoss(point.epsilon))},
                  {"delta", point.delta.upper}};
    if (point.tail) {
      entry["lower"] = point.delta.lower;
      entry["tail"] = point.tail->upper;
    }
    if (point.group_bound) entry["group_bound"] = *point.group_bound;
    delta.push_back(std::move(entry));
  }
  if (answer.target) {
    const auto number = [](const std::optional<Rational>& sigma) {
      return sigma ? LossNumberJson(sigma->ToDoubleUp()) : Json();
    };
    document["sigma_classical"] = number(answer.target->classical);
    document["sigma_exact"] = number(answer.target->exact);
    document["sigma_discrete"] = number(answer.target->discrete);
  }
  if (answer.simulation) AddSimulationJson(*answer.simulation, document);
  if (!answer.refused.empty()) document["refused"] = answer.refused;
  return document;
}

std::string LossText(const LossAnswer& answer, const Terminal& terminal) {
  const LossReport& report = answer.report;
  std::string text =
      terminal.Strong(CleanName(answer.text) + LossSituation(answer.options), terminal.out);
  text += answer.about.empty() ? "\n" : ": " + answer.about + "\n";
  if (!answer.refused.empty()) text += answer.refused + "\n";
  text += LossOutputsText(report, terminal);
  if (answer.target) text += TargetText(*answer.target);
  text += "\nepsilon        ";
  text += report.epsilon ? LossValueText(*report.epsilon)
                         : "infinite: " + CleanName(report.infinite_why);
  text += "\nexpected loss  ";
  text += report.expected ? LossRangeText(*report.expected) : "infinite";
  if (answer.options.group > 1 && !report.points.empty() && !report.points.front().tail) {
    text += " (of one person)";
  }
  text += "\n" + LossPointsText(answer, terminal);
  if (answer.simulation) text += SimulationText(*answer.simulation, terminal);
  return text;
}

}  // namespace tacet::cli
