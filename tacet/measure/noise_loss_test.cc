// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/noise_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
ExactLoss L(const char* text) { return *ExactLoss::Parse(text); }

void ExpectAround(const LossBounds& found, double expected, double relative) {
  EXPECT_LE(found.lower, expected * (1 + relative));
  EXPECT_GE(found.upper, expected * (1 - relative));
  EXPECT_LE(found.upper - found.lower, std::abs(expected) * relative);
}

const std::vector<StepLaw>& Laws() {
  static const std::vector<StepLaw> laws = {
      LaplaceStep{Rational(2), Rational(3)}, DiscreteLaplaceStep{Rational(2), Rational(3)},
      GaussianStep{Rational(2), Rational(3)}, DiscreteGaussianStep{Rational(2), Rational(3)}};
  return laws;
}

TEST(NoiseLoss, MatchesTheReference) {
  for (const auto& row : ReferenceRows("laplace_kfold_delta")) {
    if (row["inputs"]["k"] != 1) continue;
    const NoiseLoss loss =
        *NoiseLoss::Create(LaplaceStep{Number(row["inputs"]["eps0"]).Inverse(), Rational(1)});
    ExpectAround(*loss.Delta({.linear = Number(row["inputs"]["eps_g"])}),
                 Number(row["value"]).ToDouble(), 1e-14);
  }
  for (const auto& row : ReferenceRows("gaussian_delta")) {
    const NoiseLoss loss =
        *NoiseLoss::Create(GaussianStep{Number(row["inputs"]["mu"]).Inverse(), Rational(1)});
    ExpectAround(*loss.Delta({.linear = Number(row["inputs"]["eps"])}),
                 Number(row["value"]).ToDouble(), 1e-14);
  }
}

TEST(NoiseLoss, C8GaussianLossIsNormal) {
  // Mean 1/(2 s^2), variance 1/s^2; also of several uses, whose means and variances add up.
  const NoiseLoss one = *NoiseLoss::Create(GaussianStep{Rational(2), Rational(1)});
  EXPECT_FALSE(one.Worst().has_value());
  EXPECT_NEAR(one.Expected().High().ToDouble(), 1.0 / 8, 1e-15);
  const NoiseLoss nine = *NoiseLoss::Create(GaussianStep{Rational(2), Rational(1)}, 9);
  EXPECT_NEAR(nine.Expected().High().ToDouble(), 9.0 / 8, 1e-15);
  for (const char* at : {"0", "0.3", "1.5", "4"}) {
    const double x = Exactly(at).ToDouble();
    ExpectAround(*one.Tail(L(at)), std::erfc((x - 0.125) / 0.5 / std::sqrt(2)) / 2, 1e-13);
    ExpectAround(*nine.Tail(L(at)), std::erfc((x - 1.125) / 1.5 / std::sqrt(2)) / 2, 1e-13);
  }
  EXPECT_EQ(nine.Delta(L("1"))->upper,
            NoiseLoss::Create(GaussianStep{Rational(2), Rational(3)})->Delta(L("1"))->upper);
}

TEST(NoiseLoss, ClosedFormsAgreeWithTheDefinition) {
  // Outputs z of noise of spread 2 against the same moved by 3, on a fine grid or on the integers.
  for (size_t i = 0; i < Laws().size(); ++i) {
    const bool laplace = i < 2;
    const bool discrete = i % 2 == 1;
    const NoiseLoss loss = *NoiseLoss::Create(Laws()[i]);
    const double width = discrete ? 1 : 1e-3;
    const auto weight = [&](double z) {
      return laplace ? std::exp(-std::abs(z) / 2) : std::exp(-z * z / 8);
    };
    for (const char* at : {"0", "1/3", "1", "ln(3)", "1.4"}) {
      SCOPED_TRACE(std::to_string(i) + " " + at);
      const double epsilon = L(at).Enclosure(64).High().ToDouble();
      double whole = 0;
      double delta = 0;
      double tail = 0;
      double mean = 0;
      for (double z = -60 + (discrete ? 0 : width / 2); z <= 60; z += width) {
        const double p = weight(z);
        const double q = weight(z - 3);
        whole += p;
        mean += p * std::log(p / q);
        delta += std::max(0.0, p - std::exp(epsilon) * q);
        tail += std::log(p / q) > epsilon + 1e-9 ? p : 0;
      }
      const double sharp = discrete ? 1e-12 : 2e-3;
      EXPECT_NEAR(loss.Delta(L(at))->upper, delta / whole, sharp);
      EXPECT_NEAR(loss.Tail(L(at))->upper, tail / whole, sharp);
      EXPECT_NEAR(loss.Expected().High().ToDouble(), mean / whole, sharp);
      EXPECT_LE(loss.Delta(L(at))->upper, loss.Tail(L(at))->upper);
    }
  }
}

TEST(NoiseLoss, TailsReachOverAllLosses) {
  for (const StepLaw& law : Laws()) {
    const NoiseLoss loss = *NoiseLoss::Create(law);
    const std::vector<LossBounds> tails =
        *loss.Tails({Rational(-40), Rational(-1), Rational(0), Rational(1), Rational(40)});
    EXPECT_NEAR(tails.front().lower, 1, 1e-9);
    EXPECT_NEAR(tails.back().upper, 0, 1e-9);
    for (size_t i = 1; i < tails.size(); ++i) EXPECT_GE(tails[i - 1].upper, tails[i].lower);
  }
  const NoiseLoss discrete = *NoiseLoss::Create(Laws()[1]);
  EXPECT_EQ(discrete.Worst(), Rational(3, 2));
  EXPECT_EQ(discrete.Tail(L("3/2"))->upper, 0);
  EXPECT_EQ(discrete.Delta(L("3/2"))->upper, 0);
}

TEST(NoiseLoss, DiscreteLaplaceAgreesWithItsFiniteLaw) {
  const LossDistribution finite = *DiscreteLaplaceLossDistribution(Rational(7, 2), 5);
  const NoiseLoss loss = *NoiseLoss::Create(DiscreteLaplaceStep{Rational(7, 2), Rational(5)});
  EXPECT_NEAR(loss.Expected().High().ToDouble(), finite.Expected()->High().ToDouble(), 1e-15);
  for (const char* at : {"0", "1/7", "2/7", "6/7", "10/7", "ln(2)", "2"}) {
    EXPECT_NEAR(loss.Delta(L(at))->upper, finite.Delta(L(at)).High().ToDouble(), 1e-15) << at;
    EXPECT_NEAR(loss.Tail(L(at))->upper, finite.Tail(L(at)).High().ToDouble(), 1e-15) << at;
  }
}

TEST(NoiseLoss, ExpectationsStaySharpForHugeNoise) {
  // About loss^2/2 for Laplace noise, as for randomized response.
  for (const char* scale : {"1e9", "1e100", "1e300"}) {
    const Rational half = (Exactly(scale) * Exactly(scale) * Rational(2)).Inverse();
    for (const StepLaw& law : {StepLaw(LaplaceStep{Exactly(scale), Rational(1)}),
                               StepLaw(DiscreteLaplaceStep{Exactly(scale), Rational(1)})}) {
      const Rational expected = NoiseLoss::Create(law)->Expected().High();
      EXPECT_LE(expected, half * Rational(101, 100)) << scale;
      EXPECT_GE(expected, half * Rational(99, 100)) << scale;
    }
  }
}

TEST(TailsOfCurve, P6EncloseTheDistribution) {
  for (const StepLaw& law : Laws()) {
    const NoiseLoss loss = *NoiseLoss::Create(law);
    std::vector<Rational> at;
    std::vector<LossBounds> deltas;
    for (int i = -40; i <= 80; ++i) {
      at.emplace_back(i, 20);
      const LossBounds tilted = *loss.Delta({.linear = at.back().Abs()});
      const double r = std::exp(at.back().ToDouble());
      deltas.push_back(
          i >= 0 ? tilted
                 : LossBounds{1 - r + r * tilted.lower - 1e-15, 1 - r + r * tilted.upper + 1e-15});
    }
    const std::vector<LossBounds> tails = internal::TailsOfCurve(at, deltas);
    const std::vector<LossBounds> exact = *loss.Tails(at);
    for (size_t i = 0; i < at.size(); ++i) {
      EXPECT_LE(tails[i].lower, exact[i].upper) << i;
      EXPECT_GE(tails[i].upper, exact[i].lower) << i;
    }
    EXPECT_LT(tails[60].upper - tails[60].lower, 0.2);
  }
}

TEST(NoiseLoss, SurvivesAbsurdParameters) {
  for (const char* number : {"1e-100", "1e100", "1e4000"}) {
    const Rational spread = Exactly(number);
    for (const StepLaw& law :
         {StepLaw(LaplaceStep{spread, 3}), StepLaw(DiscreteLaplaceStep{spread, 3}),
          StepLaw(GaussianStep{spread, 3})}) {
      SCOPED_TRACE(StepText({.law = law}));
      const NoiseLoss loss = *NoiseLoss::Create(law);
      EXPECT_GE(loss.Expected().High(), Rational(0));
      for (const Result<LossBounds>& found : {loss.Delta(L("1")), loss.Tail(L("1"))}) {
        ASSERT_TRUE(found.ok());
        EXPECT_GE(found->upper, spread < Rational(1) ? 1 : 0);
        EXPECT_LE(found->lower, spread < Rational(1) ? 1 : 0);
      }
    }
  }
}

TEST(NoiseLoss, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(NoiseLoss::Create(LaplaceStep{Rational(0), Rational(1)}).ok());
  EXPECT_FALSE(NoiseLoss::Create(GaussianStep{Rational(1), Rational(-1)}).ok());
  EXPECT_FALSE(NoiseLoss::Create(DiscreteGaussianStep{Rational(1), Rational(1, 2)}).ok());
  EXPECT_FALSE(NoiseLoss::Create(DiscreteGaussianStep{Rational(1), Exactly("1e30")}).ok());
  EXPECT_FALSE(NoiseLoss::Create(PureStep{{.linear = Rational(1)}}).ok());
  EXPECT_FALSE(NoiseLoss::Create(LaplaceStep{Rational(1), Rational(1)}, 0).ok());
}

}  // namespace
}  // namespace tacet
