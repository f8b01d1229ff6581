// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/renyi.h"

#include <gtest/gtest.h>

#include "tacet/measure/gaussian_dp.h"
#include "tacet/measure/optimal.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

const Rational kDigit = *Rational::Parse("1e-23");

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Interval At(const Rational& value) { return Interval(value, 256); }

DeclaredSequence Sequence(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

void ExpectEncloses(const Interval& found, const Rational& value) {
  EXPECT_LE(found.Low(), value * (Rational(1) + kDigit));
  EXPECT_GE(found.High(), value * (Rational(1) - kDigit));
  EXPECT_LE(found.High() - found.Low(), value * kDigit);
}

// a^x for any x.
Interval Power(const Interval& base, const Rational& exponent) {
  return Exp(At(exponent) * Log(base));
}

// ln(sum P^alpha Q^(1 - alpha)) / (alpha - 1) from two tables of masses.
Interval Divergence(const std::vector<Interval>& p, const std::vector<Interval>& q,
                    const Rational& alpha) {
  Interval sum = At(0);
  for (size_t i = 0; i < p.size(); ++i) {
    sum += Power(p[i], alpha) * Power(q[i], Rational(1) - alpha);
  }
  return Log(sum) / At(alpha - Rational(1));
}

TEST(RenyiDivergence, MatchesTheReference) {
  for (const auto& row : ReferenceRows("laplace_rdp")) {
    const Step step{.law = LaplaceStep{.scale = Number(row["inputs"]["eps0"]).Inverse()}};
    ExpectEncloses(RenyiDivergence(step, Number(row["inputs"]["alpha"])), Number(row["value"]));
  }
  for (const auto& row : ReferenceRows("rr_rdp")) {
    const Rational epsilon = Number(row["inputs"]["eps0"]);
    const Rational alpha = Number(row["inputs"]["alpha"]);
    ExpectEncloses(RenyiDivergence({.law = ResponseStep{{.linear = epsilon}}}, alpha),
                   Number(row["value"]));
    ExpectEncloses(RenyiDivergence({.law = PureStep{{.linear = epsilon}}}, alpha),
                   Number(row["value"]));
  }
}

TEST(RenyiDivergence, OfDiscreteLaplaceNoiseIsTheSumOverItsLaw) {
  for (const int shift : {1, 2, 5}) {
    for (const char* alpha : {"1.01", "2", "7.5"}) {
      const Rational scale = Exactly("3/2");
      // Outside of +-200 there is less than e^-130 of the law.
      std::vector<Interval> p;
      std::vector<Interval> q;
      const Interval decay = Exp(At(-scale.Inverse()));
      const Interval norm = (At(1) - decay) / (At(1) + decay);
      for (int z = -200; z <= 200; ++z) {
        p.push_back(norm * Exp(At(Rational(-std::abs(z)) / scale)));
        q.push_back(norm * Exp(At(Rational(-std::abs(z - shift)) / scale)));
      }
      const Interval slow = Divergence(p, q, Exactly(alpha));
      const Interval found =
          RenyiDivergence({.law = DiscreteLaplaceStep{scale, shift}}, Exactly(alpha));
      EXPECT_LE((found - slow).High(), Exactly("1e-40")) << shift << " " << alpha;
      EXPECT_GE((found - slow).Low(), Exactly("-1e-40")) << shift << " " << alpha;
    }
  }
}

// Randomized response on a sample, in both orders, from its table.
TEST(RenyiDivergence, OnASampleHoldsInBothOrdersAndBetweenWholeOnes) {
  for (const char* epsilon : {"1/10", "1", "4"}) {
    for (const char* rate : {"1/100", "1/3", "9/10"}) {
      const Interval truth = At(1) / (At(1) + Exp(At(-Exactly(epsilon))));
      const Interval lie = At(1) - truth;
      const Interval q = At(Exactly(rate));
      const std::vector<Interval> without = {lie, truth};
      const std::vector<Interval> with = {(At(1) - q) * lie + q * truth,
                                          (At(1) - q) * truth + q * lie};
      const Step step{.law = PureStep{{.linear = Exactly(epsilon)}}, .rate = Exactly(rate)};
      for (const char* order : {"1.5", "2", "2.5", "3", "10.9", "64"}) {
        SCOPED_TRACE(std::string(epsilon) + " " + rate + " " + order);
        const Rational alpha = Exactly(order);
        const Interval found = RenyiDivergence(step, alpha);
        const Interval remove = Divergence(with, without, alpha);
        const Interval add = Divergence(without, with, alpha);
        EXPECT_GE(found.High(), remove.Low());
        EXPECT_GE(found.High(), add.Low());
        if (alpha.is_integer()) {
          EXPECT_LE(found.Low(), remove.High());
          EXPECT_LE(found.High() - remove.Low(), found.High() * Exactly("1e-30"));
        }
      }
    }
  }
}

TEST(RenyiDivergence, OfASampleIsThatOfAllAtRateOne) {
  // Just below a rate of 1 the expansion must come to the same.
  const Rational almost = Rational(1) - Exactly("1e-30");
  for (const StepLaw& law :
       {StepLaw(LaplaceStep{.scale = 2}), StepLaw(GaussianStep{.sigma = 3}),
        StepLaw(DiscreteLaplaceStep{2, 3}), StepLaw(DiscreteGaussianStep{.sigma = 3})}) {
    const Interval whole = RenyiDivergence({.law = law}, 5);
    const Interval sampled = RenyiDivergence({.law = law, .rate = almost}, 5);
    EXPECT_LE((whole - sampled).High(), Exactly("1e-25"));
    EXPECT_GE((whole - sampled).Low(), Exactly("-1e-25"));
  }
}

TEST(RenyiEpsilon, HoldsAsManyAnswersAsTheReferenceSays) {
  int rows = 0;
  for (const auto& row : ReferenceRows("filter_capacity")) {
    if (row["inputs"]["rule"] != "RDP filter with exact RR curve") continue;
    ++rows;
    const auto most = row["value"].get<uint64_t>();
    const StepLaw law = ResponseStep{{.linear = Number(row["inputs"]["eps_query"])}};
    const Rational budget = Number(row["inputs"]["budget_eps"]);
    const Rational delta = Number(row["inputs"]["delta"]);
    EXPECT_LE(RenyiEpsilon(Sequence({{.law = law, .count = most}}), delta)->High(), budget);
    EXPECT_GT(RenyiEpsilon(Sequence({{.law = law, .count = most + 1}}), delta)->Low(), budget);
  }
  EXPECT_EQ(rows, 1);
}

TEST(RenyiEpsilon, IsNeverBelowTheTruth) {
  for (const char* delta : {"1/10", "1e-6", "1e-30"}) {
    for (const uint64_t count : {1u, 30u, 10000u}) {
      const Rational at = Exactly(delta);
      const DeclaredSequence pure = Sequence({{.law = PureStep{{.linear = 1}}, .count = count}});
      EXPECT_GE(RenyiEpsilon(pure, at)->High(),
                Rational::FromDouble(OptimalEpsilon(*BoundedSteps(pure), at)->lower));
      const DeclaredSequence noise = Sequence({{.law = GaussianStep{.sigma = 10}, .count = count}});
      EXPECT_GE(RenyiEpsilon(noise, at)->High(),
                Rational::FromDouble(GaussianEpsilon(*GaussianMu(noise), at).lower));
      const auto found = RenyiDelta(noise, 5);
      EXPECT_EQ(found.has_value(), count < 10000u);
      if (found) {
        EXPECT_GE(found->High(), GaussianDelta(5, *GaussianMu(noise)).Low());
      }
    }
  }
  for (const auto& row : ReferenceRows("subsampled_gaussian_eps")) {
    const auto& inputs = row["inputs"];
    const DeclaredSequence sampled =
        Sequence({{.law = GaussianStep{.sigma = Number(inputs["sigma"])},
                   .rate = Number(inputs["q"]),
                   .count = inputs["k"].get<uint64_t>()}});
    const Rational found = RenyiEpsilon(sampled, Number(inputs["delta"]))->High();
    EXPECT_GT(found, Number(row["value"]));
    EXPECT_LT(found, Number(row["value"]) * Exactly("1.4"));
  }
}

TEST(RenyiEpsilon, SetsLeaksAside) {
  const DeclaredSequence pure = Sequence({{.law = PureStep{{.linear = 1}}, .count = 3}});
  const DeclaredSequence leaky =
      Sequence({{.law = ApproximateStep{{.linear = 1}, Exactly("1e-7")}, .count = 3}});
  const Rational left = DeltaWithoutLeaks(LeakySteps(leaky), Exactly("1e-6")).High();
  const Rational found = RenyiEpsilon(leaky, Exactly("1e-6"))->High();
  EXPECT_GE(found, RenyiEpsilon(pure, left)->Low());
  EXPECT_LE(found, RenyiEpsilon(pure, left)->High() * (Rational(1) + Exactly("1e-9")));
  EXPECT_FALSE(RenyiEpsilon(leaky, Exactly("1e-7")).has_value());
  EXPECT_FALSE(RenyiEpsilon(pure, 0).has_value());
}

TEST(RenyiDelta, IsTheInverse) {
  for (const Step& step :
       {Step{.law = PureStep{{.linear = 1}}, .count = 20},
        Step{.law = GaussianStep{.sigma = 1}, .rate = Exactly("1/100"), .count = 1000},
        Step{.law = ZcdpStep{Exactly("1/10")}}}) {
    const DeclaredSequence sequence = Sequence({step});
    const Rational epsilon = RenyiEpsilon(sequence, Exactly("1e-6"))->High();
    const double delta = RenyiDelta(sequence, epsilon)->High().ToDouble();
    EXPECT_NEAR(delta, 1e-6, 1e-9);
  }
}

}  // namespace
}  // namespace tacet
