// SPDX-License-Identifier: Apache-2.0
// What `tacet loss` finds out about a mechanism, before it is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/measure/channel.h"
#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/loss_distribution.h"
#include "tacet/measure/step.h"

namespace tacet::cli {

struct LossOptions {
  uint64_t uses = 1;
  uint64_t group = 1;         // people who change together
  std::vector<ExactLoss> at;  // where the curve is wanted; empty: where it is interesting
};

struct LossReport {
  struct Probability {
    std::optional<Rational> exact;  // where it is rational
    double near = 0;
  };
  // One output of the two neighbours that are told apart best.
  struct Output {
    std::string name;
    Probability p;
    Probability q;
    std::optional<ExactLoss> loss;  // none: infinite, of the sign of p - q
  };
  // A value of the loss, or of those from `from` to `to`, which `loss` is the middle of.
  struct Bar {
    double loss;
    double probability;
    std::optional<LossBounds> range = {};
  };
  struct Point {
    ExactLoss epsilon;
    LossBounds delta;
    std::optional<LossBounds> tail = {};     // P[loss > epsilon]
    std::optional<double> group_bound = {};  // what P2 says, from the loss of one person
  };
  struct Cumulative {  // P[loss <= loss]
    double loss;
    LossBounds probability;
  };

  std::optional<ExactLoss> epsilon;    // the worst case; none: infinite
  std::string infinite_why;            // where it is infinite
  std::optional<LossBounds> expected;  // none: infinite
  std::string p_name;
  std::string q_name;
  std::vector<Output> outputs;
  std::vector<Bar> distribution;
  double infinite_probability = 0;
  std::vector<Bar> bars;               // of the picture
  std::vector<Cumulative> cumulative;  // where the distribution was computed numerically
  std::vector<Point> points;
};

// The worst over `neighbours` and both orders, of K uses on the same input, or of inputs that are
// up to `group` steps apart. Fails if there is nothing to compare or too much.
Result<LossReport> ReportOfChannel(const Channel& channel, const InputPairs& neighbours,
                                   const LossOptions& options);

// Randomized response with e^epsilon : 1 for the truth, which leaks with probability delta.
Result<LossReport> ReportOfResponse(const ExactEpsilon& epsilon, const Rational& delta,
                                    const LossOptions& options);

// Laplace and Gaussian noise. `promised` is where the curve is wanted too.
Result<LossReport> ReportOfNoise(const StepLaw& law, const std::optional<ExactLoss>& promised,
                                 const LossOptions& options);

}  // namespace tacet::cli
