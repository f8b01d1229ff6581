// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/noise.h"

#include <cmath>

#include "tacet/plan/margin.h"

namespace tacet {
namespace {

// The largest pure loss, up to one part in 2^40, whose concentrated loss is certainly within `rho`.
Rational PureWithin(const Rational& rho) {
  constexpr int kSteps = 42;
  const auto fits = [&](const Rational& epsilon) {
    return RhoOfPure({.linear = epsilon}).value() <= rho;
  };
  // Beyond these there is no noise that could be sampled, and doubles end.
  const Rational least = Rational::PowerOfTwo(-400);
  const Rational most = Rational::PowerOfTwo(400);
  if (rho < least) return rho;
  if (rho > most) return most;
  // A double, for those fit exactly: of other fractions the loss may be rounded up beyond rho.
  Rational low = Rational::FromDouble(rho.ToDoubleDown());  // tanh <= 1
  Rational high = low + Rational::FromDouble(2 * std::sqrt(2 * rho.ToDoubleUp()));
  for (int step = 0; step < kSteps; ++step) {
    const Rational middle = Rational::FromDouble(((low + high) / Rational(2)).ToDouble());
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

Error OutOfRange(const Error& from) {
  return {.code = Code::kUnsupported,
          .message = "the noise for this query is out of range",
          .hint = "ask with another epsilon, or ask the data owner for another grid.",
          .detail = from.message};
}

}  // namespace

Result<Noise> Noise::Laplace(const Rational& scale, const Sensitivity& sensitivity) {
  Result<DiscreteLaplace> law = DiscreteLaplace::Create(scale);
  if (!law.ok()) return OutOfRange(law.error());
  TACET_TRY(PrivacyLoss loss, law->Loss(sensitivity.l1));
  return Noise(*std::move(law), std::move(loss));
}

Result<Noise> Noise::Gaussian(const Rational& variance, const Sensitivity& sensitivity) {
  Result<DiscreteGaussian> law = DiscreteGaussian::Create(variance);
  if (!law.ok()) return OutOfRange(law.error());
  TACET_TRY(PrivacyLoss loss, law->Loss(sensitivity.l2_squared));
  return Noise(*std::move(law), std::move(loss));
}

Result<Noise> Noise::Choose(const Price& price, const Rational& part,
                            const Sensitivity& sensitivity) {
  if (price.epsilon.value().sign() <= 0 || part.sign() <= 0 || part > Rational(1)) {
    return Error{.code = Code::kUsage, .message = "epsilon must be greater than 0"};
  }
  const Rational amount = price.Amount() * part;
  if (price.is_pure) return Laplace(sensitivity.l1 / amount, sensitivity);
  const Rational& rho = amount;
  Result<Noise> gaussian = Gaussian(sensitivity.l2_squared / (Rational(2) * rho), sensitivity);
  Result<Noise> laplace = Laplace(sensitivity.l1 / PureWithin(rho), sensitivity);
  if (!laplace.ok()) return gaussian;
  if (!gaussian.ok()) return laplace;
  return Margin(*laplace, kMarginLevel) < Margin(*gaussian, kMarginLevel) ? laplace : gaussian;
}

const Rational& Noise::parameter() const {
  if (const auto* laplace = std::get_if<DiscreteLaplace>(&law_)) return laplace->scale();
  return std::get<DiscreteGaussian>(law_).sigma_squared();
}

double Noise::spread() const {
  const double value = parameter().ToDouble();
  return is_laplace() ? value : std::sqrt(value);
}

Result<std::vector<Int128>> Noise::Release(std::span<const Int128> exact, Entropy& entropy) const {
  return std::visit([&](const auto& law) { return law.Release(exact, entropy); }, law_);
}

}  // namespace tacet
