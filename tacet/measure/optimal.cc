// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/optimal.h"

#include <algorithm>
#include <limits>

#include "tacet/measure/equal_responses.h"
#include "tacet/measure/mixed_responses.h"
#include "tacet/measure/numerical.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;

// The leaky responses themselves, for the numerical accountant, with epsilons that are rational
// rounded up or down.
Result<DeclaredSequence> Declared(const std::vector<BoundedStep>& steps, bool up) {
  std::vector<Step> declared;
  for (const BoundedStep& step : steps) {
    ExactEpsilon epsilon = step.epsilon;
    if (step.rate != Rational(1)) {
      const Interval enclosure = step.Enclosure(kPrecision);
      epsilon = {.linear = up ? enclosure.High() : enclosure.Low()};
    }
    declared.push_back({.law = ApproximateStep{epsilon, step.delta}, .count = step.count});
  }
  return DeclaredSequence::Create(std::move(declared));
}

bool AllExact(const std::vector<BoundedStep>& steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [](const BoundedStep& step) { return step.rate == Rational(1); });
}

// compute(sequence) -> Result<LossBounds>.
template <typename Compute>
std::optional<LossBounds> Numerically(const std::vector<BoundedStep>& steps, Compute compute) {
  const auto run = [&](bool up) -> Result<LossBounds> {
    TACET_TRY(const DeclaredSequence sequence, Declared(steps, up));
    return compute(sequence);
  };
  const Result<LossBounds> above = run(true);
  if (!above.ok()) return std::nullopt;
  if (AllExact(steps)) return *above;
  const Result<LossBounds> below = run(false);
  return LossBounds{below.ok() ? below->lower : 0, above->upper};
}

Interval Enclosure(const LossBounds& bounds) {
  return Hull(Interval(Rational::FromDouble(bounds.lower), kPrecision),
              Interval(Rational::FromDouble(bounds.upper), kPrecision));
}

}  // namespace

std::optional<Interval> OptimalDelta(const std::vector<BoundedStep>& steps,
                                     const Rational& epsilon) {
  const std::vector<BoundedStep> kinds = MergeEqual(steps);
  if (kinds.size() == 1) return DeltaWithLeaks(kinds, EqualResponses(kinds[0]).DeltaAt(epsilon));
  if (const auto mixed = MixedResponses::Create(kinds)) {
    return DeltaWithLeaks(kinds, mixed->DeltaAt(epsilon));
  }
  const std::optional<LossBounds> bounds = Numerically(
      kinds, [&](const DeclaredSequence& sequence) { return NumericalDelta(sequence, epsilon); });
  if (!bounds) return std::nullopt;
  return Enclosure(*bounds);
}

std::optional<LossBounds> OptimalEpsilon(const std::vector<BoundedStep>& steps,
                                         const Rational& delta) {
  const std::vector<BoundedStep> kinds = MergeEqual(steps);
  const Interval left = DeltaWithoutLeaks(kinds, delta);
  if (left.CertainlyNegative()) return LossBounds{0, std::numeric_limits<double>::infinity()};
  if (!left.CertainlyPositive()) {
    // Nothing is left, or so little that it cannot be told from nothing: no epsilon below the sum.
    const LossBounds sum = LossBounds::Of(SumOfEpsilons(kinds));
    const bool none = left.CertainlyAtMost(Rational(0)) && left.CertainlyAtLeast(Rational(0));
    return LossBounds{none ? sum.lower : 0,
                      none ? sum.upper : std::numeric_limits<double>::infinity()};
  }
  const LossBounds sum = LossBounds::Of(SumOfEpsilons(kinds));
  if (sum.upper < 0x1p-960) return LossBounds{0, sum.upper};
  if (sum.lower > 0x1p960) return std::nullopt;
  if (kinds.size() == 1) return EqualResponses(kinds[0]).EpsilonAt(left);
  if (const auto mixed = MixedResponses::Create(kinds)) return mixed->EpsilonAt(left);
  return Numerically(
      kinds, [&](const DeclaredSequence& sequence) { return NumericalEpsilon(sequence, delta); });
}

}  // namespace tacet
