// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/margin.h"

#include <algorithm>
#include <cmath>

namespace tacet {
namespace {

// Below this deviation a Gaussian margin is found by adding up the discrete masses.
constexpr double kSmallDeviation = 64;
constexpr int kBisections = 80;

// P[X > t] of a standard normal X.
double NormalTail(double t) { return std::erfc(t / std::sqrt(2.0)) / 2; }

// The t >= 0 at which `tail`, which falls in t, comes down to `target`.
template <typename Tail>
double WhereTailFalls(const Tail& tail, double target, double start) {
  double high = start;
  while (tail(high) > target) high *= 2;
  double low = 0;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > target ? low : high) = middle;
  }
  return high;
}

double LaplaceMargin(double scale, double level) {
  // P[|Z| > m] = 2 e^(-(m+1)/scale) / (1 + e^(-1/scale)).
  const double reach = scale * std::log(2 / ((1 + std::exp(-1 / scale)) * (1 - level)));
  return std::max(0.0, std::ceil(reach - 1));
}

double SmallGaussianMargin(double deviation, double level) {
  const auto mass = [&](double z) { return std::exp(-z * z / (2 * deviation * deviation)); };
  double total = 1;
  for (double z = 1; z <= 40 * deviation + 2; ++z) total += 2 * mass(z);
  double inside = 1;
  double margin = 0;
  while (inside < level * total) inside += 2 * mass(++margin);
  return margin;
}

// P[|A + B| > t] for continuous noises of these spreads.
double TwoLaplaceTail(double a, double b, double t) {
  if (a < b) std::swap(a, b);
  if (b <= 0) return std::exp(-t / a);
  if ((a - b) < 1e-6 * a) return (1 + t / (2 * a)) * std::exp(-t / a);
  return (a * a * std::exp(-t / a) - b * b * std::exp(-t / b)) / (a * a - b * b);
}

double MixedTail(double laplace, double gaussian, double t) {
  const double ratio = gaussian / laplace;
  constexpr double kRatioMax = 20;  // beyond it the exponential below would overflow
  if (ratio > kRatioMax) {
    return 2 * NormalTail(t / std::hypot(gaussian, laplace * std::sqrt(2.0)));
  }
  if (gaussian <= 0) return std::exp(-t / laplace);
  const double u = t / gaussian;
  const double v = t / laplace;
  const double scale = std::exp(ratio * ratio / 2);
  return 2 * NormalTail(u) +
         scale * (std::exp(-v) * NormalTail(ratio - u) - std::exp(v) * NormalTail(u + ratio));
}

// Of continuous noises with the spreads of `a` and `b`.
class Difference {
 public:
  Difference(const Noise& a, const Noise& b)
      : a_is_laplace_(a.is_laplace()),
        b_is_laplace_(b.is_laplace()),
        a_spread_(a.spread()),
        b_spread_(b.spread()) {}

  // P[|A - weight B| > t].
  double Tail(double weight, double t) const {
    const double first = a_spread_;
    const double second = std::abs(weight) * b_spread_;
    if (a_is_laplace_ && b_is_laplace_) return TwoLaplaceTail(first, second, t);
    if (a_is_laplace_) return MixedTail(first, second, t);
    if (b_is_laplace_ && second > 0) return MixedTail(second, first, t);
    return 2 * NormalTail(t / std::hypot(first, second));
  }

 private:
  bool a_is_laplace_;
  bool b_is_laplace_;
  double a_spread_;
  double b_spread_;
};

// Of each noise, for the discrete laws.
double HalfSteps(double weight) { return (1 + std::abs(weight)) / 2; }

}  // namespace

double Margin(const Noise& noise, double level) {
  const double spread = noise.spread();
  if (noise.is_laplace()) return LaplaceMargin(spread, level);
  if (spread < kSmallDeviation) return SmallGaussianMargin(spread, level);
  const auto tail = [&](double t) { return 2 * NormalTail(t / spread); };
  // |Z| <= m is as likely as |X| <= m + 1/2 of the continuous X, up to terms that are not visible.
  return std::ceil(WhereTailFalls(tail, 1 - level, spread) - 0.5);
}

double Margin(const Noise& noise, const Rational& step, double level) {
  return (Rational::FromDouble(Margin(noise, level)) * step).ToDouble();
}

double MarginOfDifference(const Noise& a, double weight, const Noise& b, double level) {
  const Difference difference(a, b);
  const auto tail = [&](double t) { return difference.Tail(weight, t); };
  const double start = a.spread() + std::abs(weight) * b.spread();
  return WhereTailFalls(tail, 1 - level, start) + HalfSteps(weight);
}

double MarginOfQuotient(const Quotient& released, double shown, const Noise& numerator,
                        const Noise& denominator, double level) {
  const Difference difference(numerator, denominator);
  // Within MarginOfDifference, which need not be found to be compared with: the tail falls.
  const auto possible = [&](double r) {
    const double distance = std::abs(released.numerator - r * released.denominator) - HalfSteps(r);
    return distance <= 0 || difference.Tail(r, distance) >= 1 - level;
  };
  const auto farthest = [&](double end) {
    if (possible(end)) return std::abs(end - shown);
    double inside =
        std::clamp(released.numerator / released.denominator, released.low, released.high);
    double outside = end;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = (inside + outside) / 2;
      (possible(middle) ? inside : outside) = middle;
    }
    return std::abs(outside - shown);
  };
  return std::max(farthest(released.low), farthest(released.high));
}

}  // namespace tacet
