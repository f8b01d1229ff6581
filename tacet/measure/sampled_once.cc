// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/sampled_once.h"

#include <algorithm>

#include "tacet/measure/root.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

// The curve of the noise over an enclosure of e^epsilon, at least 1; it falls.
Interval CurveAt(const Mu& mu, const Interval& ratio) {
  const Interval epsilon = Log(ratio);
  const Rational least = std::max(epsilon.Low(), Rational(0));
  return Hull(GaussianDelta(least, mu), GaussianDelta(std::max(epsilon.High(), least), mu));
}

}  // namespace

std::optional<SampledOnce> SampledOnce::Of(const DeclaredSequence& sequence) {
  if (sequence.steps().size() != 1) return std::nullopt;
  const Step& step = sequence.steps().front();
  const auto* law = std::get_if<GaussianStep>(&step.law);
  if (law == nullptr || step.count != 1 || step.rate == Rational(1)) return std::nullopt;
  return SampledOnce{*Mu::Create(law->sensitivity / law->sigma), step.rate};
}

Interval SampledOnce::Delta(const Rational& epsilon) const {
  const Interval one = Exact(Rational(1));
  const Interval q = Exact(rate);
  const Interval a = Exp(Exact(epsilon));
  const Interval remove = q * CurveAt(mu, one + (a - one) / q);
  const Interval b = one - a * Exact(Rational(1) - rate);
  if (!b.CertainlyPositive()) {
    // No event is likelier than a times another law's, up to the width of b.
    if (mpfr_sgn(b.high()) <= 0) return remove;
    return Hull(remove, remove + Exact(b.High()));
  }
  const Interval add = b * CurveAt(mu, a * q / b);
  return Hull(Exact(std::max(remove.Low(), add.Low())), Exact(std::max(remove.High(), add.High())));
}

LossBounds SampledOnce::Epsilon(const Rational& delta) const {
  TACET_CHECK(delta.sign() > 0 && delta < Rational(1));
  const auto f = [&](double epsilon) { return Delta(Rational::FromDouble(epsilon)); };
  return FallingRoot(f, Exact(delta), 1);
}

}  // namespace tacet
