// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/loss_pair.h"

#include <algorithm>
#include <array>

#include "tacet/base/fault.h"
#include "tacet/base/overloaded.h"

namespace tacet::internal {
namespace {

constexpr int kNodes = 5;

Interval Exact(const Rational& value) { return Interval(value, kGridBits); }

Ball Widened(const Ball& ball, long double by) {
  return {ball.middle(), Certain(ball.radius() + by)};
}

// Gauss and Legendre's five nodes on [-1, 1] and their weights.
struct Quadrature {
  std::vector<Interval> nodes;
  std::array<Ball, kNodes> weights;
};

const Quadrature& FiveNodes() {
  static const Quadrature quadrature = [] {
    const Interval root = Sqrt(Exact(Rational(10, 7))) * Exact(2);
    const Interval third = Exact(Rational(1, 3));
    const Interval inner = Sqrt(Exact(5) - root) * third;
    const Interval outer = Sqrt(Exact(5) + root) * third;
    const Interval part = Exact(13) * Sqrt(Exact(70));
    const Interval inner_weight = (Exact(322) + part) / Exact(900);
    const Interval outer_weight = (Exact(322) - part) / Exact(900);
    return Quadrature{{-outer, -inner, Exact(0), inner, outer},
                      {Ball::Of(outer_weight), Ball::Of(inner_weight), Ball::Of(Rational(128, 225)),
                       Ball::Of(inner_weight), Ball::Of(outer_weight)}};
  }();
  return quadrature;
}

// At least the quadrature's error on [-1, 1] for e^(-a x - b x^2) 2 sinh((d - s x) / 2), |a| <=
// slope, |d| <= distance: 2^11 5!^4 / (11 10!^2) times the largest absolute value within 1 + r of
// 0, over r^10. Any r > 0 will do; this one is nearly the best. The factor 2 covers the library's
// exp.
double QuadratureError(double slope, double bend, double distance, double half_width) {
  const double growth = slope + half_width / 2;
  const double curve = 2 * bend + 1e-9;
  const double r =
      std::clamp((std::sqrt(growth * growth + 36 * curve) - growth) / (2 * curve), 1.0, 1e6);
  const double reach = 1 + r;
  const double exponent = slope * reach + bend * reach * reach;
  const double argument = (distance + half_width * reach) / 2;
  // sinh(x) <= x e^x for x >= 0.
  return 2 * 2.94e-3 * std::pow(r, -10) * std::exp(exponent + argument) * 2 * argument;
}

// 1/n.
const Ball& Inverse(size_t n) {
  static const std::vector<Ball> inverses = [] {
    std::vector<Ball> list(256);
    for (int i = 1; i < 256; ++i) list[static_cast<size_t>(i)] = Ball(1) / Ball(i);
    return list;
  }();
  return inverses[n];
}

// e^x by ten terms of the series for |x| <= 1/8; the rest is at most |x|^11 / 11! and a tenth.
Ball SmallExp(const Ball& x) {
  const long double size = x.Magnitude();
  if (!(size <= 0.125L)) return Exp(x);
  Ball sum(1);
  for (size_t n = 10; n >= 1; --n) sum = Ball(1) + sum * x * Inverse(n);
  const long double square = size * size;
  const long double fourth = square * square;
  return Widened(sum, fourth * fourth * square * size / 3.5e7L);
}

// The values of e^(-(start + i step)^2 / (2 mu^2)) for i = 0, 1, ..., each from the one before; the
// ratio of neighbours is itself a geometric sequence. Starts anew before radii grow.
class BellCurve {
 public:
  BellCurve(const Interval& start, const Interval& step, const Interval& mu)
      : start_(start), step_(step), scale_(Exact(Rational(-1, 2)) / (mu * mu)) {
    change_ = Exp(Ball::Of(step_ * step_ * scale_ * Exact(2)));
  }

  Ball Next() {
    if (index_ % kRestart == 0) {
      const Interval at = start_ + step_ * Exact(Rational(static_cast<int64_t>(index_)));
      value_ = Ball::Of(Exp(at * at * scale_));
      ratio_ = Ball::Of(Exp((at * step_ * Exact(2) + step_ * step_) * scale_));
    }
    const Ball value = value_;
    value_ = value_ * ratio_;
    ratio_ = ratio_ * change_;
    ++index_;
    return value;
  }

 private:
  static constexpr size_t kRestart = 128;
  Interval start_;
  Interval step_;
  Interval scale_;
  Ball value_;
  Ball ratio_;
  Ball change_;
  size_t index_ = 0;
};

// e^(start + i step) for i = 0, 1, ...
class Exponentials {
 public:
  Exponentials(const Interval& start, const Interval& step)
      : start_(start), step_(step), ratio_(Exp(Ball::Of(step))) {}

  Ball Next() {
    if (index_ % 128 == 0) {
      value_ = Ball::Of(Exp(start_ + step_ * Exact(Rational(static_cast<int64_t>(index_)))));
    }
    const Ball value = value_;
    value_ = value_ * ratio_;
    ++index_;
    return value;
  }

 private:
  Interval start_;
  Interval step_;
  Ball ratio_;
  Ball value_;
  size_t index_ = 0;
};

}  // namespace

Ball Sinh(const Ball& x) {
  const long double size = x.Magnitude();
  if (!(size <= 0.25L)) return (Exp(x) - Exp(-x)) * Ball(0.5L);
  const Ball square = x * x;
  Ball sum(1);
  for (size_t n = 11; n >= 3; n -= 2) sum = Ball(1) + sum * square * Inverse(n * (n - 1));
  // The rest is at most |x|^13 / 13! and a hundredth of that: 13! > 6.22 10^9.
  const long double fourth = size * size * size * size;
  return Widened(x * sum, fourth * fourth * fourth * size / 6e9L);
}

Ball Min(const Ball& a, const Ball& b) {
  return {std::fmin(a.middle(), b.middle()), std::fmax(a.radius(), b.radius())};
}
Ball Max(const Ball& a, const Ball& b) {
  return {std::fmax(a.middle(), b.middle()), std::fmax(a.radius(), b.radius())};
}

PairDensity PairDensity::Laplace(const Rational& epsilon) {
  PairDensity density;
  density.largest_ = Exact(epsilon);
  density.least_ = Exact(-epsilon);
  density.high_ = Ball::Of(epsilon);
  density.low_ = -density.high_;
  density.constant_ = Ball::Of(Exp(Exact(-epsilon / Rational(2))) / Exact(4));
  // The parts between are uniform but for a factor of e^(l/2).
  density.deviation_ = 2 * epsilon.ToDouble() / std::sqrt(12.0);
  return density;
}

PairDensity PairDensity::Gaussian(const Rational& mu, const Rational& least,
                                  const Rational& largest) {
  PairDensity density;
  density.largest_ = Exact(largest);
  density.least_ = Exact(least);
  density.high_ = Ball::Of(largest);
  density.low_ = Ball::Of(least);
  density.mu_ = Exact(mu);
  density.constant_ = Ball::Of(Exp(Exact(-(mu * mu) / Rational(8))) /
                               (Exact(mu) * Sqrt(Interval::Pi(kGridBits) * Exact(2))));
  density.deviation_ = mu.ToDouble();
  return density;
}

PairDensity::Parts PairDensity::Cell(const End& low, const End& high) const {
  TACET_CHECK(high.finite);
  const Ball from = low.finite ? Max(low.loss, low_) : low_;
  const Ball to = Min(high.loss, high_);
  if (!((to - from).Upper() > 0)) return {};
  if (is_flat() && low.finite && (low.loss - low_).Lower() >= 0 &&
      (high_ - high.loss).Lower() >= 0) {
    const Ball quarter = Sinh((high.loss - low.loss) * Ball(0.25L));
    const Ball part = constant_ * Ball(8) * quarter * quarter;
    return {part * Exp(high.loss * Ball(0.5L)), part * Exp(low.loss * Ball(0.5L))};
  }
  return is_flat() ? FlatCell(low, high, from, to) : GaussianCell(low, high, from, to);
}

PairDensity::Parts PairDensity::FlatCell(const End& low, const End& high, const Ball& from,
                                         const Ball& to) const {
  // Of e^(-l/2) and of e^(l/2).
  const Ball half(0.5L);
  const Ball falling = Ball(2) * (Exp(-from * half) - Exp(-to * half));
  const Ball rising = Ball(2) * (Exp(to * half) - Exp(from * half));
  return {constant_ * (high.ratio * falling - rising), constant_ * (rising - low.ratio * falling)};
}

PairDensity::Parts PairDensity::GaussianCell(const End& low, const End& high, const Ball& from,
                                             const Ball& to) const {
  const Quadrature& five = FiveNodes();
  const Ball mu = Ball::Of(*mu_);
  const Ball scale = Ball(1) / (mu * mu);
  const Ball half(0.5L);
  const double width = static_cast<double>((to - from).Upper());
  const double deviation = deviation_;
  const double furthest =
      static_cast<double>(std::fmax(from.Magnitude(), to.Magnitude())) / deviation;
  const double pieces_wanted =
      std::max(width / deviation * furthest / 0.1, width / deviation / 0.05);
  const int pieces = static_cast<int>(std::clamp(pieces_wanted, 0.0, 2000.0)) + 1;
  const Ball half_width = (to - from) * Ball(0.5L) / Ball(pieces);
  const Ball bend = half_width * half_width * scale * half;
  const Ball high_root = Exp(high.loss * half);
  const Ball low_root = low.finite ? Exp(low.loss * half) : Ball(0);

  Parts parts;
  for (int piece = 0; piece < pieces; ++piece) {
    const Ball center = from + half_width * Ball(2 * piece + 1);
    const Ball slope = center * half_width * scale;
    Ball below(0);
    Ball above(0);
    for (size_t node = 0; node < kNodes; ++node) {
      const Ball x = Ball::Of(five.nodes[node]);
      const Ball shift = half_width * x;
      const Ball weight = five.weights[node] * SmallExp(-(slope + bend * x) * x);
      below = below + weight * Sinh((high.loss - center - shift) * half);
      if (low.finite) {
        above = above + weight * Sinh((center + shift - low.loss) * half);
      } else {
        // (e^l - ratio) e^(-l/2).
        const Ball root = Exp((center + shift) * half);
        above = above + weight * (root - low.ratio / root);
      }
    }
    const auto upper = [](const Ball& ball) { return static_cast<double>(ball.Magnitude()); };
    const double error_below =
        QuadratureError(upper(slope), upper(bend), upper(high.loss - center), upper(half_width));
    const Ball factor = constant_ * half_width * Exp(-center * center * scale * half);
    parts.below_high =
        parts.below_high + factor * high_root * Widened(below * Ball(2), error_below);
    if (low.finite) {
      const double error_above =
          QuadratureError(upper(slope), upper(bend), upper(center - low.loss), upper(half_width));
      parts.above_low = parts.above_low + factor * low_root * Widened(above * Ball(2), error_above);
    } else {
      // e^(l/2) and e^(-l/2) are each at most e^(|c|/2) cosh(s x / 2), and 2 cosh is at most 2 sinh
      // of an argument greater by 1.
      const double size = static_cast<double>(
          ((Ball(1) + Ball(low.ratio.Magnitude())) * Exp(Ball(center.Magnitude()) * half)).Upper());
      const double error_above =
          size * QuadratureError(upper(slope), upper(bend), 2, upper(half_width));
      parts.above_low = parts.above_low + factor * Widened(above, error_above);
    }
  }
  return parts;
}

std::vector<PairDensity::Parts> PairDensity::Cells(const Interval& start, const Interval& step,
                                                   size_t count) const {
  std::vector<Parts> cells;
  if (count == 0) return cells;
  cells.reserve(count);
  const Interval half_step = step * Exact(Rational(1, 2));
  const Ball rest = Exp(Ball::Of(half_step));  // from e^(a/2) to e^(b/2)
  Exponentials roots(start * Exact(Rational(1, 2)), half_step);
  const Interval end = start + step * Exact(Rational(static_cast<int64_t>(count)));
  if (is_flat()) {
    // How far the first and the last cell may reach beyond the support, by rounding alone.
    const long double excess = std::fmax((low_ - Ball::Of(start)).Upper(), 0.0L) +
                               std::fmax((Ball::Of(end) - high_).Upper(), 0.0L);
    // 8 sinh^2(h / 4) from each side.
    const Ball quarter = Sinh(Ball::Of(step * Exact(Rational(1, 4))));
    const Ball part = constant_ * Ball(8) * quarter * quarter;
    const Ball outside = constant_ * Ball(2) * Sinh(Ball::Of(half_step)) * Ball(excess);
    const Ball certain = Widened(part, outside.Upper());
    for (size_t i = 0; i < count; ++i) {
      const Ball root = roots.Next();
      const Ball& here = i == 0 || i + 1 == count ? certain : part;
      cells.push_back({here * root * rest, here * root});
    }
    return cells;
  }

  const double half = static_cast<double>(Ball::Of(half_step).Magnitude());
  const double slope =
      static_cast<double>(std::fmax(Ball::Of(start).Magnitude(), Ball::Of(end).Magnitude())) *
      half / (deviation_ * deviation_) * 1.001;
  const double bend = half * half / (2 * deviation_ * deviation_) * 1.001;
  if (slope > 0.3 || bend > 0.002) {
    // Too wide for five nodes: cell by cell, in pieces.
    for (size_t i = 0; i < count; ++i) {
      const auto end_of = [&](size_t index) {
        const Interval loss = start + step * Exact(Rational(static_cast<int64_t>(index)));
        return End{Ball::Of(loss), Ball::Of(Exp(loss))};
      };
      cells.push_back(Cell(end_of(i), end_of(i + 1)));
    }
    return cells;
  }
  const Quadrature& five = FiveNodes();
  const Ball half_width = Ball::Of(half_step);
  std::vector<BellCurve> bells;
  std::array<Ball, kNodes> weights_below;
  std::array<Ball, kNodes> weights_above;
  for (size_t node = 0; node < kNodes; ++node) {
    const Ball x = Ball::Of(five.nodes[node]);
    const Ball weight = constant_ * half_width * five.weights[node] * Ball(2);
    weights_below[node] = weight * Sinh(half_width * (Ball(1) - x) * Ball(0.5L));
    weights_above[node] = weight * Sinh(half_width * (Ball(1) + x) * Ball(0.5L));
    bells.emplace_back(start + half_step * (Exact(1) + five.nodes[node]), step, *mu_);
  }
  // Relative to the value in the middle of the cell.
  const Ball error = constant_ * half_width * Ball(QuadratureError(slope, bend, half, half));
  for (size_t i = 0; i < count; ++i) {
    Ball below(0);
    Ball above(0);
    Ball middle;
    for (size_t node = 0; node < kNodes; ++node) {
      const Ball value = bells[node].Next();
      if (node == kNodes / 2) middle = value;
      below = below + weights_below[node] * value;
      above = above + weights_above[node] * value;
    }
    const long double doubt = (error * middle).Upper();
    const Ball root = roots.Next();
    cells.push_back({Widened(below, doubt) * root * rest, Widened(above, doubt) * root});
  }
  return cells;
}

namespace {

// Something between 0 and `bound`, under both laws.
PairMass AtMost(const Ball& bound) {
  const long double half = bound.Upper() / 2;
  const Ball mass(half, Certain(half));
  return {mass, mass};
}

// How many standard deviations leave out at most `tail` of a normal law: e^(-t^2 / 2) / 2 covers
// it, and is what is counted.
double DeviationsFor(double tail) { return std::sqrt(-2 * std::log(std::min(tail, 0.1))) * 1.001; }
Ball NormalTailBound(double deviations) {
  const Ball t(deviations);
  return Exp(-t * t * Ball(0.5L)) * Ball(0.5L);
}

Error TooManyAtoms() {
  return {.code = Code::kUnsupported,
          .message = "the losses of a step take too many values for the numerical accountant"};
}

LossPair OfResponse(const ExactEpsilon& epsilon, const Rational& delta) {
  const Interval largest = epsilon.Enclosure(kGridBits);
  const Interval low_odds = Exp(-largest);
  const Interval truth = Exact(Rational(1) - delta) / (Exact(1) + low_odds);
  const Ball high = Ball::Of(truth);
  const Ball low = Ball::Of(truth * low_odds);
  LossPair pair;
  pair.largest = largest;
  pair.spacing = largest * Exact(2);
  pair.atoms = {{high, low}, {low, high}};
  pair.only_p = Exact(delta);
  pair.only_q = Exact(delta);
  return pair;
}

LossPair OfLaplace(const Rational& epsilon) {
  const Ball half(0.5L);
  const Ball low = Ball::Of(Exp(Exact(-epsilon))) * half;
  LossPair pair;
  pair.largest = Exact(epsilon);
  pair.spacing = Exact(epsilon * Rational(2));
  pair.atoms = {{half, low}, {low, half}};
  pair.density = PairDensity::Laplace(epsilon);
  return pair;
}

// P has the mean mu^2 / 2 and Q minus that.
LossPair OfGaussian(const Rational& mu, const TailCut& cut) {
  const Rational middle = mu * mu / Rational(2);
  const double below = DeviationsFor(cut.below);
  const double above = DeviationsFor(cut.above);
  LossPair pair;
  pair.density =
      PairDensity::Gaussian(mu, (cut.of_q ? -middle : middle) - mu * Rational::FromDouble(below),
                            (cut.of_p ? middle : -middle) + mu * Rational::FromDouble(above));
  pair.above = AtMost(NormalTailBound(above));
  pair.below = AtMost(NormalTailBound(below));
  return pair;
}

// The noise z has a weight of e^(-|z| / scale); P adds the sensitivity.
Result<LossPair> OfDiscreteLaplace(const Rational& scale, const Rational& sensitivity,
                                   size_t atoms_max) {
  if (sensitivity >= Rational(static_cast<int64_t>(atoms_max))) return TooManyAtoms();
  const auto width = static_cast<size_t>(sensitivity.numerator().get_ui());
  const Interval rate = Exact(-scale.Inverse());
  const Interval base = Exp(rate);
  const Interval joined = Exact(1) / (Exact(1) + base);
  const Ball single = Ball::Of(joined * (Exact(1) - base));
  LossPair pair;
  pair.largest = Exact(sensitivity / scale);
  pair.spacing = Exact(Rational(2) / scale);
  const Ball high = Ball::Of(joined);
  const Ball low = Ball::Of(joined * Exp(rate * Exact(sensitivity)));
  pair.atoms.resize(width + 1);
  Exponentials powers(Exact(0), rate);
  for (size_t i = 0; i <= width; ++i) {
    const Ball mass = single * powers.Next();
    // Noise of i below what P adds, and of i.
    pair.atoms[i].p = mass;
    pair.atoms[width - i].q = mass;
  }
  pair.atoms.front() = {high, low};
  pair.atoms.back() = {low, high};
  return pair;
}

Result<LossPair> OfDiscreteGaussian(const Rational& sigma, const Rational& sensitivity,
                                    const TailCut& cut, size_t atoms_max) {
  const double tail = std::min(cut.below, cut.above) * 0.1;
  const Rational reach_wanted = sigma * Rational::FromDouble(DeviationsFor(tail)) + Rational(2);
  if (reach_wanted * Rational(2) + sensitivity >= Rational(static_cast<int64_t>(atoms_max))) {
    return TooManyAtoms();
  }
  const auto reach = static_cast<size_t>(reach_wanted.Ceil().get_ui());
  const auto width = static_cast<size_t>(sensitivity.numerator().get_ui());
  // Weights of 0, ..., reach + width.
  std::vector<Ball> weights(reach + width + 1);
  BellCurve bell(Exact(0), Exact(1), Exact(sigma));
  for (Ball& weight : weights) weight = bell.Next();
  // From `reach` on each weight is at most e^(-reach / sigma^2) of the one before.
  const Rational variance = sigma * sigma;
  const Ball ratio = Ball::Of(Exp(Exact(-Rational(static_cast<int64_t>(reach)) / variance)));
  const Ball rest = weights[reach] / (Ball(1) - ratio);
  Ball total(0);
  for (size_t z = reach - 1; z >= 1; --z) total = total + weights[z];
  const Ball tail_mass = AtMost(rest).p;
  total = Ball(1) + Ball(2) * (total + tail_mass);

  // P is at x with the weight of x - width, Q with that of x; x from width + reach down to -reach.
  LossPair pair;
  const Rational top(static_cast<int64_t>(2 * reach + width));
  pair.largest = Exact(sensitivity * top / (Rational(2) * variance));
  pair.spacing = Exact(sensitivity / variance);
  pair.atoms.reserve(2 * reach + width + 1);
  const auto weight_at = [&](int64_t z) { return weights[static_cast<size_t>(z < 0 ? -z : z)]; };
  const auto first = static_cast<int64_t>(width + reach);
  for (int64_t x = first; x >= -static_cast<int64_t>(reach); --x) {
    pair.atoms.push_back(
        {weight_at(x - static_cast<int64_t>(width)) / total, weight_at(x) / total});
  }
  pair.above = AtMost(rest / total);
  pair.below = pair.above;
  return pair;
}

}  // namespace

Result<LossPair> MakeLossPair(const StepLaw& law, const TailCut& cut, size_t atoms_max) {
  return std::visit(
      Overloaded{
          [&](const PureStep& s) -> Result<LossPair> { return OfResponse(s.epsilon, Rational(0)); },
          [&](const ResponseStep& s) -> Result<LossPair> {
            return OfResponse(s.epsilon, Rational(0));
          },
          [&](const ApproximateStep& s) -> Result<LossPair> {
            return OfResponse(s.epsilon, s.delta);
          },
          [&](const LaplaceStep& s) -> Result<LossPair> {
            return OfLaplace(s.sensitivity / s.scale);
          },
          [&](const GaussianStep& s) -> Result<LossPair> {
            return OfGaussian(s.sensitivity / s.sigma, cut);
          },
          [&](const DiscreteLaplaceStep& s) {
            return OfDiscreteLaplace(s.scale, s.sensitivity, atoms_max);
          },
          [&](const DiscreteGaussianStep& s) {
            return OfDiscreteGaussian(s.sigma, s.sensitivity, cut, atoms_max);
          },
          [&](const ZcdpStep&) -> Result<LossPair> {
            return Error{.code = Code::kUsage,
                         .message = "zcdp(rho) has no worst pair of laws to compose"};
          }},
      law);
}

}  // namespace tacet::internal
