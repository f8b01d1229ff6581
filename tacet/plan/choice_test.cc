// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/catalog/parse.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"
#include "tacet/testing/chi_square.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

Price PriceOf(const Rational& epsilon, bool is_pure) {
  return {.is_pure = is_pure, .epsilon = *Epsilon::Create(epsilon)};
}

const std::vector<Rational> kQuartiles = {Rational(1, 4), Rational(1, 2), Rational(3, 4)};

std::vector<ChoiceShape> Shapes() {
  std::vector<ChoiceShape> shapes;
  for (const int64_t rows : {1, 7}) {
    for (const Rational& groups : {Rational(1), Rational(3), Rational(12, 7)}) {
      for (const ChoiceKind kind :
           {ChoiceKind::kMinimum, ChoiceKind::kMaximum, ChoiceKind::kMode}) {
        shapes.push_back({.kind = kind, .buckets = 50, .rows = rows, .groups = groups});
      }
      shapes.push_back(
          {.quantiles = {Rational(1, 2)}, .buckets = 50, .rows = rows, .groups = groups});
      shapes.push_back({.quantiles = kQuartiles, .buckets = 50, .rows = rows, .groups = groups});
    }
  }
  return shapes;
}

TEST(ValueChoice, CostsItsShareInAllGroupsTogether) {
  for (const ChoiceShape& shape : Shapes()) {
    const Rational part(1, 3);
    const Result<ValueChoice> pure = ValueChoice::Choose(PriceOf(Rational(2), true), part, shape);
    ASSERT_TRUE(pure.ok());
    EXPECT_EQ(pure->loss().epsilon->value(), Rational(2, 3)) << "all of a pure share is spent";
    const Result<ValueChoice> other = ValueChoice::Choose(PriceOf(Rational(2), false), part, shape);
    ASSERT_TRUE(other.ok());
    const double rho = other->loss().rho.value().ToDouble();
    EXPECT_LE(other->loss().rho.value(), Rational(2, 3)) << "rho = 2^2 / 2 / 3";
    EXPECT_GT(rho, 0.6666);
  }
}

TEST(ValueChoice, FewerRowsOfAPersonAreChosenBetter) {
  ChoiceShape shape{.quantiles = {Rational(1, 2)}, .buckets = 100, .rows = 1};
  const Price price = PriceOf(Rational(1), true);
  const double one = ValueChoice::Choose(price, Rational(1), shape)->Margin(0);
  // ln(20 * 100) / epsilon.
  EXPECT_EQ(one, 8);
  shape.rows = 10;
  EXPECT_EQ(ValueChoice::Choose(price, Rational(1), shape)->Margin(0), 77) << "10 times as far";
  shape.groups = Rational(2);
  EXPECT_EQ(ValueChoice::Choose(price, Rational(1), shape)->Margin(0), 153) << "and twice that";
}

TEST(ValueChoice, MarginsHoldAsOftenAsTheySay) {
  testing::SeededEntropy entropy(5);
  constexpr int kTries = 400;
  for (const bool is_pure : {true, false}) {
    for (const ChoiceShape& shape : Shapes()) {
      if (shape.rows != 1 || shape.groups != Rational(1)) continue;
      const ValueChoice choice =
          *ValueChoice::Choose(PriceOf(Rational(1, 2), is_pure), Rational(1), shape);
      // Two rows in every bucket, and 30 more in the tenth for the mode.
      std::vector<int64_t> counts(50, 2);
      if (shape.kind == ChoiceKind::kMode) counts[10] = 32;
      int misses = 0;
      for (int i = 0; i < kTries; ++i) {
        const std::vector<size_t> answer = *choice.Release(counts, entropy);
        for (size_t place = 0; place < answer.size(); ++place) {
          const auto bucket = static_cast<double>(answer[place]);
          double distance = 0;
          if (shape.kind == ChoiceKind::kMode) {
            distance = static_cast<double>(32 - counts[answer[place]]);
          } else {
            double target = static_cast<double>(choice.rank());
            if (shape.kind == ChoiceKind::kMaximum) target = 100 - target;
            if (shape.kind == ChoiceKind::kQuantiles) {
              target = 100 * shape.quantiles[place].ToDouble();
            }
            distance = std::max({0.0, 2 * bucket - target, target - 2 * bucket - 2});
          }
          if (distance > choice.Margin(place) + 2) ++misses;  // slices of at most 1 row, 2 levels
        }
      }
      EXPECT_LT(misses,
                kTries / 20 * static_cast<int>(std::max<size_t>(1, shape.quantiles.size())));
    }
  }
}

TEST(ValueChoice, RefusesWhatItCannotDo) {
  const ChoiceShape shape{.kind = ChoiceKind::kMinimum, .buckets = 10};
  const Rational tiny = *Rational::Parse("1e-30");
  const Result<ValueChoice> choice = ValueChoice::Choose(PriceOf(tiny, true), Rational(1), shape);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().code, Code::kUnsupported);
  EXPECT_FALSE(choice.error().hint.empty());
  EXPECT_FALSE(ValueChoice::Choose(PriceOf(Rational(0), true), Rational(1), shape).ok());
}

TEST(ChoiceValues, FindsAndShowsEveryValue) {
  const Type integer{.kind = TypeKind::kInteger};
  const ChoiceValues buckets{.low = -3, .high = 6, .width = 4, .grid = Rational(1, 2)};
  ASSERT_EQ(buckets.size(), 3);
  // -3..0, 1..4, 5..6
  EXPECT_EQ(buckets.At(0, integer), Value(Rational(-1)));
  EXPECT_EQ(buckets.At(1, integer), Value(Rational(1)));
  EXPECT_EQ(buckets.At(2, Type{.kind = TypeKind::kDouble}), Value(2.5));
  EXPECT_EQ(buckets.Find(2), size_t{2});
  EXPECT_FALSE(buckets.Find(3));
  EXPECT_FALSE(buckets.Find(-1));
  const ChoiceValues listed{.listed = {-7, 1, 3}};
  ASSERT_EQ(listed.size(), 3);
  EXPECT_EQ(listed.Find(1), size_t{1});
  EXPECT_FALSE(listed.Find(2));
  EXPECT_EQ(listed.At(0, integer), Value(Rational(-7)));
  const ChoiceValues wide{
      .low = -(int64_t{1} << 62), .high = int64_t{1} << 62, .width = (int64_t{1} << 47) + 1};
  EXPECT_LE(wide.size(), kBucketsMax);
  EXPECT_LE(std::get<Rational>(wide.At(static_cast<size_t>(wide.size()) - 1, integer)),
            Rational(wide.high));
  EXPECT_EQ(ChoiceValues{.is_truth = true}.At(1, {}), Value(true));
  EXPECT_EQ((ChoiceValues{.texts = {"a", "b"}}.At(1, {})), Value(std::string("b")));
}

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "10"
[tables.t]
source = "t.csv"
person = "id"
bounds = { groups_per_person = 3, rows_per_group = 5 }
[tables.t.columns]
ward = { type = "text", values = ["a", "b", "c", "d", "e"], nullable = false }
x = { type = "integer", range = [0, 99] }
wide = { type = "bigint", range = [-4611686018427387904, 4611686018427387904] }
[tables.u]
source = "u.csv"
person = "id"
rows_per_person = 12
[tables.u.columns]
month = { type = "integer", range = [1, 12], nullable = false }
x = { type = "integer", range = [0, 99] }
)toml";

Plan PlanOf(const std::string& statement) {
  const ParsedCatalog parsed = ParseCatalog(kCatalog);
  TACET_CHECK(parsed.catalog.has_value());
  const Result<Plan> plan =
      MakePlan(*sql::Parse(statement), *parsed.catalog, {.price = PriceOf(Rational(1), true)});
  TACET_CHECK(plan.ok());
  return *plan;
}

TEST(Choices, AreBoundedByWhatAPersonMayContribute) {
  const Plan quantiles = PlanOf("SELECT ward, median(x), min(x) FROM t GROUP BY ward");
  ASSERT_EQ(quantiles.choices.size(), 2u);
  EXPECT_EQ(quantiles.choices[0].shape.rows, 5);
  EXPECT_EQ(quantiles.choices[0].shape.groups, Rational(3));
  EXPECT_EQ(quantiles.choices[0].chooser->epsilon().value(), Rational(1, 6));
  EXPECT_EQ(quantiles.choices[1].shape.rows, 1);
  EXPECT_EQ(quantiles.choices[1].shape.groups, Rational(3));
  EXPECT_EQ(quantiles.cost.epsilon.value(), Rational(1));
  // Twelve rows in all fill one group, but may be the least of twelve.
  const Plan declared = PlanOf("SELECT month, median(x), min(x) FROM u GROUP BY month");
  EXPECT_EQ(declared.choices[0].shape.rows, 12);
  EXPECT_EQ(declared.choices[0].shape.groups, Rational(1));
  EXPECT_EQ(declared.choices[1].shape.groups, Rational(12));
}

TEST(Choices, OfTheSameValuesAreMadeTogether) {
  const Plan plan = PlanOf(
      "SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY x), median(x), "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY t.x), median(x) FILTER (WHERE x > 3), min(x), "
      "percentile_cont(0.9) WITHIN GROUP (ORDER BY x) FROM t");
  ASSERT_EQ(plan.choices.size(), 3u);
  EXPECT_EQ(plan.choices[0].shape.quantiles, (std::vector<Rational>{{1, 2}, {9, 10}}));
  const auto leaf = [&](size_t i) { return *plan.aggregates[i].chosen; };
  EXPECT_EQ(leaf(0).place, 1u);
  EXPECT_EQ(leaf(1).place, 0u);
  EXPECT_EQ(leaf(2).choice, 1u) << "a filter is another choice";
  EXPECT_EQ(plan.aggregates[0].type.kind, TypeKind::kInteger);
  EXPECT_EQ(plan.aggregates.back().type.kind, TypeKind::kDouble);
  EXPECT_EQ(plan.aggregates.back().chosen->place, 1u);
}

TEST(Choices, OfTheWidestRangeHaveBucketsInWholeSteps) {
  const Plan plan = PlanOf("SELECT median(wide) FROM t");
  EXPECT_LE(plan.choices[0].shape.buckets, kBucketsMax);
  EXPECT_GT(plan.choices[0].shape.buckets, kBucketsMax / 2);
}

}  // namespace
}  // namespace tacet
