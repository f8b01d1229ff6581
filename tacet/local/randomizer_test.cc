// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/randomizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/reference_values.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::Number;
using ::tacet::testing::ReferenceRows;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;

using Table = std::map<uint64_t, Rational>;  // a report and its probability

ExactEpsilon LogOf(int64_t ratio) { return {.linear = Rational(0), .ratio = Rational(ratio)}; }

// What the sampler does over every sequence of flips lies around `exact`, which adds up to 1.
template <typename Sample>
void ExpectLaw(const Table& exact, int flips, Sample sample) {
  const auto law = ExactLaw(flips, sample);
  Rational total(0);
  for (const auto& [report, probability] : exact) {
    total += probability;
    const auto found = law.mass.find(report);
    const double mass = found == law.mass.end() ? 0 : found->second;
    EXPECT_LE(mass, probability.ToDouble() + 1e-15) << report;
    EXPECT_GE(mass + law.undecided, probability.ToDouble() - 1e-15) << report;
  }
  EXPECT_EQ(total, Rational(1));
  for (const auto& [report, mass] : law.mass) EXPECT_TRUE(exact.contains(report)) << report;
  EXPECT_LT(law.undecided, 0.03);
}

// The worst ratio of probabilities between two inputs is `ratio` exactly: the loss is its
// logarithm.
void ExpectLoss(const std::vector<Table>& tables, const Rational& ratio, const PrivacyLoss& loss) {
  Rational worst(0);
  for (const Table& one : tables) {
    for (const Table& other : tables) {
      for (const auto& [report, probability] : one) {
        worst = std::max(worst, probability / other.at(report));
      }
    }
  }
  EXPECT_EQ(worst, ratio);
  const double stated = loss.epsilon->value().ToDouble();
  const double measured = std::log(worst.ToDouble());
  EXPECT_LE(measured, stated + 1e-15);
  EXPECT_GE(measured, stated - 1e-9);
}

Table UnaryTable(uint64_t categories, uint64_t truth, const Rational& ratio) {
  const Rational other = (ratio + Rational(1)).Inverse();
  Table table;
  for (uint64_t bits = 0; bits < uint64_t{1} << categories; ++bits) {
    Rational probability(1, 2);
    for (uint64_t c = 0; c < categories; ++c) {
      if (c == truth) continue;
      probability *= (bits >> c & 1) != 0 ? other : Rational(1) - other;
    }
    table[bits] = probability;
  }
  return table;
}

TEST(UnaryEncoding, C3EveryBitLiesOnItsOwnAndTheLossIsEpsilon) {
  for (const auto& [categories, ratio, flips] :
       std::vector<std::tuple<uint64_t, int64_t, int>>{{2, 3, 21}, {3, 2, 22}, {3, 7, 22}}) {
    const UnaryEncoding encoding = *UnaryEncoding::Create(categories, LogOf(ratio));
    std::vector<Table> tables;
    for (uint64_t truth = 0; truth < categories; ++truth) {
      tables.push_back(UnaryTable(categories, truth, Rational(ratio)));
      ExpectLaw(tables.back(), flips, [&](Coins& coins) {
        std::vector<uint64_t> report(1);
        encoding.Respond(truth, report, coins);
        return report[0];
      });
    }
    ExpectLoss(tables, Rational(ratio), encoding.Loss());
  }
}

TEST(UnaryEncoding, ManyCategoriesFollowTheLaw) {
  const uint64_t seed = RotatingSeed();
  SCOPED_TRACE("TACET_SEED=" + std::to_string(seed));
  SeededEntropy entropy(seed);
  const UnaryEncoding encoding = *UnaryEncoding::Create(130, *ExactEpsilon::Parse("1"));
  constexpr int kReports = 4000;
  std::vector<uint64_t> ones(130);
  for (int i = 0; i < kReports; ++i) {
    const auto report = Draw(entropy, [&](Coins& coins) {
      std::vector<uint64_t> bits(encoding.words());
      encoding.Respond(70, bits, coins);
      return bits;
    });
    ASSERT_EQ((*report)[2] >> 2, 0u);  // nothing beyond the last category
    for (uint64_t c = 0; c < 130; ++c) ones[c] += (*report)[c / 64] >> (c % 64) & 1;
  }
  const double q = 1 / (1 + std::exp(1.0));
  for (uint64_t c = 0; c < 130; ++c) {
    const double p = c == 70 ? 0.5 : q;
    EXPECT_GT(ChiSquareP(std::vector<uint64_t>{ones[c], kReports - ones[c]},
                         std::vector<double>{p, 1 - p}),
              kFalseAlarm / 130)
        << c;
  }
}

Table WindowTable(uint64_t steps, uint64_t width, uint64_t start, const Rational& ratio) {
  const Rational weight =
      Rational(static_cast<int64_t>(width)) * ratio + Rational(static_cast<int64_t>(steps));
  Table table;
  for (uint64_t cell = 0; cell < steps + width; ++cell) {
    const bool inside = cell >= start && cell < start + width;
    table[cell] = (inside ? ratio : Rational(1)) / weight;
  }
  return table;
}

TEST(WindowResponse, C3EveryCellHasItsProbabilityAndTheLossIsEpsilon) {
  for (const auto& [steps, width, ratio] : std::vector<std::tuple<uint64_t, uint64_t, int64_t>>{
           {1, 1, 3}, {2, 2, 2}, {4, 2, 5}, {4, 1, 3}}) {
    SCOPED_TRACE(std::to_string(steps) + " " + std::to_string(width));
    const WindowResponse window = *WindowResponse::Create(steps, width, LogOf(ratio));
    std::vector<Table> tables;
    for (uint64_t start = 0; start <= steps; ++start) {
      tables.push_back(WindowTable(steps, width, start, Rational(ratio)));
      ExpectLaw(tables.back(), 16, [&](Coins& coins) { return window.Respond(start, coins); });
    }
    ExpectLoss(tables, Rational(ratio), window.Loss());
  }
}

// The law of a number between two steps mixes the laws of both.
Table NumberTable(const NumberResponse& response, uint64_t truth, const Rational& ratio) {
  const WindowResponse& window = response.window();
  const Rational place = Rational(static_cast<int64_t>(truth * window.steps())) /
                         Rational(static_cast<int64_t>(response.grid_steps()));
  const uint64_t low = place.Floor().get_ui();
  const Rational up = place - Rational(place.Floor());
  Table table = WindowTable(window.steps(), window.width(), low, ratio);
  if (up.sign() == 0) return table;
  const Table next = WindowTable(window.steps(), window.width(), low + 1, ratio);
  for (auto& [cell, probability] : table) {
    probability = (Rational(1) - up) * probability + up * next.at(cell);
  }
  return table;
}

TEST(NumberResponse, C3TwoPointsAreDuchisLawOverAllFlips) {
  const NumberResponse response =
      *NumberResponse::Create(4, LogOf(3), NumberResponse::Method::kTwoPoint);
  std::vector<Table> tables;
  for (uint64_t truth = 0; truth <= 4; ++truth) {
    tables.push_back(NumberTable(response, truth, Rational(3)));
    ExpectLaw(tables.back(), 16, [&](Coins& coins) { return response.Respond(truth, coins); });
    // 1/2 + v (r - 1) / (2 (r + 1)) for v in [-1, 1].
    EXPECT_EQ(tables.back().at(1), Rational(1, 4) + Rational(static_cast<int64_t>(truth), 8));
  }
  ExpectLoss(tables, Rational(3), response.Loss());
}

TEST(NumberResponse, EstimatesAreUnbiasedWithTheStatedVariance) {
  for (const int64_t ratio : {2, 3, 20, 400}) {
    for (const uint64_t grid : {1u, 3u, 10u, 1500u}) {
      for (const auto method :
           {NumberResponse::Method::kTwoPoint, NumberResponse::Method::kPiecewise}) {
        SCOPED_TRACE(std::to_string(ratio) + " " + std::to_string(grid));
        const NumberResponse response = *NumberResponse::Create(grid, LogOf(ratio), method);
        const WindowMoments& moments = response.moments();
        const auto steps = static_cast<double>(response.window().steps());
        double worst = 0;
        for (const uint64_t truth : {uint64_t{0}, grid / 3, grid / 2, grid}) {
          const double t = static_cast<double>(truth) / static_cast<double>(grid);
          Rational mean(0);
          Rational square(0);
          for (const auto& [cell, p] : NumberTable(response, truth, Rational(ratio))) {
            const Rational value(static_cast<int64_t>(cell));
            mean += p * value;
            square += p * value * value;
          }
          const double per_unit = moments.slope() * steps;
          EXPECT_NEAR((mean.ToDouble() - moments.mean()) / per_unit, t, 1e-10);
          const double variance = (square - mean * mean).ToDouble() / (per_unit * per_unit);
          EXPECT_NEAR(moments.Variance(t) / variance, 1, 1e-9);
          worst = std::max(worst, variance);
        }
        EXPECT_LE(worst, moments.VarianceMax() * (1 + 1e-9));
      }
    }
  }
}

TEST(NumberResponse, TakesTheMethodOfLessVariance) {
  // With the best width a window is better from an epsilon of about 1.19 on.
  EXPECT_EQ(NumberResponse::Create(1000, *ExactEpsilon::Parse("1.1"))->window().cells(), 2u);
  EXPECT_GT(NumberResponse::Create(1000, *ExactEpsilon::Parse("1.2"))->window().cells(), 1000u);
  for (const char* text : {"0.1", "1.2", "1.4", "3", "8"}) {
    const ExactEpsilon epsilon = *ExactEpsilon::Parse(text);
    const auto variance = [&](NumberResponse::Method method) {
      return NumberResponse::Create(1000, epsilon, method)->moments().VarianceMax();
    };
    EXPECT_EQ(variance(NumberResponse::Method::kAuto),
              std::min(variance(NumberResponse::Method::kTwoPoint),
                       variance(NumberResponse::Method::kPiecewise)));
    // On the line both have a closed form, in units where the range is [-1, 1].
    const double e = epsilon.Amount().value().ToDouble();
    const double duchi = std::pow((std::exp(e) + 1) / (std::exp(e) - 1), 2);
    const double half = std::exp(e / 2);
    const double wang = 1 / (half - 1) + (half + 3) / (3 * (half - 1) * (half - 1));
    EXPECT_NEAR(4 * variance(NumberResponse::Method::kTwoPoint) / duchi, 1, 1e-9);
    constexpr uint64_t kSteps = 1 << 18;
    const auto width = static_cast<uint64_t>(static_cast<double>(kSteps) / half);
    const WindowMoments published(kSteps, width, Odds(epsilon));
    EXPECT_NEAR(4 * published.Variance(0) / wang, 1, 0.001) << text;
    // That width is not the best one.
    EXPECT_LE(4 * variance(NumberResponse::Method::kPiecewise), wang * 1.002) << text;
  }
}

SurveyQuestion Choice(int values, const char* epsilon, LocalMethod method = LocalMethod::kAuto) {
  ChoiceDomain domain;
  for (int i = 0; i < values; ++i) domain.values.push_back("v" + std::to_string(i));
  return {.name = "choice",
          .text = {},
          .domain = domain,
          .epsilon = *ExactEpsilon::Parse(epsilon),
          .method = method};
}

TEST(Randomizer, PicksTheMethodOfLessVariance) {
  // k(e + k - 2) + (e - 1)(k - 2) against 4 k e + (e - 1)^2: for e^1, up to 9 values.
  for (const auto& [values, name] : std::vector<std::pair<int, std::string>>{
           {2, "direct"}, {5, "direct"}, {9, "direct"}, {11, "unary"}, {1000, "unary"}}) {
    EXPECT_EQ(Randomizer::Create(Choice(values, "1"))->MethodName(), name) << values;
  }
  for (const int values : {2, 3, 9, 10, 11, 12, 60, 100}) {
    for (const char* epsilon : {"0.1", "1", "3"}) {
      const double direct =
          DirectVariance(static_cast<uint64_t>(values), *ExactEpsilon::Parse(epsilon), 128)
              .Low()
              .ToDouble();
      const double unary =
          UnaryVariance(static_cast<uint64_t>(values), *ExactEpsilon::Parse(epsilon), 128)
              .Low()
              .ToDouble();
      EXPECT_EQ(Randomizer::Create(Choice(values, epsilon))->MethodName(),
                direct <= unary ? "direct" : "unary");
    }
  }
}

TEST(Randomizer, VariancesMatchTheReference) {
  for (const auto& row : ReferenceRows("oue_variance")) {
    const ExactEpsilon epsilon{.linear = Number(row["inputs"]["eps"])};
    // The reference is of one category that nobody has.
    const double k = 1000;
    const double total = UnaryVariance(1000, epsilon, 128).Low().ToDouble();
    EXPECT_NEAR((total - 1) / k, Number(row["value"]).ToDouble(), 1e-12);
  }
  for (const auto& row : ReferenceRows("krr")) {
    const uint64_t k = row["inputs"]["k"];
    const ExactEpsilon epsilon{.linear = Number(row["inputs"]["eps"])};
    const double p = Number(row["value"][0]).ToDouble();
    const double q = Number(row["value"][1]).ToDouble();
    const double at_zero = Number(row["value"][2]).ToDouble();
    const double total = static_cast<double>(k) * at_zero + (1 - p - q) / (p - q);
    EXPECT_NEAR(DirectVariance(k, epsilon, 128).Low().ToDouble(), total, 1e-11);
  }
}

TEST(Randomizer, ReportsAreReadAsTheyWereWritten) {
  SeededEntropy entropy(7);
  const SurveyQuestion number{.name = "hours",
                              .text = {},
                              .domain = NumberDomain{Rational(0), Rational(24), Rational(1, 4)},
                              .epsilon = *ExactEpsilon::Parse("3")};
  for (const SurveyQuestion& question :
       {Choice(3, "1"), Choice(5, "1", LocalMethod::kUnary), Choice(130, "1"), number}) {
    const Randomizer randomizer = *Randomizer::Create(question);
    for (uint64_t answer = 0; answer < AnswerCount(question); ++answer) {
      const Report report = *randomizer.Release(answer, entropy);
      const std::string text = randomizer.Text(report);
      const Result<Report> read = randomizer.Read(text);
      ASSERT_TRUE(read.ok()) << text;
      EXPECT_EQ(*read, report);
    }
    for (const std::string text : {"", " ", "-1", "01", "1 ", "x", "null", "99999999999999999999",
                                   "g0", "ffff", "1000000", "\x80"}) {
      const Result<Report> read = randomizer.Read(text);
      ASSERT_FALSE(read.ok()) << randomizer.Spec() << " " << text;
      EXPECT_EQ(read.error().code, Code::kData);
    }
  }
  // The last digit of five bits holds one of them.
  const Randomizer five = *Randomizer::Create(Choice(5, "1", LocalMethod::kUnary));
  EXPECT_TRUE(five.Read("f8").ok());
  EXPECT_FALSE(five.Read("f4").ok());
}

TEST(Randomizer, NothingLeavesWithoutEntropy) {
  FailingEntropy entropy(0);
  EXPECT_FALSE(Randomizer::Create(Choice(3, "1"))->Release(0, entropy).ok());
  FailingEntropy some(64);
  EXPECT_FALSE(Randomizer::Create(Choice(1000, "1"))->Release(0, some).ok());
}

TEST(SurveyQuestion, RefusesWhatCannotBeAsked) {
  const auto refused = [](const SurveyQuestion& question) {
    const Status status = CheckQuestion(question);
    EXPECT_FALSE(status.ok());
    return !status.ok() && status.error().code == Code::kCatalog && !status.error().hint.empty();
  };
  EXPECT_TRUE(refused(Choice(1, "1")));
  SurveyQuestion bad = Choice(3, "1");
  bad.name = "9";
  EXPECT_TRUE(refused(bad));
  bad = Choice(3, "1", LocalMethod::kTwoPoint);
  EXPECT_TRUE(refused(bad));
  bad = Choice(3, "1");
  std::get<ChoiceDomain>(bad.domain).values[2] = "v0";
  EXPECT_TRUE(refused(bad));
  bad = Choice(3, "101");
  EXPECT_TRUE(refused(bad));
  bad.epsilon = *ExactEpsilon::Parse("1");
  bad.domain = NumberDomain{Rational(0), Rational(1), Rational(2, 3)};
  EXPECT_TRUE(refused(bad));
  bad.domain = NumberDomain{Rational(1), Rational(0), Rational(1)};
  EXPECT_TRUE(refused(bad));
  // Estimates would be no finite numbers.
  const Rational huge = *Rational::Parse("1e400");
  bad.domain = NumberDomain{Rational(0), huge, huge};
  EXPECT_TRUE(refused(bad));
  bad.domain = NumberDomain{Rational(0), huge.Inverse(), huge.Inverse()};
  EXPECT_TRUE(refused(bad));
  for (const char* epsilon : {"1e-77", "1e-10", "1e-4000"}) {
    EXPECT_TRUE(refused(Choice(3, epsilon))) << epsilon;
    EXPECT_FALSE(Randomizer::Create(Choice(3, epsilon)).ok()) << epsilon;
  }
  EXPECT_TRUE(Randomizer::Create(Choice(3, "1e-9")).ok());
}

TEST(SurveyQuestion, AnswersAreReadOrRefusedWithAHint) {
  const SurveyQuestion choice = Choice(3, "1");
  EXPECT_EQ(*ReadAnswer(choice, "v1"), 1u);
  const SurveyQuestion number{.name = "n",
                              .text = {},
                              .domain = NumberDomain{Rational(-1), Rational(1), Rational(1, 2)},
                              .epsilon = *ExactEpsilon::Parse("1")};
  EXPECT_EQ(*ReadAnswer(number, "-1"), 0u);
  EXPECT_EQ(*ReadAnswer(number, "0.3"), 3u);  // the nearest step
  EXPECT_EQ(*ReadAnswer(number, "1"), 4u);
  const SurveyQuestion yes_no{
      .name = "y", .text = {}, .domain = YesNoDomain{}, .epsilon = *ExactEpsilon::Parse("1")};
  EXPECT_EQ(*ReadAnswer(yes_no, "Yes"), 1u);
  EXPECT_EQ(*ReadAnswer(yes_no, "0"), 0u);
  for (const auto& [question, text] :
       std::vector<std::pair<SurveyQuestion, std::string>>{{choice, ""},
                                                           {choice, "v9"},
                                                           {number, "1.01"},
                                                           {number, "x"},
                                                           {number, "nan"},
                                                           {yes_no, "maybe"},
                                                           {yes_no, ""}}) {
    const Result<uint64_t> answer = ReadAnswer(question, text);
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_EQ(answer.error().code, Code::kData);
    EXPECT_FALSE(answer.error().hint.empty());
  }
}

}  // namespace
}  // namespace tacet
