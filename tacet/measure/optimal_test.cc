// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/optimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "tacet/measure/equal_responses.h"
#include "tacet/measure/mixed_responses.h"
#include "tacet/testing/reference_values.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;

const Rational kDigit = *Rational::Parse("1e-23");

Rational Exactly(const char* text) { return *Rational::Parse(text); }

std::vector<BoundedStep> Pure(const Rational& epsilon, uint64_t count) {
  return {{.epsilon = {.linear = epsilon}, .count = count}};
}

void ExpectEncloses(const LossBounds& bounds, const Rational& value, double width = 1e-9) {
  EXPECT_LE(Rational::FromDouble(bounds.lower), value * (Rational(1) + kDigit));
  EXPECT_GE(Rational::FromDouble(bounds.upper), value * (Rational(1) - kDigit));
  EXPECT_LE(bounds.upper - bounds.lower, width * bounds.upper);
}

TEST(Optimal, P4EpsilonMatchesTheReference) {
  for (const auto& row : ReferenceRows("optimal_composition_eps")) {
    SCOPED_TRACE(row.dump());
    const auto& inputs = row["inputs"];
    std::vector<BoundedStep> steps = Pure(Number(inputs["eps"]), inputs["k"].get<uint64_t>());
    steps[0].delta = Number(inputs["delta0"]);
    const auto bounds = OptimalEpsilon(steps, Number(inputs["delta"]));
    ASSERT_TRUE(bounds.has_value());
    ExpectEncloses(*bounds, Number(row["value"]));
  }
}

TEST(Optimal, P4DeltaMatchesTheReference) {
  for (const auto& row : ReferenceRows("optimal_composition_delta")) {
    SCOPED_TRACE(row.dump());
    const auto& inputs = row["inputs"];
    std::vector<BoundedStep> steps = Pure(Number(inputs["eps"]), inputs["k"].get<uint64_t>());
    steps[0].delta = Number(inputs["delta0"]);
    ExpectEncloses(LossBounds::Of(*OptimalDelta(steps, Number(inputs["eps_g"]))),
                   Number(row["value"]));
  }
}

std::vector<BoundedStep> Different(const nlohmann::json& epsilons) {
  std::vector<BoundedStep> steps;
  for (const auto& epsilon : epsilons) steps.push_back({.epsilon = {.linear = Number(epsilon)}});
  return steps;
}

TEST(Optimal, DifferentStepsMatchTheReference) {
  for (const auto& row : ReferenceRows("heterogeneous_optimal_delta")) {
    const auto& inputs = row["inputs"];
    const auto delta = OptimalDelta(Different(inputs["eps"]), Number(inputs["eps_g"]));
    ExpectEncloses(LossBounds::Of(*delta), Number(row["value"]));
  }
  for (const auto& row : ReferenceRows("heterogeneous_optimal_eps")) {
    const auto& inputs = row["inputs"];
    const auto epsilon = OptimalEpsilon(Different(inputs["eps"]), Number(inputs["delta"]));
    ExpectEncloses(*epsilon, Number(row["value"]));
  }
}

TEST(Optimal, HoldsAsManyAnswersAsTheReferenceSays) {
  for (const auto& row : ReferenceRows("filter_capacity")) {
    if (row["inputs"]["rule"] != "optimal nonadaptive (KOV)") continue;
    const auto most = row["value"].get<uint64_t>();
    const Rational epsilon = Number(row["inputs"]["eps_query"]);
    const Rational delta = Number(row["inputs"]["delta"]);
    const double budget = Number(row["inputs"]["budget_eps"]).ToDouble();
    EXPECT_LE(OptimalEpsilon(Pure(epsilon, most), delta)->upper, budget);
    EXPECT_GT(OptimalEpsilon(Pure(epsilon, most + 1), delta)->lower, budget);
  }
}

// What leaky randomized responses give, from their tables of probabilities: P and Q of every
// combination of outcomes, in exact rationals, as far as e^epsilon_i is rational.
class LeakyResponses {
 public:
  void Compose(const Rational& ratio, const Rational& delta, uint64_t count) {
    const Rational kept = (Rational(1) - delta) / (Rational(1) + ratio);
    for (uint64_t use = 0; use < count; ++use) {
      std::map<Rational, Rational> next;  // from P/Q to P; what only P can give apart
      for (const auto& [loss, mass] : masses_) {
        next[loss * ratio] += mass * kept * ratio;
        next[loss / ratio] += mass * kept;
      }
      never_ = delta + (Rational(1) - delta) * never_;
      masses_ = std::move(next);
    }
  }

  Interval DeltaAt(const Rational& epsilon) const {
    const auto exactly = [](const Rational& value) { return Interval(value, 300); };
    const Interval growth = Exp(exactly(epsilon));
    Interval sum = exactly(never_);
    for (const auto& [loss, mass] : masses_) {
      const Interval term = exactly(mass) - growth * exactly(mass / loss);
      if (!term.CertainlyNegative()) sum += term;
    }
    return sum;
  }

 private:
  std::map<Rational, Rational> masses_ = {{Rational(1), Rational(1)}};
  Rational never_;
};

// Random mixes of up to three kinds. Sampled kinds are composed as what they are.
struct Mix {
  std::vector<BoundedStep> steps;
  LeakyResponses exact;
  double most = 0;
};

Mix RandomMix(std::mt19937_64& random, uint64_t kinds) {
  Mix mix;
  for (uint64_t i = 0; i < kinds; ++i) {
    const Rational ratio = Rational(1) + Rational(static_cast<int64_t>(1 + random() % 40),
                                                  static_cast<int64_t>(1 + random() % 60));
    const Rational delta =
        random() % 2 == 0 ? Rational(0) : Rational(1, static_cast<int64_t>(2 + random() % 100000));
    const Rational rate =
        random() % 3 == 0 ? Rational(1, static_cast<int64_t>(2 + random() % 9)) : Rational(1);
    const uint64_t count = 1 + random() % (kinds == 1 ? 12 : 4);
    mix.steps.push_back(
        {.epsilon = {.ratio = ratio}, .rate = rate, .delta = rate * delta, .count = count});
    const Rational sampled = Rational(1) + rate * (ratio - Rational(1));
    mix.exact.Compose(sampled, rate * delta, count);
    mix.most += std::log(sampled.ToDouble()) * static_cast<double>(count);
  }
  return mix;
}

TEST(Optimal, P9EqualsTheComposedLeakyPairsInExactArithmetic) {
  std::mt19937_64 random(testing::RotatingSeed());
  SCOPED_TRACE("seed " + std::to_string(testing::RotatingSeed()));
  const int mixes = testing::Soaking() ? 10'000 : 500;
  int violations = 0;
  for (int i = 0; i < mixes; ++i) {
    const uint64_t kinds = 1 + random() % 3;
    const Mix mix = RandomMix(random, kinds);
    const Rational epsilon =
        Rational::FromDouble(mix.most * static_cast<double>(random() % 1000) / 990);
    const Interval truth = mix.exact.DeltaAt(epsilon);
    const auto found = OptimalDelta(mix.steps, epsilon);
    ASSERT_TRUE(found.has_value());
    violations += found->Low() > truth.High() || found->High() < truth.Low() ? 1 : 0;
    EXPECT_LE((found->High() - found->Low()).ToDouble(), 1e-10 * truth.High().ToDouble() + 1e-14)
        << i;
    // The last resort, on steps that do not need it.
    const auto split = MixedResponses::Create(mix.steps, MixedResponses::Way::kSplit);
    ASSERT_TRUE(split.has_value());
    const Interval delta = DeltaWithLeaks(mix.steps, split->DeltaAt(epsilon));
    violations += delta.Low() > truth.High() || delta.High() < truth.Low() ? 1 : 0;
    EXPECT_LE((delta.High() - delta.Low()).ToDouble(), 1e-3) << i;
  }
  EXPECT_EQ(violations, 0);
}

TEST(Optimal, EpsilonIsTheCertifiedInverse) {
  std::mt19937_64 random(testing::RotatingSeed());
  SCOPED_TRACE("seed " + std::to_string(testing::RotatingSeed()));
  const int mixes = testing::Soaking() ? 1'000 : 40;
  for (int i = 0; i < mixes; ++i) {
    const uint64_t kinds = 1 + random() % 3;
    const Mix mix = RandomMix(random, kinds);
    const Rational at =
        Rational::FromDouble(mix.most * static_cast<double>(1 + random() % 900) / 1000);
    const Rational delta = Interval(mix.exact.DeltaAt(at).High(), 53).High();
    if (delta >= Rational(1)) continue;
    const auto found = OptimalEpsilon(mix.steps, delta);
    ASSERT_TRUE(found.has_value());
    ASSERT_TRUE(std::isfinite(found->upper)) << i;
    EXPECT_LE(mix.exact.DeltaAt(Rational::FromDouble(found->upper)).Low(), delta) << i;
    EXPECT_GE(mix.exact.DeltaAt(Rational::FromDouble(found->lower)).High(), delta) << i;
    EXPECT_LE(found->upper - found->lower, 1e-9 * found->upper + 1e-12) << i;
  }
}

// A slow sum at 256 bits, every term from a lattice point upwards by itself.
Interval SlowDelta(const Rational& epsilon, uint64_t count, const Rational& target) {
  const auto exactly = [](const Rational& value) { return Interval(value, 256); };
  const auto total = static_cast<int64_t>(count);
  const Interval truth = exactly(1) / (exactly(1) + Exp(exactly(-epsilon)));
  const Interval growth = Exp(exactly(target));
  // From no lies on; P and Q of l lies.
  Interval p = Exp(exactly(Rational(total)) * Log(truth));
  Interval q = p * Exp(exactly(-(Rational(total) * epsilon)));
  const Interval up = Exp(exactly(epsilon));
  const Interval down = Exp(exactly(-epsilon));
  Interval sum = exactly(0);
  for (int64_t l = 0; Rational(total - 2 * l) * epsilon > target; ++l) {
    sum += p - growth * q;
    const Interval choices = exactly(Rational(total - l, l + 1));
    p = p * choices * down;
    q = q * choices * up;
  }
  return sum;
}

TEST(Optimal, ManyStepsAgreeWithASlowSum) {
  for (const auto& [epsilon, count, target] :
       {std::tuple("1/1000", 20'000, "1/5"), std::tuple("1/1000", 20'000, "3/2"),
        std::tuple("1/10", 5'000, "15"), std::tuple("1/10", 5'000, "25"),
        std::tuple("1/10", 5'000, "150"), std::tuple("2", 500, "900"),
        std::tuple("1/100000", 3'000, "1/1000")}) {
    SCOPED_TRACE(std::string(epsilon) + " " + target);
    const Interval slow =
        SlowDelta(Exactly(epsilon), static_cast<uint64_t>(count), Exactly(target));
    const auto found =
        OptimalDelta(Pure(Exactly(epsilon), static_cast<uint64_t>(count)), Exactly(target));
    EXPECT_LE(found->Low(), slow.High());
    EXPECT_GE(found->High(), slow.Low());
    EXPECT_LE((found->High() - found->Low()).ToDouble(), 1e-9 * found->High().ToDouble());
  }
}

// Too many to be summed slowly: the least epsilon is where delta is, and close to Gaussian noise.
TEST(Optimal, MillionsOfStepsAreAsSharp) {
  for (const char* delta : {"1/10", "1e-6", "1e-30", "1e-300"}) {
    for (const auto& [epsilon, count] :
         {std::pair("1/1000", uint64_t{1'000'000}), std::pair("1/100000", uint64_t{1'000'000'000}),
          std::pair("3", uint64_t{1'000'000})}) {
      SCOPED_TRACE(std::string(delta) + " " + epsilon);
      const std::vector<BoundedStep> steps = Pure(Exactly(epsilon), count);
      const LossBounds found = *OptimalEpsilon(steps, Exactly(delta));
      EXPECT_LE(found.upper - found.lower, 1e-9 * found.upper);
      // A hair outside the ends delta is on either side, whatever the enclosures' own width.
      const Rational above = Rational::FromDouble(found.upper) * (Rational(1) + Exactly("1e-9"));
      const Rational below = Rational::FromDouble(found.lower) * (Rational(1) - Exactly("1e-9"));
      EXPECT_TRUE(OptimalDelta(steps, above)->CertainlyAtMost(Exactly(delta)));
      EXPECT_TRUE(OptimalDelta(steps, below)->CertainlyAtLeast(Exactly(delta)));
    }
  }
  EXPECT_NEAR(OptimalEpsilon(Pure(Exactly("1/1000000"), 1'000'000'000'000), Exactly("1e-6"))->upper,
              4.886554117462211996370499, 1e-7);
}

TEST(Optimal, IsContinuousAtEveryPointOfTheLattice) {
  const std::vector<BoundedStep> steps = Pure(Exactly("1/10"), 50);
  for (int64_t l = 0; l < 25; ++l) {
    const Rational point = Rational(50 - 2 * l, 10);
    const auto at = OptimalDelta(steps, point);
    const auto below = OptimalDelta(steps, point - Exactly("1e-13"));
    const auto above = OptimalDelta(steps, point + Exactly("1e-13"));
    EXPECT_GE(below->High(), at->Low());
    EXPECT_GE(at->High(), above->Low());
    // The slope is at most the mass of what is lost more often than that.
    const double slope = 6 * OptimalDelta(steps, point - Rational(1, 5))->High().ToDouble();
    EXPECT_LE((below->High() - above->Low()).ToDouble(), 1e-12 * slope);
  }
}

TEST(Optimal, OneStepIsItself) {
  std::vector<BoundedStep> step = Pure(1, 1);
  step[0].delta = Exactly("1e-6");
  const LossBounds own = *OptimalEpsilon(step, Exactly("1e-6"));
  EXPECT_EQ(own.lower, 1);
  EXPECT_EQ(own.upper, 1);
  EXPECT_TRUE(std::isinf(OptimalEpsilon(step, Exactly("9e-7"))->upper));
  EXPECT_LT(OptimalEpsilon(step, Exactly("2e-6"))->upper, 1);
  const auto at_own = OptimalDelta(step, 1);
  EXPECT_LE(at_own->Low(), Exactly("1e-6"));
  EXPECT_GE(at_own->High(), Exactly("1e-6"));
  EXPECT_LE(at_own->High() - at_own->Low(), Exactly("1e-60"));
}

TEST(Optimal, RareLiesStayWithinTheRangeOfDoubles) {
  for (const uint64_t count : {uint64_t{1'000}, uint64_t{10'000'000}, kStepCountMax}) {
    for (const int epsilon : {2, 5, 10, 16, 20, 24, 30, 50, 100, 270, 277, 278, 400, 800}) {
      SCOPED_TRACE(std::to_string(count) + " times " + std::to_string(epsilon));
      const std::vector<BoundedStep> steps = Pure(Rational(epsilon), count);
      const EqualResponses responses(steps[0]);
      // With losses as large as these, neighbours are told apart almost for certain.
      const Interval delta = responses.DeltaAt(Rational(1));
      EXPECT_TRUE(delta.CertainlyAtLeast(Rational(1) - Exactly("1e-7")));
      EXPECT_TRUE(delta.CertainlyAtMost(Rational(1) + Exactly("1e-7")));
      // With no lie the loss is all there is, with one it is by 2 epsilon less.
      const Interval truth = responses.Mass(0);
      if (!truth.CertainlyAtLeast(Rational(1, 2))) continue;
      const LossBounds bounds = *OptimalEpsilon(steps, Rational(1, 4));
      const double most = static_cast<double>(count) * epsilon;
      EXPECT_GT(bounds.upper, most - 2 * epsilon);
      EXPECT_LT(bounds.lower, most);
      EXPECT_LE(bounds.upper - bounds.lower, 1e-9 * bounds.upper);
    }
  }
}

TEST(Optimal, HoldsForExtremeEpsilons) {
  EXPECT_EQ(OptimalEpsilon(Pure(Exactly("1e-100"), 100), Exactly("1e-6"))->upper, 0);
  const LossBounds tiny = *OptimalEpsilon(Pure(Exactly("1e-100"), 100), Exactly("1e-101"));
  EXPECT_GT(tiny.lower, 1e-100);
  EXPECT_LE(tiny.upper - tiny.lower, 1e-9 * tiny.upper);
  const LossBounds large = *OptimalEpsilon(Pure(1000, 10), Exactly("1e-6"));
  EXPECT_NEAR(large.upper, 9999.999999, 1e-9);
  EXPECT_EQ(OptimalEpsilon(Pure(1, 100), Rational(1) - Exactly("1e-15"))->upper, 0);
}

// So close to equal that no double tells them apart, but without a common unit, and too many to be
// combined one by one.
TEST(MixedResponses, SplitLossesEncloseThoseOfEqualOnes) {
  const std::vector<BoundedStep> steps = {
      {.epsilon = {.linear = Exactly("1/10")}, .count = 400},
      {.epsilon = {.linear = Exactly("1/10") + Exactly("1e-40")}, .count = 400}};
  const EqualResponses equal({.epsilon = {.linear = Exactly("1/10")}, .count = 800});
  const auto split = MixedResponses::Create(steps);
  for (const char* epsilon : {"0", "1", "8.3", "12", "20"}) {
    SCOPED_TRACE(epsilon);
    const Interval truth = equal.DeltaAt(Exactly(epsilon));
    const Interval found = split->DeltaAt(Exactly(epsilon));
    EXPECT_LE(found.Low(), truth.High());
    EXPECT_GE(found.High(), truth.Low() * (Rational(1) - Exactly("1e-30")));
    EXPECT_LE(found.High().ToDouble(), truth.High().ToDouble() * (1 + 1e-3));
    EXPECT_GE(found.Low().ToDouble(), truth.High().ToDouble() * (1 - 1e-3));
  }
  for (const char* delta : {"1/10", "1e-6", "1e-30"}) {
    const LossBounds truth = equal.EpsilonAt(Interval(Exactly(delta), 192));
    const LossBounds found = split->EpsilonAt(Interval(Exactly(delta), 192));
    EXPECT_LE(found.lower, truth.upper);
    EXPECT_GE(found.upper, truth.lower);
    EXPECT_LE(found.upper, truth.upper * (1 + 1e-6));
    EXPECT_GE(found.lower, truth.lower * (1 - 1e-5));
  }
}

TEST(MixedResponses, GivesUpWhereTheWorkWouldNotEnd) {
  EXPECT_FALSE(MixedResponses::Create({{.epsilon = {.linear = 1}, .count = 1'000'000'000},
                                       {.epsilon = {.ratio = 2}, .count = 1'000'000'000}}));
}

}  // namespace
}  // namespace tacet
