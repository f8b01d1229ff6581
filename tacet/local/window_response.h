// SPDX-License-Identifier: Apache-2.0
// A number in a range, randomised: a few cells near it are more likely to be reported than others.
#pragma once

#include <cstdint>

#include "tacet/measure/privacy_loss.h"
#include "tacet/sampler/coins.h"
#include "tacet/sampler/probability.h"

namespace tacet {

// Cells 0 .. steps + width - 1 in a row. A window of `width` of them begins at cell 0 .. steps; a
// cell in the window is reported e^epsilon times as often as one outside. With one step and a width
// of one that is randomized response; with many, the piecewise mechanism on a grid. Immutable; safe
// to share between threads.
//
// Proof: docs/proofs/local_numbers.md.
class WindowResponse {
 public:
  // Fails unless steps and width lie in [1, 2^20] and 0 < epsilon <= 100.
  static Result<WindowResponse> Create(uint64_t steps, uint64_t width, const ExactEpsilon& epsilon);

  // Guarantee: the reports for any two windows are epsilon-indistinguishable.
  PrivacyLoss Loss() const;

  uint64_t steps() const { return steps_; }
  uint64_t width() const { return width_; }
  uint64_t cells() const { return steps_ + width_; }

  // One report. Throw it away if the coins are not ok() afterwards. Stops the process if `start` is
  // beyond the last step.
  uint64_t Respond(uint64_t start, Coins& coins) const;

 private:
  WindowResponse(uint64_t steps, uint64_t width, ExactEpsilon epsilon, Probability inside)
      : steps_(steps), width_(width), epsilon_(std::move(epsilon)), inside_(std::move(inside)) {}

  uint64_t steps_;
  uint64_t width_;
  ExactEpsilon epsilon_;
  Probability inside_;
};

// e^-epsilon and 1 - e^-epsilon, each to the last digit but one.
struct Odds {
  explicit Odds(const ExactEpsilon& epsilon);

  double inverse;
  double gap;
};

// The mean and variance of what a WindowResponse reports, as numbers to compute estimates with. All
// in units of one cell, but where it says otherwise.
class WindowMoments {
 public:
  WindowMoments(uint64_t steps, uint64_t width, const Odds& odds);

  // The mean report for a window at 0, and how much it grows with every step.
  double mean() const { return mean_; }
  double slope() const { return slope_; }
  // E of the square of a report, for a window that begins at `start`.
  double SecondMoment(uint64_t start) const;

  // The number t in [0, 1], put on a step below or above t steps so that the mean is right, and the
  // report turned into an unbiased estimate of t: its variance.
  double Variance(double t) const;
  // The largest over all t in [low, high], which lies within [0, 1].
  double VarianceMax(double low = 0, double high = 1) const;

 private:
  uint64_t steps_;
  uint64_t width_;
  double outside_ = 0;  // the probability of a cell outside of the window
  double excess_ = 0;   // how much more likely a cell inside is
  double mean_ = 0;
  double slope_ = 0;
};

// A number in [0, 1] that is a whole multiple of 1 / grid_steps: rounded at random to a step of a
// WindowResponse, so that its mean stays, and reported by it. Immutable; safe to share.
//
// Proof: docs/proofs/local_numbers.md.
class NumberResponse {
 public:
  enum class Method { kAuto, kTwoPoint, kPiecewise };

  // kTwoPoint is Duchi's mechanism, with two outputs; kAuto takes the one whose worst variance is
  // less. Fails unless 1 <= grid_steps <= 2^40 and 0 < epsilon <= 100.
  static Result<NumberResponse> Create(uint64_t grid_steps, const ExactEpsilon& epsilon,
                                       Method method = Method::kAuto);

  // Guarantee: the reports for any two numbers are epsilon-indistinguishable.
  PrivacyLoss Loss() const { return window_.Loss(); }

  uint64_t grid_steps() const { return grid_steps_; }
  const WindowResponse& window() const { return window_; }
  const WindowMoments& moments() const { return moments_; }

  // One report, 0 .. window().cells() - 1. Throw it away if the coins are not ok() afterwards.
  // Stops the process if `truth` is beyond grid_steps.
  uint64_t Respond(uint64_t truth, Coins& coins) const;

 private:
  NumberResponse(uint64_t grid_steps, WindowResponse window, WindowMoments moments)
      : grid_steps_(grid_steps), window_(std::move(window)), moments_(moments) {}

  uint64_t grid_steps_;
  WindowResponse window_;
  WindowMoments moments_;
};

}  // namespace tacet
