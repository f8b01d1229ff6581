// SPDX-License-Identifier: Apache-2.0
// Every data set of a few people on a grid: nobody moves an answer further than is said, and
// somebody moves it so far.
#include "tacet/mechanism/query_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tacet {
namespace {

using Kind = QuerySensitivity::Kind;
// A row holds a value for each column; no row, or nothing where somebody contributes nothing.
using Row = std::vector<double>;
using Data = std::vector<Row>;
using Answer = std::vector<double>;

double Ask(Statistic query, std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += value;
  double squares = 0;
  for (double value : values) squares += (value - sum / n) * (value - sum / n);
  std::sort(values.begin(), values.end());
  switch (query) {
    case Statistic::kSum:
      return sum;
    case Statistic::kMean:
      return sum / n;
    case Statistic::kMin:
      return values.front();
    case Statistic::kMax:
      return values.back();
    case Statistic::kMedian:
      return values[(values.size() - 1) / 2];
    case Statistic::kVariance:
      return squares / n;
    case Statistic::kVarianceSample:
      return squares / (n - 1);
    case Statistic::kStddev:
      return std::sqrt(squares / n);
    case Statistic::kStddevSample:
      return std::sqrt(squares / (n - 1));
    case Statistic::kCount:  // the condition: the value is not 0
      return static_cast<double>(
          std::count_if(values.begin(), values.end(), [](double value) { return value != 0; }));
    default:
      return 0;
  }
}

// The answers of all columns; of a histogram the counts of the bins 0, 1, 2 of all columns.
Answer AskAll(Statistic query, const Data& data, size_t columns) {
  Answer answer;
  for (size_t column = 0; column < columns; ++column) {
    std::vector<double> values;
    for (const Row& row : data) {
      if (!row.empty()) values.push_back(row[column]);
    }
    if (query != Statistic::kHistogram) {
      answer.push_back(Ask(query, values));
    } else {
      for (double bin : {0.0, 1.0, 2.0}) {
        answer.push_back(static_cast<double>(std::count(values.begin(), values.end(), bin)));
      }
    }
  }
  return answer;
}

// All lists of `count` of the given rows.
void ForEachData(const std::vector<Row>& rows, size_t count,
                 const std::function<void(const Data&)>& see) {
  std::vector<size_t> chosen(count, 0);
  for (;;) {
    Data data;
    for (size_t index : chosen) data.push_back(rows[index]);
    see(data);
    size_t place = 0;
    while (place < count && ++chosen[place] == rows.size()) chosen[place++] = 0;
    if (place == count) return;
  }
}

struct Farthest {
  double l1 = 0;
  double l2 = 0;

  void See(const Answer& a, const Answer& b) {
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      sum += std::abs(a[i] - b[i]);
      squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    l1 = std::max(l1, sum);
    l2 = std::max(l2, std::sqrt(squares));
  }
};

// Of all neighbours of data sets of `count` of the given rows.
Farthest Search(Statistic query, const std::vector<Row>& rows, size_t count, size_t columns,
                Neighbours neighbours) {
  Farthest farthest;
  ForEachData(rows, count, [&](const Data& data) {
    const Answer before = AskAll(query, data, columns);
    for (const Row& other : rows) {
      Data changed = data;
      if (neighbours == Neighbours::kChangeOne) {
        changed.front() = other;
      } else {
        changed.push_back(other);
      }
      farthest.See(before, AskAll(query, changed, columns));
    }
  });
  return farthest;
}

std::vector<Row> Values(double low, double high) {
  std::vector<Row> rows;
  for (int i = 0; i <= 4; ++i) rows.push_back({low + (high - low) * i / 4});
  return rows;
}

double Number(const Surd& surd) { return surd.Enclosure(64).High().ToDouble(); }

void ExpectAttained(const QueryShape& shape, Neighbours neighbours, const Farthest& farthest) {
  const Result<QuerySensitivity> stated = SensitivityOf(shape, neighbours);
  ASSERT_TRUE(stated.ok()) << stated.error().message;
  ASSERT_EQ(stated->kind, Kind::kExact);
  EXPECT_NEAR(Number(stated->l1), farthest.l1, 1e-12);
  EXPECT_NEAR(Number(stated->l2), farthest.l2, 1e-12);
}

struct Ends {
  int64_t low;
  int64_t high;
};
constexpr Ends kRanges[] = {{0, 1}, {0, 10}, {-3, 5}, {-7, -2}, {5, 10}, {-1, 1}};

void ExpectAttainedOnRanges(Statistic query, Neighbours neighbours, size_t rows_min = 1) {
  for (const Ends& ends : kRanges) {
    for (size_t count = rows_min; count <= 4; ++count) {
      const std::vector<Row> values =
          Values(static_cast<double>(ends.low), static_cast<double>(ends.high));
      const QueryShape shape{
          .query = query, .ranges = {{ends.low, ends.high}}, .rows = static_cast<int64_t>(count)};
      SCOPED_TRACE(::testing::Message() << static_cast<int>(query) << " on " << ends.low << " to "
                                        << ends.high << " of " << count);
      ExpectAttained(shape, neighbours, Search(query, values, count, 1, neighbours));
    }
  }
}

TEST(QuerySensitivity, S1SumsMoveByTheWidthOrTheLargestMagnitude) {
  ExpectAttainedOnRanges(Statistic::kSum, Neighbours::kChangeOne);
  ExpectAttainedOnRanges(Statistic::kSum, Neighbours::kAddOrRemove);
  const QueryShape shape{.ranges = {{5, 10}}};
  EXPECT_EQ(SensitivityOf(shape, Neighbours::kChangeOne)->l1.ToString(), "5");
  EXPECT_EQ(SensitivityOf(shape, Neighbours::kAddOrRemove)->l1.ToString(), "10");
}

TEST(QuerySensitivity, S1WhoMayContributeNothingMovesSumsFurther) {
  for (const Ends& ends : kRanges) {
    std::vector<Row> values = Values(static_cast<double>(ends.low), static_cast<double>(ends.high));
    values.emplace_back();
    ExpectAttained({.ranges = {{ends.low, ends.high}}, .nullable = true}, Neighbours::kChangeOne,
                   Search(Statistic::kSum, values, 3, 1, Neighbours::kChangeOne));
  }
}

TEST(QuerySensitivity, S2WithoutBoundsItIsInfinite) {
  for (Statistic query : {Statistic::kSum, Statistic::kMean, Statistic::kMax, Statistic::kStddev}) {
    for (Neighbours neighbours : {Neighbours::kChangeOne, Neighbours::kAddOrRemove}) {
      EXPECT_EQ(SensitivityOf({.query = query}, neighbours)->kind, Kind::kInfinite);
    }
  }
}

TEST(QuerySensitivity, S3MeansMoveByTheWidthOverTheNumberIfThatIsPublic) {
  ExpectAttainedOnRanges(Statistic::kMean, Neighbours::kChangeOne);
  const QueryShape shape{.query = Statistic::kMean, .ranges = {{0, 1}}, .rows = 100};
  EXPECT_EQ(SensitivityOf(shape, Neighbours::kChangeOne)->l1.ToString(), "1/100");
  EXPECT_EQ(SensitivityOf(shape, Neighbours::kAddOrRemove)->kind, Kind::kNone);
  QueryShape nullable = shape;
  nullable.nullable = true;
  EXPECT_EQ(SensitivityOf(nullable, Neighbours::kChangeOne)->kind, Kind::kNone);
}

TEST(QuerySensitivity, S4ExtremesAndTheMedianMoveAsFarAsTheyCan) {
  for (Statistic query : {Statistic::kMin, Statistic::kMax, Statistic::kMedian}) {
    ExpectAttainedOnRanges(query, Neighbours::kChangeOne);
  }
  for (Statistic query : {Statistic::kMin, Statistic::kMax}) {
    ExpectAttainedOnRanges(query, Neighbours::kAddOrRemove);
  }
  // The lower median of an even number does not rise to the top with one more; of an odd number it
  // falls to the bottom.
  ExpectAttained({.query = Statistic::kMedian, .ranges = {{-3, 5}}}, Neighbours::kAddOrRemove,
                 Search(Statistic::kMedian, Values(-3, 5), 3, 1, Neighbours::kAddOrRemove));
}

TEST(QuerySensitivity, S5DeviationsAndVariances) {
  ExpectAttainedOnRanges(Statistic::kStddev, Neighbours::kChangeOne);
  ExpectAttainedOnRanges(Statistic::kVariance, Neighbours::kChangeOne);
  ExpectAttainedOnRanges(Statistic::kStddevSample, Neighbours::kChangeOne, 2);
  ExpectAttainedOnRanges(Statistic::kVarianceSample, Neighbours::kChangeOne, 2);
}

TEST(QuerySensitivity, S5DeviationsAreExact) {
  const auto text = [](Statistic query, int64_t rows) {
    return SensitivityOf({.query = query, .ranges = {{0, 10}}, .rows = rows},
                         Neighbours::kChangeOne)
        ->l1.ToString();
  };
  EXPECT_EQ(text(Statistic::kStddev, 1), "0");
  EXPECT_EQ(text(Statistic::kStddev, 5), "4");
  EXPECT_EQ(text(Statistic::kStddev, 9), "20/9*sqrt(2)");
  EXPECT_EQ(text(Statistic::kStddevSample, 25), "2");
  EXPECT_EQ(text(Statistic::kStddevSample, 2), "5*sqrt(2)");
  EXPECT_EQ(text(Statistic::kVariance, 4), "75/4");
  EXPECT_EQ(text(Statistic::kVarianceSample, 4), "25");
  const Result<QuerySensitivity> one = SensitivityOf(
      {.query = Statistic::kStddevSample, .ranges = {{0, 10}}, .rows = 1}, Neighbours::kChangeOne);
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().code, Code::kUsage);
}

TEST(QuerySensitivity, S6HistogramsAndCounts) {
  std::vector<Row> bins = {{0}, {1}, {2}};
  for (Neighbours neighbours : {Neighbours::kChangeOne, Neighbours::kAddOrRemove}) {
    const QueryShape histogram{.query = Statistic::kHistogram};
    ExpectAttained(histogram, neighbours, Search(Statistic::kHistogram, bins, 3, 1, neighbours));
    ExpectAttained({.query = Statistic::kCount}, neighbours,
                   Search(Statistic::kCount, bins, 3, 1, neighbours));
    std::vector<Row> with_none = bins;
    with_none.emplace_back();
    const QueryShape nullable{.query = Statistic::kHistogram, .nullable = true};
    ExpectAttained(nullable, neighbours,
                   Search(Statistic::kHistogram, with_none, 3, 1, neighbours));
  }
  const auto change = SensitivityOf({.query = Statistic::kHistogram}, Neighbours::kChangeOne);
  EXPECT_EQ(change->l1.ToString(), "2");
  EXPECT_EQ(change->l2.ToString(), "sqrt(2)");
}

TEST(QuerySensitivity, S6VectorsAddUpTheirColumns) {
  // Two columns, from -3 to 5 and from 1 to 2.
  std::vector<Row> rows;
  for (double a : {-3.0, 1.0, 5.0}) {
    for (double b : {1.0, 1.5, 2.0}) rows.push_back({a, b});
  }
  const std::vector<ValueRange> ranges = {{-3, 5}, {1, 2}};
  for (Statistic query : {Statistic::kSum, Statistic::kMean, Statistic::kMax, Statistic::kStddev,
                          Statistic::kStddevSample}) {
    const QueryShape shape{.query = query, .ranges = ranges, .rows = 3};
    ExpectAttained(shape, Neighbours::kChangeOne,
                   Search(query, rows, 3, 2, Neighbours::kChangeOne));
  }
  ExpectAttained({.ranges = ranges}, Neighbours::kAddOrRemove,
                 Search(Statistic::kSum, rows, 3, 2, Neighbours::kAddOrRemove));

  // Three columns of the same kind.
  std::vector<Row> cube;
  for (int i = 0; i < 27; ++i) {
    cube.push_back({double(i % 3), double(i / 3 % 3), double(i / 9)});
  }
  for (Statistic query : {Statistic::kSum, Statistic::kCount, Statistic::kHistogram}) {
    for (Neighbours neighbours : {Neighbours::kChangeOne, Neighbours::kAddOrRemove}) {
      QueryShape shape{.query = query, .columns = 3};
      if (query == Statistic::kSum) shape.ranges = {{0, 2}};
      ExpectAttained(shape, neighbours, Search(query, cube, 2, 3, neighbours));
    }
  }
}

// The scores of all outputs for two neighbours; the law is proportional to exp(lambda score).
struct ScorePair {
  std::vector<double> before;
  std::vector<double> after;
};

std::vector<double> Law(const std::vector<double>& scores, double lambda) {
  std::vector<double> law;
  double total = 0;
  for (double score : scores) total += std::exp(lambda * score);
  for (double score : scores) law.push_back(std::exp(lambda * score) / total);
  return law;
}

TEST(ScoreWidth, S7ChoicesCostTheWidthOfTheChanges) {
  const double lambda = 0.75;
  for (bool monotone : {false, true}) {
    for (Neighbours neighbours : {Neighbours::kChangeOne, Neighbours::kAddOrRemove}) {
      const Rational width = ScoreWidth({.change = 2, .monotone = monotone}, neighbours);
      const ChoiceCost cost = CostOfChoice(Rational(3, 4), width);
      // How far a score may move: monotone ones only up where somebody is added; changing somebody
      // is removing and adding, so any way.
      const bool one_way = monotone && neighbours == Neighbours::kAddOrRemove;
      const double epsilon = cost.epsilon.value().ToDouble();
      const double rho = cost.rho.value().ToDouble();
      double worst = 0;
      // Three outputs; the last is so unlikely that its share does not matter.
      for (double far : {0.0, 40.0}) {
        for (int i = 0; i < 125; ++i) {
          const auto change = [&](int step) { return one_way ? step * 0.5 : step - 2.0; };
          ScorePair pair{{0, 1, -far},
                         {change(i % 5), 1 + change(i / 5 % 5), -far + change(i / 25)}};
          const std::vector<double> p = Law(pair.before, lambda);
          const std::vector<double> q = Law(pair.after, lambda);
          for (size_t o = 0; o < 3; ++o) worst = std::max(worst, std::abs(std::log(p[o] / q[o])));
          for (double order : {1.001, 2.0, 8.0, 40.0}) {
            double moment = 0;
            for (size_t o = 0; o < 3; ++o) moment += p[o] * std::pow(p[o] / q[o], order - 1);
            EXPECT_LE(std::log(moment) / (order - 1), order * rho * (1 + 1e-9) + 1e-12);
          }
        }
      }
      EXPECT_LE(worst, epsilon * (1 + 1e-12));
      EXPECT_GE(worst, epsilon * (1 - 1e-9));
    }
  }
}

TEST(ScoreWidth, S7OneWaySavesTheFactorTwoUnderAddOrRemoveOnly) {
  const Utility utility{.change = Rational(3), .monotone = true};
  EXPECT_EQ(ScoreWidth(utility, Neighbours::kAddOrRemove), Rational(3));
  EXPECT_EQ(ScoreWidth(utility, Neighbours::kChangeOne), Rational(6));
  const ChoiceCost cost = CostOfChoice(Rational(1, 3), Rational(6));
  EXPECT_EQ(cost.epsilon.value(), Rational(2));
  EXPECT_EQ(cost.rho.value(), Rational(1, 2));
}

TEST(QuerySensitivity, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<QueryShape, std::string>> cases = {
      {{.ranges = {{1, 1}}}, "a range must go up"},
      {{.ranges = {{2, 1}}}, "a range must go up"},
      {{.ranges = {{0, 1}}, .columns = 0}, "at least one column"},
      {{.ranges = {{0, 1}, {0, 2}}, .columns = 3}, "several ranges"},
      {{.query = Statistic::kMean, .ranges = {{0, 1}}}, "number of rows is needed"},
      {{.query = Statistic::kMean, .ranges = {{0, 1}}, .rows = 0}, "at least one row"},
      {{.query = Statistic::kCount, .ranges = {{0, 1}}}, "have no range"},
      {{.query = Statistic::kHistogram, .ranges = {{0, 1}}}, "have no range"},
  };
  for (const auto& [shape, message] : cases) {
    const Result<QuerySensitivity> result = SensitivityOf(shape, Neighbours::kChangeOne);
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.error().code, Code::kUsage);
    EXPECT_NE(result.error().message.find(message), std::string::npos) << result.error().message;
  }
}

}  // namespace
}  // namespace tacet
