// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/simulation.h"

#include <gtest/gtest.h>

#include <random>

#include "tacet/measure/random_law_testing.h"

namespace tacet {
namespace {

void ExpectMap(const FinitePair& pair, const Rational& ratio, const Rational& delta) {
  const auto outcome = Simulate(pair, ratio, delta);
  ASSERT_TRUE(outcome.ok());
  ASSERT_TRUE(std::holds_alternative<SimulationMap>(*outcome));
  const auto& map = std::get<SimulationMap>(outcome.value());
  const Result<FinitePair> image = Apply(map, ratio, delta);
  ASSERT_TRUE(image.ok()) << image.error().message;  // every row of F is a law
  EXPECT_EQ(image->p(), pair.p());
  EXPECT_EQ(image->q(), pair.q());
}

void ExpectViolation(const FinitePair& pair, const Rational& ratio, const Rational& delta) {
  const auto outcome = Simulate(pair, ratio, delta);
  ASSERT_TRUE(outcome.ok());
  ASSERT_TRUE(std::holds_alternative<Violation>(*outcome));
  const auto& violation = std::get<Violation>(outcome.value());
  const FinitePair order = violation.swapped ? pair.Swapped() : pair;
  Rational p;
  Rational q;
  for (const size_t output : violation.event) {
    p += order.p()[output];
    q += order.q()[output];
  }
  EXPECT_EQ(violation.p, p);
  EXPECT_EQ(violation.q, q);
  EXPECT_EQ(violation.excess, p - ratio * q);
  EXPECT_GT(violation.excess, delta);
}

TEST(Simulation, P8NoErrorAtTheLeastDeltaAndAnEventJustBelow) {
  std::mt19937_64 random(19);
  int both_positive = 0;
  for (int i = 0; i < 500; ++i) {
    const size_t outputs = 1 + random() % 5;
    const FinitePair pair =
        *FinitePair::Create(RandomLaw(random, outputs, 5), RandomLaw(random, outputs, 5));
    const Rational ratio = Rational(1) + Rational(static_cast<int64_t>(random() % 9), 4);
    const Rational least = pair.Delta(ratio);
    both_positive += pair.DeltaOfOrder(ratio).sign() > 0 &&
                     pair.Swapped().DeltaOfOrder(ratio).sign() > 0 && ratio > Rational(1);
    ExpectMap(pair, ratio, least);
    ExpectMap(pair, ratio, (Rational(1) + Rational(2) * least) / Rational(3));
    ExpectMap(pair, ratio, Rational(1));
    if (least.sign() > 0) {
      ExpectViolation(pair, ratio, least * (Rational(1) - Rational::PowerOfTwo(-100)));
      ExpectViolation(pair, ratio, Rational(0));
    }
  }
  EXPECT_GT(both_positive, 20);
}

TEST(Simulation, P8LeakyResponseImitatesItself) {
  const FinitePair leaky = LeakyChannel(Rational(3), Rational(1, 100))->Pair(0, 1);
  ExpectMap(leaky, Rational(3), Rational(1, 100));
  ExpectViolation(leaky, Rational(3), Rational(99, 10'000));
  ExpectViolation(leaky, Rational(299, 100), Rational(1, 100));
  const auto outcome = Simulate(leaky, Rational(3), Rational(1, 100));
  const auto& map = std::get<SimulationMap>(outcome.value());
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) EXPECT_EQ(map.rows[i][j], Rational(i == j));
  }
}

TEST(Simulation, RefusesSenselessParameters) {
  const FinitePair coin = CoinTossChannel().Pair(0, 1);
  EXPECT_FALSE(Simulate(coin, Rational(1, 2), Rational(0)).ok());
  EXPECT_FALSE(Simulate(coin, Rational(2), Rational(-1)).ok());
  EXPECT_FALSE(Simulate(coin, Rational(2), Rational(2)).ok());
}

TEST(Simulation, P8TheRatioStaysBelowAndNear) {
  EXPECT_EQ(*RatioBelow({.ratio = Rational(3)}), Rational(3));
  EXPECT_EQ(*RatioBelow({}), Rational(1));
  for (const char* text : {"1", "1/10", "1e-9", "1e-20", "1e-4000", "0.5", "3", "50", "1000"}) {
    const ExactLoss epsilon = *ExactLoss::Parse(text);
    const Rational ratio = *RatioBelow(epsilon);
    const Interval exact = epsilon.Exponential(2000);
    EXPECT_TRUE(exact.CertainlyAtLeast(ratio)) << text;
    EXPECT_TRUE(exact.CertainlyAtMost(ratio * *Rational::Parse("1.000000000002"))) << text;
    EXPECT_GE(ratio, Rational(1)) << text;
  }
  EXPECT_LE(RatioBelow({.linear = Rational(1)})->ToString().size(), 16u);
  EXPECT_FALSE(RatioBelow({.linear = Rational(1001)}).ok());
}

}  // namespace
}  // namespace tacet
