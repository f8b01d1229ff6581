// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/discrete_gaussian.h"

#include "tacet/measure/gaussian.h"
#include "tacet/mechanism/add_noise.h"

namespace tacet {

DiscreteGaussian::DiscreteGaussian(Rational sigma_squared, NoiseSampler sampler)
    : sigma_squared_(std::move(sigma_squared)),
      sampler_(std::make_shared<const NoiseSampler>(std::move(sampler))) {}

Result<DiscreteGaussian> DiscreteGaussian::Create(Rational sigma_squared) {
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteGaussian(sigma_squared));
  return DiscreteGaussian(std::move(sigma_squared), std::move(sampler));
}

Result<PrivacyLoss> DiscreteGaussian::Loss(const Rational& sensitivity_l2_squared) const {
  TACET_TRY(const Rho rho, Rho::Create(sensitivity_l2_squared / (Rational(2) * sigma_squared_)));
  return PrivacyLoss{.epsilon = std::nullopt,
                     .rho = rho,
                     .law = DiscreteGaussianLoss{sigma_squared_, sensitivity_l2_squared}};
}

Result<Delta> DiscreteGaussian::DeltaAt(const Epsilon& epsilon, int64_t sensitivity) const {
  if (sensitivity < 1) {
    return Error{.code = Code::kUsage, .message = "the sensitivity must be at least 1"};
  }
  return Delta::FromAbove(DiscreteGaussianDelta(epsilon.value(), sigma_squared_, sensitivity));
}

Result<Int128> DiscreteGaussian::Release(Int128 exact, Entropy& entropy) const {
  return internal::AddNoise(exact, *sampler_, entropy);
}

Result<std::vector<Int128>> DiscreteGaussian::Release(std::span<const Int128> exact,
                                                      Entropy& entropy) const {
  return internal::AddNoise(exact, *sampler_, entropy);
}

}  // namespace tacet
