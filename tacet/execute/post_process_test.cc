// SPDX-License-Identifier: Apache-2.0
// What is computed from the released table: plans of statements over rows that are written down.
#include "tacet/execute/post_process.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/catalog/parse.h"
#include "tacet/execute/post_process_testing.h"
#include "tacet/plan/margin.h"

namespace tacet {
namespace {

using testing::Asked;
using testing::Lines;

// F: 12 people, 300 years; M: 5 people, 90 years; NULL: 2 people, 7 years.
const std::vector<std::vector<Int128>> kBySex = {{12, 300}, {5, 90}, {2, 7}};

TEST(PostProcess, CaseChoosesByKeysAndByNoisyNumbers) {
  const Asked asked(
      "SELECT CASE sex WHEN 'F' THEN 'women' WHEN 'M' THEN 'men' END, "
      "CASE WHEN count(*) < 4 THEN NULL ELSE count(*) END, "
      "CASE WHEN sum(age) > 100 THEN 1 WHEN sum(age) > 10 THEN 0.5 ELSE 0 END "
      "FROM t GROUP BY sex");
  EXPECT_EQ(asked.Rows(kBySex), (Lines{"women|12|1", "men|5|1/2", "NULL|NULL|0"}));
}

TEST(PostProcess, CaseFiltersAndOrders) {
  EXPECT_EQ(Asked("SELECT sex, count(*), sum(age) FROM t GROUP BY sex "
                  "HAVING CASE WHEN sex IS NULL THEN count(*) > 1 ELSE count(*) > 9 END "
                  "ORDER BY CASE WHEN sex IS NULL THEN 0 ELSE 1 END")
                .Rows(kBySex),
            (Lines{"NULL|2|7", "F|12|300"}));
}

TEST(PostProcess, CaseHasTheMarginOfEveryBranchThatMayBeTaken) {
  const Asked asked(
      "SELECT count(*), CASE sex WHEN 'F' THEN count(*) ELSE 7 END, "
      "CASE WHEN count(*) < 4 THEN 100 ELSE count(*) END FROM t GROUP BY sex");
  const Answer answer = asked.Run({{1000}, {5}, {2}});
  const double margin = *answer.margins[0][0];
  EXPECT_EQ(answer.margins[0][1], margin) << "the key is exact";
  EXPECT_EQ(answer.margins[1][1], 0.0);
  EXPECT_EQ(answer.margins[0][2], margin) << "1000 is certainly not below 4";
  EXPECT_EQ(answer.margins[1][2], 95.0) << "it may have been below 4, and then 100 were right";
  EXPECT_EQ(answer.margins[2][2], 98.0 + margin) << "2 may have been more, and is no 100";
}

// Three people of 50, 60 and 70: sums of x - 55 and of (x - 55)^2 - 1512.
TEST(PostProcess, VariancesAreThoseOfTheAverages) {
  const std::vector<std::vector<Int128>> steps = {{15, 3, 275 - 3 * 1512}};
  EXPECT_EQ(Asked("SELECT round(3 * var_pop(age), 6) FROM t").Rows(steps), (Lines{"200"}));
  EXPECT_EQ(Asked("SELECT round(var_samp(age), 6) FROM t").Rows(steps), (Lines{"100"}));
  EXPECT_EQ(Asked("SELECT round(stddev(age), 6) FROM t").Rows(steps), (Lines{"10"}));
  EXPECT_EQ(Asked("SELECT round(3 * stddev_pop(age) * stddev_pop(age), 6) FROM t").Rows(steps),
            (Lines{"200"}));
  // Noise takes it out of the range, and it comes back; nobody at all has the middle of it.
  EXPECT_EQ(Asked("SELECT var_pop(age) FROM t").Rows({{300, 3, -9000}}), (Lines{"0"}));
  EXPECT_EQ(Asked("SELECT var_pop(age) FROM t").Rows({{0, 3, 900000}}), (Lines{"3025"}));
  EXPECT_EQ(Asked("SELECT var_samp(age) FROM t").Rows({{0, -4, 0}}), (Lines{"3025"}));
  const Answer answer =
      Asked("SELECT stddev(age) FROM t").Run({{15000, 3000, 275000 - 3000 * 1512}});
  EXPECT_GT(*answer.margins[0][0], 0.1);
  EXPECT_LT(*answer.margins[0][0], 10);
}

TEST(PostProcess, DistinctShowsARowOnce) {
  EXPECT_EQ(Asked("SELECT DISTINCT smoker, count(*) FROM t GROUP BY sex, smoker ORDER BY 2 DESC")
                .Rows({{3}, {3}, {3}, {5}, {4}, {3}}),
            (Lines{"true|5", "false|4", "false|3", "true|3"}));
  EXPECT_EQ(Asked("SELECT DISTINCT CASE WHEN count(*) > 3 THEN 1 END FROM t GROUP BY sex "
                  "LIMIT 1 OFFSET 1")
                .Rows({{3}, {2}, {4}}),
            (Lines{"1"}));
  EXPECT_EQ(
      Asked("SELECT DISTINCT nullif(count(*), count(*)) FROM t GROUP BY sex").Rows({{3}, {2}, {4}}),
      (Lines{"NULL"}));
}

TEST(PostProcess, DistinctKeepsTheWidestMargin) {
  const Asked plain("SELECT round(avg(age)) FROM t GROUP BY sex");
  const Asked distinct("SELECT DISTINCT round(avg(age)) FROM t GROUP BY sex");
  // Three averages of 60, of 10, of 100 and of 1000 people.
  const std::vector<std::vector<Int128>> steps = {{50, 10}, {5000, 1000}, {500, 100}};
  const Answer answer = distinct.Run(steps);
  ASSERT_EQ(answer.rows.size(), 1u);
  const auto margins = plain.Run(steps).margins;
  EXPECT_EQ(answer.margins[0][0], margins[0][0]);
  EXPECT_GT(margins[0][0], margins[2][0]);
  EXPECT_GT(margins[2][0], margins[1][0]);
}

TEST(PostProcess, IntervalsEndWhereTheMarginDoes) {
  const Asked asked(
      "SELECT count(*), interval_low(count(*)), interval_high(count(*)), sum(pay), "
      "interval_low(sum(pay)), greatest(interval_low(count(*)), 0) FROM t");
  const Answer answer = asked.Run({{3, 123456}});
  const Rational margin = Rational::FromDouble(*answer.margins[0][0]);
  EXPECT_EQ(answer.rows[0][1], Value(Rational(3) - margin));
  EXPECT_EQ(answer.rows[0][2], Value(Rational(3) + margin));
  EXPECT_EQ(answer.columns[1].type.kind, TypeKind::kBigint);
  const auto steps = Rational::FromDouble(Margin(*asked.plan().primitives[1].noise, kMarginLevel));
  EXPECT_EQ(answer.rows[0][4], Value((Rational(123456) - steps) / Rational(100))) << "to the cent";
  EXPECT_EQ(answer.columns[4].type.ToString(), "decimal(38,2)");
  EXPECT_EQ(answer.rows[0][5], Value(Rational(0)));
  EXPECT_FALSE(answer.margins[0][1]) << "the end is the number that it is";
}

TEST(PostProcess, IntervalsOfExpressionsAreDoublesOrNull) {
  const Asked asked(
      "SELECT avg(age), interval_low(avg(age)), 100 * count(*), "
      "interval_high(100 * count(*)), interval_high(1.0 / count(*)) FROM t");
  const Answer answer = asked.Run({{5, 10000}});
  const auto value = [&](size_t i) { return std::get<double>(answer.rows[0][i]); };
  EXPECT_EQ(value(1), value(0) - *answer.margins[0][0]);
  EXPECT_EQ(value(3), 1'000'000 + *answer.margins[0][2]);
  EXPECT_LT(value(4), 1.01e-4);
  EXPECT_EQ(asked.Run({{5, 2}}).rows[0][4], Value(NullValue{})) << "the count may have been 0";
}

TEST(PostProcess, IntervalsFilter) {
  EXPECT_EQ(Asked("SELECT sex, count(*) FROM t GROUP BY sex HAVING interval_low(count(*)) > 0 "
                  "ORDER BY interval_high(count(*))")
                .Rows({{12}, {5}, {2}}),
            (Lines{"M|5", "F|12"}))
      << "the margin is 3";
}

// F and M and NULL, each not smoking and smoking: counts and years.
const std::vector<std::vector<Int128>> kBySexAndSmoker = {{10, 300}, {2, 60},  {5, 90},
                                                          {1, 20},   {-1, -3}, {0, 4}};

TEST(PostProcess, LevelsAreSumsOfTheirGroups) {
  EXPECT_EQ(Asked("SELECT sex, smoker, count(*), sum(age), grouping(sex, smoker) FROM t "
                  "GROUP BY ROLLUP (sex, smoker)")
                .Rows(kBySexAndSmoker),
            (Lines{"F|false|10|300|0", "F|true|2|60|0", "M|false|5|90|0", "M|true|1|20|0",
                   "NULL|false|-1|-3|0", "NULL|true|0|4|0", "F|NULL|12|360|1", "M|NULL|6|110|1",
                   "NULL|NULL|-1|1|1", "NULL|NULL|17|471|3"}));
  EXPECT_EQ(Asked("SELECT smoker, sex, count(*), grouping(smoker) FROM t "
                  "GROUP BY GROUPING SETS (smoker, (sex), ()) HAVING sum(age) > 100 "
                  "ORDER BY count(*)")
                .Rows({{10, 300}, {5, 90}, {-1, -3}, {2, 60}, {1, 20}, {0, 4}}),
            (Lines{"NULL|M|6|1", "NULL|F|12|1", "false|NULL|14|0", "NULL|NULL|17|1"}));
  EXPECT_EQ(Asked("SELECT count(*) FROM t GROUP BY CUBE (sex, smoker)")
                .Rows({{1}, {2}, {3}, {4}, {5}, {6}}),
            (Lines{"1", "2", "3", "4", "5", "6", "3", "7", "11", "9", "12", "21"}));
}

TEST(PostProcess, AveragesOfLevelsAreOfSums) {
  const Asked asked("SELECT avg(age), count(*) FROM t GROUP BY ROLLUP (sex)");
  // Sums of years above 55: 60 on average, 30, 55.
  const Answer answer = asked.Run({{500, 100}, {-2500, 100}, {0, 10}});
  EXPECT_NEAR(std::get<double>(answer.rows[3][0]), 55 - 2000.0 / 210, 1e-9);
  // The noise of three groups is between once and three times that of one.
  EXPECT_GT(*answer.margins[3][1], *answer.margins[0][1]);
  EXPECT_LT(*answer.margins[3][1], 3 * *answer.margins[0][1]);
  EXPECT_EQ(*answer.margins[3][1], MarginOfSum(*asked.plan().primitives[1].noise, 3, 0.95));
  const double reach = MarginOfSum(*asked.plan().primitives[0].noise, 3, 0.95) / 210;
  EXPECT_GT(*answer.margins[3][0], reach);
  EXPECT_LT(*answer.margins[3][0], 2 * reach);
}

TEST(PostProcess, PersonsOfLevelsAreSumsWhereNobodyIsInTwoGroups) {
  EXPECT_EQ(Asked("SELECT count(DISTINCT id) FROM t GROUP BY ROLLUP (sex)").Rows({{1}, {2}, {3}}),
            (Lines{"1", "2", "3", "6"}));
  EXPECT_FALSE(testing::PlanOf("SELECT count(DISTINCT id) FROM v GROUP BY ROLLUP (ward)").ok());
  EXPECT_TRUE(
      testing::PlanOf("SELECT count(DISTINCT id) FROM v GROUP BY GROUPING SETS ((ward))").ok());
}

TEST(PostProcess, LevelsOfAPublicTableAreExact) {
  const Plan plan = *testing::PlanOf(
      "SELECT ward, count(*), avg(beds), grouping(ward) FROM pub "
      "GROUP BY ROLLUP (ward)");
  ASSERT_EQ(plan.primitives.size(), 3u);
  const Answer none = PostProcess(plan, {});
  ASSERT_EQ(none.rows.size(), 1u) << "a level without keys has a row";
  EXPECT_EQ(none.rows[0], (std::vector<Value>{NullValue{}, Rational(0), NullValue{}, Rational(1)}));
  EXPECT_FALSE(none.margins[0][1]);
}

TEST(PostProcess, WindowsRank) {
  EXPECT_EQ(Asked("SELECT count(*), row_number() OVER (ORDER BY count(*) DESC), "
                  "rank() OVER (ORDER BY count(*) DESC), "
                  "dense_rank() OVER (ORDER BY count(*) DESC), "
                  "ntile(4) OVER (ORDER BY count(*) DESC) FROM t GROUP BY sex, smoker")
                .Rows({{5}, {9}, {5}, {7}, {5}, {1}}),
            (Lines{"5|3|3|3|2", "9|1|1|1|1", "5|4|3|3|2", "7|2|2|2|1", "5|5|3|3|3", "1|6|6|4|4"}));
}

TEST(PostProcess, WindowsAddUp) {
  const std::vector<std::vector<Int128>> counts = {{10}, {2}, {5}, {1}, {-1}, {0}};
  EXPECT_EQ(
      Asked("SELECT sex, smoker, sum(count(*)) OVER (PARTITION BY sex), "
            "sum(count(*)) OVER (ORDER BY smoker), count(*) OVER (), "
            "max(sex) OVER (), min(count(*)) OVER (PARTITION BY smoker), "
            "avg(count(*)) OVER (PARTITION BY sex) FROM t GROUP BY sex, smoker")
          .Rows(counts),
      (Lines{"F|false|12|14|6|M|-1|6", "F|true|12|17|6|M|0|6", "M|false|6|14|6|M|-1|3",
             "M|true|6|17|6|M|0|3", "NULL|false|-1|14|6|M|-1|-1/2", "NULL|true|-1|17|6|M|0|-1/2"}))
      << "rows that the order does not tell apart are added together";
  EXPECT_EQ(Asked("SELECT sex, count(sex) OVER (), sum(nullif(count(*), 5)) OVER (ORDER BY sex) "
                  "FROM t GROUP BY sex HAVING count(*) > 1 ORDER BY row_number() OVER "
                  "(ORDER BY count(*)) LIMIT 2")
                .Rows({{8}, {5}, {2}}),
            (Lines{"NULL|2|10", "M|2|8"}));
}

TEST(PostProcess, WindowsLookAround) {
  EXPECT_EQ(
      Asked("SELECT sex, lag(sex) OVER (ORDER BY sex), lead(count(*), 2) OVER (ORDER BY sex), "
            "lag(count(*), 1, 0.5) OVER (ORDER BY sex), lag(count(*), 0) OVER () "
            "FROM t GROUP BY sex")
          .Rows({{8}, {5}, {2}}),
      (Lines{"F|NULL|2|1/2|8", "M|F|NULL|8|5", "NULL|M|NULL|5|2"}));
}

TEST(PostProcess, SharesHaveMargins) {
  const Asked asked(
      "SELECT count(*) * 1.0 / sum(count(*)) OVER (), sum(count(*)) OVER (), "
      "rank() OVER (ORDER BY count(*)), row_number() OVER (ORDER BY sex), "
      "sum(count(*)) OVER (ORDER BY count(*)), interval_low(sum(count(*)) OVER ()) "
      "FROM t GROUP BY sex");
  const Answer answer = asked.Run({{5000}, {3000}, {2000}});
  EXPECT_EQ(answer.rows[0][0], Value(0.5));
  EXPECT_GT(*answer.margins[0][0], 0);
  EXPECT_LT(*answer.margins[0][0], 0.002);
  const double of_three = MarginOfSum(*asked.plan().primitives[0].noise, 3, kMarginLevel);
  EXPECT_EQ(answer.margins[0][1], of_three) << "the noise of three groups";
  EXPECT_TRUE(std::isinf(*answer.margins[0][2])) << "noise decides the rank";
  EXPECT_FALSE(answer.margins[0][3]) << "keys decide the number";
  EXPECT_TRUE(std::isinf(*answer.margins[0][4])) << "noise decides what is added";
  EXPECT_EQ(answer.rows[0][5], Value(10'000 - of_three));
}

TEST(PostProcess, NoiseThatFiltersLeavesNoMarginOfAWindow) {
  const Asked filtered(
      "SELECT sum(count(*)) OVER (), count(*) OVER () FROM t GROUP BY sex "
      "HAVING count(*) > 1");
  const Answer answer = filtered.Run({{5000}, {3000}, {0}});
  EXPECT_TRUE(std::isinf(answer.margins[0][0].value_or(0)));
  EXPECT_TRUE(std::isinf(answer.margins[0][1].value_or(0)));
  const Asked levels("SELECT sum(count(*)) OVER () FROM t GROUP BY ROLLUP (sex)");
  EXPECT_TRUE(std::isinf(*levels.Run({{5000}, {3000}, {0}}).margins[0][0]))
      << "a group is added twice";
}

}  // namespace
}  // namespace tacet
