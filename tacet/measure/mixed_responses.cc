// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/mixed_responses.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/base/int128.h"
#include "tacet/measure/equal_responses.h"
#include "tacet/measure/one_minus_exp.h"
#include "tacet/measure/root.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 192;
constexpr double kPlacesMax = 0x1p20;
constexpr double kWorkMax = 4e8;  // multiplications, some fifths of a second
// Of a deviation and by the number of split kinds: the lower ends then lose some 10^-7.
constexpr double kUnitPart = 5e-4;
constexpr double kUnitPartMax = 0.02;
constexpr int kFractionBits = 64;
// As for equal responses.
constexpr double kPowerMin = 0x1p-1000;
constexpr double kPairsMax = 0x1p16;
constexpr double kPairsWidthMax = 600;  // so that e^epsilon is a double

Interval Exactly(const Rational& value) { return Interval(value, kPrecision); }

double Nearest(const Interval& x) { return mpfr_get_d(x.high(), MPFR_RNDN); }

// The largest rational of which both are whole multiples.
Rational CommonUnit(const Rational& a, const Rational& b) {
  const mpz_class numerator =
      gcd(mpz_class(a.numerator() * b.denominator()), mpz_class(b.numerator() * a.denominator()));
  return Rational(mpq_class(numerator, mpz_class(a.denominator() * b.denominator())));
}

}  // namespace

std::vector<BoundedStep> MergeEqual(const std::vector<BoundedStep>& steps) {
  std::vector<BoundedStep> merged;
  for (const BoundedStep& step : steps) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const BoundedStep& other) {
      return other.epsilon.linear == step.epsilon.linear &&
             other.epsilon.ratio == step.epsilon.ratio && other.rate == step.rate &&
             other.delta == step.delta;
    });
    if (same == merged.end()) {
      merged.push_back(step);
    } else {
      same->count += step.count;
    }
  }
  return merged;
}

MixedResponses::MixedResponses(Interval half_width, Interval unit)
    : half_width_(std::move(half_width)), unit_(std::move(unit)) {}

std::vector<MixedResponses::Kind> MixedResponses::Merge(const std::vector<BoundedStep>& steps) {
  std::vector<BoundedStep> without_delta = steps;
  for (BoundedStep& step : without_delta) step.delta = Rational(0);
  std::vector<Kind> kinds;
  for (BoundedStep& step : MergeEqual(without_delta)) {
    const double epsilon = Nearest(step.Enclosure(kPrecision));
    const double spread = 2 * epsilon / (std::exp(epsilon / 2) + std::exp(-epsilon / 2));
    const double deviation = spread * std::sqrt(static_cast<double>(step.count));
    kinds.push_back({std::move(step), deviation, std::nullopt});
  }
  // The narrow ones first: the work is that of the widths reached so far.
  std::sort(kinds.begin(), kinds.end(),
            [](const Kind& a, const Kind& b) { return a.step.count < b.step.count; });
  return kinds;
}

std::optional<MixedResponses> MixedResponses::Create(const std::vector<BoundedStep>& steps,
                                                     Way way) {
  std::vector<Kind> kinds = Merge(steps);
  const Interval half_width = SumOfEpsilons(steps);
  const double width = 2 * Nearest(half_width);
  if (!(width > 0x1p-900 && width < 0x1p900)) return std::nullopt;
  double entries = 0;
  double combinations = 1;
  double variance = 0;
  Rational common(0);
  bool whole = way == Way::kBest;
  for (const Kind& kind : kinds) {
    entries += static_cast<double>(kind.step.count) + 1;
    combinations *= static_cast<double>(kind.step.count) + 1;
    variance += kind.deviation * kind.deviation;
    const std::optional<Rational> exact = kind.step.Exact();
    whole = whole && exact.has_value();
    if (whole) common = CommonUnit(common, Rational(2) * *exact);
  }
  const double places = whole ? width / common.ToDouble() : 0;
  whole = whole && places <= kPlacesMax && places * entries <= kWorkMax;
  if (!whole && way == Way::kBest && combinations <= kPairsMax && width <= kPairsWidthMax) {
    MixedResponses mixed(half_width, Exactly(1));
    mixed.pairs_ = {{1, 1}};
    for (const Kind& kind : kinds) mixed.Combine(kind);
    return mixed;
  }
  Interval unit = Exactly(common);
  if (whole) {
    for (Kind& kind : kinds) {
      const Rational stride = Rational(2) * *kind.step.Exact() / common;
      kind.stride = mpz_get_ui(stride.numerator().get_mpz_t());
    }
  } else {
    const double deviation = std::sqrt(variance);
    const double wanted = kUnitPart * deviation / static_cast<double>(kinds.size());
    const double possible = width * std::max(2 * entries / kWorkMax, 1 / kPlacesMax);
    const double chosen = std::max(wanted, possible);
    if (!(chosen > 0x1p-500) || !(chosen <= kUnitPartMax * deviation)) return std::nullopt;
    unit = Exactly(Rational::FromDouble(chosen));
    // The kind that matters most need not be split.
    const auto widest =
        std::max_element(kinds.begin(), kinds.end(),
                         [](const Kind& a, const Kind& b) { return a.deviation < b.deviation; });
    const Interval twice = widest->step.Enclosure(kPrecision) * Exactly(2);
    const double stride = std::floor(Nearest(twice) / chosen);
    if (stride >= 1) {
      widest->stride = static_cast<uint64_t>(stride);
      unit = twice / Exactly(Rational(static_cast<int64_t>(*widest->stride)));
    }
  }
  MixedResponses mixed(half_width, unit);
  for (const Kind& kind : kinds) mixed.Multiply(kind);
  return mixed;
}

std::vector<double> MixedResponses::Masses(const BoundedStep& step) {
  const double growth = Nearest(Exp(step.Enclosure(kPrecision)));
  const double shrink = Nearest(Exp(-step.Enclosure(kPrecision)));
  const uint64_t count = step.count;
  const double likely = (static_cast<double>(count) + 1) / (1 + growth);
  const uint64_t lies = std::min(count, static_cast<uint64_t>(likely));
  std::vector<double> masses(count + 1);
  const double top = Nearest(EqualResponses(step).Mass(lies));
  masses[count - lies] = top;
  double mass = top;
  for (uint64_t l = lies; l > 0; --l) {
    mass *= static_cast<double>(l) / static_cast<double>(count - l + 1) * growth;
    masses[count - l + 1] = mass;
  }
  mass = top;
  for (uint64_t l = lies; l < count; ++l) {
    mass *= static_cast<double>(count - l) / static_cast<double>(l + 1) * shrink;
    masses[count - l - 1] = mass;
  }
  // Four a place, and what is rounded before.
  roundings_ += 4 * count + 8;
  return masses;
}

void MixedResponses::Multiply(const Kind& kind) {
  const std::vector<double> masses = Masses(kind.step);
  const uint64_t count = kind.step.count;
  // 2 epsilon in units, in fixed point and rounded up: a larger loss is never better.
  const Interval stride = kind.stride ? Exactly(Rational(static_cast<int64_t>(*kind.stride)))
                                      : kind.step.Enclosure(kPrecision) * Exactly(2) / unit_;
  const UInt128 step =
      static_cast<UInt128>(ToInt128((stride.High() * Rational::PowerOfTwo(kFractionBits)).Ceil()));
  const uint64_t last = static_cast<uint64_t>((step * count) >> kFractionBits);
  std::vector<double> product(masses_.size() + last + 1);
  const auto add = [&](uint64_t place, double mass) {
    if (mass == 0) return;
    for (size_t j = 0; j < masses_.size(); ++j) product[place + j] += mass * masses_[j];
  };
  // The part that goes up is (1 - e^(-f u))/(1 - e^-u) for a fraction f of the unit u, which is at
  // most f + f (1 - f) u^2 / (2 (1 - e^-u)).
  const Interval curved = unit_ * unit_ / (Exactly(2) * OneMinusExp(unit_));
  const double bend = mpfr_get_d(curved.high(), MPFR_RNDU);
  for (uint64_t t = 0; t <= count; ++t) {
    const UInt128 at = step * t;
    const auto place = static_cast<uint64_t>(at >> kFractionBits);
    const double fraction = std::ldexp(static_cast<double>(static_cast<uint64_t>(at)), -64);
    const double up = std::min(1.0, (fraction + fraction * (1 - fraction) * bend) * (1 + 0x1p-49));
    const bool nearest = TACET_FAULT(split_rounded_to_nearest) && !kind.stride;
    if (nearest) {
      add(place + (fraction > 0.5 ? 1 : 0), masses[t]);
      continue;
    }
    if (up > 0) add(place + 1, masses[t] * up);
    add(place, masses[t] * (1 - up));
  }
  masses_ = std::move(product);
  if (!kind.stride) ++split_kinds_;
  roundings_ += 2 * count + 16;
}

void MixedResponses::Combine(const Kind& kind) {
  // Under the other law truths are lies.
  const std::vector<double> masses = Masses(kind.step);
  std::vector<Pair> product;
  product.reserve(pairs_.size() * masses.size());
  for (const Pair& pair : pairs_) {
    for (size_t t = 0; t < masses.size(); ++t) {
      product.push_back({pair.p * masses[t], pair.q * masses[masses.size() - 1 - t]});
    }
  }
  pairs_ = std::move(product);
  roundings_ += 2;
}

Interval MixedResponses::CombinedDelta(const Rational& epsilon) const {
  if (half_width_.CertainlyAtMost(epsilon)) return Exactly(0);
  const double growth = Nearest(Exp(Exactly(epsilon)));
  double sum = 0;
  double size = 0;  // of what was subtracted from each other
  for (const Pair& pair : pairs_) {
    const double lost = growth * pair.q;
    if (pair.p > lost) sum += pair.p - lost;
    // Where the sign is in doubt, all of it is.
    if (pair.p * (1 + 0x1p-30) > lost) size += pair.p + lost;
  }
  const Rational roundings(static_cast<int64_t>(2 * roundings_ + 2 * pairs_.size() + 40));
  const Rational doubt = roundings * Rational::PowerOfTwo(-53) * Rational::FromDouble(size) +
                         Rational::PowerOfTwo(-900);
  const Rational middle = Rational::FromDouble(sum);
  return Hull(Exactly(std::max(Rational(0), middle - doubt)), Exactly(middle + doubt));
}

Interval MixedResponses::DeltaAt(const Rational& epsilon) const {
  if (!pairs_.empty()) return CombinedDelta(epsilon);
  const Interval none = Exactly(0);
  const Interval edge = (Exactly(epsilon) + half_width_) / unit_;
  const mpz_class first = std::max(mpz_class(0), mpz_class(edge.Low().Floor() + 1));
  const auto size = static_cast<uint64_t>(masses_.size());
  const uint64_t begin = first < masses_.size() ? mpz_get_ui(first.get_mpz_t()) : size;
  // As for equal responses: a constant, and a slope that goes with the first place.
  const Interval base = OneMinusExp(unit_);
  const double decay = Nearest(Exp(-unit_));
  double series = 0;
  double power = 1;
  double constant = 0;
  double slope = 0;
  for (uint64_t j = begin; j < size; ++j) {
    constant += masses_[j] * series;
    slope += masses_[j] * power;
    series = 1 + decay * series;
    power = power < kPowerMin ? 0 : power * decay;
  }
  const Rational roundings(static_cast<int64_t>(2 * roundings_ + 10 * (size - begin) + 40));
  const Rational error = roundings * Rational::PowerOfTwo(-53);
  // Numbers that left the range of doubles add less than this.
  const Rational lost = Rational::PowerOfTwo(-990);
  const auto enclose = [&](double value) {
    const Rational exact = Rational::FromDouble(value);
    return Hull(Exactly(exact * (Rational(1) - error)),
                Exactly(exact * (Rational(1) + error) + lost));
  };
  const Interval place = Exactly(Rational(first)) * unit_ - half_width_;
  const Interval beyond = place - Exactly(epsilon);
  if (!beyond.CertainlyAtLeast(Rational(-1, 2))) return Hull(none, Exactly(1));
  const Interval y = OneMinusExp(beyond);
  const Interval shown = y.CertainlyPositive() ? y : Hull(y, none);
  const Interval above = base * enclose(constant) + enclose(slope) * shown;

  // What splitting may have added.
  Rational excess(0);
  if (split_kinds_ > 0) {
    const mpz_class reach = split_kinds_ + 3;
    const auto clamp = [&](const mpz_class& at) {
      if (at <= 0) return uint64_t{0};
      return at < masses_.size() ? mpz_get_ui(at.get_mpz_t()) : size;
    };
    const uint64_t from = clamp(edge.Low().Floor() - reach);
    const uint64_t to = clamp(edge.High().Ceil() + reach);
    double near = 0;
    for (uint64_t j = from; j < to; ++j) near += masses_[j];
    double far = 0;
    for (uint64_t j = from; j < size; ++j) far += masses_[j];
    const Rational kinds(split_kinds_);
    const Rational unit = unit_.High();
    const Rational shift = unit * (unit * unit / Rational(8) + Rational::PowerOfTwo(-40));
    excess = kinds *
             (unit / Rational(4) * Rational::FromDouble(near) + shift * Rational::FromDouble(far)) *
             (Rational(1) + error);
  }
  const Interval below = above - Exactly(excess + lost);
  const Interval low = mpfr_sgn(below.low()) < 0 ? none : Exactly(below.Low());
  return Hull(low, Exactly(above.High()));
}

LossBounds MixedResponses::EpsilonAt(const Interval& delta) const {
  const double start = Nearest(half_width_) / 2;
  // The two ends of an enclosure cross the level at different places.
  const auto high = [&](double epsilon) {
    return Exactly(DeltaAt(Rational::FromDouble(epsilon)).High());
  };
  const auto low = [&](double epsilon) {
    return Exactly(DeltaAt(Rational::FromDouble(epsilon)).Low());
  };
  const LossBounds upper = FallingRoot(high, delta, start);
  if (upper.upper == 0) return {};
  return {FallingRoot(low, delta, upper.upper).lower, upper.upper};
}

}  // namespace tacet
