// SPDX-License-Identifier: Apache-2.0
// What a stranger's program looks like: one noisy count.
#include <cstdio>
#include <string>

#include "tacet/base/version.h"
#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/sampler/entropy.h"

int main() {
  const auto mechanism = tacet::DiscreteLaplace::Create(tacet::Rational(10));
  if (!mechanism.ok()) return 1;
  tacet::SystemEntropy entropy;
  const auto noisy = mechanism->Release(42, entropy);
  if (!noisy.ok()) return 1;
  std::printf("tacet %s: %s\n", tacet::kVersion, tacet::ToString(*noisy).c_str());
  return 0;
}
