// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/window_response.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/mechanism/randomized_response.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

// Finer windows hardly estimate better.
constexpr uint64_t kStepsMax = 1024;

double Nearest(const Interval& enclosure) { return mpfr_get_d(enclosure.low(), MPFR_RNDN); }

// The sum of j^2 for j < count.
double SumOfSquares(double count) { return (count - 1) * count * (2 * count - 1) / 6; }

uint64_t PiecewiseSteps(uint64_t grid_steps) {
  // A multiple of the grid needs no rounding.
  return grid_steps > kStepsMax ? kStepsMax : grid_steps * (kStepsMax / grid_steps);
}

// The width whose worst variance is least.
uint64_t PiecewiseWidth(uint64_t steps, const Odds& odds) {
  uint64_t best = 1;
  double least = WindowMoments(steps, 1, odds).Variance(0);
  for (uint64_t width = 2; width <= steps; ++width) {
    const double variance = WindowMoments(steps, width, odds).Variance(0);
    if (variance >= least) continue;
    least = variance;
    best = width;
  }
  return best;
}

}  // namespace

Odds::Odds(const ExactEpsilon& epsilon) {
  constexpr mpfr_prec_t kPrecision = 256;
  const Interval exact = Exp(-epsilon.Enclosure(kPrecision));
  inverse = Nearest(exact);
  gap = Nearest(Interval(Rational(1), kPrecision) - exact);
}

Result<WindowResponse> WindowResponse::Create(uint64_t steps, uint64_t width,
                                              const ExactEpsilon& epsilon) {
  constexpr uint64_t kMost = uint64_t{1} << 20;
  if (steps < 1 || steps > kMost || width < 1 || width > kMost) {
    return Error{.code = Code::kUsage,
                 .message = "the steps or the width of a window are out of range",
                 .hint = "they must lie in [1, 2^20]."};
  }
  TACET_RETURN_IF_ERROR(RandomizedResponse::Create(epsilon));  // the same range of epsilon
  // width e^epsilon against `steps` cells outside, of weight 1.
  const Rational outside(static_cast<int64_t>(steps), static_cast<int64_t>(width));
  TACET_TRY(Probability inside, Probability::Against(outside / epsilon.ratio, -epsilon.linear));
  return WindowResponse(steps, width, epsilon, std::move(inside));
}

PrivacyLoss WindowResponse::Loss() const {
  return {.epsilon = epsilon_.Amount(), .rho = RhoOfPure(epsilon_), .law = PureLoss{epsilon_}};
}

uint64_t WindowResponse::Respond(uint64_t start, Coins& coins) const {
  TACET_CHECK(start <= steps_);
  // All are always drawn, so that the work does not tell which one is reported.
  const bool is_inside = inside_.Draw(coins);
  const auto in = start + static_cast<uint64_t>(SampleBelow(width_, coins));
  const auto other = static_cast<uint64_t>(SampleBelow(steps_, coins));
  const uint64_t out = other + (other >= start ? width_ : 0);
  return is_inside ? in : out;
}

WindowMoments::WindowMoments(uint64_t steps, uint64_t width, const Odds& odds)
    : steps_(steps), width_(width) {
  const auto w = static_cast<double>(width);
  const auto g = static_cast<double>(steps);
  const double inside = 1 / (w + g * odds.inverse);
  outside_ = inside * odds.inverse;
  excess_ = inside * odds.gap;
  const double cells = g + w;
  mean_ = outside_ * cells * (cells - 1) / 2 + excess_ * w * (w - 1) / 2;
  slope_ = excess_ * w;
}

double WindowMoments::SecondMoment(uint64_t start) const {
  const auto first = static_cast<double>(start);
  const auto w = static_cast<double>(width_);
  return outside_ * SumOfSquares(static_cast<double>(steps_) + w) +
         excess_ * (SumOfSquares(first + w) - SumOfSquares(first));
}

double WindowMoments::Variance(double t) const {
  const auto g = static_cast<double>(steps_);
  const double place = t * g;
  const uint64_t low = std::min(static_cast<uint64_t>(place), steps_ - 1);
  const double up = place - static_cast<double>(low);
  const double second = (1 - up) * SecondMoment(low) + up * SecondMoment(low + 1);
  const double mean = mean_ + slope_ * place;
  return (second - mean * mean) / (slope_ * slope_ * g * g);
}

double WindowMoments::VarianceMax(double low, double high) const {
  // Between two steps the variance is a parabola, open downwards, with its top where the second
  // moment grows as fast as the square of the mean.
  const auto g = static_cast<double>(steps_);
  double most = std::max(Variance(low), Variance(high));
  for (uint64_t step = 0; step < steps_; ++step) {
    const double rise = SecondMoment(step + 1) - SecondMoment(step);
    const double top = (rise / (2 * slope_) - mean_) / slope_;
    const auto first = static_cast<double>(step);
    const double place = std::clamp(top, first, first + 1) / g;
    if (place >= low && place <= high) most = std::max(most, Variance(place));
  }
  return most;
}

Result<NumberResponse> NumberResponse::Create(uint64_t grid_steps, const ExactEpsilon& epsilon,
                                              Method method) {
  constexpr uint64_t kGridMax = uint64_t{1} << 40;
  if (grid_steps < 1 || grid_steps > kGridMax) {
    return Error{.code = Code::kUsage,
                 .message = "the range has too few or too many steps",
                 .hint = "it must have 1 to 2^40 steps of the grid."};
  }
  TACET_TRY(WindowResponse window, WindowResponse::Create(1, 1, epsilon));
  const Odds odds(epsilon);
  WindowMoments moments(1, 1, odds);
  if (method != Method::kTwoPoint) {
    const uint64_t steps = PiecewiseSteps(grid_steps);
    const uint64_t width = PiecewiseWidth(steps, odds);
    const WindowMoments piecewise(steps, width, odds);
    if (method == Method::kPiecewise || piecewise.VarianceMax() < moments.VarianceMax()) {
      TACET_TRY(window, WindowResponse::Create(steps, width, epsilon));
      moments = piecewise;
    }
  }
  return NumberResponse(grid_steps, std::move(window), moments);
}

uint64_t NumberResponse::Respond(uint64_t truth, Coins& coins) const {
  TACET_CHECK(truth <= grid_steps_);
  const UInt128 place = static_cast<UInt128>(truth) * window_.steps();
  const auto low = static_cast<uint64_t>(place / grid_steps_);
  const UInt128 rest = place % grid_steps_;
  const bool up = SampleBelow(grid_steps_, coins) < rest;
  return window_.Respond(low + (up && !TACET_FAULT(number_rounded_down) ? 1 : 0), coins);
}

}  // namespace tacet
