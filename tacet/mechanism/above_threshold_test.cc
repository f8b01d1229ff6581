// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/above_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "tacet/mechanism/laplace_law_testing.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::LaplaceLaw;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

using Scores = std::vector<int64_t>;

Rational Exactly(const char* text) { return *Rational::Parse(text); }

AboveThreshold Make(const char* threshold_scale, const char* score_scale, uint64_t positives_max) {
  return *AboveThreshold::Create({.threshold_scale = Exactly(threshold_scale),
                                  .score_scale = Exactly(score_scale),
                                  .positives_max = positives_max});
}

// The laws of both noises, for numbers that matter.
struct Noises {
  Noises(const AboveThreshold& rule, int threshold_reach, int score_reach)
      : of_threshold(rule.options().threshold_scale, threshold_reach),
        of_score(rule.options().score_scale, threshold_reach + score_reach) {}
  LaplaceLaw of_threshold;
  LaplaceLaw of_score;
};

// The probability of `answers`, a letter for each score: + for above. The threshold is 0.
Ball Mass(const Scores& scores, const std::string& answers, const Noises& noises) {
  Ball sum = noises.of_threshold.Beyond(noises.of_threshold.reach());
  for (int r = 1 - noises.of_threshold.reach(); r < noises.of_threshold.reach(); ++r) {
    Ball mass = noises.of_threshold.At(r);
    for (size_t i = 0; i < answers.size(); ++i) {
      const int64_t needed = r - scores[i];
      mass = mass *
             (answers[i] == '+' ? noises.of_score.AtLeast(needed) : noises.of_score.Below(needed));
    }
    sum = sum + mass;
  }
  return sum;
}

// Every sequence of answers that a session can give to so many scores.
std::vector<std::string> Sequences(size_t scores, uint64_t positives_max) {
  std::vector<std::string> done;
  std::vector<std::string> open = {""};
  while (!open.empty()) {
    const std::string answers = open.back();
    open.pop_back();
    const auto positives = std::count(answers.begin(), answers.end(), '+');
    if (answers.size() == scores || static_cast<uint64_t>(positives) == positives_max) {
      done.push_back(answers);
    } else {
      open.push_back(answers + '+');
      open.push_back(answers + '-');
    }
  }
  return done;
}

std::string Ask(const AboveThreshold& rule, const Scores& scores, Entropy& entropy) {
  ThresholdSession session = *rule.Start(0, entropy);
  std::string answers;
  for (const int64_t score : scores) {
    if (session.positives_left() == 0) break;
    answers += *session.Next(score, entropy) ? '+' : '-';
  }
  return answers;
}

TEST(AboveThreshold, M7AnswersFollowTheExactLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const std::vector<std::pair<Scores, uint64_t>> cases = {
      {{0}, 1}, {{0, 0, 0}, 3}, {{-2, 1, 0, 3}, 1}, {{-2, 1, 0, 3}, 2}, {{2, -1, 4}, 2}};
  for (const auto& [scores, positives_max] : cases) {
    SCOPED_TRACE(::testing::PrintToString(scores));
    const AboveThreshold rule = Make("3/2", "2", positives_max);
    const Noises noises(rule, 80, 10);
    const std::vector<std::string> sequences = Sequences(scores.size(), positives_max);
    std::vector<double> expected;
    double total = 0;
    for (const std::string& answers : sequences) {
      expected.push_back(static_cast<double>(Mass(scores, answers, noises).middle()));
      total += expected.back();
    }
    EXPECT_NEAR(total, 1, 1e-14);
    std::map<std::string, uint64_t> seen;
    for (int i = 0; i < 20'000; ++i) ++seen[Ask(rule, scores, entropy)];
    std::vector<uint64_t> counts;
    for (const std::string& answers : sequences) counts.push_back(seen[answers]);
    EXPECT_GT(ChiSquareP(counts, expected), kFalseAlarm);
  }
}

// The worst certified log ratio over all lists of three scores -2 .. 1 against the threshold 0, all
// sequences of answers, and all changes of the scores between `change_min` and 1.
double WorstLogRatio(const AboveThreshold& rule, int64_t change_min) {
  const Noises noises(rule, 80, 10);
  const std::vector<std::string> sequences = Sequences(3, rule.options().positives_max);
  std::map<Scores, std::vector<Ball>> laws;
  const auto law = [&](const Scores& scores) -> const std::vector<Ball>& {
    std::vector<Ball>& masses = laws[scores];
    if (!masses.empty()) return masses;
    for (const std::string& answers : sequences) masses.push_back(Mass(scores, answers, noises));
    return masses;
  };
  long double worst = 1;
  const auto compare = [&](const Scores& a, const Scores& b) {
    for (size_t i = 0; i < sequences.size(); ++i) {
      worst = std::max({worst, (law(a)[i] / law(b)[i]).Upper(), (law(b)[i] / law(a)[i]).Upper()});
    }
  };
  for (int64_t code = 0; code < 64; ++code) {
    const Scores scores = {code % 4 - 2, code / 4 % 4 - 2, code / 16 - 2};
    for (int64_t a = change_min; a <= 1; ++a) {
      for (int64_t b = change_min; b <= 1; ++b) {
        for (int64_t c = change_min; c <= 1; ++c) {
          compare(scores, {scores[0] + a, scores[1] + b, scores[2] + c});
        }
      }
    }
  }
  return Log(worst).UpperDouble();
}

double LossOf(const AboveThreshold& rule, bool monotone) {
  return rule.Loss({.monotone = monotone}, Neighbours::kAddOrRemove)->epsilon->value().ToDouble();
}

TEST(AboveThreshold, M7NoNeighboursOfThreeScoresAreFurtherApartThanTheLoss) {
  for (const uint64_t positives_max : {1u, 2u, 3u}) {
    const AboveThreshold rule = Make("3/2", "2", positives_max);
    for (const bool monotone : {false, true}) {
      const double loss = LossOf(rule, monotone);
      const double worst = WorstLogRatio(rule, monotone ? 0 : -1);
      EXPECT_LE(worst, loss + 1e-12);
      if (positives_max == 1) {
        EXPECT_GE(worst, 0.7 * loss);
      }
    }
  }
}

// Many scores far above the threshold that are said to be below it: it is the threshold that must
// have risen, and those said to be above must have risen with it.
TEST(AboveThreshold, M7TheLossIsAttainedByAnswersFarFromTheScores) {
  constexpr int64_t kFar = 60;
  for (const uint64_t positives_max : {1u, 2u}) {
    const AboveThreshold rule = Make("3/2", "2", positives_max);
    const Noises noises(rule, 300, kFar + 10);
    const std::string answers = std::string(6, '-') + std::string(positives_max, '+');
    for (const bool monotone : {false, true}) {
      Scores scores;
      Scores neighbour;
      for (const char answer : answers) {
        scores.push_back(answer == '-' ? kFar : 0);
        neighbour.push_back(answer == '-' ? kFar + 1 : monotone ? 0 : -1);
      }
      const double ratio =
          Log(Mass(scores, answers, noises) / Mass(neighbour, answers, noises)).UpperDouble();
      const double loss = LossOf(rule, monotone);
      EXPECT_LE(ratio, loss + 1e-12);
      EXPECT_GE(ratio, loss - 1e-9);
    }
  }
}

TEST(AboveThreshold, M7LossIsExact) {
  const AboveThreshold rule = Make("7/3", "5", 4);
  const auto epsilon = [&](const Utility& utility, Neighbours neighbours) {
    const PrivacyLoss loss = *rule.Loss(utility, neighbours);
    const Rational value = loss.epsilon->value();
    EXPECT_EQ(loss.rho, RhoOfPure({.linear = value}));
    EXPECT_EQ(std::get<PureLoss>(loss.law).epsilon.linear, value);
    EXPECT_EQ(std::get<PureLoss>(loss.law).epsilon.ratio, Rational(1));
    return value;
  };
  const Rational one_way = Rational(3, 7) + Rational(4, 5);
  const Rational both_ways = Rational(3, 7) + Rational(8, 5);
  EXPECT_EQ(epsilon({.monotone = true}, Neighbours::kAddOrRemove), one_way);
  EXPECT_EQ(epsilon({.monotone = true}, Neighbours::kChangeOne), both_ways);
  EXPECT_EQ(epsilon({}, Neighbours::kAddOrRemove), both_ways);
  EXPECT_EQ(epsilon({.change = Exactly("1e4000")}, Neighbours::kAddOrRemove),
            both_ways * Exactly("1e4000"));
}

TEST(AboveThreshold, M7ForAnEpsilonCostsExactlyThatAndSplitsItWell) {
  const Epsilon epsilon = *Epsilon::Create(Rational(1, 3));
  for (const uint64_t positives_max : {uint64_t{1}, uint64_t{2}, uint64_t{10}, uint64_t{12345}}) {
    for (const Neighbours neighbours : {Neighbours::kAddOrRemove, Neighbours::kChangeOne}) {
      for (const bool monotone : {false, true}) {
        const Utility utility{.change = Rational(5, 2), .monotone = monotone};
        const AboveThreshold rule =
            *AboveThreshold::For(epsilon, utility, neighbours, positives_max);
        EXPECT_EQ(*rule.Loss(utility, neighbours)->epsilon, epsilon);
        // The squares of the scales add up to hardly more than at the best split of all.
        const double change = utility.change.ToDouble();
        const double widths =
            static_cast<double>(positives_max) * ScoreWidth(utility, neighbours).ToDouble();
        const double ratio = std::cbrt(widths / change * widths / change);
        const double best = std::hypot(change, widths / ratio) * (1 + ratio) * 3;
        const double squares = std::pow(rule.options().threshold_scale.ToDouble(), 2) +
                               std::pow(rule.options().score_scale.ToDouble(), 2);
        EXPECT_LE(squares, (1 + 1e-6) * best * best);
      }
    }
  }
  const AboveThreshold most = *AboveThreshold::For(*Epsilon::Create(Exactly("1e15")), {},
                                                   Neighbours::kChangeOne, UINT64_MAX);
  EXPECT_EQ(most.Loss({}, Neighbours::kChangeOne)->epsilon->value(), Exactly("1e15"));
}

TEST(AboveThreshold, ASessionSaysAboveAsOftenAsWasPaidFor) {
  SeededEntropy entropy(1);
  ThresholdSession session = *Make("1e-6", "1e-6", 2).Start(0, entropy);  // hardly ever any noise
  for (const int64_t score : {-5, -1, 0, -1, -5}) {
    EXPECT_EQ(*session.Next(score, entropy), score >= 0);
  }
  EXPECT_EQ(session.positives_left(), 1u);
  EXPECT_TRUE(*session.Next(7, entropy));
  EXPECT_EQ(session.positives_left(), 0u);
  for (const int64_t score : {7, -7}) {
    const Result<bool> more = session.Next(score, entropy);
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.error().code, Code::kForbidden);
  }
}

TEST(AboveThreshold, ASessionMovesButIsNotCopied) {
  static_assert(!std::is_copy_constructible_v<ThresholdSession> &&
                !std::is_copy_assignable_v<ThresholdSession>);
  SeededEntropy entropy(1);
  const AboveThreshold rule = Make("1e-6", "1e-6", 3);
  ThresholdSession session = *rule.Start(0, entropy);
  ThresholdSession moved = std::move(session);
  EXPECT_EQ(session.positives_left(), 0u);
  EXPECT_EQ(session.Next(1, entropy).error().code, Code::kForbidden);
  EXPECT_TRUE(*moved.Next(1, entropy));
  session = std::move(moved);
  EXPECT_EQ(moved.Next(1, entropy).error().code, Code::kForbidden);
  EXPECT_EQ(session.positives_left(), 2u);
  EXPECT_TRUE(*session.Next(1, entropy));
}

TEST(AboveThreshold, WithoutEntropyASessionIsClosedForEver) {
  const AboveThreshold rule = Make("2", "2", 3);
  FailingEntropy none(0);
  EXPECT_EQ(rule.Start(0, none).error().code, Code::kEntropy);
  SeededEntropy entropy(1);
  ThresholdSession session = *rule.Start(0, entropy);
  ASSERT_TRUE(session.Next(-1000, entropy).ok());
  EXPECT_EQ(session.Next(0, none).error().code, Code::kEntropy);
  EXPECT_EQ(session.positives_left(), 0u);
  EXPECT_EQ(session.Next(0, entropy).error().code, Code::kForbidden);
}

TEST(AboveThreshold, ThresholdsAndScoresAtTheEndsOfTheirTypeAreRight) {
  SeededEntropy entropy(1);
  const AboveThreshold exact = Make("1e-6", "1e-6", 1000);
  const AboveThreshold wide = Make("1152921504606846976", "1152921504606846976", 1000);
  for (const int64_t threshold : {INT64_MIN, INT64_MIN + 1, int64_t{0}, INT64_MAX - 1, INT64_MAX}) {
    ThresholdSession session = *exact.Start(threshold, entropy);
    ThresholdSession noisy = *wide.Start(threshold, entropy);
    for (const int64_t score : {INT64_MIN, INT64_MIN + 1, int64_t{0}, INT64_MAX - 1, INT64_MAX}) {
      EXPECT_EQ(*session.Next(score, entropy), score >= threshold);
      EXPECT_TRUE(noisy.Next(score, entropy).ok());
    }
  }
}

TEST(AboveThreshold, RefusesWhatWouldNotProtectOrMakesNoSense) {
  for (const char* scale : {"0", "-1", "1e-7", "1e4000", "1152921504606846977"}) {
    const Rational bad = Exactly(scale);
    EXPECT_EQ(AboveThreshold::Create({bad, Rational(1), 1}).error().code, Code::kUsage) << scale;
    EXPECT_EQ(AboveThreshold::Create({Rational(1), bad, 1}).error().code, Code::kUsage) << scale;
  }
  EXPECT_EQ(AboveThreshold::Create({Rational(1), Rational(1), 0}).error().code, Code::kUsage);
  const AboveThreshold rule = Make("1", "1", 1);
  for (const char* change : {"0", "-1", "-1e-4000"}) {
    const Result<PrivacyLoss> loss =
        rule.Loss({.change = Exactly(change)}, Neighbours::kAddOrRemove);
    ASSERT_FALSE(loss.ok());
    EXPECT_EQ(loss.error().code, Code::kUsage);
  }
  const auto make = [](const char* epsilon, const char* change, uint64_t positives_max) {
    return AboveThreshold::For(*Epsilon::Create(Exactly(epsilon)), {.change = Exactly(change)},
                               Neighbours::kAddOrRemove, positives_max);
  };
  EXPECT_TRUE(make("1", "1", 1).ok());
  EXPECT_EQ(make("0", "1", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "0", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "-1", 1).error().code, Code::kUsage);
  EXPECT_EQ(make("1", "1", 0).error().code, Code::kUsage);
  EXPECT_EQ(make("1e-30", "1", 1).error().code, Code::kUsage);
}

}  // namespace
}  // namespace tacet
