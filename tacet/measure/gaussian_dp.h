// SPDX-License-Identifier: Apache-2.0
// Gaussian loss mu: what is no easier to tell apart than N(0, 1) and N(mu, 1). Squares of mu add
// up, so composition is exact, and (epsilon, delta) follow in closed form:
//
//   delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
//
// Proof: docs/proofs/gaussian.md.
#pragma once

#include <optional>

#include "tacet/measure/amount.h"
#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/step.h"

namespace tacet {

// An amount of Gaussian loss. Kept as mu^2, which is rational where sigma and sensitivity are.
class Mu {
 public:
  Mu() = default;
  // Fails if `value` is negative.
  static Result<Mu> Create(const Rational& value);
  // Fails if `square` = mu^2 is negative.
  static Result<Mu> FromSquare(Rational square);

  const Rational& square() const { return square_; }
  bool is_zero() const { return square_.sign() == 0; }
  Interval Enclosure(mpfr_prec_t precision) const;

  // The composition of both: sqrt(a^2 + b^2).
  friend Mu operator+(const Mu& a, const Mu& b) { return Mu(a.square_ + b.square_); }
  friend bool operator==(const Mu& a, const Mu& b) { return a.square_ == b.square_; }
  friend std::strong_ordering operator<=>(const Mu& a, const Mu& b) {
    return a.square_ <=> b.square_;
  }

 private:
  explicit Mu(Rational square) : square_(std::move(square)) {}

  Rational square_;
};

// The mu of all steps together; nothing unless all of them are unsampled Gaussian noise.
std::optional<Mu> GaussianMu(const DeclaredSequence& sequence);

// delta(epsilon), to some 30 digits, also where it is as small as 10^-300 or mu is.
Interval GaussianDelta(const Rational& epsilon, const Mu& mu);

// Encloses the least epsilon with delta(epsilon) <= delta, to a relative width of 10^-9. Stops the
// process unless 0 < delta < 1.
LossBounds GaussianEpsilon(const Mu& mu, const Rational& delta);

// The largest mu that is certainly within (epsilon, delta), up to a factor of 1 - 10^-9. Fails
// unless epsilon > 0 and 0 < delta < 1.
// Guarantee: what is mu-Gaussian for the returned mu is (epsilon, delta)-private.
Result<Mu> MuBudget(const Epsilon& epsilon, const Delta& delta);

}  // namespace tacet
