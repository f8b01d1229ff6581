// SPDX-License-Identifier: Apache-2.0
// Privacy loss as a random variable: ln P[o]/Q[o] where the output o is drawn from P.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/interval.h"
#include "tacet/measure/amount.h"

namespace tacet {

// A loss given exactly: linear + ln(ratio), of either sign. The ratio must be positive.
struct ExactLoss {
  Rational linear = Rational(0);
  Rational ratio = Rational(1);

  static ExactLoss Of(const ExactEpsilon& epsilon) { return {epsilon.linear, epsilon.ratio}; }
  // Reads `0`, a number or `ln(number)` with a number of at least 1. Fails if that is negative.
  static Result<ExactLoss> Parse(std::string_view text);

  Interval Enclosure(mpfr_prec_t precision) const;
  // e^loss.
  Interval Exponential(mpfr_prec_t precision) const;
  ExactLoss Times(int64_t factor) const;
  // `0`, `1/10`, `ln(3)` or `1/10 + ln(3)`.
  std::string ToString() const;

  friend bool operator==(const ExactLoss& a, const ExactLoss& b) = default;
  // Always decided: two losses are equal only if both their parts are, because e to the power of a
  // rational number other than 0 is not rational. Where they differ, enough digits tell.
  friend std::strong_ordering operator<=>(const ExactLoss& a, const ExactLoss& b);
};

// A loss with finitely many values, each exact, with enclosed probabilities. A value.
//
// Proof: docs/proofs/channel.md.
class LossDistribution {
 public:
  struct Atom {
    ExactLoss loss;
    Interval probability;
  };

  // Atoms of equal loss are put together. `infinite` is the probability of an output that Q never
  // gives: exactly 0 where there is none.
  LossDistribution(std::vector<Atom> atoms, Interval infinite);

  // In ascending order of the loss.
  const std::vector<Atom>& atoms() const { return atoms_; }
  const Interval& infinite() const { return infinite_; }
  bool CanBeInfinite() const { return mpfr_sgn(infinite_.high()) > 0; }

  // The largest loss of any output; none if it is infinite.
  std::optional<ExactLoss> Worst() const;
  // The expectation, which is the divergence of Kullback and Leibler; none if it is infinite.
  std::optional<Interval> Expected() const;
  // sup over events E of P[E] - e^epsilon Q[E] = E[max(0, 1 - e^(epsilon - loss))]. For this order
  // of P and Q only.
  Interval Delta(const ExactLoss& epsilon) const;
  // P[loss > epsilon]. Never less than Delta(epsilon), and often much more.
  Interval Tail(const ExactLoss& epsilon) const;

 private:
  std::vector<Atom> atoms_;
  Interval infinite_;
};

// How many values a distribution may have, so that work ends.
inline constexpr uint64_t kLossValuesMax = 10'000;

// The loss of `uses` times leaky randomized response (claim P7), which is the worst of all
// compositions of (epsilon, delta)-private mechanisms. It is the same in both orders. delta = 0 is
// plain randomized response. Fails unless epsilon > 0, 0 <= delta < 1 and
// 1 <= uses < kLossValuesMax.
Result<LossDistribution> LeakyLoss(const ExactEpsilon& epsilon, const Rational& delta,
                                   uint64_t uses = 1);

// The loss of discrete Laplace noise on the integers between inputs `sensitivity` apart; the same
// in both orders. Fails unless scale > 0 and 1 <= sensitivity < kLossValuesMax.
Result<LossDistribution> DiscreteLaplaceLossDistribution(const Rational& scale,
                                                         uint64_t sensitivity);

}  // namespace tacet
