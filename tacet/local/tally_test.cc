// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

// A normal variable is further out than this, one way, once in 1/kFalseAlarm times.
constexpr double kAlarmQuantile = 4.7535;
static_assert(kFalseAlarm == 1e-6);

SurveyQuestion YesNo(const char* epsilon) {
  return {
      .name = "q", .text = {}, .domain = YesNoDomain{}, .epsilon = *ExactEpsilon::Parse(epsilon)};
}

SurveyQuestion Choice(int values, const char* epsilon, LocalMethod method) {
  ChoiceDomain domain;
  for (int i = 0; i < values; ++i) domain.values.push_back("v" + std::to_string(i));
  return {.name = "q",
          .text = {},
          .domain = domain,
          .epsilon = *ExactEpsilon::Parse(epsilon),
          .method = method};
}

SurveyQuestion Hours(const char* epsilon, LocalMethod method) {
  return {.name = "q",
          .text = {},
          .domain = NumberDomain{Rational(0), Rational(24), Rational(1, 4)},
          .epsilon = *ExactEpsilon::Parse(epsilon),
          .method = method};
}

// Surveys a panel again and again: what is known of its estimates.
struct Repeated {
  std::vector<double> mean;
  std::vector<double> variance;
  std::vector<double> stated_variance;  // on average
  std::vector<int> missed;              // how often the truth was outside of the margin
};

Repeated Survey(const SurveyQuestion& question, const std::vector<uint64_t>& answers,
                const std::vector<double>& truth, int runs, Entropy& entropy) {
  const Randomizer randomizer = *Randomizer::Create(question);
  Repeated repeated;
  for (auto* column : {&repeated.mean, &repeated.variance, &repeated.stated_variance}) {
    column->resize(truth.size());
  }
  repeated.missed.resize(truth.size());
  for (int run = 0; run < runs; ++run) {
    Tally tally(randomizer);
    EXPECT_TRUE(Draw(entropy, [&](Coins& coins) {
                  for (const uint64_t answer : answers)
                    tally.Add(randomizer.Respond(answer, coins));
                }).ok());
    const QuestionEstimate estimate = Estimate(randomizer, tally);
    for (size_t i = 0; i < truth.size(); ++i) {
      const double error = estimate.estimates[i].value - truth[i];
      repeated.mean[i] += error / runs;
      repeated.variance[i] += error * error / runs;
      repeated.stated_variance[i] += estimate.estimates[i].variance / runs;
      repeated.missed[i] += std::fabs(error) > estimate.estimates[i].margin ? 1 : 0;
    }
  }
  return repeated;
}

// `exact` variances; margins must miss no more than one time in 20, and not much less.
void ExpectSound(const Repeated& repeated, const std::vector<double>& exact, int runs,
                 double missed_least) {
  const double n = runs;
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LT(std::fabs(repeated.mean[i]), kAlarmQuantile * std::sqrt(exact[i] / n)) << i;
    // The error of an average of squares, which is a little more than a normal law's.
    EXPECT_NEAR(repeated.variance[i] / exact[i], 1, 1.2 * kAlarmQuantile * std::sqrt(2 / n)) << i;
    const double slack = kAlarmQuantile * std::sqrt(0.05 * 0.95 * n);
    EXPECT_LT(repeated.missed[i], 0.05 * n + slack) << i;
    EXPECT_GT(repeated.missed[i], missed_least * n - slack) << i;
  }
}

class Estimates : public ::testing::Test {
 protected:
  uint64_t seed_ = RotatingSeed();
  SeededEntropy entropy_{seed_};
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, "TACET_SEED=" + std::to_string(seed_)};
};

TEST_F(Estimates, C4YesOrNoIsUnbiasedAndItsMarginHolds) {
  constexpr int kRuns = 3000;
  for (const auto& [epsilon, share] :
       std::vector<std::pair<const char*, double>>{{"ln(3)", 0.1}, {"1/2", 0.5}, {"3", 0.97}}) {
    constexpr size_t kPeople = 300;
    const auto yes = static_cast<size_t>(share * kPeople);
    std::vector<uint64_t> answers(kPeople, 0);
    std::fill_n(answers.begin(), yes, 1);
    const double truth = static_cast<double>(yes) / kPeople;
    const Support support = SupportOf(*Randomizer::Create(YesNo(epsilon)));
    ExpectSound(Survey(YesNo(epsilon), answers, {truth}, kRuns, entropy_),
                {ShareVariance(support, truth) / kPeople}, kRuns, 0.02);
  }
}

TEST_F(Estimates, C4TheErrorIsAtMostOneOverTwoGammaRootNThreeTimesInFour) {
  // By gamma rather than by epsilon, and for few people and many.
  for (const char* gamma : {"1/4", "1/10"}) {
    const double g = Rational::Parse(gamma)->ToDouble();
    const Rational truth = Rational(1, 2) + *Rational::Parse(gamma);
    const SurveyQuestion question{
        .name = "q",
        .text = {},
        .domain = YesNoDomain{},
        .epsilon = {.linear = Rational(0), .ratio = truth / (Rational(1) - truth)}};
    const Randomizer randomizer = *Randomizer::Create(question);
    const Support support = SupportOf(randomizer);
    EXPECT_NEAR(support.truth, 0.5 + g, 1e-15);
    for (const size_t people : {20u, 1000u}) {
      constexpr int kRuns = 1000;
      int beyond = 0;
      for (int run = 0; run < kRuns; ++run) {
        const size_t yes = people * 9 / 10;
        Tally tally(randomizer);
        ASSERT_TRUE(Draw(entropy_, [&](Coins& coins) {
                      for (size_t i = 0; i < people; ++i) {
                        tally.Add(randomizer.Respond(i < yes ? 1 : 0, coins));
                      }
                    }).ok());
        const double n = static_cast<double>(people);
        // The estimator that the theory writes: (mean(y) - 1/2 + g) / (2 g).
        const double mean = static_cast<double>(tally.Counts()[1]) / n;
        const double estimate = Estimate(randomizer, tally).estimates[0].value;
        EXPECT_NEAR(estimate, (mean - 0.5 + g) / (2 * g), 1e-12);
        if (std::fabs(estimate - static_cast<double>(yes) / n) > 1 / (2 * g * std::sqrt(n))) {
          ++beyond;
        }
      }
      EXPECT_LT(beyond, kRuns / 4);
    }
  }
}

TEST_F(Estimates, M3ErrorsFallAsTheRootOfPeopleAtTheSourceAndAsPeopleAtACurator) {
  const SurveyQuestion question = YesNo("1/2");
  const Randomizer randomizer = *Randomizer::Create(question);
  const RandomizedResponse response = *RandomizedResponse::Create(question.epsilon);
  const DiscreteLaplace laplace = *DiscreteLaplace::Create(Rational(2));
  constexpr int kRuns = 300;
  std::vector<double> source;
  std::vector<double> curator;
  for (const size_t people : {200u, 3200u, 51200u}) {
    std::vector<uint8_t> truths(people);
    std::fill_n(truths.begin(), people / 4, 1);
    double off_source = 0;
    double off_curator = 0;
    for (int run = 0; run < kRuns; ++run) {
      Tally tally(randomizer);
      tally.AddNumbers(*response.Release(truths, entropy_));
      off_source += std::pow(Estimate(randomizer, tally).estimates[0].value - 0.25, 2);
      off_curator +=
          std::pow(ToDouble(*laplace.Release(0, entropy_)) / static_cast<double>(people), 2);
    }
    source.push_back(std::sqrt(off_source / kRuns));
    curator.push_back(std::sqrt(off_curator / kRuns));
  }
  // Sixteen times the people: a fourth of the error, or a sixteenth. A root mean square of 300 runs
  // is off by 4%, that of Laplace noise by 7%; a quotient of two by half as much again.
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(source[i] / source[i + 1], 4, 4 * 0.06 * kAlarmQuantile);
    EXPECT_NEAR(curator[i] / curator[i + 1], 16, 16 * 0.1 * kAlarmQuantile);
  }
}

TEST_F(Estimates, SharesOfAChoiceAreUnbiasedByBothMethods) {
  constexpr int kRuns = 1500;
  std::vector<uint64_t> answers;
  const std::vector<size_t> counts = {240, 50, 10, 0};
  std::vector<double> truth;
  for (size_t value = 0; value < counts.size(); ++value) {
    answers.insert(answers.end(), counts[value], value);
    truth.push_back(static_cast<double>(counts[value]) / 300);
  }
  for (const LocalMethod method : {LocalMethod::kDirect, LocalMethod::kUnary}) {
    const SurveyQuestion question = Choice(4, "1", method);
    const Support support = SupportOf(*Randomizer::Create(question));
    std::vector<double> exact;
    for (const double share : truth) exact.push_back(ShareVariance(support, share) / 300);
    ExpectSound(Survey(question, answers, truth, kRuns, entropy_), exact, kRuns, 0.02);
  }
}

TEST_F(Estimates, MeansOfNumbersAreUnbiasedByBothMethods) {
  constexpr int kRuns = 1500;
  std::vector<uint64_t> answers;
  for (uint64_t i = 0; i < 300; ++i) answers.push_back(20 + i % 30);
  double mean = 0;
  for (const uint64_t answer : answers) mean += static_cast<double>(answer) / 4 / 300;
  for (const auto& [epsilon, method] : std::vector<std::pair<const char*, LocalMethod>>{
           {"1", LocalMethod::kTwoPoint}, {"3", LocalMethod::kPiecewise}}) {
    const SurveyQuestion question = Hours(epsilon, method);
    const Randomizer randomizer = *Randomizer::Create(question);
    double exact = 0;
    for (const uint64_t answer : answers) {
      exact += randomizer.number()->moments().Variance(static_cast<double>(answer) / 96);
    }
    exact *= 24.0 * 24.0 / (300 * 300);
    // What the answers vary by is in the margin too.
    const Repeated repeated = Survey(question, answers, {mean}, kRuns, entropy_);
    ExpectSound(repeated, {exact}, kRuns, 0.01);
    EXPECT_GT(repeated.stated_variance[0], exact * 0.99);
  }
}

TEST_F(Estimates, MarginsOfMeansHoldWhereEverybodyIsAtAnEnd) {
  // Lies are rare: in half of the panels nobody tells one, and all reports are the same.
  constexpr int kRuns = 1000;
  constexpr size_t kPeople = 300;
  for (const uint64_t end : {uint64_t{0}, uint64_t{96}}) {
    for (const auto& [epsilon, method] : std::vector<std::pair<const char*, LocalMethod>>{
             {"6", LocalMethod::kTwoPoint}, {"8", LocalMethod::kPiecewise}}) {
      const std::vector<uint64_t> answers(kPeople, end);
      const double truth = static_cast<double>(end) / 4;
      const Repeated repeated = Survey(Hours(epsilon, method), answers, {truth}, kRuns, entropy_);
      EXPECT_LT(repeated.missed[0], 0.05 * kRuns + kAlarmQuantile * std::sqrt(0.05 * 0.95 * kRuns))
          << epsilon << " at " << end;
      const Randomizer randomizer = *Randomizer::Create(Hours(epsilon, method));
      const double exact = randomizer.number()->moments().Variance(truth / 24) * 24 * 24 / kPeople;
      EXPECT_GT(repeated.stated_variance[0], exact * 0.99);
      EXPECT_LT(repeated.stated_variance[0], exact * 4);
    }
  }
}

TEST_F(Estimates, MarginsOfSplitPeopleHoldForEverybody) {
  // Little privacy, so that nearly all of the error is by the draw of those who are asked.
  const Randomizer yes_no = *Randomizer::Create(YesNo("5"));
  const Randomizer hours = *Randomizer::Create(Hours("8", LocalMethod::kAuto));
  constexpr int kRuns = 1000;
  constexpr size_t kPeople = 900;
  int missed_share = 0;
  int missed_mean = 0;
  int missed_without = 0;
  for (int run = 0; run < kRuns; ++run) {
    Tally share(yes_no);
    Tally mean(hours);
    ASSERT_TRUE(Draw(entropy_, [&](Coins& coins) {
                  for (size_t i = 0; i < kPeople; ++i) {
                    const bool has = i % 5 < 2;
                    const uint64_t question = coins.Bits(3);
                    if (question == 0) share.Add(yes_no.Respond(has ? 1 : 0, coins));
                    if (question == 1) mean.Add(hours.Respond(has ? 80 : 10, coins));
                  }
                }).ok());
    const auto misses = [](const QuestionEstimate& estimate, double truth) {
      const LocalEstimate& one = estimate.estimates[0];
      return std::fabs(one.value - truth) > one.margin ? 1 : 0;
    };
    missed_share += misses(Estimate(yes_no, share, Reporters::kSample), 0.4);
    missed_mean += misses(Estimate(hours, mean, Reporters::kSample), 0.4 * 20 + 0.6 * 2.5);
    missed_without += misses(Estimate(yes_no, share), 0.4);
  }
  const double most = 0.05 * kRuns + kAlarmQuantile * std::sqrt(0.05 * 0.95 * kRuns);
  EXPECT_LT(missed_share, most);
  EXPECT_LT(missed_mean, most);
  EXPECT_GT(missed_without, most);  // it would not do to forget the draw
}

TEST(Tally, BitsAreCountedAsOneByOne) {
  SeededEntropy entropy(3);
  const Randomizer randomizer = *Randomizer::Create(Choice(130, "1", LocalMethod::kUnary));
  Tally bulk(randomizer);
  std::vector<uint64_t> counts(130);
  std::vector<uint64_t> words;
  for (int i = 0; i < 700; ++i) {  // more than the planes hold
    const Report report = *randomizer.Release(static_cast<uint64_t>(i) % 130, entropy);
    words.insert(words.end(), report.bits.begin(), report.bits.end());
    for (uint64_t c = 0; c < 130; ++c) counts[c] += report.bits[c / 64] >> (c % 64) & 1;
  }
  bulk.AddBits(words);
  EXPECT_EQ(bulk.Counts(), counts);
  EXPECT_EQ(bulk.reports(), 700u);
}

TEST(Tally, PartsMergeToTheWhole) {
  SeededEntropy entropy(4);
  for (const SurveyQuestion& question :
       {YesNo("1"), Choice(5, "1", LocalMethod::kDirect), Choice(70, "1", LocalMethod::kUnary),
        Hours("3", LocalMethod::kPiecewise)}) {
    const Randomizer randomizer = *Randomizer::Create(question);
    Tally whole(randomizer);
    Tally first(randomizer);
    Tally second(randomizer);
    for (uint64_t i = 0; i < 600; ++i) {
      const Report report = *randomizer.Release(i % AnswerCount(question), entropy);
      whole.Add(report);
      (i < 200 ? first : second).Add(report);
    }
    first.AddNull();
    whole.AddNull();
    ASSERT_TRUE(first.Merge(second).ok());
    EXPECT_EQ(first.Text(), whole.Text());
    const Result<Tally> read = Tally::Read(randomizer, whole.Text());
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->Text(), whole.Text());
    EXPECT_EQ(Estimate(randomizer, *read).estimates[0].value,
              Estimate(randomizer, whole).estimates[0].value);
  }
  Tally yes_no(*Randomizer::Create(YesNo("1")));
  EXPECT_FALSE(yes_no.Merge(Tally(*Randomizer::Create(Hours("1", LocalMethod::kAuto)))).ok());
}

TEST(Tally, WhatNoReportsAddUpToIsRefused) {
  const Randomizer direct = *Randomizer::Create(YesNo("1"));
  for (const char* text : {"", "1", "2 0 1", "2 0 1 2", "2 0 1 0", "2 0 3 0", "2 0 1 1 0",
                           "x 0 1 1", "2 0 -1 3", "2 0 01 1", "18446744073709551616 0 1 1",
                           "281474976710657 0 281474976710657 0", "2 0 18446744073709551615 3"}) {
    const Result<Tally> tally = Tally::Read(direct, text);
    ASSERT_FALSE(tally.ok()) << text;
    EXPECT_EQ(tally.error().code, Code::kData);
  }
  const Randomizer number = *Randomizer::Create(Hours("1", LocalMethod::kTwoPoint));
  EXPECT_TRUE(Tally::Read(number, "5 1 3 3").ok());
  for (const char* text : {"5 1 3 2", "5 1 6 6", "5 1 3 4", "5 1 3",
                           "5 1 340282366920938463463374607431768211456 3"}) {
    EXPECT_FALSE(Tally::Read(number, text).ok()) << text;
  }
  const Randomizer window = *Randomizer::Create(Hours("3", LocalMethod::kPiecewise));
  EXPECT_TRUE(Tally::Read(window, "2 0 7 25").ok());   // 3 and 4
  EXPECT_FALSE(Tally::Read(window, "2 0 7 24").ok());  // squares are as odd as their roots
  EXPECT_FALSE(Tally::Read(window, "2 0 7 23").ok());  // 2 * 23 < 7 * 7
  const Randomizer unary = *Randomizer::Create(Choice(5, "1", LocalMethod::kUnary));
  EXPECT_TRUE(Tally::Read(unary, "3 0 3 3 3 0 0").ok());
  EXPECT_FALSE(Tally::Read(unary, "3 0 4 3 3 0 0").ok());
}

TEST(Tally, OneReportMovesAnEstimateByNoMoreThanItSays) {
  for (const SurveyQuestion& question :
       {YesNo("1/2"), Choice(5, "1", LocalMethod::kDirect), Choice(70, "1", LocalMethod::kUnary),
        Hours("3", LocalMethod::kPiecewise)}) {
    const Randomizer randomizer = *Randomizer::Create(question);
    // The two reports that are furthest apart, among 100 that are the same.
    Report low;
    Report high{.number = randomizer.Outputs() - 1, .bits = {}};
    if (randomizer.unary() != nullptr) {
      low.bits.resize(randomizer.unary()->words());
      high.bits = {~uint64_t{0}, 63};
    }
    const auto estimate = [&](const Report& last) {
      Tally tally(randomizer);
      for (int i = 0; i < 99; ++i) tally.Add(low);
      tally.Add(last);
      return Estimate(randomizer, tally);
    };
    const QuestionEstimate before = estimate(low);
    const QuestionEstimate after = estimate(high);
    double moved = 0;
    for (size_t i = 0; i < before.estimates.size(); ++i) {
      moved = std::max(moved, std::fabs(after.estimates[i].value - before.estimates[i].value));
    }
    EXPECT_NEAR(moved, before.moved_max, 1e-9 * moved);
  }
}

TEST(ProjectToSimplex, IsTheNearestPoint) {
  EXPECT_EQ(ProjectToSimplex({0.25, 0.75}), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(ProjectToSimplex({2, 0}), (std::vector<double>{1, 0}));
  EXPECT_EQ(ProjectToSimplex({-1, 3, 2.5}), (std::vector<double>{0, 0.75, 0.25}));
  // Never further from any point of the simplex than the shares were.
  SeededEntropy entropy(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> shares;
    std::vector<double> truth;
    ASSERT_TRUE(Draw(entropy, [&](Coins& coins) {
                  for (int j = 0; j < 6; ++j) {
                    shares.push_back(static_cast<double>(coins.Bits(10)) / 700 - 0.5);
                    truth.push_back(static_cast<double>(coins.Bits(10)) + 1);
                  }
                }).ok());
    const double sum = std::accumulate(truth.begin(), truth.end(), 0.0);
    const std::vector<double> projected = ProjectToSimplex(shares);
    double before = 0;
    double after = 0;
    for (size_t j = 0; j < 6; ++j) {
      before += std::pow(shares[j] - truth[j] / sum, 2);
      after += std::pow(projected[j] - truth[j] / sum, 2);
      EXPECT_GE(projected[j], 0);
    }
    EXPECT_LE(after, before + 1e-12);
    EXPECT_NEAR(std::accumulate(projected.begin(), projected.end(), 0.0), 1, 1e-12);
  }
}

TEST(Estimate, WithoutReportsThereIsNone) {
  const Randomizer randomizer = *Randomizer::Create(YesNo("1"));
  EXPECT_TRUE(Estimate(randomizer, Tally(randomizer)).estimates.empty());
}

}  // namespace
}  // namespace tacet
