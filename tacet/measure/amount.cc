// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/amount.h"

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 128;

Error Senseless(const char* what) { return {.code = Code::kUsage, .message = what}; }

Rational NotNegative(Rational value) {
  TACET_CHECK(value.sign() >= 0);
  return value;
}

}  // namespace

Result<Epsilon> Epsilon::Create(Rational value) {
  if (value.sign() < 0) return Senseless("epsilon must not be negative");
  return Epsilon(std::move(value));
}

Epsilon Epsilon::FromAbove(const Interval& enclosure) {
  return Epsilon(NotNegative(enclosure.High()));
}

Result<Delta> Delta::Create(Rational value) {
  if (value.sign() < 0 || value > Rational(1)) return Senseless("delta must be in [0, 1]");
  return Delta(std::move(value));
}

Delta Delta::FromAbove(const Interval& enclosure) {
  constexpr int kTinyExponent = -1100;
  if (mpfr_sgn(enclosure.high()) <= 0) return Delta();
  if (mpfr_cmp_ui(enclosure.high(), 1) >= 0) return Delta(Rational(1));
  if (mpfr_cmp_ui_2exp(enclosure.high(), 1, kTinyExponent) < 0) {
    return Delta(Rational::PowerOfTwo(kTinyExponent));
  }
  return Delta(enclosure.High());
}

Result<Rho> Rho::Create(Rational value) {
  if (value.sign() < 0) return Senseless("rho must not be negative");
  return Rho(std::move(value));
}

Rho Rho::FromAbove(const Interval& enclosure) { return Rho(NotNegative(enclosure.High())); }

Result<ExactEpsilon> ExactEpsilon::Parse(std::string_view text) {
  ExactEpsilon epsilon;
  if (text.starts_with("ln(") && text.ends_with(")")) {
    TACET_TRY(epsilon.ratio, Rational::Parse(text.substr(3, text.size() - 4)));
    if (epsilon.ratio <= Rational(1)) return Senseless("epsilon = ln(r) needs r > 1");
    return epsilon;
  }
  TACET_TRY(epsilon.linear, Rational::Parse(text));
  if (epsilon.linear.sign() <= 0) return Senseless("epsilon must be positive");
  return epsilon;
}

Interval ExactEpsilon::Enclosure(mpfr_prec_t precision) const {
  const Interval exact(linear, precision);
  return ratio == Rational(1) ? exact : exact + Log(Interval(ratio, precision));
}

bool ExactEpsilon::CertainlyPositive() const {
  return ratio.sign() > 0 && Enclosure(kPrecision).CertainlyPositive();
}

Epsilon ExactEpsilon::Amount() const {
  if (ratio == Rational(1)) return *Epsilon::Create(linear);
  return Epsilon::FromAbove(Enclosure(kPrecision));
}

std::string ExactEpsilon::ToString() const {
  if (ratio == Rational(1)) return linear.ToString();
  const std::string logarithm = "ln(" + ratio.ToString() + ")";
  return linear.sign() == 0 ? logarithm : linear.ToString() + " + " + logarithm;
}

Rho RhoOfPure(const ExactEpsilon& epsilon) {
  const Interval enclosure = epsilon.Enclosure(kPrecision);
  const Interval rho = enclosure * Tanh(enclosure * Interval(Rational(1, 2), kPrecision));
  if (TACET_FAULT(rho_rounded_down)) return *Rho::Create(rho.Low());
  return Rho::FromAbove(rho);
}

}  // namespace tacet
