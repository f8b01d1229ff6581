// SPDX-License-Identifier: Apache-2.0
// Composition in closed form of mechanisms of which no more is known than their (epsilon, delta):
// basic, and advanced in both published forms. The least that holds is in tacet/measure/optimal.h.
//
// Every enclosure contains the exact value of its formula, so its upper end is a loss that holds.
//
// Proof: docs/proofs/composition.md.
#pragma once

#include <optional>
#include <vector>

#include "tacet/measure/step.h"

namespace tacet {

// `count` uses of a mechanism that is (epsilon', delta)-private: with sampling epsilon' is
// ln(1 + rate (e^epsilon - 1)).
struct BoundedStep {
  ExactEpsilon epsilon;  // before sampling
  Rational rate = Rational(1);
  Rational delta = Rational(0);  // after sampling
  uint64_t count = 1;

  // epsilon'.
  Interval Enclosure(mpfr_prec_t precision) const;
  // epsilon' where it is known to be rational.
  std::optional<Rational> Exact() const;
  Rational Times() const { return Rational(static_cast<int64_t>(count)); }
};

// The (epsilon, delta) of every step; nothing if one of them has none at all or one for every
// delta, as Gaussian noise and concentrated loss do.
std::optional<std::vector<BoundedStep>> BoundedSteps(const DeclaredSequence& sequence);

// Those steps that leak: with probability delta, after sampling, all bets are off, else the loss is
// at most epsilon'. For methods that set the deltas aside and count the rest in another currency.
std::vector<BoundedStep> LeakySteps(const DeclaredSequence& sequence);

// The concentrated loss of all steps while nothing leaks, rounded up; nothing if a step has none,
// which is so for Gaussian noise on a sample.
// Guarantee: the sequence is DeltaWithLeaks(LeakySteps(sequence), 0)-approximately
// rho-concentrated.
std::optional<Rho> SumOfRhos(const DeclaredSequence& sequence);

// Basic composition: the epsilons add up, and so do the deltas, exactly. The sum of epsilons is
// rational where all of them are.
Interval SumOfEpsilons(const std::vector<BoundedStep>& steps);
Rational SumOfDeltas(const std::vector<BoundedStep>& steps);

// The slack of the composition, 1 - (1 - slack) prod (1 - delta_i), and its inverse: what is left
// of `delta` when no step has leaked. The inverse is exact at 0, and negative where the steps alone
// leak more than delta.
Interval DeltaWithLeaks(const std::vector<BoundedStep>& steps, const Interval& slack);
Interval DeltaWithoutLeaks(const std::vector<BoundedStep>& steps, const Rational& delta);

// sqrt(2 ln(1/slack) sum epsilon_i^2) + sum epsilon_i f(epsilon_i).
enum class AdvancedForm {
  kDworkRothblumVadhan,  // f = e^epsilon - 1
  kKairouzOhViswanath,   // f = (e^epsilon - 1)/(e^epsilon + 1): never more, so the one to use
};

// The epsilon of the composition at delta = DeltaWithLeaks(steps, slack). Stops the process unless
// 0 < slack < 1.
// Guarantee: what consists of `steps` is private for the upper end and that delta.
Interval AdvancedEpsilon(const std::vector<BoundedStep>& steps, const Interval& slack,
                         AdvancedForm form);
// The slack at which that is `epsilon`; nothing where no slack below 1 is enough.
std::optional<Interval> AdvancedSlack(const std::vector<BoundedStep>& steps,
                                      const Rational& epsilon, AdvancedForm form);

}  // namespace tacet
