// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/grid_composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/fault.h"
#include "tacet/measure/one_minus_exp.h"

namespace tacet::internal {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kLeastMass = 1e-200;
// More than any rounding of a handful of operations in double.
constexpr double kSlack = 1 + 0x1p-40;

Interval Exact(const Rational& value) { return Interval(value, kGridBits); }
Interval Whole(int64_t value) { return Exact(Rational(value)); }
Interval Count(uint64_t value) { return Exact(Rational(mpz_class(std::to_string(value)))); }
long double NearLong(const Interval& value) { return mpfr_get_ld(value.low(), MPFR_RNDN); }

// The whole number below, or one that is as far out as any window can be: first points of windows
// stay within half of that.
constexpr int64_t kFarthestPoint = int64_t{1} << 62;
int64_t FloorWithin(const Rational& value, int64_t farthest) {
  if (value >= Rational(farthest)) return farthest;
  if (value <= Rational(-farthest)) return -farthest;
  return value.Floor().get_si();
}

// -ln(1 - p) with all its digits, for p certainly below 1.
Interval LogOfRest(const Interval& p) {
  const Interval rest = Exact(1) - p;
  // p <= -ln(1 - p) <= p / (1 - p).
  if (p.CertainlyAtMost(Rational::PowerOfTwo(-90))) return Hull(p, p / rest);
  return -Log(rest);
}

// e^(rate m) for m = from, from + 1, ..., enclosed. `rate` must have so few digits that its
// products with whole numbers are exact.
class Weights {
 public:
  Weights(double rate, int64_t from) : rate_(rate), next_(from), ratio_(Exp(Ball(rate))) {}

  Ball Next() {
    if (steps_ % 128 == 0) {
      value_ = Exp(Ball(static_cast<long double>(rate_) * static_cast<long double>(next_)));
    }
    const Ball value = value_;
    value_ = value_ * ratio_;
    ++steps_;
    ++next_;
    return value;
  }

 private:
  double rate_;
  int64_t next_;
  Ball ratio_;
  Ball value_;
  size_t steps_ = 0;
};

// Keeps 30 significant bits.
double Shortened(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 30)), exponent - 30);
}

// A law times e^(tilt l), normalised. masses[i] belongs to the point first + i, counted from the
// law's own centre.
struct TiltedMasses {
  int64_t first = 0;
  int64_t centre = 0;  // a point of the law's grid
  double scale = 1;
  std::array<std::vector<double>, 2> masses;
};

Result<TiltedMasses> Tilt(const GridLaw& law, double tilt_step) {
  const Error out_of_range{.code = Code::kUnsupported,
                           .message = "the losses are too large for the numerical accountant"};
  const size_t count = law.upper.size();
  if (!(std::fabs(tilt_step) * static_cast<double>(count) < 10000)) return out_of_range;
  long double total = 0;
  long double moment = 0;
  // Roughly: only where the centre lies depends on it.
  const long double ratio = std::exp(static_cast<long double>(-tilt_step));
  long double weight = 1;
  for (size_t i = count; i-- > 0;) {
    total += weight * static_cast<long double>(law.upper[i]);
    moment += weight * static_cast<long double>(law.upper[i]) * static_cast<long double>(i);
    weight *= ratio;
  }
  const long double mean = moment / total;
  if (!(total > 0 && mean >= 0 && mean <= static_cast<long double>(count))) return out_of_range;
  TiltedMasses tilted;
  const auto centre = static_cast<int64_t>(std::llround(mean));
  tilted.centre = law.first + centre;
  tilted.first = -centre;
  const long double scale =
      total * std::exp(static_cast<long double>(tilt_step) *
                       static_cast<long double>(static_cast<int64_t>(count) - 1 - centre));
  tilted.scale = static_cast<double>(scale);
  if (!(tilted.scale > 1e-290 && tilted.scale < 1e290)) return out_of_range;

  const Ball inverse = Ball(1) / Ball(tilted.scale);
  Weights weights(tilt_step, tilted.first);
  for (auto& side : tilted.masses) side.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Ball factor = weights.Next() * inverse;
    if (law.upper[i] > 0) {
      tilted.masses[0][i] = std::max((Ball(law.upper[i]) * factor).UpperDouble(), kLeastMass);
    }
    if (law.lower[i] > 0) {
      const double mass = (Ball(law.lower[i]) * factor).LowerDouble();
      tilted.masses[1][i] = mass >= kLeastMass ? mass : 0;
    }
  }
  return tilted;
}

// At least the logarithm of the sum of masses e^(rate m).
Ball LogMoment(const std::vector<double>& masses, int64_t first, double rate) {
  Weights weights(rate, first);
  Ball sum(0);
  for (const double mass : masses) sum = sum + Ball(mass) * weights.Next();
  if (!(sum.Upper() > 0)) return Ball(-1e6L);
  return Log(Ball(sum.Upper()));
}

// A value and a bound of its error.
struct Approximate {
  Complex value;
  double error = 0;
};

double SizeOf(const Complex& z) { return std::sqrt(z.re * z.re + z.im * z.im); }
Complex Times(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// x^count, if x is off by at most `error`.
Approximate Power(const Complex& x, double error, uint64_t count) {
  const double size = SizeOf(x) * kSlack;
  const auto k = static_cast<double>(count);
  const double largest = (size + error) * kSlack;
  // r^k <= e^(-k (1 - r^2) / 2).
  if (k * (1 - largest * largest) > 560) return {{0, 0}, 1e-120};
  Complex result{1, 0};
  Complex square = x;
  for (uint64_t rest = count; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = Times(result, square);
    if (rest > 1) square = Times(square, square);
  }
  // The products round as if x were off by 3 units more.
  const double doubt = error + 3.01 * kUnit * size;
  const double power_size = SizeOf(result);
  if (k * doubt < 0.1 * size) {
    // k doubt r^(k-1), with r / size <= 1 + doubt / size: e^0.1 twice, of which one is for the
    // computed power.
    return {result, 1.3 * k * doubt / size * power_size + 1e-120};
  }
  double power = 1;
  double base = (size + doubt) * kSlack;
  for (uint64_t rest = count - 1; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) power = power * base * kSlack;
    if (rest > 1) base = base * base * kSlack;
  }
  return {result, k * doubt * power * kSlack + 1e-120};
}

// Products of powers of transforms of real sequences: that of the upper one at a position, that of
// the lower one at its mirror image. Positions 0 and 1 mirror themselves, and both are real there.
class Spectrum {
 public:
  explicit Spectrum(size_t size) : errors_(size) {}

  // `packed` is the transform of upper + i lower, each value off by at most `error`; it is used up.
  void Multiply(std::vector<Complex> packed, double error, uint64_t count);
  // Back to the transform of upper + i lower; adds up errors and sizes.
  std::vector<Complex> Finish(std::array<double, 2>* errors, double* sizes);

 private:
  void Set(size_t position, const Approximate& factor);

  std::vector<Complex> values_;
  std::vector<float> errors_;
  bool fresh_ = true;
};

void Spectrum::Set(size_t position, const Approximate& factor) {
  const auto up = [](double error) { return static_cast<float>(error * (1 + 1e-6) + 1e-36); };
  if (fresh_) {
    values_[position] = factor.value;
    errors_[position] = up(factor.error);
    return;
  }
  const Complex before = values_[position];
  Complex value = Times(before, factor.value);
  const double before_size = SizeOf(before);
  const double factor_size = SizeOf(factor.value);
  const auto before_error = static_cast<double>(errors_[position]);
  double error = before_error * (factor_size + factor.error) + before_size * factor.error +
                 3.01 * kUnit * before_size * factor_size;
  if (before_size * factor_size < 1e-120) {
    value = {0, 0};
    error += 1e-119;
  }
  values_[position] = value;
  errors_[position] = up(error * kSlack);
}

void Spectrum::Multiply(std::vector<Complex> packed, double error, uint64_t count) {
  if (fresh_) values_.swap(packed);
  std::vector<Complex>& source = fresh_ ? values_ : packed;
  for (size_t i = 0; i < 2 && i < source.size(); ++i) {
    const Approximate upper = Power({source[i].re, 0}, error, count);
    const Approximate lower = Power({source[i].im, 0}, error, count);
    // Both are real: each is multiplied on its own.
    Approximate before{values_[i], 0};
    if (fresh_) {
      values_[i] = {upper.value.re, lower.value.re};
      errors_[i] = static_cast<float>((upper.error + lower.error) * 1.0001 + 1e-36);
    } else {
      before = {values_[i], static_cast<double>(errors_[i])};
      values_[i] = {before.value.re * upper.value.re, before.value.im * lower.value.re};
      // The errors of both together, each times its own factor: a sum of the factors would double
      // them with every law.
      const double size = std::max(std::fabs(upper.value.re), std::fabs(lower.value.re));
      const double error_of_power = std::max(upper.error, lower.error);
      errors_[i] = static_cast<float>((before.error * (size + error_of_power) +
                                       (std::fabs(before.value.re) + std::fabs(before.value.im)) *
                                           (error_of_power + kUnit * size)) *
                                          1.0001 +
                                      1e-36);
    }
  }
  for (size_t i = 2; i < source.size(); ++i) {
    const size_t mirror = Fft::Mirror(i);
    if (mirror < i) continue;
    const Complex a = source[i];
    const Complex b = source[mirror];
    const Complex upper{(a.re + b.re) / 2, (a.im - b.im) / 2};
    const Complex lower{(a.im + b.im) / 2, (b.re - a.re) / 2};
    Set(i, Power(upper, error, count));
    Set(mirror, Power(lower, error, count));
  }
  fresh_ = false;
}

std::vector<Complex> Spectrum::Finish(std::array<double, 2>* errors, double* sizes) {
  *errors = {0, 0};
  *sizes = 0;
  for (size_t i = 0; i < values_.size(); ++i) {
    const auto error = static_cast<double>(errors_[i]);
    if (i < 2) {
      (*errors)[0] += error;
      (*errors)[1] += error;
      *sizes += std::fabs(values_[i].re) + std::fabs(values_[i].im);
      continue;
    }
    const size_t mirror = Fft::Mirror(i);
    if (mirror < i) continue;
    (*errors)[0] += 2 * error;
    (*errors)[1] += 2 * static_cast<double>(errors_[mirror]);
    const Complex upper = values_[i];
    const Complex lower = values_[mirror];
    *sizes += 2 * (SizeOf(upper) + SizeOf(lower));
    // upper + i lower, and the same of the conjugates.
    values_[i] = {upper.re - lower.im, upper.im + lower.re};
    values_[mirror] = {upper.re + lower.im, lower.re - upper.im};
  }
  return std::move(values_);
}

}  // namespace

Result<Composition> Composition::Create(const std::vector<CountedLaw>& laws,
                                        const CompositionPlan& plan) {
  Composition composition(plan);
  TACET_RETURN_IF_ERROR(composition.Transform(laws));
  return composition;
}

Status Composition::Transform(const std::vector<CountedLaw>& laws) {
  const long double step = NearLong(plan_.step);
  tilt_step_ = Shortened(static_cast<double>(static_cast<long double>(plan_.tilt) * step));
  const double step_near = static_cast<double>(step);
  const double rate_above = Shortened(plan_.tilt_above * step_near);
  const double rate_below = Shortened(plan_.tilt_below * step_near);
  const Fft fft(plan_.log2_points);
  count_ = static_cast<int64_t>(fft.size());

  // Minus the logarithms of the probability that no loss is infinite.
  Interval leak_upper = Exact(0);
  Interval leak_lower = Exact(0);
  std::array<Ball, 2> log_above;
  std::array<Ball, 2> log_below;
  highest_ = 0;
  Int128 lowest = 0;
  Spectrum spectrum(fft.size());
  for (const CountedLaw& counted : laws) {
    const GridLaw& law = counted.law;
    TACET_TRY(const TiltedMasses tilted, Tilt(law, tilt_step_));
    const Interval times = Count(counted.count);
    offset_ = offset_ + times * (law.offset + plan_.step * Whole(tilted.centre));
    log_scale_ = log_scale_ + times * Log(Exact(Rational::FromDouble(tilted.scale)));
    if (!(Exact(1) - law.infinite_upper).CertainlyPositive() ||
        !(Exact(1) - law.infinite_lower).CertainlyPositive()) {
      return Error{.code = Code::kUnsupported,
                   .message = "the delta of a step is too close to 1 for the numerical accountant"};
    }
    leak_upper = leak_upper + times * LogOfRest(law.infinite_upper);
    leak_lower = leak_lower + times * LogOfRest(law.infinite_lower);

    std::vector<Complex> packed(fft.size());
    double size = 0;
    for (size_t i = 0; i < law.upper.size(); ++i) {
      const int64_t point = tilted.first + static_cast<int64_t>(i);
      Complex& at = packed[static_cast<size_t>(((point % count_) + count_) % count_)];
      const double upper = tilted.masses[kUpper][i];
      const double lower = tilted.masses[kLower][i];
      if (at.re == 0 && at.im == 0) {
        at = {upper, lower};
      } else {
        at = {(at.re + upper) * (1 + 2 * kUnit), (at.im + lower) * (1 - 4 * kUnit)};
      }
      size += upper + lower;
    }
    const Int128 k = counted.count;
    highest_ += k * (tilted.first + static_cast<int64_t>(law.upper.size()) - 1);
    lowest += k * tilted.first;
    size *= 1 + 1e-9;
    const Ball balls(static_cast<long double>(counted.count));
    for (const Side side : {kUpper, kLower}) {
      log_above[side] =
          log_above[side] + balls * LogMoment(tilted.masses[side], tilted.first, rate_above);
      log_below[side] =
          log_below[side] + balls * LogMoment(tilted.masses[side], tilted.first, -rate_below);
    }
    fft.Forward(packed);
    // Two units more for the sums that separate both laws.
    spectrum.Multiply(std::move(packed), (fft.ErrorFactor() + 2 * kUnit) * size * kSlack,
                      counted.count);
  }

  std::array<double, 2> errors;
  double sizes = 0;
  masses_ = spectrum.Finish(&errors, &sizes);
  fft.Backward(masses_);
  const double inverse = 1 / static_cast<double>(count_);
  for (Complex& mass : masses_) mass = {mass.re * inverse, mass.im * inverse};
  for (const Side side : {kUpper, kLower}) {
    mass_error_[side] =
        (errors[side] + (fft.ErrorFactor() + 2 * kUnit) * sizes) * inverse * 1.0001 + 1e-300;
    if (TACET_FAULT(transform_error_not_added)) mass_error_[side] = 0;
  }

  if (mpfr_number_p(offset_.low()) == 0 || mpfr_number_p(log_scale_.low()) == 0) {
    return Error{.code = Code::kUnsupported, .message = "the losses are too large"};
  }
  first_ = FloorWithin(((Exact(Rational::FromDouble(plan_.least)) - offset_) / plan_.step).Low(),
                       kFarthestPoint / 2);
  const int64_t end = first_ + count_;
  for (const Side side : {kUpper, kLower}) {
    const Ball above = log_above[side] - Ball(static_cast<long double>(rate_above)) *
                                             Ball(static_cast<long double>(end));
    const Ball below = log_below[side] + Ball(static_cast<long double>(rate_below)) *
                                             Ball(static_cast<long double>(first_ - 1));
    const auto bound = [](const Ball& log) {
      // All masses together may be more than 1: those of many steps were rounded up.
      return Exp(Ball(std::fmax(log.Upper(), -600.0L))).UpperDouble();
    };
    beyond_[side] = highest_ < end ? 0 : bound(above);
    before_[side] = lowest >= first_ ? 0 : bound(below);
    if (TACET_FAULT(wrap_around_not_added)) beyond_[side] = before_[side] = 0;
  }
  infinite_ = {OneMinusExp(leak_upper), OneMinusExp(leak_lower)};
  return {};
}

Interval Composition::LossAt(int64_t point) const { return offset_ + plan_.step * Whole(point); }

int64_t Composition::PointAbove(Side side, const Rational& epsilon) const {
  // The upper law lies at the upper ends of its losses, the lower one at the lower ends.
  const Interval position = (Exact(epsilon) - offset_) / plan_.step;
  return FloorWithin(side == kUpper ? position.Low() : position.High(), kFarthestPoint) + 1;
}

long double Composition::Mass(Side side, int64_t point) const {
  const Complex& both = masses_[static_cast<size_t>(((point % count_) + count_) % count_)];
  return static_cast<long double>(std::max(side == kUpper ? both.re : both.im, 0.0));
}

Composition::Tail Composition::TailFrom(Side side, int64_t point) const {
  const long double first_ratio = Exp(Ball(-tilt_step_)).middle();
  const long double second_ratio = first_ratio * Exp(Ball::Of(-plan_.step)).middle();
  Tail tail{.point = point};
  for (int64_t n = first_ + count_ - 1; n >= point; --n) {
    const long double mass = Mass(side, n);
    tail.first = mass + first_ratio * tail.first;
    tail.second = mass + second_ratio * tail.second;
  }
  return tail;
}

double Composition::DeltaFrom(Side side, const Tail& tail, const Rational& epsilon) const {
  const bool upper = side == kUpper;
  if (tail.point > highest_) {
    const Ball infinite = Ball::Of(infinite_[side]);
    return std::clamp(upper ? infinite.UpperDouble() : infinite.LowerDouble(), 0.0, 1.0);
  }
  if (tail.point < first_ || tail.point > first_ + count_) return upper ? 1 : 0;
  // Each step of the sums rounds up to five times, the ratios' own errors included; the step's own
  // rounding, of up to two units, moves its exponential by twice as many as it is large.
  const long double rounding =
      (6 + 2 * NearLong(plan_.step)) * static_cast<long double>(count_ + 4) * kBallUnit;
  const Ball first(tail.first, Certain(tail.first * rounding));
  const Ball second(tail.second, Certain(tail.second * rounding));
  const Interval gap = LossAt(tail.point) - Exact(epsilon);
  // From the end of the gap that makes delta larger (smaller); the upper one is at least 0.
  Ball gap_end(upper ? std::fmax(Ball::Of(gap).Upper(), 0.0L) : Ball::Of(gap).Lower());
  const Ball step = Ball::Of(plan_.step);
  Ball sum = first - Exp(-gap_end) * second;

  const Ball one(1);
  const Ball decay = one - Exp(Ball(-tilt_step_));
  const long double width = std::fmax(std::fabs(Ball::Of(gap).Magnitude()), step.Upper());
  long double weight_sum = static_cast<long double>(count_);
  if (decay.Lower() > 0) {
    weight_sum = std::fmin(weight_sum, (one / decay).Upper());
    weight_sum = std::fmin(weight_sum, (Ball(width) / (decay * decay)).Upper());
  }
  const long double doubt = weight_sum * static_cast<long double>(mass_error_[side]);
  const Interval log_factor =
      log_scale_ - Exact(Rational::FromDouble(tilt_step_)) * Whole(tail.point);
  const Ball factor = Ball::Of(Exp(log_factor));
  if (upper) {
    // Beyond the window a tilted mass weighs at most e^(-tilt l).
    const Interval log_end =
        log_scale_ - Exact(Rational::FromDouble(tilt_step_)) * Whole(first_ + count_);
    const Ball beyond = Ball::Of(Exp(log_end)) * Ball(beyond_[side]);
    const Ball total = Ball::Of(infinite_[side]) + factor * (sum + Ball(doubt)) + beyond;
    return std::clamp(total.UpperDouble(), 0.0, 1.0);
  }
  // Mass that was wrapped around counts for at most e^(tilt gap) / (1 + tilt), or 1.
  const Ball tilt = Ball(tilt_step_) / step;
  const Ball gap_above = Max(Ball::Of(gap), Ball(0));
  const long double weight = std::fmin(1.0L, (Exp(tilt * gap_above) / (one + tilt)).Upper());
  const Ball wrapped = Ball(weight) * (Ball(beyond_[side]) + Ball(before_[side]));
  const Ball finite = factor * (sum - Ball(doubt) - wrapped);
  const Ball total = Ball::Of(infinite_[side]) + Ball(std::fmax(finite.Lower(), 0.0L));
  return std::clamp(total.LowerDouble(), 0.0, 1.0);
}

LossBounds Composition::Delta(const Rational& epsilon) const {
  const auto bound = [&](Side side) {
    const int64_t point = PointAbove(side, epsilon);
    if (point < first_) return side == kUpper ? 1.0 : 0.0;
    return DeltaFrom(side, TailFrom(side, point), epsilon);
  };
  return {bound(kLower), bound(kUpper)};
}

double Composition::EpsilonOf(Side side, const Rational& delta) const {
  const bool upper = side == kUpper;
  const double none = upper ? HUGE_VAL : 0;
  // What the finite losses may add up to: nothing, if infinite ones use up all of delta.
  const Interval left = Exact(delta) - infinite_[side];
  if (left.CertainlyNegative()) return upper ? HUGE_VAL : std::numeric_limits<double>::max();
  const long double target = std::fmax(NearLong(left), 1e-12L * NearLong(Exact(delta)));
  const long double first_ratio = Exp(Ball(-tilt_step_)).middle();
  const long double second_ratio = first_ratio * Exp(Ball::Of(-plan_.step)).middle();
  const int64_t zero = PointAbove(side, Rational(0));
  const int64_t stop = std::max(first_, zero);
  Tail tail{.point = first_ + count_};
  // As a multiple of the scale at that point.
  long double threshold =
      target *
      std::exp(NearLong(Exact(Rational::FromDouble(tilt_step_)) * Whole(tail.point) - log_scale_));
  // Down to the last point at which delta is still met.
  while (tail.point > stop) {
    const long double mass = Mass(side, tail.point - 1);
    const long double first = mass + first_ratio * tail.first;
    const long double second = mass + second_ratio * tail.second;
    if (first - second > threshold * first_ratio) break;
    threshold *= first_ratio;
    --tail.point;
    tail.first = first;
    tail.second = second;
  }
  if (tail.point == zero && Rational::FromDouble(DeltaFrom(side, tail, Rational(0))) <= delta) {
    return 0;
  }
  if (tail.point == first_) return none;
  // Between this point and the one before: first - e^-gap second = threshold.
  const long double ratio = tail.second > 0 ? (tail.first - threshold) / tail.second : 1;
  const long double step = NearLong(plan_.step);
  long double gap = ratio > 0 ? -std::log(ratio) : step;
  gap = std::clamp(gap, 0.0L, step);
  const double start = static_cast<double>(NearLong(LossAt(tail.point)) - gap);
  double move = 1e-13 * std::fabs(start) + 1e-15 * static_cast<double>(step);
  for (int attempt = 0; attempt < 40; ++attempt) {
    const double candidate = std::max(upper ? start + move : start - move, 0.0);
    const Rational epsilon = Rational::FromDouble(candidate);
    const int64_t above = PointAbove(side, epsilon);
    // The upper bound would miss what lies between epsilon and the window.
    if (upper && above < first_) return none;
    const int64_t point = std::max(above, first_);
    if (point != tail.point) tail = TailFrom(side, point);
    const Rational bound = Rational::FromDouble(DeltaFrom(side, tail, epsilon));
    if (upper ? bound <= delta : bound > delta) return candidate;
    if (!upper && candidate == 0) return 0;
    move *= 3;
  }
  return none;
}

LossBounds Composition::Epsilon(const Rational& delta) const {
  return {EpsilonOf(kLower, delta), EpsilonOf(kUpper, delta)};
}

}  // namespace tacet::internal
