// SPDX-License-Identifier: Apache-2.0
// The loss of a mechanism as text, as JSON and as a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/cli/chart.h"
#include "tacet/cli/loss_mechanism.h"
#include "tacet/cli/loss_report.h"
#include "tacet/cli/terminal.h"
#include "tacet/measure/simulation.h"

namespace tacet::cli {

// What --simulate found, for the pair of inputs that needs the most.
struct SimulationReport {
  Rational ratio;
  std::optional<ExactLoss> epsilon;  // where the ratio was chosen below e^epsilon
  Rational delta;
  Rational delta_least;  // delta_r
  std::string p_name;
  std::string q_name;
  std::vector<std::string> outputs;
  std::variant<SimulationMap, Violation> found;
};

struct LossAnswer {
  std::string text;     // the mechanism, or the file's name
  std::string about;    // in a sentence; may be empty
  std::string refused;  // may be empty
  std::optional<GaussianTarget> target = {};
  LossOptions options = {};
  LossReport report = {};
  std::optional<SimulationReport> simulation = {};
};

nlohmann::ordered_json LossJson(const LossAnswer& answer);
// Without the picture.
std::string LossText(const LossAnswer& answer, const Terminal& terminal);
Chart LossChart(const LossAnswer& answer);

}  // namespace tacet::cli
