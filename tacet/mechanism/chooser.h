// SPDX-License-Identifier: Apache-2.0
// Either rule of choosing, for those to whom both will do, and how much of it a budget buys.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "tacet/mechanism/choice.h"

namespace tacet {

enum class ChoiceRule {
  kExponential,     // takes weights; rho = epsilon^2 / 8
  kPermuteAndFlip,  // takes none; better at the same epsilon, but rho = epsilon tanh(epsilon / 2)
};

// What all choices of one release may cost together, pure or concentrated. A query "of epsilon e"
// under a concentrated budget spends rho = e^2 / 2: that buys one choice of the exponential
// mechanism at 2 e, or of permute-and-flip at e.
using ChoiceBudget = std::variant<Epsilon, Rho>;

// The epsilon of each of `steps` choices, one after the other, that the budget buys: the largest,
// but that roots which are no fractions are rounded down, that permute-and-flip is taken to cost
// epsilon^2 / 2, and the exponential mechanism epsilon^2 / 8 (more than it does above 8). Stops the
// process unless steps > 0.
Epsilon EpsilonOfEachChoice(const ChoiceBudget& budget, int64_t steps, ChoiceRule rule);

// An ExponentialMechanism or a PermuteAndFlip. Immutable; safe to share between threads.
class Chooser {
 public:
  // Costs exactly `epsilon` where the changes of all scores between neighbours span at most
  // `width`. Fails unless width > 0 and the rate, epsilon / width, is one that the rule takes.
  static Result<Chooser> For(const Epsilon& epsilon, const Rational& width, ChoiceRule rule);

  // As those of the mechanisms.
  const Rational& rate() const;
  Result<PrivacyLoss> Loss(const Rational& width) const;
  Result<size_t> Release(const Candidates& candidates, Entropy& entropy) const;
  std::vector<Interval> Law(const Candidates& candidates, mpfr_prec_t precision) const;

 private:
  using Mechanism = std::variant<ExponentialMechanism, PermuteAndFlip>;
  explicit Chooser(Mechanism mechanism) : mechanism_(std::move(mechanism)) {}

  Mechanism mechanism_;
};

}  // namespace tacet
