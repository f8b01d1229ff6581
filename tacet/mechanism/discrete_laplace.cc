// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/discrete_laplace.h"

#include "tacet/mechanism/add_noise.h"

namespace tacet {

DiscreteLaplace::DiscreteLaplace(Rational scale, NoiseSampler sampler)
    : scale_(std::move(scale)),
      sampler_(std::make_shared<const NoiseSampler>(std::move(sampler))) {}

Result<DiscreteLaplace> DiscreteLaplace::Create(Rational scale) {
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteLaplace(scale));
  return DiscreteLaplace(std::move(scale), std::move(sampler));
}

Result<PrivacyLoss> DiscreteLaplace::Loss(const Rational& sensitivity_l1) const {
  const Rational ratio = sensitivity_l1 / scale_;
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(ratio));
  return PrivacyLoss{.epsilon = epsilon,
                     .rho = RhoOfPure({.linear = ratio}),
                     .law = DiscreteLaplaceLoss{scale_, sensitivity_l1}};
}

Result<Int128> DiscreteLaplace::Release(Int128 exact, Entropy& entropy) const {
  return internal::AddNoise(exact, *sampler_, entropy);
}

Result<std::vector<Int128>> DiscreteLaplace::Release(std::span<const Int128> exact,
                                                     Entropy& entropy) const {
  return internal::AddNoise(exact, *sampler_, entropy);
}

}  // namespace tacet
