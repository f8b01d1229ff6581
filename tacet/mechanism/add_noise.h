// SPDX-License-Identifier: Apache-2.0
// What the adding mechanisms share.
#pragma once

#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/noise_sampler.h"

namespace tacet::internal {

// `exact` plus independent noise, saturating at the ends of Int128.
inline Result<std::vector<Int128>> AddNoise(std::span<const Int128> exact,
                                            const NoiseSampler& sampler, Entropy& entropy) {
  return Draw(entropy, [&](Coins& coins) {
    std::vector<Int128> noisy(exact.size());
    sampler.Sample(noisy, coins);
    for (size_t i = 0; i < exact.size(); ++i) noisy[i] = SaturatingAdd(exact[i], noisy[i]);
    return noisy;
  });
}

inline Result<Int128> AddNoise(Int128 exact, const NoiseSampler& sampler, Entropy& entropy) {
  return Draw(entropy, [&](Coins& coins) { return SaturatingAdd(exact, sampler.Sample(coins)); });
}

}  // namespace tacet::internal
