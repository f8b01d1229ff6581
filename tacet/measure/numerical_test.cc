// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/numerical.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/measure/contour.h"
#include "tacet/measure/loss_grid.h"
#include "tacet/measure/sampled_once.h"
#include "tacet/testing/reference_values.h"

namespace tacet {
namespace {

Rational Parse(std::string_view text) { return *Rational::Parse(text); }

DeclaredSequence Sequence(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

// The engines share the worst pairs of the steps and nothing else.
TEST(Numerical, BothEnginesHoldTheSameTruth) {
  const ExactEpsilon tenth{Parse("1/10")};
  const std::vector<DeclaredSequence> sequences = {
      Sequence({{GaussianStep{4}, 1, 7}}),
      Sequence({{LaplaceStep{10}, 1, 3000}}),
      Sequence({{LaplaceStep{3}, 1, 5}, {GaussianStep{2}, 1, 1}, {ResponseStep{tenth}, 1, 9}}),
      Sequence(
          {{ApproximateStep{tenth, Parse("1e-9")}, Parse("1/3"), 20}, {GaussianStep{3}, 1, 2}}),
      Sequence({{DiscreteLaplaceStep{5, 2}, 1, 10}, {GaussianStep{2}, 1, 1}}),
      Sequence({{GaussianStep{2}, Parse("1/5"), 200}})};
  for (const DeclaredSequence& sequence : sequences) {
    const std::string name = StepText(sequence.steps().front());
    const auto contour = ContourEpsilon(sequence, Parse("1e-6"), 1e-6);
    const auto grid = GridEpsilon(sequence, Parse("1e-6"), 1e-3);
    ASSERT_TRUE(contour.has_value() && grid.ok()) << name;
    EXPECT_LE(contour->lower, grid->upper) << name;
    EXPECT_LE(grid->lower, contour->upper) << name;
    EXPECT_LE(grid->upper - grid->lower, 1e-3 * grid->upper) << name;

    const Rational epsilon = Rational::FromDouble(contour->upper / 2);
    const auto contour_delta = ContourDelta(sequence, epsilon, 1e-6);
    const auto grid_delta = GridDelta(sequence, epsilon, 1e-2);
    ASSERT_TRUE(contour_delta.has_value() && grid_delta.ok()) << name;
    EXPECT_LE(contour_delta->lower, grid_delta->upper) << name;
    EXPECT_LE(grid_delta->lower, contour_delta->upper) << name;
  }
}

TEST(SampledOnce, MatchesTheReferenceAndTheGrid) {
  const auto row = testing::ReferenceRows("subsampled_gaussian_sigma_1step").front();
  const DeclaredSequence sequence = Sequence(
      {{GaussianStep{testing::Number(row["value"])}, testing::Number(row["inputs"]["q"]), 1}});
  const auto delta = NumericalDelta(sequence, testing::Number(row["inputs"]["eps"]));
  ASSERT_TRUE(delta.ok()) << delta.error().message;
  EXPECT_NEAR(delta->lower, 1e-5, 1e-18);
  EXPECT_NEAR(delta->upper, 1e-5, 1e-18);
  const auto epsilon = NumericalEpsilon(sequence, Parse("1e-5"));
  ASSERT_TRUE(epsilon.ok()) << epsilon.error().message;
  EXPECT_NEAR(epsilon->lower, 1, 1e-9);
  EXPECT_NEAR(epsilon->upper, 1, 1e-9);

  // Both orders, by the grid: near 0 and where the order `add` has no loss left.
  const DeclaredSequence coarse = Sequence({{GaussianStep{2}, Parse("1/2"), 1}});
  for (const char* at : {"1/100", "7/10"}) {
    const Interval exact = SampledOnce::Of(coarse)->Delta(Parse(at));
    const auto grid = GridDelta(coarse, Parse(at), 1e-2);
    ASSERT_TRUE(grid.ok());
    EXPECT_TRUE(exact.CertainlyAtLeast(Rational::FromDouble(grid->lower))) << at;
    EXPECT_TRUE(exact.CertainlyAtMost(Rational::FromDouble(grid->upper))) << at;
  }
  EXPECT_FALSE(SampledOnce::Of(Sequence({{GaussianStep{2}, Parse("1/2"), 2}})));
  EXPECT_FALSE(SampledOnce::Of(Sequence({{GaussianStep{2}, 1, 1}})));
}

TEST(Numerical, SaysWhatItCannotDo) {
  const DeclaredSequence promise = Sequence({{ZcdpStep{Parse("1/2")}, 1, 1}});
  EXPECT_EQ(NumericalEpsilon(promise, Parse("1e-6")).error().code, Code::kUnsupported);
  EXPECT_EQ(NumericalDelta(promise, 1).error().code, Code::kUnsupported);
  const DeclaredSequence gaussian = Sequence({{GaussianStep{1}, 1, 1}});
  for (const char* delta : {"0", "1", "-1/2", "3/2"}) {
    EXPECT_EQ(NumericalEpsilon(gaussian, Parse(delta)).error().code, Code::kUsage) << delta;
  }
  EXPECT_EQ(NumericalDelta(gaussian, -1).error().code, Code::kUsage);
  for (const double precision : {0.0, -1.0, 1e-12, 1.0, std::nan("")}) {
    EXPECT_EQ(NumericalDelta(gaussian, 1, {.precision = precision}).error().code, Code::kUsage);
  }
}

}  // namespace
}  // namespace tacet
