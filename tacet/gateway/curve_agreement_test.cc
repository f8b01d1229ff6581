// SPDX-License-Identifier: Apache-2.0
// Claim B3: the curve says before any data is read how exact answers are. Here is the data: the
// margins of twenty statements beside the errors of noise that was really drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tacet/execute/evaluate.h"
#include "tacet/execute/levels.h"
#include "tacet/execute/release.h"
#include "tacet/execute/released.h"
#include "tacet/gateway/curve.h"
#include "tacet/gateway/owner.h"
#include "tacet/gateway/planning.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

// The 95% point of so many errors deviates by 0.73% of itself, of Laplace noise, and 0.5% of
// Gaussian. Margins here have more than 100 steps, so rounding is below 1%: the rest of five per
// cent is more than five deviations, and all statements together give a false alarm less than once
// in 1e6 times.
constexpr size_t kDraws = 40'000;
constexpr double kTolerance = 0.05;

// The demonstration's data under a budget of one kind.
class Study {
 public:
  explicit Study(bool is_pure) {
    std::filesystem::copy(TACET_SOURCE_DIR "/demo", folder_.path() + "/demo",
                          std::filesystem::copy_options::recursive);
    SystemFileSystem files;
    project_ = *OpenProject(files, folder_.path() + "/demo/tacet.toml");
    if (is_pure) project_.catalog.budget.delta.reset();
    TACET_CHECK(RunImport(project_, services(), {}).ok());
    vault_.emplace(*OpenVault(project_));
  }

  Services services() { return {.clock = clock_, .entropy = entropy_}; }
  const Project& project() const { return project_; }
  testing::SeededEntropy& entropy() { return entropy_; }

  // The exact numbers of every public group, from one scan.
  std::vector<ReleasedRow> Scan(const Plan& plan) {
    const Result<Exact> exact = vault_->Run(RequestOf(plan, *DrawHashKey(entropy_)));
    TACET_CHECK(exact.ok());
    const Cells cells = plan.MakeCells();
    std::vector<ReleasedRow> rows;
    for (size_t cell = 0; cell < cells.size(); ++cell) {
      rows.push_back(
          {.keys = cells.ValuesAt(cell), .steps = std::vector<Int128>(plan.primitives.size(), 0)});
    }
    for (const Group& group : exact->groups) {
      const std::optional<size_t> cell = cells.Find(group.keys);
      if (cell) rows[*cell].steps = group.sums;
    }
    return rows;
  }

 private:
  testing::TemporaryFolder folder_;
  testing::FakeClock clock_{Time(std::chrono::hours(24 * 365 * 50))};
  testing::SeededEntropy entropy_{11};
  Project project_;
  std::optional<duckdb::Vault> vault_;
};

// Of the groups with all keys, or where there are levels of the whole.
struct Shown {
  std::vector<ReleasedRow> rows;
  size_t place = 0;
};
Shown ShownOf(const Plan& plan, const std::vector<ReleasedRow>& rows) {
  if (plan.levels.empty()) return {rows, 0};
  std::vector<ReleasedRow> sums = SumLevels(plan, rows);
  const size_t last = sums.size() - 1;
  return {std::move(sums), last};
}

double ValueAt(const Plan& plan, size_t column, const std::vector<ReleasedRow>& rows) {
  const Shown shown = ShownOf(plan, rows);
  const ReleasedRow& row = shown.rows[shown.place];
  return ToDouble(Evaluate(plan.outputs[column].expr,
                           [&](const PostExpr& leaf) { return ValueOf(leaf, plan, row); }));
}

// What an owner with good guesses would say: the sizes of the groups, and the column's value.
Supposition TrueSupposition(const Plan& plan, size_t column,
                            const std::vector<ReleasedRow>& exact) {
  Supposition supposition;
  const auto* plain = std::get_if<PostAggregate>(&plan.outputs[column].expr.node);
  const AggregateLeaf* leaf = plain == nullptr ? nullptr : &plan.aggregates[plain->index];
  if (leaf == nullptr || !leaf->count) return supposition;
  Rational all(0);
  for (const ReleasedRow& row : exact) all += Rational::FromInt128(row.steps[*leaf->count]);
  supposition.rows = all;
  for (const ReleasedRow& row : exact) {
    supposition.shares.push_back(Rational::FromInt128(row.steps[*leaf->count]) / all);
  }
  supposition.values[plan.outputs[column].name] =
      Rational::FromDouble(ValueAt(plan, column, exact));
  return supposition;
}

// Within which 95% of the errors of really drawn noise are.
double MeasuredMargin(const Plan& plan, size_t column, const std::vector<ReleasedRow>& exact,
                      Entropy& entropy) {
  const double truth = ValueAt(plan, column, exact);
  const size_t groups = plan.levels.empty() ? 1 : exact.size();
  // [primitive][draw and group]
  std::vector<std::vector<Int128>> noisy;
  for (size_t i = 0; i < plan.primitives.size(); ++i) {
    std::vector<Int128> steps;
    for (size_t draw = 0; draw < kDraws; ++draw) {
      for (size_t group = 0; group < groups; ++group) steps.push_back(exact[group].steps[i]);
    }
    noisy.push_back(*plan.primitives[i].noise->Release(steps, entropy));
  }
  std::vector<double> errors;
  std::vector<ReleasedRow> rows(exact.begin(), exact.begin() + static_cast<ptrdiff_t>(groups));
  for (size_t draw = 0; draw < kDraws; ++draw) {
    for (size_t group = 0; group < groups; ++group) {
      for (size_t i = 0; i < noisy.size(); ++i) {
        rows[group].steps[i] = noisy[i][draw * groups + group];
      }
    }
    errors.push_back(std::abs(ValueAt(plan, column, rows) - truth));
  }
  const auto point = errors.begin() + static_cast<ptrdiff_t>(0.95 * kDraws);
  std::nth_element(errors.begin(), point, errors.end());
  return *point;
}

struct Statement {
  const char* text;
  const char* epsilon;
  size_t column = 0;
};

void ExpectAgreement(Study& study, const Statement& statement) {
  const Question question{.statement = statement.text,
                          .epsilon = *Rational::Parse(statement.epsilon)};
  const Result<Plan> plan = PlanOf(study.project(), question, Referenced::kRequired);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const std::vector<ReleasedRow> exact = study.Scan(*plan);
  const Supposition supposition = TrueSupposition(*plan, statement.column, exact);
  const Result<Curve> curve = DrawCurve(study.project(), question, supposition, study.services());
  ASSERT_TRUE(curve.ok()) << curve.error().message;
  const auto point =
      std::find_if(curve->points.begin(), curve->points.end(),
                   [&](const CurvePoint& one) { return one.epsilon == *question.epsilon; });
  ASSERT_NE(point, curve->points.end());
  // The series of the first group, or of the whole.
  std::optional<double> expected;
  for (const ExpectedMargin& margin : point->margins) {
    if (margin.column != statement.column) continue;
    if (!expected || !plan->levels.empty()) expected = margin.margin;
  }
  ASSERT_TRUE(expected.has_value());
  const double measured = MeasuredMargin(*plan, statement.column, exact, study.entropy());
  EXPECT_NEAR(measured / *expected, 1, kTolerance)
      << "expected " << *expected << ", measured " << measured;
}

TEST(CurveAgreement, B3MarginsAreThoseOfDrawnNoiseUnderAPureBudget) {
  Study study(/*is_pure=*/true);
  const std::vector<Statement> statements = {
      {"SELECT count(*) FROM participants", "0.01"},
      {"SELECT count(*) FROM participants WHERE age >= 40 AND sex = 'F'", "0.02"},
      {"SELECT sum(family_income) FROM participants", "1/2"},
      {"SELECT avg(family_income) FROM participants", "1/10"},
      {"SELECT avg(education_years) FROM participants WHERE age > 30", "1/5"},
      {"SELECT sex, count(*) FROM participants GROUP BY sex", "0.02", 1},
      {"SELECT site, avg(family_income) FROM participants GROUP BY site", "1/2", 1},
      {"SELECT count(*) FILTER (WHERE family_size > 4) FROM participants", "0.02"},
      {"SELECT 100.0 * count(*) / 5912 FROM participants WHERE age < 18", "0.02"},
      {"SELECT sum(medical_dollars) FROM insurance_years", "1"},
      {"SELECT year, avg(doctor_visits) FROM insurance_years GROUP BY year", "1", 1},
      {"SELECT count(DISTINCT person_id) FROM insurance_years WHERE hospital_stays > 0", "0.02"},
  };
  for (const Statement& statement : statements) {
    SCOPED_TRACE(statement.text);
    ExpectAgreement(study, statement);
  }
}

TEST(CurveAgreement, B3MarginsAreThoseOfDrawnNoiseUnderABudgetWithDelta) {
  Study study(/*is_pure=*/false);
  const std::vector<Statement> statements = {
      {"SELECT count(*) FROM participants", "0.01"},
      {"SELECT sex, site, count(*), sum(age) FROM participants GROUP BY sex, site", "0.1", 3},
      {"SELECT coinsurance_percent, avg(family_income) AS income, count(*) FROM participants "
       "GROUP BY coinsurance_percent",
       "1/2", 1},
      {"SELECT site, count(*) FROM participants GROUP BY ROLLUP (site)", "0.02", 1},
      {"SELECT avg(age), avg(family_size), avg(education_years) FROM participants", "0.1", 2},
      {"SELECT year, sum(drug_dollars) FROM insurance_years GROUP BY year", "1/2", 1},
      {"SELECT p.sex, avg(y.medical_dollars) AS dollars FROM insurance_years y JOIN participants p "
       "ON y.person_id = p.person_id GROUP BY p.sex",
       "1", 1},
      {"SELECT avg(total) AS mean FROM (SELECT person_id, sum(outpatient_dollars) AS total FROM "
       "insurance_years GROUP BY person_id) t",
       "1/10"},
  };
  for (const Statement& statement : statements) {
    SCOPED_TRACE(statement.text);
    ExpectAgreement(study, statement);
  }
}

}  // namespace
}  // namespace tacet
