// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/margin.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/check.h"

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

// The sum of continuous Laplace variables of scale 1. It is, up to its sign, a Gamma(n) with n from
// 1 to count, which is count - j with probability C(count - 1 + j, j) 2^-(count + j - 1).
class LaplaceSum {
 public:
  explicit LaplaceSum(int64_t count) {
    const auto all = static_cast<double>(count);
    for (double n = 1; n <= all; ++n) {
      const double j = all - n;
      log_factorials_.push_back(std::lgamma(n));
      weights_.push_back(std::exp(std::lgamma(all + j) - std::lgamma(all) - std::lgamma(j + 1) -
                                  (all + j - 1) * std::log(2.0)));
    }
  }

  // P[|X_1 + ... + X_count| > t].
  double Tail(double t) const {
    if (t <= 0) return 1;
    const double log_t = std::log(t);
    double gamma = 0;  // P[Gamma(n) > t]
    double tail = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      gamma += std::exp(static_cast<double>(i) * log_t - t - log_factorials_[i]);
      tail += gamma * weights_[i];
    }
    return tail;
  }

 private:
  std::vector<double> log_factorials_;  // of n - 1
  std::vector<double> weights_;
};

// Enough for the errors of a hundred thousand terms above.
constexpr double kRounding = 1e-7;

double LaplaceSumMargin(double scale, int64_t count, double level) {
  const LaplaceSum sum(count);
  const auto tail = [&](double t) { return sum.Tail(t / scale); };
  const double start = scale * std::sqrt(static_cast<double>(count));
  return std::ceil(WhereTailFalls(tail, (1 - level) * (1 - kRounding), start));
}

double GaussianSumMargin(double deviation, int64_t count, double level) {
  const auto all = static_cast<double>(count);
  const double variance = deviation * deviation;
  // A sum of discrete Gaussians is sub-Gaussian.
  const double certain =
      std::ceil(std::sqrt(2 * all * variance * std::log(2 / (1 - level))) * (1 + kRounding));
  // With a little more variance the continuous law holds it, but for a share of 6e-13 a term.
  constexpr double kSmoothing = 1.5;
  constexpr double kShare = 6e-13;
  if (variance <= kSmoothing) return certain;
  const double wider =
      std::sqrt(all * (variance + kSmoothing * variance / (variance - kSmoothing)));
  const auto tail = [&](double t) { return 2 * NormalTail(t / wider) + kShare * all; };
  return std::min(certain, std::ceil(WhereTailFalls(tail, (1 - level) * (1 - kRounding), wider)));
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

// The distance from `shown` to the farther end of what is possible within the range.
template <typename Possible>
double FarthestPossible(const Quotient& released, double shown, const Possible& possible) {
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

double MarginOfSum(const Noise& noise, int64_t count, double level) {
  TACET_CHECK(count >= 1);
  if (count == 1) return Margin(noise, level);
  return noise.is_laplace() ? LaplaceSumMargin(noise.spread(), count, level)
                            : GaussianSumMargin(noise.spread(), count, level);
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
  return FarthestPossible(released, shown, possible);
}

double MarginOfQuotient(const Quotient& released, double shown, double numerator_reach,
                        double denominator_reach) {
  return FarthestPossible(released, shown, [&](double r) {
    return std::abs(released.numerator - r * released.denominator) <=
           numerator_reach + std::abs(r) * denominator_reach;
  });
}

}  // namespace tacet
