// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/grid_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tacet/measure/gaussian.h"

namespace tacet::internal {
namespace {

Rational R(const char* text) { return *Rational::Parse(text); }

GridLaw LawOf(const Step& step, PairOrder order, const Rational& grid_step, double tail = 1e-25) {
  const Result<LossPair> pair =
      MakeLossPair(step.law, CutFor(step, order, tail, tail), size_t{1} << 16);
  return *MakeGridLaw(step, order, *pair, Interval(grid_step, kGridBits), size_t{1} << 16);
}

long double NearLong(const Interval& value) { return mpfr_get_ld(value.low(), MPFR_RNDN); }

struct Pair {
  long double lower;
  long double upper;
};

// delta(epsilon) of a law on a grid, nearly.
Pair DeltaOf(const GridLaw& law, const Rational& grid_step, long double epsilon) {
  Pair sums{NearLong(law.infinite_lower), NearLong(law.infinite_upper)};
  for (size_t i = 0; i < law.upper.size(); ++i) {
    const long double loss =
        NearLong(law.offset) + NearLong(Interval(grid_step, kGridBits)) *
                                   static_cast<long double>(law.first + static_cast<int64_t>(i));
    const long double weight = std::fmax(0.0L, -std::expm1(epsilon - loss));
    sums.upper += weight * static_cast<long double>(law.upper[i]);
    sums.lower += weight * static_cast<long double>(law.lower[i]);
  }
  return sums;
}

// delta(epsilon) of the pair before sampling, for any epsilon.
using Curve = std::function<long double(long double)>;

// `both` also for epsilon < 0: delta(-e) = 1 - e^-e + e^-e delta'(e) of the other order, which is
// the same for these.
long double Extended(const Curve& curve, long double epsilon) {
  if (epsilon >= 0) return curve(epsilon);
  return -std::expm1(epsilon) + std::exp(epsilon) * curve(-epsilon);
}

long double LaplaceCurve(long double epsilon0, long double epsilon) {
  return epsilon >= epsilon0 ? 0 : -std::expm1((epsilon - epsilon0) / 2);
}

long double GaussianCurve(long double mu, long double epsilon) {
  return (std::erfc((epsilon / mu - mu / 2) / std::sqrt(2.0L)) -
          std::exp(epsilon) * std::erfc((epsilon / mu + mu / 2) / std::sqrt(2.0L))) /
         2;
}

// Sampling at `rate`: the larger law first, and second.
long double Sampled(const Curve& curve, long double rate, PairOrder order, long double epsilon) {
  if (order == PairOrder::kRemove) {
    // sup of (1 - q) Q + q P - a Q over events: q times that of P - (a - 1 + q) / q Q.
    const long double ratio = 1 + std::expm1(epsilon) / rate;
    if (ratio <= 0) return std::fmax(0.0L, -std::expm1(epsilon));
    return rate * Extended(curve, std::log(ratio));
  }
  // Q - a ((1 - q) Q + q P) is (1 - a (1 - q)) (Q - b P), b = a q / (1 - a (1 - q)).
  const long double scale = 1 - std::exp(epsilon) * (1 - rate);
  if (scale <= 0) return 0;
  return scale * Extended(curve, epsilon + std::log(rate) - std::log(scale));
}

void ExpectBetween(const Step& step, PairOrder order, const Rational& grid_step, const Curve& exact,
                   double slack) {
  const GridLaw law = LawOf(step, order, grid_step);
  for (const double epsilon :
       {-0.5, -0.2, -0.03, -0.001, 0.0, 0.004, 0.03, 0.08, 0.15, 0.4, 1.0, 2.0, 3.5}) {
    const Pair sums = DeltaOf(law, grid_step, epsilon);
    const long double truth = exact(epsilon);
    const long double rounding = 1e-16L;
    EXPECT_GE(sums.upper, truth - rounding) << StepText(step) << " " << epsilon;
    EXPECT_LE(sums.lower, truth + rounding) << StepText(step) << " " << epsilon;
    EXPECT_LE(sums.upper - sums.lower, slack) << StepText(step) << " " << epsilon;
  }
}

TEST(GridLaw, EnclosesCurvesOfLaplaceNoise) {
  const Curve curve = [](long double epsilon) { return LaplaceCurve(0.1L, epsilon); };
  const Step step{LaplaceStep{R("10")}};
  for (const char* grid_step : {"1/50", "1/500", "1/3000"}) {
    const double h = R(grid_step).ToDouble();
    ExpectBetween(
        step, PairOrder::kRemove, R(grid_step), [&](long double e) { return Extended(curve, e); },
        h * h / 2);
  }
  // A grid that misses the atom below.
  ExpectBetween(
      step, PairOrder::kRemove, R("1/707"), [&](long double e) { return Extended(curve, e); },
      1.0 / 707);
}

TEST(GridLaw, EnclosesCurvesOfGaussianNoise) {
  for (const char* sigma : {"1/2", "1", "4", "40"}) {
    const long double mu = 1 / static_cast<long double>(R(sigma).ToDouble());
    const Curve curve = [&](long double epsilon) { return GaussianCurve(mu, epsilon); };
    // Narrow cells by one rule, wide ones by another.
    for (const Rational& part : {Rational(1, 100), Rational(1, 20), Rational(1, 3)}) {
      const Rational grid_step = part / R(sigma);
      const double h = part.ToDouble();
      ExpectBetween(
          {GaussianStep{R(sigma)}}, PairOrder::kRemove, grid_step,
          [&](long double e) { return Extended(curve, e); },
          grid_step.ToDouble() * h + 0.1 * h * h);
    }
  }
}

TEST(GridLaw, EnclosesCurvesOfSampledNoiseInBothOrders) {
  const Curve laplace = [](long double epsilon) { return LaplaceCurve(1, epsilon); };
  const Curve gaussian = [](long double epsilon) { return GaussianCurve(1, epsilon); };
  for (const PairOrder order : {PairOrder::kRemove, PairOrder::kAdd}) {
    for (const char* rate : {"1/100", "1/4", "9/10"}) {
      const long double q = static_cast<long double>(R(rate).ToDouble());
      ExpectBetween(
          {LaplaceStep{R("1")}, R(rate)}, order, R("1/200"),
          [&](long double e) { return Sampled(laplace, q, order, e); }, 0.005);
      ExpectBetween(
          {GaussianStep{R("1")}, R(rate)}, order, R("1/100"),
          [&](long double e) { return Sampled(gaussian, q, order, e); }, 0.01);
    }
  }
}

TEST(GridLaw, EnclosesTheDiscreteGaussianOnItsGridAndOffIt) {
  for (const char* grid_step : {"1/9", "1/18", "1/100"}) {
    const GridLaw law = LawOf({DiscreteGaussianStep{R("3")}}, PairOrder::kRemove, R(grid_step));
    for (const char* epsilon : {"0", "1/10", "1/3", "1", "3/2"}) {
      const Pair sums = DeltaOf(law, R(grid_step), static_cast<long double>(R(epsilon).ToDouble()));
      const long double truth = NearLong(DiscreteGaussianDelta(R(epsilon), Rational(9), 1));
      EXPECT_GE(sums.upper, truth - 1e-16L);
      EXPECT_LE(sums.lower, truth + 1e-16L);
    }
  }
}

TEST(GridLaw, CountsTheTailsThatItCutsOff) {
  const GridLaw law = LawOf({GaussianStep{R("1")}}, PairOrder::kRemove, R("1/50"), 1e-3);
  for (const double epsilon : {3.0, 3.5, 4.0}) {
    const Pair sums = DeltaOf(law, R("1/50"), epsilon);
    EXPECT_GE(sums.upper, GaussianCurve(1, epsilon));
    EXPECT_LE(sums.lower, GaussianCurve(1, epsilon));
  }
}

TEST(GridLaw, RoundsMassesOutwards) {
  for (int64_t n = 1; n <= 20; ++n) {
    const Rational epsilon(n, 7);
    const GridLaw law = LawOf({PureStep{{epsilon}}}, PairOrder::kRemove, Rational(2 * n, 7));
    ASSERT_EQ(law.upper.size(), 2U);
    const Interval one(Rational(1), kGridBits);
    const Interval truth = one / (one + Exp(-Interval(epsilon, kGridBits)));
    const Interval lie = one - truth;
    EXPECT_TRUE(truth.CertainlyAtMost(Rational::FromDouble(law.upper[1])));
    EXPECT_TRUE(truth.CertainlyAtLeast(Rational::FromDouble(law.lower[1])));
    EXPECT_TRUE(lie.CertainlyAtMost(Rational::FromDouble(law.upper[0])));
    EXPECT_TRUE(lie.CertainlyAtLeast(Rational::FromDouble(law.lower[0])));
    EXPECT_LE(law.upper[1] - law.lower[1], 0x1p-52);
  }
}

TEST(GridLaw, RefusesWhatWouldBeTooLarge) {
  const Step step{LaplaceStep{R("1")}};
  const Result<LossPair> pair = MakeLossPair(step.law, {}, 1000);
  const Interval tiny(R("1e-9"), kGridBits);
  EXPECT_FALSE(MakeGridLaw(step, PairOrder::kRemove, *pair, tiny, 1000).ok());
  EXPECT_FALSE(MakeLossPair(DiscreteGaussianStep{R("1000000")}, {}, 1000).ok());
  EXPECT_FALSE(MakeLossPair(DiscreteLaplaceStep{R("1"), R("5000")}, {}, 1000).ok());
  EXPECT_FALSE(MakeLossPair(ZcdpStep{R("1")}, {}, 1000).ok());
}

}  // namespace
}  // namespace tacet::internal
