// SPDX-License-Identifier: Apache-2.0
// The mechanisms that `tacet loss` knows by name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "tacet/measure/channel.h"
#include "tacet/measure/step.h"

namespace tacet::cli {

// A table of exact probabilities.
struct TableMechanism {
  Channel channel;
  InputPairs neighbours;
};
// Randomized response; leaky where delta > 0.
struct ResponseMechanism {
  ExactEpsilon epsilon;
  Rational delta;
};
struct NoiseMechanism {
  StepLaw law;
};

// The noise of a Gaussian that is given by what it has to keep.
struct GaussianTarget {
  ExactLoss epsilon;
  Rational delta;
  std::optional<Rational> classical;  // where the textbook bound holds
  Rational exact;
  std::optional<Rational> discrete;  // where the sensitivity is a whole number
};

struct LossMechanism {
  std::string text;     // canonical, as in `laplace(10)`
  std::string about;    // in a sentence
  std::string refused;  // why it is no mechanism for answers, if so
  std::variant<TableMechanism, ResponseMechanism, NoiseMechanism> what;
  std::optional<GaussianTarget> target = {};
};

// Reads NAME or NAME(arguments); what is not among the arguments is taken from `flags`, by name,
// where an empty value is none. Fails, with a position where that is known, on everything that is
// not a mechanism with exactly the parameters it needs.
Result<LossMechanism> ReadMechanism(const std::string& text,
                                    const std::map<std::string, std::string>& flags);

}  // namespace tacet::cli
