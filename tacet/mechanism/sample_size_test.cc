// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/sample_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/mechanism/response_tail.h"

namespace tacet {
namespace {

SampleTarget Target(const char* epsilon, const char* error, const char* confidence = "0.95") {
  return {.epsilon = *ExactEpsilon::Parse(epsilon),
          .error = *Rational::Parse(error),
          .confidence = *Rational::Parse(confidence)};
}

// The law by plain convolution, in the numbers of type T: long double, or exact fractions.
template <typename T>
class PlainLaw {
 public:
  PlainLaw(T lie, T error, int64_t people_max) : lie_(lie), error_(error) {
    binomials_.push_back({T(1)});
    for (int64_t n = 1; n <= people_max; ++n) {
      const std::vector<T>& before = binomials_.back();
      std::vector<T> law(static_cast<size_t>(n) + 1, T(0));
      for (size_t k = 0; k < before.size(); ++k) {
        law[k] = law[k] + before[k] * (T(1) - lie);
        law[k + 1] = law[k + 1] + before[k] * lie;
      }
      binomials_.push_back(std::move(law));
    }
  }

  // P[|estimate - yes/n| > error], where the estimate is (reports/n - q) / (1 - 2 q). `tie` is how
  // much more than the error is taken for the error.
  T Failure(int64_t n, int64_t yes, T tie) const {
    const std::vector<T>& of_no = binomials_[static_cast<size_t>(n - yes)];
    const std::vector<T>& of_yes = binomials_[static_cast<size_t>(yes)];
    T failure(0);
    // By the number k of reports that say yes: i of no lied, j of yes did.
    std::vector<T> reports(static_cast<size_t>(n) + 1, T(0));
    for (size_t i = 0; i < of_no.size(); ++i) {
      for (size_t j = 0; j < of_yes.size(); ++j) {
        T& share = reports[i + static_cast<size_t>(yes) - j];
        share = share + of_no[i] * of_yes[j];
      }
    }
    for (int64_t k = 0; k <= n; ++k) {
      const T estimate = (T(k) / T(n) - lie_) / (T(1) - T(2) * lie_);
      const T off = estimate - T(yes) / T(n);
      if (off > error_ + tie || -off > error_ + tie) {
        failure = failure + reports[static_cast<size_t>(k)];
      }
    }
    return failure;
  }

  // One more than the last number of people, up to the largest, with a failure above `allowed`.
  int64_t Least(T allowed, T tie) const {
    for (auto n = static_cast<int64_t>(binomials_.size()) - 1; n >= 1; --n) {
      for (int64_t yes = 0; yes <= n; ++yes) {
        if (Failure(n, yes, tie) > allowed + tie) return n + 1;
      }
    }
    return 1;
  }

 private:
  T lie_;
  T error_;
  std::vector<std::vector<T>> binomials_;
};

long double Number(const Rational& value) { return value.ToDouble(); }

PlainLaw<long double> PlainLawOf(const SampleTarget& target, int64_t people_max) {
  const long double epsilon =
      Number(target.epsilon.linear) + std::log(Number(target.epsilon.ratio));
  return {1 / (1 + std::exp(epsilon)), Number(target.error), people_max};
}

TEST(PeopleForLaplace, M3SixHundredForOnePercentAtOneHalf) {
  EXPECT_EQ(*PeopleForLaplace(Target("1/2", "1/100")), 600);
  EXPECT_EQ(*PeopleForLaplace(Target("1", "1/2", "1/2")), 2);
  EXPECT_EQ(*PeopleForLaplace(Target("100", "0.99", "0.5")), 1);
}

TEST(PeopleForLaplace, M3WholeQuotientsAreNotRoundedUpAndThoseJustAboveAre) {
  // ln 20 / (ln 20 / 100) is 100 exactly, and powers of 20 give its fractions.
  EXPECT_EQ(*PeopleForLaplace(Target("ln(20)", "1/100")), 100);
  EXPECT_EQ(*PeopleForLaplace(Target("ln(400)", "1/100")), 50);
  EXPECT_EQ(*PeopleForLaplace(Target("ln(8000)", "1/100")), 34);
  EXPECT_EQ(*PeopleForLaplace(Target("ln(4)", "1/10", "0.5")), 5);
  EXPECT_EQ(*PeopleForLaplace(Target("ln(20.0000000000000000000000000000000000000001)", "1/100")),
            100);
  EXPECT_EQ(*PeopleForLaplace(Target("ln(19.9999999999999999999999999999999999999999)", "1/100")),
            101);
}

TEST(PeopleForResponse, M3IsTheLeastByPlainConvolution) {
  struct Row {
    SampleTarget target;
    int64_t people_max;  // how far the plain law is worked out
  };
  for (const Row& row : {Row{Target("2", "1/10"), 110}, Row{Target("1", "1/5", "0.9"), 95},
                         Row{Target("1/2", "2/5", "3/4"), 70}, Row{Target("5", "3/10", "1/2"), 30},
                         Row{Target("1", "3/10", "1/100"), 50},
                         Row{Target("8", "1/5", "0.999"), 40}, Row{Target("4", "3/100", "4/5"), 80},
                         Row{Target("3", "1/10", "0.99"), 80}, Row{Target("5", "1/20"), 60}}) {
    const Result<int64_t> people = PeopleForResponse(row.target);
    ASSERT_TRUE(people.ok()) << people.error().message;
    const long double allowed = Number(Rational(1) - row.target.confidence);
    EXPECT_EQ(*people, PlainLawOf(row.target, row.people_max).Least(allowed, 1e-13L))
        << row.target.epsilon.ToString() << " " << row.target.error.ToString();
  }
}

TEST(PeopleForResponse, M3TiesAreDecidedExactly) {
  // In fractions: errors that are exactly allowed, and probabilities that are.
  for (const auto& [ratio, error, confidence] : {std::tuple{3, "1/2", "3/4"},
                                                 {3, "1/4", "3/4"},
                                                 {3, "1/5", "0.9"},
                                                 {2, "1/3", "2/3"},
                                                 {2, "1/4", "5/9"},
                                                 {4, "1/6", "0.9"},
                                                 {3, "2/5", "15/16"},
                                                 {9, "1/10", "9/10"}}) {
    const SampleTarget target =
        Target(("ln(" + std::to_string(ratio) + ")").c_str(), error, confidence);
    const PlainLaw<Rational> law(Rational(1, 1 + ratio), target.error, 24);
    const Result<int64_t> people = PeopleForResponse(target);
    ASSERT_TRUE(people.ok()) << people.error().message;
    if (*people > 20) continue;
    EXPECT_EQ(*people, law.Least(Rational(1) - target.confidence, 0))
        << ratio << " " << error << " " << confidence;
  }
}

TEST(PeopleForResponse, M3OnePercentAtOneHalf) {
  const SampleTarget target = Target("1/2", "1/100");
  EXPECT_EQ(*PeopleForResponse(target), 150'867);
  // One person fewer fails for this count; as many and more pass for it and others.
  const Rational allowed(1, 20);
  EXPECT_TRUE(
      (ResponseFailure(target, 150'866, 74'941) - Interval(allowed, 160)).CertainlyPositive());
  std::mt19937_64 random(20260131);
  for (int i = 0; i < 60; ++i) {
    const auto people = static_cast<int64_t>(150'867 + random() % (i < 30 ? 10 : 1'000));
    const auto yes = static_cast<int64_t>(random() % static_cast<uint64_t>(people + 1));
    EXPECT_TRUE(ResponseFailure(target, people, yes).CertainlyAtMost(allowed)) << people;
  }
}

TEST(PeopleForResponse, M3GrowsAsTheInverseSquares) {
  // About z^2 p q / (error (p - q))^2, with z = 1.95996 for 95%, and 1 / (epsilon error)^2 for a
  // small epsilon.
  for (const auto& [epsilon, error] : {std::pair{"1/10", "1/100"},
                                       {"1/100", "1/100"},
                                       {"1/1000", "1/1000"},
                                       {"ln(3)", "1/1000"}}) {
    const SampleTarget target = Target(epsilon, error);
    const Result<int64_t> people = PeopleForResponse(target);
    ASSERT_TRUE(people.ok()) << people.error().message;
    const double value = target.epsilon.Enclosure(64).High().ToDouble();
    const double reach = target.error.ToDouble() * std::tanh(value / 2);
    const double variance = 0.25 / std::pow(std::cosh(value / 2), 2);
    const double expected = 3.841458820694124 * variance / (reach * reach);
    EXPECT_NEAR(static_cast<double>(*people) / expected, 1, 0.005) << epsilon << " " << error;
  }
}

TEST(ResponseFailure, M3EnclosesTheExactProbability) {
  std::mt19937_64 random(20260131);
  for (int ratio : {2, 3, 50}) {
    const SampleTarget target =
        Target(("ln(" + std::to_string(ratio) + ")").c_str(), ratio == 3 ? "1/4" : "1/7");
    const PlainLaw<Rational> law(Rational(1, 1 + ratio), target.error, 24);
    for (int i = 0; i < 40; ++i) {
      const auto people = static_cast<int64_t>(1 + random() % 24);
      const auto yes = static_cast<int64_t>(random() % static_cast<uint64_t>(people + 1));
      const Interval failure = ResponseFailure(target, people, yes);
      const Rational exact = law.Failure(people, yes, 0);
      EXPECT_LE(failure.Low(), exact) << ratio << " " << people << " " << yes;
      EXPECT_GE(failure.High(), exact) << ratio << " " << people << " " << yes;
      EXPECT_LE(failure.High() - failure.Low(), Rational::PowerOfTwo(-60));
    }
  }
}

TEST(ResponseTail, NeverPassesABlockWithAFailure) {
  std::mt19937_64 random(20260131);
  int passed = 0;
  for (int i = 0; i < 60; ++i) {
    const SampleTarget target{
        .epsilon = {.linear = Rational(static_cast<int64_t>(1 + random() % 50), 10)},
        .error = Rational(static_cast<int64_t>(1 + random() % 30), 100),
        .confidence = Rational(static_cast<int64_t>(1 + random() % 19), 20)};
    const PlainLaw<long double> law = PlainLawOf(target, 36);
    const long double allowed = Number(Rational(1) - target.confidence);
    std::vector<bool> met(37, true);
    for (int64_t n = 1; n <= 36; ++n) {
      for (int64_t yes = 0; yes <= n; ++yes) {
        if (law.Failure(n, yes, 1e-13L) > allowed) met[static_cast<size_t>(n)] = false;
      }
    }
    const ResponseTail tail(target, 160);
    for (int j = 0; j < 6; ++j) {
      const auto first = static_cast<int64_t>(1 + random() % 36);
      const auto last = std::min<int64_t>(36, first + static_cast<int64_t>(random() % 8));
      const bool all =
          std::all_of(met.begin() + first, met.begin() + last + 1, [](bool one) { return one; });
      const bool proven = tail.MeetsOn(first, last);
      EXPECT_TRUE(all || !proven) << first << " " << last;
      EXPECT_EQ(*tail.MeetsAt(first), met[static_cast<size_t>(first)]) << first;
      passed += proven ? 1 : 0;
    }
  }
  EXPECT_GT(passed, 40);
}

TEST(SampleTarget, RefusesWhatMakesNoSenseOrIsOutOfReach) {
  const auto message = [](const SampleTarget& target) {
    const Result<int64_t> laplace = PeopleForLaplace(target);
    const Result<int64_t> response = PeopleForResponse(target);
    EXPECT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, Code::kUsage);
    return laplace.ok() ? response.error().message : laplace.error().message;
  };
  const std::vector<std::pair<SampleTarget, std::string>> cases = {
      {{.epsilon = {}, .error = Rational(1, 2)}, "epsilon"},
      {{.epsilon = {.linear = 1, .ratio = Rational(-1)}, .error = Rational(1, 2)}, "epsilon"},
      {Target("101", "1/2"), "epsilon"},
      {Target("1", "0"), "error"},
      {Target("1", "1"), "error"},
      {Target("1", "-1/2"), "error"},
      {Target("1", "1/2", "0"), "confidence"},
      {Target("1", "1/2", "1"), "confidence"},
      {Target("1", "1/2", "0.99999999999"), "confidence"},
      {Target("1e-4000", "1/2"), "10^15"},
      {Target("1e-30", "1/2"), "10^15"},
      {Target("1", "1e-4000"), "10^15"},
      {Target("1e-6", "1e-3"), "10^15"},
  };
  for (const auto& [target, expected] : cases) {
    EXPECT_NE(message(target).find(expected), std::string::npos) << expected;
  }
}

}  // namespace
}  // namespace tacet
