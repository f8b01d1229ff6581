// SPDX-License-Identifier: Apache-2.0
// Known attacks on noisy doubles must find a naive sampler, and nothing in ours.
#include "tacet/testing/float_attack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tacet/mechanism/bounded_sum.h"
#include "tacet/mechanism/on_grid.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/naive_laplace.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::AttackScore;
using ::tacet::testing::Game;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::MironovAttack;
using ::tacet::testing::NaiveLaplace;
using ::tacet::testing::PrecisionAttack;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;
using ::tacet::testing::Soaking;

// The game: the answer is 0 or 1, the noise has scale 10. Nobody may guess better than this.
constexpr double kScale = 10;
constexpr double kFirst = 0;
constexpr double kSecond = 1;

double BestAllowed(double epsilon) { return 1 / (1 + std::exp(-epsilon)); }
int Rounds(int rounds) { return Soaking() ? rounds * 50 : rounds; }

struct Scores {
  AttackScore mironov;
  AttackScore precision;
};

Scores Attack(const Game& game, int rounds, uint64_t seed) {
  return {MironovAttack(game, kFirst, kSecond, kScale, rounds, seed),
          PrecisionAttack(game, rounds, seed)};
}

void ExpectNothingFound(const Scores& scores, double epsilon) {
  EXPECT_GT(scores.mironov.PValue(BestAllowed(epsilon)), kFalseAlarm)
      << scores.mironov.right << " of " << scores.mironov.guesses;
  EXPECT_GT(scores.precision.PValue(BestAllowed(epsilon)), kFalseAlarm)
      << scores.precision.right << " of " << scores.precision.guesses;
}

class FloatAttack : public ::testing::Test {
 protected:
  FloatAttack() : entropy_(RotatingSeed()), trace_(__FILE__, __LINE__, SeedText()) {}
  static std::string SeedText() { return "TACET_SEED=" + std::to_string(RotatingSeed()); }

  SeededEntropy entropy_;
  ::testing::ScopedTrace trace_;
};

TEST_F(FloatAttack, FindsTheNaiveSampler) {
  const Game naive = [&](bool second) {
    return *Draw(entropy_, [&](Coins& coins) {
      return NaiveLaplace(second ? kSecond : kFirst, kScale, coins);
    });
  };
  const Scores scores = Attack(naive, 10'000, RotatingSeed());
  // Wherever it guesses, it is right, or nearly so.
  EXPECT_GT(scores.mironov.guesses, 1000u);
  EXPECT_EQ(scores.mironov.right, scores.mironov.guesses);
  EXPECT_LT(scores.mironov.PValue(BestAllowed(0.1)), 1e-100);
  EXPECT_GT(scores.precision.guesses, 30u);
  EXPECT_LT(scores.precision.PValue(BestAllowed(0.1)), kFalseAlarm);
}

TEST_F(FloatAttack, FindsNothingInLaplaceOnAGrid) {
  for (const int exponent : {-10, -40}) {
    const LaplaceOnGrid mechanism =
        *LaplaceOnGrid::Create(Rational(10), *Grid::Create(Rational::PowerOfTwo(exponent)));
    const double epsilon = mechanism.Loss(Rational(1))->epsilon->value().ToDouble();
    EXPECT_LT(epsilon, 0.1002);
    const Game game = [&](bool second) {
      return *mechanism.Release(second ? kSecond : kFirst, entropy_);
    };
    const Scores scores = Attack(game, Rounds(10'000), RotatingSeed());
    ExpectNothingFound(scores, epsilon);
    // At 2^-40 the attack has much to guess from, and still no luck; see above.
    if (exponent == -40) {
      EXPECT_GT(scores.mironov.guesses, 100u);
    }
  }
}

TEST_F(FloatAttack, FindsNothingInGaussianOnAGrid) {
  const GaussianOnGrid mechanism =
      *GaussianOnGrid::Create(Rational(10), *Grid::Create(Rational::PowerOfTwo(-36)));
  const Game game = [&](bool second) {
    return *mechanism.Release(second ? kSecond : kFirst, entropy_);
  };
  // The loss (2 z + 1) / 200 exceeds 0.7 less than once in 10^11 draws.
  ExpectNothingFound(Attack(game, Rounds(10'000), RotatingSeed()), 0.7);
}

TEST_F(FloatAttack, FindsNothingInABoundedSum) {
  const Game game = [&](bool second) {
    BoundedSum sum = *BoundedSum::WithLaplace({.low = -1, .high = 1}, Rational(1, 10));
    for (const double value : {0.1, 0.7, -0.8}) sum.Add(value);
    if (second) sum.Add(1);
    return *std::move(sum).Release(entropy_);
  };
  ExpectNothingFound(Attack(game, Rounds(1500), RotatingSeed()), 0.1);
}

TEST_F(FloatAttack, FindsNothingWhereTheAnswerHasMoreDigitsThanTheGrid) {
  const LaplaceOnGrid mechanism =
      *LaplaceOnGrid::Create(Rational(10), *Grid::Create(Rational::PowerOfTwo(-20)));
  const double epsilon = mechanism.Loss(Rational(1))->epsilon->value().ToDouble();
  const Game game = [&](bool second) {
    return *mechanism.Release(second ? 0.875 : 1.0 / 7, entropy_);
  };
  const AttackScore score = PrecisionAttack(game, Rounds(10'000), RotatingSeed());
  EXPECT_GT(score.PValue(BestAllowed(epsilon)), kFalseAlarm);
}

TEST(AttackScore, PValueBoundsTheBinomialTail) {
  EXPECT_EQ((AttackScore{}.PValue(0.5)), 1);
  EXPECT_EQ((AttackScore{.guesses = 100, .right = 50}.PValue(0.5)), 1);
  EXPECT_NEAR((AttackScore{.guesses = 100, .right = 100}.PValue(0.5)), std::ldexp(1.0, -100),
              1e-40);
  // P[at least 70 of 100] = 3.93e-5 for a fair coin.
  EXPECT_GT((AttackScore{.guesses = 100, .right = 70}.PValue(0.5)), 3.93e-5);
  EXPECT_LT((AttackScore{.guesses = 100, .right = 70}.PValue(0.5)), 1e-3);
}

}  // namespace
}  // namespace tacet
