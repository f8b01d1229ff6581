// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/contour.h"

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/measure/smooth_law.h"

namespace tacet {
namespace {

using internal::Cumulants;
using internal::MakeSmoothLaw;
using internal::Order;
using internal::SmoothLaw;
using internal::TiltedLaw;

constexpr size_t kNodesMax = 16384;
// Of terms in all sums over points: about a second.
constexpr double kWorkMax = 1e8;
// Of steps whose losses are sums over many points: each costs some milliseconds and its memory.
constexpr size_t kPointStepsMax = 200;

bool HasManyPoints(const Step& step) {
  const bool sampled = step.rate != Rational(1);
  return std::holds_alternative<DiscreteLaplaceStep>(step.law) ||
         (sampled && std::holds_alternative<GaussianStep>(step.law));
}

// Equal steps as one.
std::vector<Step> Merged(const std::vector<Step>& steps) {
  std::vector<Step> merged;
  std::map<std::string, size_t> places;
  for (const Step& step : steps) {
    const auto [place, is_new] = places.try_emplace(StepText(step), merged.size());
    if (!is_new && merged[place->second].count + step.count <= kStepCountMax) {
      merged[place->second].count += step.count;
    } else {
      place->second = merged.size();
      merged.push_back(step);
    }
  }
  return merged;
}

// The composition for one order of neighbours.
class Composition {
 public:
  // Nothing if a step has no smooth form, none of them fades, or there are too many of them.
  static std::optional<Composition> Create(const DeclaredSequence& sequence, Order order) {
    Composition composition;
    const std::vector<Step> steps = Merged(sequence.steps());
    const auto costly = std::count_if(steps.begin(), steps.end(), HasManyPoints);
    if (static_cast<size_t>(costly) > kPointStepsMax) return std::nullopt;
    bool fades = false;
    for (const Step& step : steps) {
      composition.laws_.push_back(MakeSmoothLaw(step, order));
      if (composition.laws_.back() == nullptr) return std::nullopt;
      fades = fades || composition.laws_.back()->Fades();
      const Ball leak = composition.laws_.back()->InfiniteMass();
      const Ball& before = composition.infinite_;
      composition.infinite_ = before + leak * (Ball(1) - before);
    }
    if (!fades) return std::nullopt;
    return composition;
  }

  Cumulants Plan(double s) const {
    Cumulants sum;
    for (const auto& law : laws_) {
      const Cumulants one = law->Plan(s);
      sum.value += one.value;
      sum.slope += one.slope;
      sum.curvature += one.curvature;
    }
    return sum;
  }

  std::vector<std::unique_ptr<TiltedLaw>> Tilt(double c, double frequency_max) const {
    std::vector<std::unique_ptr<TiltedLaw>> tilted;
    for (const auto& law : laws_) tilted.push_back(law->Tilt(c, frequency_max));
    return tilted;
  }

  // ln of E[e^(sL)] over the finite losses.
  Ball LogMoment(double s) const {
    Ball sum;
    for (const auto& law : laws_) sum = sum + law->Tilt(s, 0)->LogMoment();
    return sum;
  }

  // P[L is infinite].
  const Ball& InfiniteMass() const { return infinite_; }

 private:
  Composition() = default;

  std::vector<std::unique_ptr<SmoothLaw>> laws_;
  Ball infinite_;
};

// max over u >= 0 of (1 - e^-u) e^(-su) = s^s / (1+s)^(1+s), as a logarithm.
Ball LogKinkMax(double s) {
  const Ball ball(s);
  return ball * Log(ball / (ball + Ball(1))) - Log(ball + Ball(1));
}

// Where the integrand is least along the real line, and what that says of delta: for planning.
struct Saddle {
  double c;
  double epsilon;
  double log_delta;  // without the infinite losses
};

double EpsilonAtSaddle(const Cumulants& k, double c) { return k.slope - 1 / c - 1 / (c + 1); }

Saddle SaddleAt(const Composition& composition, double c, std::optional<double> epsilon) {
  const Cumulants k = composition.Plan(c);
  const double at = epsilon.value_or(EpsilonAtSaddle(k, c));
  const double curvature = k.curvature + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
  return {c, at,
          k.value - c * at - std::log(c) - std::log1p(c) - 0.5 * std::log(2 * M_PI * curvature)};
}

// The c at which `is_below` turns from true to false, by bisection of its logarithm.
template <typename Test>
double FindC(Test is_below) {
  double low = -25;
  double high = 25;
  for (int i = 0; i < 46; ++i) {
    const double middle = (low + high) / 2;
    (is_below(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp(low);
}

Saddle SaddleForEpsilon(const Composition& composition, double epsilon) {
  const double c =
      FindC([&](double at) { return EpsilonAtSaddle(composition.Plan(at), at) < epsilon; });
  return SaddleAt(composition, c, epsilon);
}

Saddle SaddleForDelta(const Composition& composition, double log_delta) {
  const double c = FindC(
      [&](double at) { return SaddleAt(composition, at, std::nullopt).log_delta > log_delta; });
  return SaddleAt(composition, c, std::nullopt);
}

// The integral's terms on one line, for any epsilon near the one that it was planned for.
class Line {
 public:
  // `tolerance`: the relative error of delta to aim for.
  static std::optional<Line> Create(const Composition& composition, const Saddle& saddle,
                                    double tolerance) {
    if (!std::isfinite(saddle.log_delta) || !std::isfinite(saddle.epsilon)) return std::nullopt;
    Line line;
    line.c_ = saddle.c;
    const double log_error = std::log(tolerance) - 3 + saddle.log_delta;
    line.ChoosePeriod(composition, saddle, log_error);
    // Where planning went astray.
    if (!(line.step_ > 0) || !std::isfinite(line.step_)) return std::nullopt;
    if (!line.Fill(composition, saddle, tolerance)) return std::nullopt;
    line.infinite_ = composition.InfiniteMass();
    line.log_moment_far_ = composition.LogMoment(line.far_) + LogKinkMax(line.far_);
    return line;
  }

  struct Enclosure {
    Ball delta;         // lower and upper ends hold for delta(epsilon)
    double finite_mid;  // of the part from finite losses, about
  };

  // Encloses delta at `epsilon`.
  Enclosure At(const Ball& epsilon) const {
    const ComplexBall turn = Turn(-(Ball(step_) * epsilon));
    ComplexBall phase(1, 0, 0);
    ComplexBall sum;
    for (const ComplexBall& term : terms_) {
      phase = phase * turn;
      sum = sum + term * phase;
    }
    const Ball c(c_);
    const Ball rule = Ball(1) / (c * (c + Ball(1))) + Ball(2) * sum.Real();
    const Ball factor = Ball(step_) / (Ball(2) * Ball::Pi()) * Exp(log_moment_ - c * epsilon);
    const Ball period = Ball(2) * Ball::Pi() / Ball(step_);
    // What the rule adds from other periods: 1 at most from each to the left, and to the right what
    // a moment further out bounds.
    const Ball left = Geometric(c * period);
    const Ball gap = Ball(far_) - c;
    const Ball right = Exp(log_moment_far_ - Ball(far_) * epsilon) * Geometric(gap * period);
    const long double other = TACET_FAULT(contour_without_aliasing) ? 0 : (left + right).Upper();
    const long double cut = TACET_FAULT(contour_without_tail) ? 0 : cut_;
    const Ball value = factor * rule;
    const long double upper = (value + factor * Ball(cut) + infinite_).Upper();
    const long double lower = (value - factor * Ball(cut) + infinite_ - Ball(other)).Lower();
    const long double low = std::fmax(lower, std::fmax(infinite_.Lower(), 0));
    const long double high = std::fmin(upper, 1);
    return {Around(low, high), static_cast<double>(value.middle())};
  }

  double c() const { return c_; }
  const Ball& infinite() const { return infinite_; }

 private:
  Line() = default;

  static Ball Around(long double low, long double high) {
    if (!(low <= high)) return {0, HUGE_VALL};
    return {(low + high) / 2, (high - low) / 2 * (1 + 0x1p-40L) + std::fabs(high) * 0x1p-62L};
  }

  // The sum of e^(-nx) over n >= 1.
  static Ball Geometric(const Ball& x) {
    const Ball ratio = Exp(-x);
    return ratio / (Ball(1) - ratio);
  }

  // The period, and the moment that bounds delta to the right.
  void ChoosePeriod(const Composition& composition, const Saddle& saddle, double log_error) {
    const double left = -log_error / c_;
    double right = HUGE_VAL;
    for (double factor = 0.05; factor < 200; factor *= 1.5) {
      const double s = c_ * (1 + factor);
      const double log_bound = composition.Plan(s).value - s * saddle.epsilon - std::log1p(s);
      const double period = (log_bound - log_error) / (s - c_);
      if (period < right) {
        right = period;
        far_ = s;
      }
    }
    const double period = std::max(left, right);
    int exponent = 0;
    const double digits = std::frexp(2 * M_PI / period, &exponent);
    step_ = std::ldexp(std::floor(std::ldexp(digits, 20)), exponent - 20);
  }

  static double LogEnvelope(const std::vector<std::unique_ptr<TiltedLaw>>& laws, double frequency) {
    double sum = 0;
    // No characteristic function exceeds 1; and terms of one sign add up to few roundings.
    for (const auto& law : laws) sum += std::min(0.0, law->LogEnvelope(frequency));
    return sum * (1 - 0x1p-50 * static_cast<double>(laws.size() + 4));
  }

  bool Fill(const Composition& composition, const Saddle& saddle, double tolerance) {
    // The sum that the rule will come to, about.
    const Cumulants k = composition.Plan(c_);
    const double log_sum =
        saddle.log_delta - (k.value - c_ * saddle.epsilon) + std::log(2 * M_PI / step_);
    const auto is_enough = [&](const auto& laws, double nodes) {
      const double frequency = nodes * step_;
      return LogEnvelope(laws, frequency) - std::log(frequency * step_ / 2) <
             std::log(tolerance) - 3 + log_sum;
    };
    // What a bell curve would need is where the search begins.
    double frequency =
        std::max(step_, std::sqrt(2 * (5 - std::log(tolerance)) / std::max(k.curvature, 1e-300)));
    auto laws = composition.Tilt(c_, frequency);
    double nodes = std::ceil(frequency / step_);
    while (nodes <= kNodesMax && !is_enough(laws, nodes)) nodes = std::ceil(nodes * 1.1);
    if (!(nodes <= kNodesMax)) return false;
    // The envelope does not depend on the frequency that a law was tilted for; the transform does.
    if (nodes * step_ > frequency) laws = composition.Tilt(c_, nodes * step_ * (1 + 1e-9));
    double work = 0;
    for (const auto& law : laws) work += nodes * law->Work();
    if (!(work <= kWorkMax)) return false;
    return Evaluate(laws, static_cast<size_t>(nodes));
  }

  bool Evaluate(const std::vector<std::unique_ptr<TiltedLaw>>& laws, size_t nodes) {
    const Ball c(c_);
    terms_.resize(nodes);
    for (size_t i = 0; i < nodes; ++i) {
      const Ball frequency = Ball(step_) * Ball(static_cast<long double>(i + 1));
      terms_[i] =
          ComplexBall(1, 0, 0) / (ComplexBall(c, frequency) * ComplexBall(c + Ball(1), frequency));
    }
    for (const auto& law : laws) {
      law->MultiplyTransform(step_, terms_);
      log_moment_ = log_moment_ + law->LogMoment();
    }
    // Twice the sum over m > n of envelope / (m step)^2.
    const double frequency = static_cast<double>(nodes) * step_;
    const Ball envelope = Exp(Ball(LogEnvelope(laws, frequency)));
    cut_ = (Ball(2) * envelope / (Ball(frequency) * Ball(step_))).Upper();
    return std::isfinite(cut_) && std::isfinite(log_moment_.radius());
  }

  double c_ = 0;
  double step_ = 0;
  double far_ = 0;
  Ball log_moment_;
  Ball log_moment_far_;  // with the bound of the kink
  Ball infinite_;
  long double cut_ = 0;  // of the sum, at most
  std::vector<ComplexBall> terms_;
};

// Whether delta(epsilon) is certainly below `target`, by one moment and without a line.
bool IsFarBelow(const Composition& composition, double epsilon, const Ball& target) {
  const Ball left = target - composition.InfiniteMass();
  if (!(left.Lower() > 0) || !(epsilon > 0)) return false;
  const double wanted = static_cast<double>(std::log(left.middle())) - 0.5;
  for (double c = 1 / epsilon; c < 1e5 / epsilon; c *= 1.5) {
    const double log_bound = composition.Plan(c).value - c * epsilon - std::log1p(c);
    if (!(log_bound < wanted)) continue;
    const Ball exponent = composition.LogMoment(c) + LogKinkMax(c) - Ball(c) * Ball(epsilon);
    return Exp(exponent).Upper() <= left.Lower();
  }
  return false;
}

std::optional<LossBounds> Accept(double lower, double upper, double precision) {
  if (!(upper - lower <= precision * upper)) return std::nullopt;
  return LossBounds{lower, upper};
}

std::optional<LossBounds> DeltaOf(const Composition& composition, const Rational& epsilon,
                                  double precision) {
  const Saddle saddle = SaddleForEpsilon(composition, epsilon.ToDouble());
  const std::optional<Line> line =
      Line::Create(composition, saddle, std::clamp(precision / 4, 1e-15, 1e-3));
  if (!line) return std::nullopt;
  const Ball delta = line->At(Ball::Of(epsilon)).delta;
  return Accept(std::max(delta.LowerDouble(), 0.0), delta.UpperDouble(), precision);
}

std::optional<LossBounds> EpsilonOf(const Composition& composition, const Rational& delta,
                                    double precision) {
  // What is left for finite losses.
  const Ball target = Ball::Of(delta);
  const Ball left = target - composition.InfiniteMass();
  if (left.Upper() < 0) return LossBounds{HUGE_VAL, HUGE_VAL};
  if (!(left.Lower() > 0)) return std::nullopt;
  const double log_left = static_cast<double>(std::log(left.middle()));
  Saddle saddle = SaddleForDelta(composition, log_left);
  if (!(saddle.epsilon > 0)) saddle = SaddleForEpsilon(composition, 0);
  // delta falls by about e^(-c epsilon).
  const double tolerance =
      std::clamp(precision * std::max(saddle.epsilon, 1e-3 / saddle.c) * saddle.c / 8, 1e-15, 1e-3);
  const std::optional<Line> line = Line::Create(composition, saddle, tolerance);
  if (!line) return std::nullopt;

  const auto is_kept = [&](double epsilon) {
    return line->At(Ball(epsilon)).delta.Upper() <= target.Lower();
  };
  const auto is_broken = [&](double epsilon) {
    return line->At(Ball(epsilon)).delta.Lower() > target.Upper();
  };
  // Newton's method on the logarithm, with the slope of the saddle; then two steps outwards.
  double epsilon = saddle.epsilon;
  for (int i = 0; i < 12; ++i) {
    const double finite = line->At(Ball(epsilon)).finite_mid;
    if (!(finite > 0)) return std::nullopt;
    const double step = (std::log(finite) - log_left) / line->c();
    epsilon = std::max(0.0, epsilon + step);
    if (std::fabs(step) < precision * epsilon / 64) break;
  }
  if (epsilon == 0 && is_kept(0)) return LossBounds{0, 0};
  double upper = epsilon;
  double lower = epsilon;
  double gap = std::max(epsilon, 1e-300) * precision / 16;
  bool kept = false;
  bool broken = false;
  for (int i = 0; i < 4 && !(kept && broken); ++i, gap *= 2) {
    if (!kept) kept = is_kept(upper = epsilon + gap);
    if (!broken) broken = is_broken(lower = epsilon - gap);
  }
  if (!kept || !broken || lower < 0) return std::nullopt;
  return Accept(lower, upper, precision);
}

}  // namespace

namespace internal {

std::optional<LossBounds> ContourDelta(const DeclaredSequence& sequence, Order order,
                                       const Rational& epsilon, double precision) {
  const auto composition = Composition::Create(sequence, order);
  return composition ? DeltaOf(*composition, epsilon, precision) : std::nullopt;
}

std::optional<LossBounds> ContourEpsilon(const DeclaredSequence& sequence, Order order,
                                         const Rational& delta, double precision) {
  const auto composition = Composition::Create(sequence, order);
  return composition ? EpsilonOf(*composition, delta, precision) : std::nullopt;
}

}  // namespace internal

namespace {

// The larger one of both orders. `is_less` may tell that the second cannot be larger.
template <typename Bound, typename IsLess>
std::optional<LossBounds> OfBothOrders(const DeclaredSequence& sequence, Bound bound,
                                       IsLess is_less) {
  if (TACET_FAULT(contour_one_order)) return bound(Order::kAdd);
  const std::optional<LossBounds> remove = bound(Order::kRemove);
  if (!remove || !sequence.HasSampling() || remove->lower == HUGE_VAL) return remove;
  const auto composition = Composition::Create(sequence, Order::kAdd);
  if (is_less(*composition, *remove)) return remove;
  const std::optional<LossBounds> add = bound(Order::kAdd);
  if (!add) return std::nullopt;
  return LossBounds{std::max(remove->lower, add->lower), std::max(remove->upper, add->upper)};
}

}  // namespace

std::optional<LossBounds> ContourDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                                       double precision) {
  return OfBothOrders(
      sequence,
      [&](Order order) { return internal::ContourDelta(sequence, order, epsilon, precision); },
      [&](const Composition& add, const LossBounds& remove) {
        return IsFarBelow(add, epsilon.ToDoubleDown(), Ball(remove.lower));
      });
}

std::optional<LossBounds> ContourEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                                         double precision) {
  return OfBothOrders(
      sequence,
      [&](Order order) { return internal::ContourEpsilon(sequence, order, delta, precision); },
      [&](const Composition& add, const LossBounds& remove) {
        return IsFarBelow(add, remove.lower, Ball::Of(delta));
      });
}

}  // namespace tacet
