// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/equal_responses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/measure/one_minus_exp.h"
#include "tacet/measure/root.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;
// What is dropped is less than this part of the sum.
constexpr double kNegligible = 0x1p-60;
// Lies this many deviations above the most likely number are as good as impossible.
constexpr double kDeviations = 9;
// So are those that are less likely than none by this many bits.
constexpr double kRareBits = 120;
constexpr double kGrowthMax = 0x1p400;
// Smaller powers count as 0: below the normal range they would not fall, and be slow.
constexpr double kPowerMin = 0x1p-1000;

mpz_class Whole(uint64_t value) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), 1, 1, sizeof(value), 0, 0, &value);
  return result;
}

Rational Ratio(uint64_t value) { return Rational(Whole(value)); }

// The precision at which epsilon is a number like others.
mpfr_prec_t PrecisionFor(const BoundedStep& step) {
  const Interval epsilon = step.Enclosure(kPrecision);
  return kPrecision + std::max<mpfr_prec_t>(0, -mpfr_get_exp(epsilon.low()));
}

// ln(n!). Stirling's series is alternating: the error is less than the first term left out.
Interval LogFactorial(uint64_t n, mpfr_prec_t precision) {
  constexpr uint64_t kExactMax = 256;
  const auto exactly = [&](const Rational& value) { return Interval(value, precision); };
  if (n < kExactMax) {
    mpz_class factorial;
    mpz_fac_ui(factorial.get_mpz_t(), n);
    return Log(exactly(Rational(factorial)));
  }
  // B_2j / (2j (2j - 1)).
  constexpr std::array<std::pair<int, int>, 7> kCoefficients = {
      {{1, 12}, {-1, 360}, {1, 1260}, {-1, 1680}, {1, 1188}, {-691, 360360}, {1, 156}}};
  const Interval number = exactly(Ratio(n));
  const Interval inverse = exactly(1) / number;
  const Interval square = inverse * inverse;
  Interval sum = (number + exactly(Rational(1, 2))) * Log(number) - number +
                 Log(Interval::Pi(precision) * exactly(2)) * exactly(Rational(1, 2));
  Interval power = inverse;
  Interval before = sum;
  for (const auto& [numerator, denominator] : kCoefficients) {
    before = sum;
    sum += exactly(Rational(numerator, denominator)) * power;
    power = power * square;
  }
  return Hull(before, sum);
}

double Nearest(const Interval& x) { return mpfr_get_d(x.high(), MPFR_RNDN); }

}  // namespace

EqualResponses::EqualResponses(const BoundedStep& step)
    : count_(step.count),
      precision_(PrecisionFor(step)),
      epsilon_(step.Enclosure(precision_)),
      base_(OneMinusExp(epsilon_ + epsilon_)),
      log_truth_(Log(Exactly(1) + Exp(-epsilon_))),
      growth_(Nearest(Exp(epsilon_))),
      decay_(Nearest(Exp(-(epsilon_ + epsilon_)))) {
  const auto count = static_cast<double>(count_);
  const double lie = 1 / (1 + growth_);
  const double deviation = std::sqrt(count * lie * (1 - lie));
  const double mean = (count + 1) * lie;
  // Where lies are rare each one more is that much less likely, and the terms relative to the first
  // must stay within the range of doubles.
  const double more = mean < 1 ? std::min(40.0, std::ceil(kRareBits / -std::log2(mean))) : 40;
  const double top = growth_ < kGrowthMax ? mean + kDeviations * deviation + more : 0;
  start_max_ = top < count ? static_cast<uint64_t>(top) : count_;
}

Interval EqualResponses::Mass(uint64_t lies) const {
  const Interval choices = LogFactorial(count_, precision_) - LogFactorial(lies, precision_) -
                           LogFactorial(count_ - lies, precision_);
  return Exp(choices - Exactly(Ratio(lies)) * epsilon_ - Exactly(Ratio(count_)) * log_truth_);
}

Interval EqualResponses::Loss(uint64_t lies) const {
  return Exactly(Ratio(count_) - Ratio(lies) - Ratio(lies)) * epsilon_;
}

EqualResponses::Line EqualResponses::LineFrom(uint64_t lies) const {
  // Terms relative to the first, each with the sum 1 + c + c^2 + ... of its place, and c to the
  // power of its place. Every number here is positive, so relative errors only add up.
  double term = 1;
  double series = 0;
  double power = 1;
  double constant = 0;
  double slope = 1;
  double constant_rest = 0;
  double slope_rest = 0;
  // The sums with each term times its place, for the error: far terms have gathered more of it.
  double constant_moment = 0;
  double slope_moment = 0;
  uint64_t place = 0;
  const auto first = static_cast<double>(lies);
  const auto others = static_cast<double>(count_ - lies);
  for (; place < lies; ++place) {
    const auto step = static_cast<double>(place);
    const double ratio = (first - step) / (others + step + 1) * growth_;
    if (place % 16 == 0 && ratio < 0.9999999) {
      // Ratios fall from here on, and a series grows by at most 1 a place.
      const double rest = ratio / (1 - ratio);
      constant_rest = 1.001 * term * rest * (series + 1 / (1 - ratio));
      slope_rest = 1.001 * term * rest * power;
      const double negligible = TACET_FAULT(optimal_tail_dropped) ? 0x1p-20 : kNegligible;
      if (constant_rest <= negligible * constant && slope_rest <= negligible * slope) break;
      constant_rest = slope_rest = 0;
    }
    term *= ratio;
    series = 1 + decay_ * series;
    power = power < kPowerMin ? 0 : power * decay_;
    constant += term * series;
    slope += term * power;
    constant_moment += term * series * (step + 1);
    slope_moment += term * power * (step + 1);
  }
  if (TACET_FAULT(optimal_tail_dropped)) constant_rest = slope_rest = 0;
  // A term gathers at most eight roundings a place, those of growth and decay included, and every
  // sum one a place; more is allowed for.
  const auto enclose = [&](double value, double moment, double rest) {
    const Rational exact = Rational::FromDouble(value);
    const Rational roundings =
        Rational(10) * Rational::FromDouble(moment) + (Ratio(place) + Rational(40)) * exact;
    const Rational error = roundings * Rational(5, 4) * Rational::PowerOfTwo(-53);
    return Hull(Exactly(exact - error), Exactly(exact + error + Rational::FromDouble(rest)));
  };
  // Powers of c may have left the range of doubles; times any term that is far below the 1 that the
  // slope is.
  return {lies, Mass(lies), enclose(constant, constant_moment, constant_rest),
          enclose(slope, slope_moment, slope_rest + 0x1p-200)};
}

std::optional<uint64_t> EqualResponses::LiesAt(const Interval& epsilon) const {
  const Interval edge = (Exactly(Ratio(count_)) - epsilon / epsilon_) * Exactly(Rational(1, 2));
  const mpz_class lies = edge.High().Ceil() - 1;
  if (lies < 0) return std::nullopt;
  return std::min(count_, mpz_get_ui(lies.get_mpz_t()));
}

Interval EqualResponses::DeltaAt(const Rational& epsilon) const {
  const Interval at = Exactly(epsilon);
  const std::optional<uint64_t> lies = LiesAt(at);
  if (!lies) return Exactly(0);
  const Line line = LineFrom(std::min(*lies, start_max_));
  const Interval none = Exactly(0);
  const Interval beyond = Loss(line.lies) - at;
  // Losses so large that they cannot be told apart.
  if (!beyond.CertainlyAtLeast(Rational(-1, 2))) return Hull(none, Exactly(1));
  const Interval y = OneMinusExp(beyond) / base_;
  // Where the sign of the first term is open, it counts at most if positive.
  const Interval shown = y.CertainlyPositive() ? y : Hull(y, none);
  Interval sum = line.constant + line.slope * shown;
  if (line.lies < *lies) {
    // More lies have less loss, and less mass by a ratio that falls.
    const Interval ratio =
        Exactly(Ratio(count_ - line.lies) / Ratio(line.lies + 1)) * Exp(-epsilon_);
    sum += Hull(none, y * ratio / (Exactly(1) - ratio));
  }
  const Interval delta = line.mass * base_ * sum;
  return mpfr_sgn(delta.low()) < 0 ? Hull(none, Exactly(delta.High())) : delta;
}

LossBounds EqualResponses::EpsilonAt(const Interval& delta) const {
  TACET_CHECK(delta.CertainlyPositive());
  const Interval at_zero = DeltaAt(0);
  if (mpfr_lessequal_p(at_zero.high(), delta.low()) != 0) return {};
  // Newton's method for ln(delta) from about where a normal law would have it.
  const double target = mpfr_get_d(Log(delta).high(), MPFR_RNDN);
  const double unit = Nearest(epsilon_);
  const auto count = static_cast<double>(count_);
  const double lie = 1 / (1 + growth_);
  const double most = count * unit;
  double guess = most * std::tanh(unit / 2) +
                 2 * unit * std::sqrt(count * lie * (1 - lie)) * std::sqrt(-2 * target);
  constexpr int kStepsMax = 30;
  for (int step = 0; step < kStepsMax; ++step) {
    if (!(guess < most)) guess = most * (1 - 0x1p-30);
    if (!(guess > 0)) guess = most * 0x1p-30;
    std::optional<uint64_t> lies = LiesAt(Exactly(Rational::FromDouble(guess)));
    if (!lies || *lies > start_max_) break;
    const Line line = LineFrom(*lies);
    // Where the line meets delta.
    const Interval y = (delta / (line.mass * base_) - line.constant) / line.slope;
    if (mpfr_sgn(y.low()) >= 0 && y.CertainlyAtMost(Rational(1))) {
      const Interval found = Loss(line.lies) + Log(Exactly(1) - base_ * y);
      if (!found.CertainlyPositive()) break;
      return LossBounds::Of(found);
    }
    // The slope of ln(delta) by epsilon at the guess.
    const double place = Nearest(OneMinusExp(Loss(*lies) - Exactly(Rational::FromDouble(guess))));
    const double sum = Nearest(base_ * line.constant) + Nearest(line.slope) * place;
    const double slope = Nearest(line.slope) * (1 - place) / sum;
    const double here = Nearest(Log(line.mass)) + std::log(sum);
    const double move = (here - target) / slope;
    if (!(std::fabs(move) > 0x1p-50 * guess)) break;
    guess += move;
  }
  return Search(delta);
}

LossBounds EqualResponses::Search(const Interval& delta) const {
  const auto f = [&](double epsilon) { return DeltaAt(Rational::FromDouble(epsilon)); };
  return FallingRoot(f, delta, Nearest(Exactly(Ratio(count_)) * epsilon_) / 2);
}

}  // namespace tacet
