// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/measure/gaussian_dp.h"
#include "tacet/measure/optimal.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const Rational& value) { return *Epsilon::Create(value); }
Delta D(const Rational& value) { return *Delta::Create(value); }

double Scale(const std::vector<NoiseRow>& rows, std::string_view noise,
             std::string_view composition) {
  for (const NoiseRow& row : rows) {
    if (row.noise == noise && row.composition == composition) return row.scale;
  }
  return NAN;
}

TEST(CompareNoise, P5FiveHundredQueries) {
  const auto rows = CompareNoise(500, E(1), D(Exactly("1e-6")));
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 6u);
  EXPECT_EQ(Scale(*rows, "laplace", "basic"), 500);
  EXPECT_NEAR(Scale(*rows, "laplace", "advanced"), 122.4928144, 1e-6);
  EXPECT_NEAR(Scale(*rows, "gaussian", "advanced"), 556.815, 0.01);
  EXPECT_NEAR(Scale(*rows, "gaussian", "optimal"), std::sqrt(500) * 4.224678889326835, 1e-6);
  EXPECT_LE(Scale(*rows, "laplace", "optimal"), 94.1622738);
  for (const NoiseRow& row : *rows) {
    const double mean = row.noise == "laplace" ? 1 : 0.7978845608028654;
    EXPECT_NEAR(row.expected_error, row.scale * mean, 1e-12 * row.scale);
  }
}

// Every scale keeps the target when the steps are put together again.
TEST(CompareNoise, P5EveryRowKeepsItsTarget) {
  const Rational delta = Exactly("1e-6");
  const auto rows = *CompareNoise(40, E(2), D(delta));
  const auto pure = [&](double scale) {
    return std::vector<BoundedStep>{
        {.epsilon = {.linear = Rational::FromDouble(scale).Inverse()}, .count = 40}};
  };
  const Interval half(delta / Rational(2), 256);
  EXPECT_TRUE(AdvancedEpsilon(pure(Scale(rows, "laplace", "advanced")), half,
                              AdvancedForm::kKairouzOhViswanath)
                  .CertainlyAtMost(2));
  EXPECT_TRUE(SumOfEpsilons(pure(Scale(rows, "laplace", "basic"))).CertainlyAtMost(2));
  const auto gaussian = [&](const char* composition) {
    return *Mu::Create(Rational::FromDouble(Scale(rows, "gaussian", composition)).Inverse());
  };
  EXPECT_TRUE(
      GaussianDelta(Rational(1, 20), gaussian("basic")).CertainlyAtMost(delta / Rational(40)));
  const Rational part = Rational::FromDouble(Scale(rows, "laplace", "advanced")).Inverse();
  EXPECT_TRUE(GaussianDelta(part, gaussian("advanced")).CertainlyAtMost(delta / Rational(80)));
  const Mu all = *Mu::FromSquare(Rational(40) * gaussian("optimal").square());
  EXPECT_TRUE(GaussianDelta(2, all).CertainlyAtMost(delta));
  // Optimal composition is enough for Laplace noise, and hardly less is.
  const double laplace = Scale(rows, "laplace", "optimal");
  EXPECT_FALSE(OptimalDelta(pure(laplace * 0.95), 2)->CertainlyAtMost(delta));
}

TEST(CompareNoise, LeastLaplaceNoiseIsNeverBelowTheReference) {
  for (const auto& row : ReferenceRows("laplace_smallest_scale")) {
    const auto& inputs = row["inputs"];
    const auto rows = CompareNoise(inputs["k"].get<uint64_t>(), E(Number(inputs["eps"])),
                                   D(Number(inputs["delta"])));
    const double found = Scale(*rows, "laplace", "optimal");
    EXPECT_GE(Rational::FromDouble(found), Number(row["value"]));
    EXPECT_LE(found, Number(row["value"]).ToDouble() * 1.02);
  }
}

TEST(CompareNoise, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(CompareNoise(0, E(1), D(Exactly("1e-6"))).ok());
  EXPECT_FALSE(CompareNoise(1'000'000'000'000'000'000, E(1), D(Exactly("1e-6"))).ok());
  EXPECT_FALSE(CompareNoise(5, Epsilon(), D(Exactly("1e-6"))).ok());
  EXPECT_FALSE(CompareNoise(5, E(1), Delta()).ok());
  EXPECT_FALSE(CompareNoise(5, E(1), D(1)).ok());
  EXPECT_FALSE(CompareNoise(5, E(Exactly("1e-4000")), D(Exactly("1e-6"))).ok());
  EXPECT_FALSE(CompareNoise(5, E(Exactly("1e4000")), D(Exactly("1e-6"))).ok());
}

}  // namespace
}  // namespace tacet
