// SPDX-License-Identifier: Apache-2.0
// Which noise an aggregate gets, what that costs, and how far it reaches.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/measure/budget.h"
#include "tacet/measure/cost.h"
#include "tacet/mechanism/discrete_gaussian.h"
#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/plan/sensitivity.h"

namespace tacet {

// What a query may spend, in one currency.
struct Price {
  bool is_pure = true;
  Epsilon epsilon;   // a pure query adds this; another one may spend rho = epsilon^2 / 2
  Delta delta = {};  // for keys that are selected privately, and for nothing else
  // How much of epsilon, or else of rho, a SELECT may spend that is one of several.
  Rational share = Rational(1);

  // What may be spent: epsilon of a pure query, else rho.
  Rational Amount() const {
    const Rational& all = epsilon.value();
    return share * (is_pure ? all : all * all / Rational(2));
  }
};

// Integer noise for all groups of one aggregate. A value.
class Noise {
 public:
  // A share `part` of the price, in (0, 1]. Laplace under a pure budget; otherwise Laplace or
  // Gaussian, whichever reaches less far. Fails with Code::kUnsupported if the noise would be out
  // of the sampler's range.
  static Result<Noise> Choose(const Price& price, const Rational& part,
                              const Sensitivity& sensitivity);

  // Of `variance`, in steps. Fails as Choose does.
  static Result<Noise> Gaussian(const Rational& variance, const Sensitivity& sensitivity);

  bool is_laplace() const { return std::holds_alternative<DiscreteLaplace>(law_); }
  // Of Laplace noise the scale, of Gaussian noise the variance; in steps.
  const Rational& parameter() const;
  // Guarantee: releasing every group with this noise costs at most that.
  const PrivacyLoss& loss() const { return loss_; }

  Result<std::vector<Int128>> Release(std::span<const Int128> exact, Entropy& entropy) const;

  // The scale, or the standard deviation, as a double: for margins, which are public.
  double spread() const;

 private:
  using Law = std::variant<DiscreteLaplace, DiscreteGaussian>;
  Noise(Law law, PrivacyLoss loss) : law_(std::move(law)), loss_(std::move(loss)) {}
  static Result<Noise> Laplace(const Rational& scale, const Sensitivity& sensitivity);

  Law law_;
  PrivacyLoss loss_;
};

}  // namespace tacet
