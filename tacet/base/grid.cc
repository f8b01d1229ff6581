// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/grid.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>

namespace tacet {
namespace {

constexpr double kStepsMax = 0x1p62;

// Whether an integer is `base` to some power.
bool IsPowerOf(unsigned long base, mpz_class value) {
  if (value <= 0) return false;
  while (value % base == 0) value /= base;
  return value == 1;
}

}  // namespace

Grid::Grid(Rational step)
    : step_(std::move(step)),
      steps_per_unit_(step_.Inverse().ToDoubleDown()),
      binary_(IsPowerOf(2, step_.numerator() * step_.denominator())) {}

Result<Grid> Grid::Create(const Rational& step) {
  const mpz_class whole = step.numerator() * step.denominator();  // one of them is 1
  const bool small =
      step.sign() > 0 && step >= Rational::PowerOfTwo(-1000) && step <= Rational::PowerOfTwo(1000);
  if (!small || (step.numerator() != 1 && step.denominator() != 1) ||
      (!IsPowerOf(2, whole) && !IsPowerOf(10, whole))) {
    return Error{.code = Code::kUsage,
                 .message = "a grid step must be a power of two or of ten",
                 .hint = "for example 1, 0.01 or 1/1024."};
  }
  return Grid(step);
}

Result<Grid> Grid::ForRange(const Rational& low, const Rational& high) {
  if (low >= high) {
    return Error{.code = Code::kUsage, .message = "the lower bound must be below the upper bound"};
  }
  const Rational finest = (high - low) * Rational::PowerOfTwo(-30);
  int exponent = static_cast<int>(mpz_sizeinbase(finest.numerator().get_mpz_t(), 2)) -
                 static_cast<int>(mpz_sizeinbase(finest.denominator().get_mpz_t(), 2));
  if (Rational::PowerOfTwo(exponent) > finest) --exponent;
  return Create(Rational::PowerOfTwo(exponent));
}

std::optional<int64_t> Grid::StepsOf(double x) const {
  if (!std::isfinite(x)) return std::nullopt;
  return static_cast<int64_t>(
      std::nearbyint(std::clamp(x * steps_per_unit_, -kStepsMax, kStepsMax)));
}

double Grid::ValueOf(Int128 steps) const {
  const Rational exact = Rational::FromInt128(steps) * step_;
  mpfr_t value;
  mpfr_init2(value, 53);
  mpfr_set_q(value, exact.value().get_mpq_t(), MPFR_RNDN);
  const double nearest = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return nearest;
}

}  // namespace tacet
