// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/loss_distribution.h"

#include <algorithm>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

Error Senseless(std::string what, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

// max(0, x).
Interval PositivePart(const Interval& x) {
  if (mpfr_sgn(x.low()) >= 0) return x;
  const Interval zero(Rational(0), x.precision());
  if (mpfr_sgn(x.high()) <= 0) return zero;
  return Hull(zero, Interval(x.High(), x.precision()));
}

Rational Power(const Rational& base, uint64_t exponent) {
  mpq_class power;
  mpz_pow_ui(power.get_num_mpz_t(), base.value().get_num_mpz_t(), exponent);
  mpz_pow_ui(power.get_den_mpz_t(), base.value().get_den_mpz_t(), exponent);
  return Rational(power);
}

Interval Power(const Interval& base, uint64_t exponent) {
  Interval power(Rational(1), base.precision());
  Interval square = base;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = power * square;
    square = square * square;
  }
  return power;
}

}  // namespace

Result<ExactLoss> ExactLoss::Parse(std::string_view text) {
  ExactLoss loss;
  if (text.starts_with("ln(") && text.ends_with(")")) {
    TACET_TRY(loss.ratio, Rational::Parse(text.substr(3, text.size() - 4)));
    if (loss.ratio < Rational(1)) return Senseless("epsilon = ln(r) needs r >= 1");
    return loss;
  }
  TACET_TRY(loss.linear, Rational::Parse(text));
  if (loss.linear.sign() < 0) return Senseless("epsilon must not be negative");
  return loss;
}

Interval ExactLoss::Enclosure(mpfr_prec_t precision) const {
  const Interval exact(linear, precision);
  return ratio == Rational(1) ? exact : exact + Log(Interval(ratio, precision));
}

Interval ExactLoss::Exponential(mpfr_prec_t precision) const {
  const Interval exact(ratio, precision);
  return linear.sign() == 0 ? exact : exact * Exp(Interval(linear, precision));
}

ExactLoss ExactLoss::Times(int64_t factor) const {
  const auto size = static_cast<uint64_t>(factor < 0 ? -factor : factor);
  const Rational power = ratio == Rational(1) ? ratio : Power(ratio, size);
  return {.linear = linear * Rational(factor), .ratio = factor < 0 ? power.Inverse() : power};
}

std::string ExactLoss::ToString() const {
  if (ratio == Rational(1)) return linear.ToString();
  const std::string logarithm = "ln(" + ratio.ToString() + ")";
  return linear.sign() == 0 ? logarithm : linear.ToString() + " + " + logarithm;
}

std::strong_ordering operator<=>(const ExactLoss& a, const ExactLoss& b) {
  if (a.linear == b.linear) return a.ratio <=> b.ratio;
  if (a.ratio == b.ratio) return a.linear <=> b.linear;
  // a <=> b where a.linear - b.linear <=> ln(b.ratio / a.ratio).
  const Rational difference = a.linear - b.linear;
  const Rational quotient = b.ratio / a.ratio;
  for (mpfr_prec_t precision = 64;; precision *= 2) {
    const Interval logarithm = Log(Interval(quotient, precision));
    if (logarithm.CertainlyAtMost(difference)) return std::strong_ordering::greater;
    if (logarithm.CertainlyAtLeast(difference)) return std::strong_ordering::less;
  }
}

LossDistribution::LossDistribution(std::vector<Atom> atoms, Interval infinite)
    : infinite_(std::move(infinite)) {
  std::sort(atoms.begin(), atoms.end(),
            [](const Atom& a, const Atom& b) { return a.loss < b.loss; });
  for (Atom& atom : atoms) {
    if (!atoms_.empty() && atoms_.back().loss == atom.loss) {
      atoms_.back().probability += atom.probability;
    } else {
      atoms_.push_back(std::move(atom));
    }
  }
}

std::optional<ExactLoss> LossDistribution::Worst() const {
  if (CanBeInfinite() || atoms_.empty()) return std::nullopt;
  return atoms_.back().loss;
}

std::optional<Interval> LossDistribution::Expected() const {
  if (CanBeInfinite()) return std::nullopt;
  Interval sum = Exact(Rational(0));
  for (const Atom& atom : atoms_) sum += atom.probability * atom.loss.Enclosure(kPrecision);
  return sum;
}

Interval LossDistribution::Delta(const ExactLoss& epsilon) const {
  Interval sum = TACET_FAULT(loss_infinite_dropped) ? Exact(Rational(0)) : infinite_;
  const Interval one = Exact(Rational(1));
  for (auto atom = atoms_.rbegin(); atom != atoms_.rend() && atom->loss > epsilon; ++atom) {
    const ExactLoss excess = {.linear = epsilon.linear - atom->loss.linear,
                              .ratio = epsilon.ratio / atom->loss.ratio};
    sum += atom->probability * PositivePart(one - excess.Exponential(kPrecision));
  }
  return sum;
}

Interval LossDistribution::Tail(const ExactLoss& epsilon) const {
  Interval sum = infinite_;
  for (auto atom = atoms_.rbegin(); atom != atoms_.rend() && atom->loss > epsilon; ++atom) {
    sum += atom->probability;
  }
  return sum;
}

Result<LossDistribution> LeakyLoss(const ExactEpsilon& epsilon, const Rational& delta,
                                   uint64_t uses) {
  if (!epsilon.CertainlyPositive()) return Senseless("epsilon must be positive");
  if (delta.sign() < 0 || delta >= Rational(1)) return Senseless("delta must be in [0, 1)");
  if (uses == 0 || uses >= kLossValuesMax) {
    return Senseless("the number of uses must be from 1 to " + std::to_string(kLossValuesMax - 1));
  }
  // 1 - (1 - delta)^uses cancels as many digits as delta has zeros.
  const auto zeros = static_cast<mpfr_prec_t>(mpz_sizeinbase(delta.denominator().get_mpz_t(), 2));
  const Interval kept = Power(Interval(Rational(1) - delta, kPrecision + zeros), uses);
  const Interval one(Rational(1), kPrecision + zeros);
  const Interval infinite = delta.sign() == 0 ? Exact(Rational(0)) : PositivePart(one - kept);

  // `lies` of the uses answer as the other input would: C(uses, lies) truth^(uses-lies) lie^lies.
  const ExactLoss loss = ExactLoss::Of(epsilon);
  const Interval ratio = loss.Exponential(kPrecision);
  const Interval truth = ratio / (Exact(Rational(1)) + ratio);
  Interval probability = kept * Power(truth, uses);
  std::vector<LossDistribution::Atom> atoms;
  for (uint64_t lies = 0; lies <= uses; ++lies) {
    const auto surplus = static_cast<int64_t>(uses) - 2 * static_cast<int64_t>(lies);
    atoms.push_back({loss.Times(surplus), probability});
    if (lies == uses) break;
    const Rational odds(static_cast<int64_t>(uses - lies), static_cast<int64_t>(lies + 1));
    probability = probability * Exact(odds) / ratio;
  }
  return LossDistribution(std::move(atoms), infinite);
}

Result<LossDistribution> DiscreteLaplaceLossDistribution(const Rational& scale,
                                                         uint64_t sensitivity) {
  if (scale.sign() <= 0) return Senseless("the scale must be positive");
  if (sensitivity == 0 || sensitivity >= kLossValuesMax) {
    return Senseless("the sensitivity must be from 1 to " + std::to_string(kLossValuesMax - 1));
  }
  const auto s = static_cast<int64_t>(sensitivity);
  const Interval one = Exact(Rational(1));
  const auto fall = [&](int64_t steps) { return Exp(Exact(-Rational(steps) / scale)); };
  const Interval whole = one + fall(1);
  std::vector<LossDistribution::Atom> atoms;
  atoms.push_back({{.linear = Rational(s) / scale}, one / whole});  // noise of at most 0
  for (int64_t z = 1; z < s; ++z) {
    atoms.push_back({{.linear = Rational(s - 2 * z) / scale}, (one - fall(1)) / whole * fall(z)});
  }
  atoms.push_back({{.linear = Rational(-s) / scale}, fall(s) / whole});  // of at least s
  return LossDistribution(std::move(atoms), Exact(Rational(0)));
}

}  // namespace tacet
