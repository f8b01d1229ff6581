// SPDX-License-Identifier: Apache-2.0
// The loss of Gaussian noise on a Poisson sample, by the trapezoidal rule.
//
// With y standard normal and A(y) = 1-q + q e^(mu y - mu^2/2), the moments E[e^(tL)] are
//   remove: the integral of phi A^(t+1), L = ln A;     add: that of phi A^-t, L = -ln A.
// Both integrands are analytic in a strip around the real line, so that the trapezoidal rule is
// exact up to e^(-2 pi d/step) times what they come to on the strip's edges at distance d.
//
// Proof: docs/proofs/numerical_contour.md, section 4.
#include <algorithm>
#include <vector>

#include "tacet/measure/smooth_law.h"

namespace tacet::internal {
namespace {

struct Parameters {
  Ball mu;
  Ball rate;
  Ball rest;  // 1 - rate
  uint64_t count;
  Order order;
};

// Nested uniform laws whose sum is nowhere above a density: what they lack in waves, it lacks.
class UniformLayers {
 public:
  UniformLayers() = default;
  // A step function over neighbouring cells, by their heights and widths.
  UniformLayers(std::vector<long double> heights, const std::vector<long double>& widths) {
    if (heights.empty()) return;
    // Lowered until it falls away from its largest value on both sides.
    const auto top = std::max_element(heights.begin(), heights.end());
    for (auto it = top; it != heights.begin(); --it) *(it - 1) = std::min(*(it - 1), *it);
    for (auto it = top; it + 1 != heights.end(); ++it) *(it + 1) = std::min(*(it + 1), *it);
    long double width = 0;
    for (long double cell : widths) width += cell;
    // Widths are differences of sums: less by what all additions and subtractions can be off.
    const long double slack =
        width * (static_cast<long double>(widths.size()) * 4 * kBallUnit + 0x1p-60L);
    width -= slack;
    size_t first = 0;
    size_t last = heights.size() - 1;
    for (long double base = 0;;) {
      const long double next = std::min(heights[first], heights[last]);
      if (next > base && width > 0) layers_.push_back({(next - base) * width, width});
      base = next;
      while (first < last && heights[first] <= base) width -= widths[first++];
      while (first < last && heights[last] <= base) width -= widths[last--];
      if (first == last) {
        if (heights[first] > base && width > 0)
          layers_.push_back({(heights[first] - base) * width, width});
        return;
      }
    }
  }

  // At least |characteristic function| of the density at every frequency from this one on.
  long double Envelope(long double frequency) const {
    long double lost = 0;
    for (const Layer& layer : layers_) {
      lost += layer.mass * (1 - WaveMax(frequency * layer.width / 2));
    }
    // For the roundings of some thousand terms, and of WaveMax near 1.
    return 1 - (lost * (1 - 0x1p-40L) - 0x1p-58L);
  }

 private:
  struct Layer {
    long double mass;
    long double width;
  };

  // At least |sin(y)/y| for all y >= x; falls.
  static long double WaveMax(long double x) {
    constexpr long double kSecondHill = 0.2173L;  // |sin(y)/y| <= this from 2.7 on
    if (x > 2.7L) return std::fmin(kSecondHill, 1 / x);
    const long double square = x * x;
    return std::fmax(kSecondHill, 1 - square / 6 + square * square / 120);
  }

  std::vector<Layer> layers_;
};

class Tilted final : public TiltedLaw {
 public:
  Tilted(const Parameters& law, double c, double frequency_max)
      : law_(law), c_(c), frequency_max_(frequency_max) {
    ChooseStep();
    // Where a loss is bounded and nearly attained there would be no end of points.
    const double width = 20 + (Removes() ? (c_ + 1) * static_cast<double>(law_.mu.middle()) : 0);
    if (!(width / step_ < kPointsMax)) {
      moment_ = {0, HUGE_VALL};
      return;
    }
    AddPoints();
    const Ball total = points_.total();
    // |sum - E| <= truncated + quadrature_error E.
    const long double low = (total - Ball(truncated_)).Lower();
    const long double high = (total + Ball(truncated_)).Upper();
    moment_ = Ball((low + high) / 2, (high - low) / 2 * (1 + 0x1p-50L) + high * 0x1p-62L) /
              Ball(1, quadrature_error_);
    BuildLayers();
  }

  Ball LogMoment() const override {
    if (!(moment_.Lower() > 0)) return {0, HUGE_VALL};
    return Ball(static_cast<long double>(law_.count)) * Log(moment_);
  }

  double LogEnvelope(double frequency) const override {
    const long double envelope = layers_.Envelope(frequency);
    if (!(envelope < 1)) return 0;
    if (!(envelope > 0)) return -HUGE_VAL;
    return (Ball(static_cast<long double>(law_.count)) * Log(Ball(envelope))).UpperDouble();
  }

  void MultiplyTransform(double step, std::span<ComplexBall> values) const override {
    std::vector<ComplexBall> sums(values.size());
    points_.Transform(step, sums);
    const long double error = truncated_ + quadrature_error_ * moment_.Magnitude();
    const bool covered = step * static_cast<double>(values.size()) <= frequency_max_;
    const Ball scale = Ball(1) / moment_;
    for (size_t i = 0; i < values.size(); ++i) {
      const ComplexBall sum(sums[i].re(), sums[i].im(),
                            covered ? Certain(sums[i].radius() + error) : HUGE_VALL);
      values[i] = values[i] * Power(sum * scale, law_.count);
    }
  }

  double Work() const override { return static_cast<double>(points_.size()); }

 private:
  bool Removes() const { return law_.order == Order::kRemove; }

  // The exponent of the edge's integral relative to E[e^(cL)], as a function of the distance d:
  // d^2/2 + w mu d, and c ln(1/cos(mu d)) where A is in the denominator.
  Ball EdgeExponent(double d) const {
    Ball exponent = Ball(d) * Ball(d) * Ball(0.5L) + Ball(frequency_max_) * law_.mu * Ball(d);
    if (!Removes()) exponent = exponent - Ball(c_) * Log(Cos(law_.mu * Ball(d)));
    return exponent;
  }

  void ChooseStep() {
    const auto mu = static_cast<double>(law_.mu.middle());
    const double wanted =
        48 + std::log(static_cast<double>(law_.count));  // of the error, e^-wanted
    // Within pi/mu A has no zero; for its inverse, half of that keeps it apart from 0.
    const double d_max = std::min((Removes() ? 3.0 : 1.5) / mu, 16.0);
    double waves_best = HUGE_VAL;
    double d_best = d_max;
    for (double d = d_max; d > d_max / 1000; d *= 0.8) {
      const auto edge = static_cast<double>(EdgeExponent(d).middle());
      const double waves = (wanted + edge) / d;  // 2 pi / step
      if (waves < waves_best) {
        waves_best = waves;
        d_best = d;
      }
    }
    // Few digits, so that multiples are exact.
    int exponent = 0;
    const double digits = std::frexp(2 * M_PI / waves_best, &exponent);
    step_ = std::ldexp(std::floor(std::ldexp(digits, 12)), exponent - 12);
    const Ball fall = Ball(2) * Ball::Pi() * Ball(d_best) / Ball(step_);
    const Ball error = Ball(2) * Exp(EdgeExponent(d_best)) / (Exp(fall) - Ball(1));
    quadrature_error_ = std::fmax(error.Upper(), 0);
  }

  struct Point {
    Ball weight;   // step phi(y) times A^(c+1) or A^-c
    Ball loss;     // ln A or -ln A
    Ball density;  // weight / |dL/dy|, up to a constant
  };

  Point At(int64_t index) const {
    const Ball y(static_cast<long double>(index) * step_);
    const Ball lift = Exp(law_.mu * y - law_.mu * law_.mu * Ball(0.5L));
    const Ball a = law_.rest + law_.rate * lift;
    const Ball log_a = Log(a);
    const Ball exponent =
        (Removes() ? (Ball(c_) + Ball(1)) * log_a : Ball(-c_) * log_a) - y * y * Ball(0.5L);
    const Ball weight = Exp(exponent) * norm_;
    return {weight, Removes() ? log_a : -log_a, weight * a / (law_.rate * lift)};
  }

  void AddPoints() {
    norm_ = Ball(step_) * Exp(Log(Ball(2) * Ball::Pi()) * Ball(-0.5L));
    const auto mu = static_cast<double>(law_.mu.middle());
    // Beyond these places the sums of what is left out are bounded by their last terms.
    const double right = Removes() ? (c_ + 1) * mu * (1 + 1e-9) + 1 : 1;
    const double wanted = std::exp(-48.0) / static_cast<double>(law_.count);
    std::vector<Point> left_points;
    std::vector<Point> right_points;
    long double sum = 0;
    long double rest_right = HUGE_VALL;
    for (int64_t j = 0; j < kPointsMax; ++j) {
      right_points.push_back(At(j));
      const Point& point = right_points.back();
      sum += point.weight.middle();
      const double y = static_cast<double>(j) * step_;
      if (y <= right) continue;
      // The first neglected term and all after it are less than those of a normal law's tail.
      const double distance = Removes() ? y - (c_ + 1) * mu * (1 + 1e-9) : y;
      rest_right = (point.weight / Ball(step_)).Upper() / distance * (1 + 1e-9);
      if (rest_right < sum * wanted) break;
    }
    long double rest_left = HUGE_VALL;
    for (int64_t j = 1; j < kPointsMax; ++j) {
      left_points.push_back(At(-j));
      const Point& point = left_points.back();
      sum += point.weight.middle();
      const double y = static_cast<double>(j) * step_;
      if (y < 1) continue;
      rest_left = (point.weight / Ball(step_)).Upper() / y * (1 + 1e-9);
      if (!Removes()) {
        // A^-c still grows to the left, up to (1-q)^-c.
        rest_left *= Exp(Ball(c_) * (-point.loss - Log(law_.rest))).Upper();
      }
      if (rest_left < sum * wanted) break;
    }
    truncated_ = Certain(rest_left + rest_right);
    std::reverse(left_points.begin(), left_points.end());
    ordered_ = std::move(left_points);
    ordered_.insert(ordered_.end(), right_points.begin(), right_points.end());
    for (const Point& point : ordered_) points_.Add(point.weight, point.loss);
  }

  // Between two points the logarithm of the density, as a function of y, lies above the line
  // between its ends less bend step^2 / 8.
  void BuildLayers() {
    const Ball mu_squared = law_.mu * law_.mu;
    const Ball slope = Removes() ? Ball(c_) + Ball(2) : c_ < 1 ? Ball(1) - Ball(c_) : Ball(0);
    const Ball bend = slope * mu_squared * Ball(0.25L) - Ball(1);
    const long double sag = std::fmax(bend.Upper(), 0);
    const Ball drop = Exp(-Ball(sag) * Ball(step_) * Ball(step_) * Ball(0.125L));
    // Of the density of the loss: weight / (step |dL/dy| E), with |dL/dy| = mu q lift / A.
    const Ball scale = drop / (Ball(step_) * law_.mu * moment_);
    std::vector<long double> heights;
    std::vector<long double> widths;
    for (size_t i = 0; i + 1 < ordered_.size(); ++i) {
      const Ball gap = Removes() ? ordered_[i + 1].loss - ordered_[i].loss
                                 : ordered_[i].loss - ordered_[i + 1].loss;
      const long double lowest = std::min((ordered_[i].density * scale).Lower(),
                                          (ordered_[i + 1].density * scale).Lower());
      heights.push_back(std::fmax(lowest, 0));
      widths.push_back(std::fmax(gap.Lower(), 0));
    }
    layers_ = UniformLayers(std::move(heights), widths);
    ordered_ = {};
  }

  static constexpr int64_t kPointsMax = 10000;

  Parameters law_;
  double c_;
  double frequency_max_;
  double step_ = 0;
  long double quadrature_error_ = HUGE_VALL;  // relative to the moment
  long double truncated_ = HUGE_VALL;
  Ball norm_;
  Ball moment_;
  PointMasses points_;
  std::vector<Point> ordered_;  // until the layers are built
  UniformLayers layers_;
};

class SampledGaussian final : public SmoothLaw {
 public:
  explicit SampledGaussian(const Parameters& law) : law_(law) {}

  Cumulants Plan(double s) const override {
    const auto mu = static_cast<double>(law_.mu.middle());
    const auto rate = static_cast<double>(law_.rate.middle());
    const bool removes = law_.order == Order::kRemove;
    const double power = removes ? s + 1 : -s;
    const double low = -10;
    const double high = removes ? std::max(10.0, (s + 1) * mu + 10) : 10;
    const double step = std::min(0.1, 0.25 / mu);
    const int count = static_cast<int>(std::min((high - low) / step, 20000.0));
    std::vector<double> exponents(static_cast<size_t>(count));
    std::vector<double> losses(static_cast<size_t>(count));
    double most = -HUGE_VAL;
    for (int j = 0; j < count; ++j) {
      const double y = low + (high - low) * (j + 0.5) / count;
      const double v = mu * y - mu * mu / 2;
      // ln(1-q + q e^v), without overflow.
      const double log_a = v > 30 ? v + std::log(rate + (1 - rate) * std::exp(-v))
                                  : std::log1p(rate * std::expm1(v));
      const auto i = static_cast<size_t>(j);
      losses[i] = removes ? log_a : -log_a;
      exponents[i] = power * log_a - y * y / 2;
      most = std::max(most, exponents[i]);
    }
    double sum = 0;
    double first = 0;
    double second = 0;
    for (size_t i = 0; i < losses.size(); ++i) {
      const double weight = std::exp(exponents[i] - most);
      sum += weight;
      first += weight * losses[i];
      second += weight * losses[i] * losses[i];
    }
    const double mean = first / sum;
    const auto uses = static_cast<double>(law_.count);
    const double integral = sum * (high - low) / count / std::sqrt(2 * M_PI);
    return {uses * (most + std::log(integral)), uses * mean, uses * (second / sum - mean * mean)};
  }

  std::unique_ptr<TiltedLaw> Tilt(double c, double frequency_max) const override {
    return std::make_unique<Tilted>(law_, c, frequency_max);
  }

 private:
  Parameters law_;
};

}  // namespace

std::unique_ptr<SmoothLaw> MakeSampledGaussian(const Rational& mu, const Rational& rate,
                                               uint64_t count, Order order) {
  return std::make_unique<SampledGaussian>(
      Parameters{Ball::Of(mu), Ball::Of(rate), Ball::Of(Rational(1) - rate), count, order});
}

}  // namespace tacet::internal
