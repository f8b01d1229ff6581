// SPDX-License-Identifier: Apache-2.0
// The privacy curve of Gaussian noise, continuous and discrete, and the noise that a target needs.
//
// All results are certified: enclosures contain the exact value, and a sigma that is returned has
// been shown to keep the target, rounding included.
//
// Proof: docs/proofs/gaussian.md.
#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "tacet/base/interval.h"
#include "tacet/measure/amount.h"

namespace tacet {

// delta(epsilon) of continuous Gaussian noise at sensitivity 1. Stops the process unless sigma > 0.
Interval GaussianDelta(const Rational& epsilon, const Rational& sigma);

// delta(epsilon) of discrete Gaussian noise on the integers for two inputs `sensitivity` apart; the
// same in both orders, and no less than for inputs closer to each other. Unlike the continuous
// curve it is not monotone in sigma. Stops the process unless sigma_squared > 0 and sensitivity
// >= 1.
Interval DiscreteGaussianDelta(const Rational& epsilon, const Rational& sigma_squared,
                               int64_t sensitivity);

// P[Z >= from] of discrete Gaussian noise on the integers. Stops the process unless
// sigma_squared > 0.
Interval DiscreteGaussianTail(const mpz_class& from, const Rational& sigma_squared);

// The least sigma, up to a factor of 1 + 10^-10, with which continuous Gaussian noise at
// sensitivity 1 is (epsilon, delta)-private. Never below the exact calibration.
// Fails unless 10^-6 <= epsilon <= 100 and 10^-300 <= delta <= 1/2.
Result<Rational> GaussianSigma(const Epsilon& epsilon, const Delta& delta);

// A sigma with which discrete Gaussian noise on the integers is (epsilon, delta)-private at the
// given sensitivity; just above one with which it is not. Same range; fails too if that sigma would
// be outside the sampler's range.
Result<Rational> DiscreteGaussianSigma(const Epsilon& epsilon, const Delta& delta,
                                       int64_t sensitivity);

// 2 sqrt(ln(1/delta))/epsilon, the textbook bound: about twice what is needed. Fails unless
// 0 < epsilon <= 1 and 0 < delta <= 1/10, where it is enough.
Result<Rational> ClassicalGaussianSigma(const Epsilon& epsilon, const Delta& delta);

namespace internal {

// The sum of e^(-z^2 / (2 sigma_squared)) over z >= from: term by term, and by the Euler-Maclaurin
// formula, whose enclosure is sharp where sigma is large and from / sigma^2 is not.
Interval TailSumByTerms(const mpz_class& from, const Rational& sigma_squared);
Interval TailSumByIntegral(const mpz_class& from, const Rational& sigma_squared);

}  // namespace internal

}  // namespace tacet
