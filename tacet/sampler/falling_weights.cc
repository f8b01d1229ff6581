// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/falling_weights.h"

#include "tacet/base/check.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;

}  // namespace

FloatingWeight ToFloatingWeight(const Interval& exact) {
  // Far also after seven more factors, each of which may take 1 from the exponent.
  constexpr FloatingWeight kFar = {uint64_t{1} << 63, kFarExponent + 7};
  if (mpfr_zero_p(exact.low()) != 0 || mpfr_get_exp(exact.low()) <= -kFarExponent) return kFar;
  const mpfr_exp_t top = mpfr_get_exp(exact.low());
  mpfr_t scaled;
  mpfr_init2(scaled, mpfr_get_prec(exact.low()));
  mpfr_mul_2si(scaled, exact.low(), 64 - top, MPFR_RNDD);
  const uint64_t mantissa = mpfr_get_ui(scaled, MPFR_RNDD);
  mpfr_mul_2si(scaled, exact.high(), 64 - top, MPFR_RNDU);
  mpfr_sub_ui(scaled, scaled, mantissa, MPFR_RNDU);
  TACET_CHECK(mpfr_cmp_ui(scaled, 2) < 0);
  mpfr_clear(scaled);
  return {mantissa, static_cast<int32_t>(1 - top)};
}

FallingWeights::FallingWeights(const Rational& rate) {
  TACET_CHECK(rate.sign() > 0);
  Rational step = rate;
  for (size_t place = 0; place < kPlaces; ++place) {
    const Interval factor = Exp(Interval(-step, kPrecision));
    Interval power(Rational(1), kPrecision);
    for (size_t byte = 0; byte < 256; ++byte) {
      const FloatingWeight weight = ToFloatingWeight(power);
      mantissas_[place][byte] = weight.mantissa;
      exponents_[place][byte] = weight.exponent;
      power.MultiplyBy(factor);
    }
    step *= Rational(256);
  }
}

}  // namespace tacet
