// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/loss_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "tacet/base/fault.h"
#include "tacet/measure/grid_composition.h"

namespace tacet {
namespace {

using internal::Composition;
using internal::CompositionPlan;
using internal::CountedLaw;
using internal::GridLaw;
using internal::kGridBits;
using internal::LargestLoss;
using internal::LossPair;
using internal::LossShape;
using internal::MakeGridLaw;
using internal::MakeLossPair;
using internal::PairOrder;

// So that all of it takes less than 50 MiB: less for several laws than for one.
constexpr unsigned kLog2PointsOfOne = 20;
constexpr unsigned kLog2PointsOfMany = 19;
constexpr size_t kLawPointsMax = size_t{1} << 17;
constexpr int kPassesMax = 6;
// So that all of it takes a few seconds at most. Laws that share the time of one transform of the
// most points:
constexpr size_t kLawsOfMostPoints = 16;
// Of all sampled steps together: losses and cells that need logarithms of their own.
constexpr size_t kSampledAtomsMax = 40'000;
constexpr double kSampledCellsMax = 50'000;
// Of one normal law: what its quadrature is made of.
constexpr double kPiecesMax = 20'000;
// Of one step's losses: e^loss must stay within MPFR's range.
constexpr double kRangeMax = 1e6;

Interval Whole(int64_t value) { return Interval(Rational(value), kGridBits); }
double Near(const Interval& value) { return mpfr_get_d(value.low(), MPFR_RNDN); }

// How many pieces the quadrature of a density takes at least, roughly.
double PiecesOf(const internal::PairDensity& density) {
  if (density.is_flat()) return 0;
  const double least = Near(density.least()) / density.deviation();
  const double largest = Near(density.largest()) / density.deviation();
  return (largest - least) * std::max(std::fabs(least), std::fabs(largest)) / 0.1;
}

// One step and how its loss is spread, roughly.
struct PlannedStep {
  Step step;
  LossPair pair;
  LossShape shape;
  std::vector<double> losses;
  std::vector<double> masses;
};

struct Cumulants {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

// Where nearly all of the tilted loss lies, and how much more (less) tilt shows that it does.
struct Window {
  double low = 0;
  double high = 0;
  double tilt_above = 1;
  double tilt_below = 1;
  double tilt_above_max = 1;
  double tilt_below_max = 1;
};

// What is asked for: delta at an epsilon, or epsilon at a delta.
struct Question {
  bool for_epsilon = false;
  Rational given;
  double precision = 1e-5;
};

Error TooLarge() {
  return {.code = Code::kUnsupported,
          .message = "the grid of losses would be too large for the numerical accountant",
          .hint = "the other methods still apply."};
}

// A search for x > 0 where a rising function passes 0, between 10^-12 and `largest`.
template <typename Function>
double Crossing(Function rising, double largest) {
  double low = std::log(1e-12);
  double high = std::log(largest);
  if (rising(largest) < 0) return largest;
  for (int i = 0; i < 60 && high - low > 1e-4; ++i) {
    const double middle = (low + high) / 2;
    (rising(std::exp(middle)) < 0 ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

// Plans and composes in one order of neighbours.
class Solver {
 public:
  static Result<Solver> Create(const DeclaredSequence& sequence, PairOrder order,
                               const Question& question);

  Result<LossBounds> Solve() const;

 private:
  Solver(PairOrder order, const Question& question) : order_(order), question_(question) {}

  Status Plan(const std::vector<Step>& steps, double infinite, double least);
  Cumulants At(double tilt) const;
  double TiltMax() const;
  void ChooseTilt();
  // How much wider than exact the logarithm of delta gets on a grid.
  double WidthOn(double step, bool with_atoms) const;
  // Sets `step` to a fitting one of about `wanted`, and says if it fits all losses exactly; then it
  // may be larger, or smaller down to `finest`.
  bool ChooseStep(double wanted, double finest, Interval* step) const;
  bool FitsExactly(const Interval& step) const;
  Window ChooseWindow() const;
  double EpsilonMax() const;
  Result<LossBounds> Pass(const Interval& step, const Window& window, double points) const;
  bool NarrowEnough(const LossBounds& bounds) const;

  PairOrder order_;
  Question question_;
  std::vector<PlannedStep> steps_;
  double infinite_ = 0;  // the probability of an infinite loss
  double largest_ = 0;   // of all losses together
  size_t sampled_atoms_ = 0;
  double tilt_ = 1;
  double epsilon_ = 0;     // as asked or as expected
  double log_delta_ = -1;  // as expected
};

Status Solver::Plan(const std::vector<Step>& steps, double infinite, double least) {
  steps_.clear();
  largest_ = 0;
  sampled_atoms_ = 0;
  double log_finite = 0;
  for (const Step& step : steps) {
    TACET_TRY(LossPair pair,
              MakeLossPair(step.law, CutFor(step, order_, infinite, least), kLawPointsMax));
    if (step.rate != Rational(1)) sampled_atoms_ += pair.atoms.size();
    if (sampled_atoms_ > kSampledAtomsMax) return TooLarge();
    if (pair.density && !(PiecesOf(*pair.density) <= kPiecesMax)) return TooLarge();
    const LossShape shape = ShapeOf(step, order_, pair);
    const double range = shape.largest - shape.least;
    if (!(range <= kRangeMax) || !(range > 1e-100)) return TooLarge();
    Interval grid_step =
        shape.even ? *shape.spacing : Interval(Rational::FromDouble(range / 300), kGridBits);
    TACET_TRY(const GridLaw law, MakeGridLaw(step, order_, pair, grid_step, kLawPointsMax));
    PlannedStep planned{step, std::move(pair), shape, {}, {}};
    for (size_t i = 0; i < law.upper.size(); ++i) {
      if (law.upper[i] <= 0) continue;
      planned.losses.push_back(Near(law.offset) +
                               Near(grid_step) *
                                   static_cast<double>(law.first + static_cast<int64_t>(i)));
      planned.masses.push_back(law.upper[i]);
    }
    largest_ += static_cast<double>(step.count) * shape.largest;
    log_finite += static_cast<double>(step.count) * std::log1p(-Near(law.infinite_lower));
    steps_.push_back(std::move(planned));
  }
  infinite_ = -std::expm1(log_finite);
  return {};
}

Cumulants Solver::At(double tilt) const {
  Cumulants all;
  for (const PlannedStep& planned : steps_) {
    const double shift = tilt * (tilt > 0 ? planned.losses.back() : planned.losses.front());
    double sum = 0;
    double first = 0;
    double second = 0;
    for (size_t i = 0; i < planned.losses.size(); ++i) {
      const double loss = planned.losses[i];
      const double weight = planned.masses[i] * std::exp(tilt * loss - shift);
      sum += weight;
      first += weight * loss;
      second += weight * loss * loss;
    }
    const auto k = static_cast<double>(planned.step.count);
    const double mean = first / sum;
    all.value += k * (std::log(sum) + shift);
    all.slope += k * mean;
    all.curvature += k * std::max(second / sum - mean * mean, 0.0);
  }
  return all;
}

double Solver::TiltMax() const {
  double range = 1e-9;
  for (const PlannedStep& planned : steps_) {
    range = std::max(range, planned.losses.back() - planned.losses.front());
  }
  return 1000 / range;
}

// Where e^(tilt (loss - epsilon)) / (tilt (1 + tilt)) is least on average.
void Solver::ChooseTilt() {
  const double largest = TiltMax();
  const auto epsilon_at = [&](double tilt) { return At(tilt).slope - 1 / tilt - 1 / (1 + tilt); };
  const auto log_delta_at = [&](double tilt, double epsilon) {
    const Cumulants at = At(tilt);
    const double curvature = at.curvature + 1 / (tilt * tilt) + 1 / ((1 + tilt) * (1 + tilt));
    return at.value - tilt * epsilon - std::log(tilt * (1 + tilt)) -
           std::log(2 * M_PI * curvature) / 2;
  };
  if (question_.for_epsilon) {
    const double target = std::log(std::max(question_.given.ToDouble() - infinite_, 1e-300));
    tilt_ = Crossing([&](double tilt) { return target - log_delta_at(tilt, epsilon_at(tilt)); },
                     largest);
    epsilon_ = epsilon_at(tilt_);
    log_delta_ = std::log(question_.given.ToDouble());
    if (epsilon_ > 0) return;
    epsilon_ = 0;
  } else {
    epsilon_ = question_.given.ToDouble();
  }
  tilt_ = Crossing([&](double tilt) { return epsilon_at(tilt) - epsilon_; }, largest);
  if (!question_.for_epsilon) {
    log_delta_ = std::min(0.0, log_delta_at(tilt_, epsilon_));
    if (infinite_ > 0) log_delta_ = std::max(log_delta_, std::log(infinite_));
  }
}

double Solver::WidthOn(double step, bool with_atoms) const {
  double width = 0;
  for (const PlannedStep& planned : steps_) {
    const LossShape& shape = planned.shape;
    const auto k = static_cast<double>(planned.step.count);
    double inside = 1 - shape.atoms;
    if (shape.spacing && with_atoms) {
      const double spacing = Near(*shape.spacing);
      const double steps = spacing / step;
      const double off =
          std::fabs(steps - std::round(steps)) < 1e-12 * steps ? 0 : std::ceil(steps) - steps;
      if (steps < 1) {
        inside = 1;
      } else {
        // The lower atoms are moved down, and split otherwise.
        width += k * shape.atoms / 2 * step * tilt_ * off * (1 + tilt_ * step * (1 - off));
      }
    }
    width += k * std::max(inside, 0.0) * step * step / 4 * tilt_ * (1 + tilt_);
  }
  return width;
}

// Whether all spacings are multiples of `step`, as far as kGridBits show it.
bool Solver::FitsExactly(const Interval& step) const {
  return std::all_of(steps_.begin(), steps_.end(), [&](const PlannedStep& planned) {
    const Interval ratio = *planned.shape.spacing / step;
    const Rational nearest((ratio.Low() + Rational(1, 2)).Floor());
    const Rational close = Rational::PowerOfTwo(-80);
    return (ratio.Low() - nearest).Abs() < close && (ratio.High() - nearest).Abs() < close;
  });
}

bool Solver::ChooseStep(double wanted, double finest, Interval* step) const {
  const PlannedStep* widest = nullptr;
  const PlannedStep* narrowest = nullptr;
  bool all_even = true;
  const auto importance = [](const PlannedStep& planned) {
    return static_cast<double>(planned.step.count) * planned.shape.atoms;
  };
  for (const PlannedStep& planned : steps_) {
    all_even = all_even && planned.shape.even;
    if (!planned.shape.spacing) continue;
    if (Near(*planned.shape.spacing) >= wanted &&
        (widest == nullptr || importance(planned) > importance(*widest))) {
      widest = &planned;
    }
    if (narrowest == nullptr || Near(*planned.shape.spacing) < Near(*narrowest->shape.spacing)) {
      narrowest = &planned;
    }
  }
  if (all_even) {
    for (int64_t parts = 1; parts <= 5000; ++parts) {
      const double candidate = Near(*narrowest->shape.spacing) / static_cast<double>(parts);
      if (candidate < finest) break;
      if (WidthOn(candidate, true) > 0) continue;
      *step = *narrowest->shape.spacing / Whole(parts);
      if (FitsExactly(*step)) return true;
    }
  }
  if (widest == nullptr) {
    *step = Interval(Rational::FromDouble(wanted), kGridBits);
    return false;
  }
  const double spacing = Near(*widest->shape.spacing);
  const auto least = static_cast<int64_t>(std::ceil(spacing / wanted));
  int64_t best = least;
  double best_width = HUGE_VAL;
  for (int64_t parts = least; parts <= least + least / 4 + 20; ++parts) {
    const double candidate = spacing / static_cast<double>(parts);
    if (candidate < finest && parts > least) break;
    const double width = WidthOn(candidate, true) / (candidate * candidate);
    if (width < best_width * 0.999) {
      best_width = width;
      best = parts;
    }
  }
  *step = *widest->shape.spacing / Whole(best);
  return false;
}

Result<Solver> Solver::Create(const DeclaredSequence& sequence, PairOrder order,
                              const Question& question) {
  // Equal steps are joined.
  std::map<std::string, Step> joined;
  for (const Step& step : sequence.steps()) {
    const auto [at, is_new] = joined.emplace(StepText(step), step);
    if (!is_new) at->second.count += step.count;
  }
  std::vector<Step> steps;
  double count = 0;
  for (const auto& [text, step] : joined) {
    steps.push_back(step);
    count += static_cast<double>(step.count);
  }
  Solver solver(order, question);
  const double share = question.precision * 1e-4 / count;
  const double guess = question.for_epsilon ? question.given.ToDouble() : 1e-40;
  TACET_RETURN_IF_ERROR(solver.Plan(steps, std::max(guess * share, 1e-300), share));
  solver.ChooseTilt();
  if (!question.for_epsilon && solver.log_delta_ < std::log(1e-40)) {
    const double delta = std::exp(std::max(solver.log_delta_, -640.0));
    TACET_RETURN_IF_ERROR(solver.Plan(steps, std::max(delta * share, 1e-300), share));
    solver.ChooseTilt();
  }
  return solver;
}

Result<LossBounds> Solver::Pass(const Interval& step, const Window& window, double points) const {
  CompositionPlan plan;
  plan.step = step;
  plan.log2_points = std::max(
      3U, static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(std::ceil(points)) - 1)));
  plan.tilt = tilt_;
  const double length = std::ldexp(Near(step), static_cast<int>(plan.log2_points));
  plan.least = window.low - (length - (window.high - window.low)) / 2;
  // In a window that is wider than it must be, more tilt shows more.
  const auto bettered = [&](double tilt, double largest, double sign, double distance) {
    double best = tilt;
    double best_log = HUGE_VAL;
    for (const double factor : {1.0, 1.5, 2.5, 5.0, 10.0}) {
      if (factor > 1 && factor * tilt > largest) break;
      const double log = At(tilt_ + sign * tilt * factor).value - tilt * factor * distance;
      if (log < best_log) {
        best_log = log;
        best = tilt * factor;
      }
    }
    return best;
  };
  plan.tilt_above = bettered(window.tilt_above, window.tilt_above_max, 1, plan.least + length);
  plan.tilt_below = bettered(window.tilt_below, window.tilt_below_max, -1, -plan.least);

  std::vector<CountedLaw> laws;
  for (const PlannedStep& planned : steps_) {
    TACET_TRY(GridLaw law, MakeGridLaw(planned.step, order_, planned.pair, step, kLawPointsMax));
    laws.push_back({std::move(law), planned.step.count});
  }
  TACET_TRY(const Composition composition, Composition::Create(laws, plan));
  return question_.for_epsilon ? composition.Epsilon(question_.given)
                               : composition.Delta(question_.given);
}

bool Solver::NarrowEnough(const LossBounds& bounds) const {
  return bounds.upper - bounds.lower <= question_.precision * bounds.upper;
}

Window Solver::ChooseWindow() const {
  const Cumulants at = At(tilt_);
  const double level =
      std::log(300 / question_.precision) + std::log1p(2.5 * std::sqrt(at.curvature) * tilt_);
  const auto log_tail = [&](double more) {
    const Cumulants there = At(tilt_ + more);
    return there.value - at.value - more * there.slope;
  };
  // What e^(more l) can bear in long double, on each side of a law's centre.
  double reach_above = 1e-9;
  double reach_below = 1e-9;
  for (const PlannedStep& planned : steps_) {
    reach_above = std::max(reach_above, planned.losses.back() - planned.losses.front());
    reach_below = std::max(reach_below, std::max(0.0, -planned.losses.front()));
  }
  Window window;
  window.tilt_above_max = 900 / reach_above;
  window.tilt_below_max = 900 / reach_below;
  window.tilt_above =
      Crossing([&](double more) { return -log_tail(more) - level; }, window.tilt_above_max);
  window.tilt_below =
      Crossing([&](double less) { return -log_tail(-less) - level; }, window.tilt_below_max);
  window.high = std::max(At(tilt_ + window.tilt_above).slope, epsilon_ + 1e-9);
  window.low = std::min(At(tilt_ - window.tilt_below).slope, epsilon_);
  return window;
}

// The largest loss of all, where it is bounded and delta leaves room for the infinite ones: no
// epsilon above it is needed. In exact numbers as far as there are few steps of infinite loss.
double Solver::EpsilonMax() const {
  Rational finite(1);
  uint64_t leaks = 0;
  Interval largest = Whole(0);
  for (const PlannedStep& planned : steps_) {
    const Step& step = planned.step;
    if (std::holds_alternative<GaussianStep>(step.law) ||
        std::holds_alternative<DiscreteGaussianStep>(step.law)) {
      return HUGE_VAL;
    }
    if (const auto* leaky = std::get_if<ApproximateStep>(&step.law)) {
      leaks += step.count;
      if (leaks > 64) return HUGE_VAL;
      const Rational leak =
          order_ == PairOrder::kAdd && step.rate != Rational(1) ? Rational(0) : leaky->delta;
      for (uint64_t i = 0; i < step.count; ++i) finite *= Rational(1) - leak * step.rate;
    }
    largest =
        largest + LargestLoss(step, order_, planned.pair) * Whole(static_cast<int64_t>(step.count));
  }
  if (Rational(1) - finite > question_.given) return HUGE_VAL;
  return LossBounds::Of(largest).upper;
}

Result<LossBounds> Solver::Solve() const {
  const Window window = ChooseWindow();
  const double high = window.high;
  const double low = window.low;
  if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) return TooLarge();
  const double wanted_width = question_.for_epsilon
                                  ? question_.precision * tilt_ * std::max(epsilon_, 1e-9)
                                  : question_.precision;
  // The model's width at step 1 without atoms off the grid.
  double wanted = std::sqrt(0.9 * wanted_width / std::max(WidthOn(1, false), 1e-300));
  LossBounds best{0, question_.for_epsilon ? EpsilonMax() : 1.0};
  double width_before = HUGE_VAL;
  unsigned log2_points = steps_.size() == 1 ? kLog2PointsOfOne : kLog2PointsOfMany;
  for (size_t laws = kLawsOfMostPoints; laws < steps_.size() && log2_points > 12; laws *= 2) {
    --log2_points;
  }
  const double points_max = std::ldexp(1.0, static_cast<int>(log2_points));
  double range_max = 0;
  double sampled_range = 0;
  for (const PlannedStep& planned : steps_) {
    const double range = planned.shape.largest - planned.shape.least;
    range_max = std::max(range_max, range);
    if (planned.pair.density && planned.step.rate != Rational(1)) sampled_range += range;
  }
  const double finest = std::max({(high - low) / (points_max * 0.9),
                                  range_max / (static_cast<double>(kLawPointsMax) * 0.7),
                                  sampled_range / kSampledCellsMax});
  const int passes =
      std::clamp(static_cast<int>(kSampledAtomsMax * 3 / 2 / (sampled_atoms_ + 1)), 1, kPassesMax);
  for (int pass = 0; pass < passes; ++pass) {
    wanted = std::min(wanted, (high - low) / 16);
    bool last = false;
    if (wanted < finest) {
      wanted = finest;
      last = true;
    }
    Interval step = Whole(1);
    bool exact = ChooseStep(wanted, finest, &step);
    double points = (high - low) / Near(step) + 8;
    if (!exact && points < points_max) {
      // A finer grid of as many points costs nothing.
      points = static_cast<double>(std::bit_ceil(static_cast<uint64_t>(std::ceil(points))));
      exact = ChooseStep(std::max((high - low) / (points * 0.985 - 10), finest), finest, &step);
      points = std::min((high - low) / Near(step) + 8, points_max);
    }
    const Result<LossBounds> result = Pass(step, window, points);
    if (!result.ok() && pass == 0) return result.error();
    if (!result.ok()) break;
    const LossBounds bounds = *result;
    best.lower = std::max(best.lower, bounds.lower);
    best.upper = std::min(best.upper, bounds.upper);
    const double width = (best.upper - best.lower) / best.upper;
    // A finer grid that hardly helped will not help.
    const bool stuck = best.lower > 0 && width > 0.9 * width_before;
    if (exact || last || NarrowEnough(best) || stuck) break;
    width_before = width;
    wanted =
        Near(step) * std::min(0.7, 0.9 * std::sqrt(question_.precision / std::max(width, 1e-300)));
    if (!std::isfinite(width)) wanted = Near(step) / 2;
  }
  return best;
}

Result<LossBounds> SolveOrder(const DeclaredSequence& sequence, PairOrder order,
                              const Question& question) {
  TACET_TRY(const Solver solver, Solver::Create(sequence, order, question));
  return solver.Solve();
}

Result<LossBounds> SolveBoth(const DeclaredSequence& sequence, const Question& question) {
  TACET_TRY(LossBounds bounds, SolveOrder(sequence, PairOrder::kRemove, question));
  if (!sequence.HasSampling() || TACET_FAULT(one_order_only)) return bounds;
  TACET_TRY(const LossBounds other, SolveOrder(sequence, PairOrder::kAdd, question));
  bounds.lower = std::max(bounds.lower, other.lower);
  bounds.upper = std::max(bounds.upper, other.upper);
  return bounds;
}

}  // namespace

Result<LossBounds> GridDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                             double precision) {
  if (epsilon.sign() < 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must not be negative"};
  }
  return SolveBoth(sequence, {.for_epsilon = false, .given = epsilon, .precision = precision});
}

Result<LossBounds> GridEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                               double precision) {
  if (delta.sign() <= 0 || delta >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "delta must be in (0, 1)"};
  }
  return SolveBoth(sequence, {.for_epsilon = true, .given = delta, .precision = precision});
}

}  // namespace tacet
