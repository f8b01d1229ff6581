// SPDX-License-Identifier: Apache-2.0
// What a mechanism says of its privacy loss.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "tacet/measure/amount.h"

namespace tacet {

// Laws of the loss that an accountant can compose exactly. Sensitivities are in the units of the
// noise.
struct ResponseLoss {  // k-ary randomized response
  ExactEpsilon epsilon;
  uint64_t categories;
};
struct DiscreteLaplaceLoss {
  Rational scale;
  Rational sensitivity_l1;
};
struct DiscreteGaussianLoss {
  Rational sigma_squared;
  Rational sensitivity_l2_squared;
};
struct PureLoss {  // anything that is epsilon-private; randomized response is the worst of them
  ExactEpsilon epsilon;
};
using LossLaw = std::variant<ResponseLoss, DiscreteLaplaceLoss, DiscreteGaussianLoss, PureLoss>;

// A handle for accountants: bounds in both currencies, and the law itself.
struct PrivacyLoss {
  std::optional<Epsilon> epsilon;  // absent where no pure bound exists
  Rho rho;
  LossLaw law;
};

}  // namespace tacet
