// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/response_tail.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecisionMax = 4096;
// Counts of yes that are looked at one by one.
constexpr int64_t kCountsMax = 4'000'000;
// Among so many, looking at all counts is quick.
constexpr int64_t kFewPeople = 20'000;
// Where q is a fraction of at most this denominator, means are off whole numbers in so few ways.
constexpr int64_t kClassesMax = 64;
// People of whom the failure can be worked out in exact fractions.
constexpr int64_t kExactPeopleMax = 400;

Interval Abs(const Interval& x) {
  if (!x.CertainlyNegative() && mpfr_sgn(x.low()) >= 0) return x;
  if (mpfr_sgn(x.high()) <= 0) return -x;
  return Hull(Interval(0, x.precision()), Hull(x, -x));
}

// The larger of 0 and every member.
Interval PositivePart(const Interval& x) {
  const Interval zero(0, x.precision());
  if (mpfr_sgn(x.low()) >= 0) return x;
  return mpfr_sgn(x.high()) <= 0 ? zero : Hull(zero, x);
}

double ToDouble(const Interval& x) { return mpfr_get_d(x.low(), MPFR_RNDN); }

Interval LieOf(const ExactEpsilon& epsilon, mpfr_prec_t precision) {
  if (epsilon.linear.sign() == 0) {
    return Interval((Rational(1) + epsilon.ratio).Inverse(), precision);
  }
  const Interval inverse = Exp(-epsilon.Enclosure(precision));
  return inverse / (Interval(1, precision) + inverse);
}

// The least k >= 0 with low <= step k mod unit <= high, for 0 <= low <= high < unit.
std::optional<mpz_class> FirstHit(const mpz_class& step, const mpz_class& unit,
                                  const mpz_class& low, const mpz_class& high) {
  if (low == 0) return mpz_class(0);
  if (step == 0) return std::nullopt;
  const mpz_class first = (low + step - 1) / step;
  if (first * step <= high) return first;
  // step k - unit turns is in [low, high]: then unit turns mod step is in [-high, -low] mod step.
  const mpz_class from = ((-high) % step + step) % step;
  const mpz_class to = ((-low) % step + step) % step;
  const std::optional<mpz_class> turns = FirstHit(unit % step, step, from, to);
  if (!turns) return std::nullopt;
  return mpz_class((low + unit * *turns + step - 1) / step);
}

// The failure in doubles, off by less than kDoubt: enough to see which counts pass by far. What it
// does not let pass is decided with intervals.
class RoughSum {
 public:
  static constexpr double kDoubt = 1e-9;

  // For windows of `size` and `size + 1` sums.
  RoughSum(int64_t people, int64_t size, int64_t nodes, double lie)
      : people_(people), size_(size), nodes_(static_cast<double>(nodes)), lie_(lie) {
    const double pi = std::acos(-1.0);
    const double variance = lie * (1 - lie);
    for (int64_t j = 1; j <= (nodes - 1) / 2; ++j) {
      const double theta = 2 * pi * static_cast<double>(j) / nodes_;
      const double sine = std::sin(theta / 2);
      const double power =
          std::exp(static_cast<double>(people) / 2 * std::log1p(-4 * variance * sine * sine));
      if (power / sine < 1e-18) break;
      const auto weight = [&](int64_t window) {
        const auto turned = static_cast<double>(Int128{window} * j % (Int128{2} * nodes));
        return 2 / nodes_ * std::sin(pi * turned / nodes_) / sine * power;
      };
      const double phase =
          std::atan2(lie * std::sin(theta), 1 - lie + lie * std::cos(theta)) - lie * theta;
      terms_.push_back({theta, phase, {weight(size), weight(size + 1)}});
    }
  }

  // 1 if the window is of another size.
  double Failure(int64_t yes, int64_t low, int64_t high) const {
    const int64_t size = high - low + 1;
    if (size != size_ && size != size_ + 1) return 1;
    const auto tilt = static_cast<double>(people_ - 2 * yes);
    const double offset = static_cast<double>(low + high) / 2 - lie_ * tilt;
    double accepted = static_cast<double>(size) / nodes_;
    for (const Term& term : terms_) {
      accepted += term.weights[size - size_] * std::cos(offset * term.theta - tilt * term.phase);
    }
    return 1 - accepted;
  }

 private:
  struct Term {
    double theta;
    double phase;
    double weights[2];
  };

  int64_t people_;
  int64_t size_;
  double nodes_;
  double lie_;
  std::vector<Term> terms_;
};

}  // namespace

ResponseTail::ResponseTail(const SampleTarget& target, mpfr_prec_t precision)
    : target_(target),
      precision_(precision),
      failure_max_(Rational(1) - target.confidence),
      negligible_(failure_max_ * Rational::PowerOfTwo(-64)),
      lie_(LieOf(target.epsilon, precision)),
      truth_(Number(1) - lie_),
      variance_(truth_ * lie_),
      reach_(Number(target.error) * (truth_ - lie_)) {}

int64_t ResponseTail::NodesFor(int64_t people, int64_t size) const {
  // Solves Bernstein's inequality for the distance; a little more than that is no harm.
  const double log = std::log(2 / negligible_.ToDouble());
  const double variance = ToDouble(variance_) * static_cast<double>(people);
  const double distance = log / 3 + std::sqrt(log * log / 9 + 2 * log * variance);
  return 2 * static_cast<int64_t>(std::ceil((distance + static_cast<double>(size + 1) / 2) / 2)) +
         3;
}

Interval ResponseTail::Folded(int64_t people, int64_t size, int64_t nodes) const {
  const Interval distance = Number(Rational(nodes) - Rational(size + 1, 2));
  const Interval spread = Number(people) * variance_ + distance / Number(3);
  return Number(2) * Exp(-(distance * distance / (Number(2) * spread)));
}

ResponseTail::Node ResponseTail::NodeAt(int64_t j, int64_t nodes) const {
  const Interval theta = Interval::Pi(precision_) * Number(Rational(2 * j, nodes));
  const Interval half_sine = Sin(theta / Number(2));
  const Interval square = Number(1) - Number(4) * variance_ * half_sine * half_sine;
  const Interval real = truth_ + lie_ * Cos(theta);
  return {.theta = theta,
          .half_sine = half_sine,
          .log_modulus = Log(square) / Number(2),
          .phase = Atan(lie_ * Sin(theta) / real) - lie_ * theta};
}

Interval ResponseTail::Weight(int64_t j, int64_t nodes, int64_t size, const Node& node) const {
  // sin(size theta / 2) = sin(pi size j / nodes), with whole turns taken away exactly.
  const Int128 turned = Int128{size} * j % (Int128{2} * nodes);
  const Interval angle = Interval::Pi(precision_) * Number(Rational::FromInt128(turned) / nodes);
  return Number(Rational(2, nodes)) * Sin(angle) / node.half_sine;
}

template <typename See>
Interval ResponseTail::ForEachNode(int64_t people, int64_t nodes, See see) const {
  for (int64_t j = 1; j <= (nodes - 1) / 2; ++j) {
    const Node node = NodeAt(j, nodes);
    // The terms left are at most nodes/2, each at most 2/nodes times what stands here.
    const Interval rest = Exp(Number(people) * node.log_modulus) / node.half_sine;
    if (rest.CertainlyAtMost(negligible_)) return rest;
    see(j, node);
  }
  return Number(0);
}

mpz_class ResponseTail::Floor(const Rational& constant, const Rational& slope) const {
  if (slope.sign() == 0) return constant.Floor();
  if (target_.epsilon.linear.sign() == 0) {
    return (constant + slope / (Rational(1) + target_.epsilon.ratio)).Floor();
  }
  // q is transcendental, so this is no whole number, and enough digits tell.
  for (mpfr_prec_t precision = precision_;; precision *= 2) {
    const Interval value = Interval(constant, precision) +
                           Interval(slope, precision) * LieOf(target_.epsilon, precision);
    const mpz_class low = value.Low().Floor();
    if (low == value.High().Floor()) return low;
  }
}

ResponseTail::Window ResponseTail::Accepted(int64_t people, int64_t yes) const {
  // Sums k with mean - reach <= k <= mean + reach, where mean = q (people - 2 yes) and reach is
  // people error (1 - 2 q).
  const Rational spread = target_.error * Rational(people);
  const Rational tilt(people - 2 * yes);
  const mpz_class high = Floor(spread, tilt - Rational(2) * spread);
  const mpz_class low = -Floor(spread, -tilt - Rational(2) * spread);
  return {.low = low.get_si(), .high = high.get_si()};
}

Interval ResponseTail::Failure(int64_t people, int64_t yes) const {
  const Window window = Accepted(people, yes);
  if (window.size() <= 0) return Number(1);
  const int64_t size = window.size();
  const int64_t nodes = NodesFor(people, size);
  const Interval tilt = Number(people - 2 * yes);
  const Interval offset = Number(Rational(window.low + window.high, 2)) - lie_ * tilt;
  Interval accepted = Number(Rational(size, nodes));
  const Interval rest = ForEachNode(people, nodes, [&](int64_t j, const Node& node) {
    accepted += Weight(j, nodes, size, node) * Exp(Number(people) * node.log_modulus) *
                Cos(offset * node.theta - tilt * node.phase);
  });
  const Interval failure = Number(1) - accepted;
  return Hull(failure - rest, failure + rest + Folded(people, size, nodes));
}

bool ResponseTail::MeetsOn(int64_t first, int64_t last) const {
  // Where a sum without any lie is never too far off, only lies can make an estimate fail.
  if ((reach_ - lie_).CertainlyPositive() &&
      (Number(1) - Exp(Number(last) * Log(truth_))).CertainlyAtMost(failure_max_)) {
    return true;
  }
  const int64_t size = (Number(2) * reach_ * Number(first)).Low().Floor().get_si() +
                       (TACET_FAULT(response_window_too_wide) ? 1 : 0);
  if (size <= 0) return false;
  const int64_t nodes = NodesFor(last, size);
  const Interval width = Number(last - first);
  const Interval zero = Number(0);
  // The accepted mass without tilt and offset, and its derivatives by the number of people, at
  // `last`; the third at its largest.
  Interval mass = Number(Rational(size, nodes));
  Interval slope = zero;
  Interval bend = zero;
  Interval third_max = zero;
  // The quadratic form that tilt and offset subtract: at `last`, and how fast it can change.
  Interval offsets = zero;
  Interval mixed = zero;
  Interval tilts = zero;
  Interval offsets_slope = zero;
  Interval mixed_slope = zero;
  Interval tilts_slope = zero;
  Interval fourth_max = zero;
  const Interval rest = ForEachNode(first, nodes, [&](int64_t j, const Node& node) {
    const Interval weight = Weight(j, nodes, size, node);
    const Interval& log = node.log_modulus;
    const Interval& phase = node.phase;
    const Interval& theta = node.theta;
    const Interval term = weight * Exp(Number(last) * log);
    const Interval largest = Abs(weight) * Exp(Number(first) * log);
    const Interval falling = largest * -log;
    mass += term;
    slope += term * log;
    bend += term * log * log;
    third_max += falling * log * log;
    offsets += term * theta * theta;
    mixed += term * theta * phase;
    tilts += term * phase * phase;
    offsets_slope += falling * theta * theta;
    mixed_slope += falling * theta * Abs(phase);
    tilts_slope += falling * phase * phase;
    const Interval angle = theta / Number(2) + Number(last) * Abs(phase);
    const Interval square = angle * angle;
    fourth_max += largest * square * square;
  });
  const Interval half = Number(Rational(1, 2));
  // With s people fewer than `last`: mass - s slope + s^2/2 bend - s^3/6 (something up to
  // third_max).
  const Interval gain =
      -slope - width * half * PositivePart(-bend) - width * width * third_max / Number(6);
  const Interval mass_min = mass - width * PositivePart(-gain);
  const Interval people = Number(last);
  const Interval form = half * (PositivePart(offsets + width * offsets_slope) / Number(4) +
                                people * (Abs(mixed) + width * mixed_slope) +
                                people * people * PositivePart(tilts + width * tilts_slope));
  const Interval failure =
      Number(1) - mass_min + form + fourth_max / Number(24) + rest + Folded(last, size, nodes);
  return failure.CertainlyAtMost(failure_max_);
}

// In fractions: the law of the sum is that of two binomials' difference.
Rational ResponseTail::ExactFailure(int64_t people, int64_t yes) const {
  const Rational lie = (Rational(1) + target_.epsilon.ratio).Inverse();
  const auto binomial = [&lie](int64_t count) {
    std::vector<Rational> law = {Rational(1)};
    for (int64_t i = 0; i < count; ++i) {
      law.emplace_back(0);
      for (size_t k = law.size() - 1; k > 0; --k) {
        law[k] = law[k] * (Rational(1) - lie) + law[k - 1] * lie;
      }
      law[0] *= Rational(1) - lie;
    }
    return law;
  };
  const Window window = Accepted(people, yes);
  const std::vector<Rational> of_no = binomial(people - yes);
  const std::vector<Rational> of_yes = binomial(yes);
  Rational accepted;
  for (int64_t i = 0; i <= people - yes; ++i) {
    for (int64_t j = 0; j <= yes; ++j) {
      if (window.low <= i - j && i - j <= window.high) {
        accepted += of_no[static_cast<size_t>(i)] * of_yes[static_cast<size_t>(j)];
      }
    }
  }
  return Rational(1) - accepted;
}

Result<bool> ResponseTail::IsMet(int64_t people, int64_t yes) const {
  for (mpfr_prec_t precision = precision_; precision <= kPrecisionMax; precision *= 4) {
    ResponseTail finer(target_, precision);
    finer.negligible_ =
        failure_max_ *
        Rational::PowerOfTwo(-static_cast<int>(std::min<mpfr_prec_t>(precision / 2, 900)));
    const Interval failure = finer.Failure(people, yes);
    if (failure.CertainlyAtMost(failure_max_)) return true;
    if ((failure - Interval(failure_max_, precision)).CertainlyPositive()) return false;
    if (target_.epsilon.linear.sign() == 0 && people <= kExactPeopleMax) {
      return ExactFailure(people, yes) <= failure_max_;
    }
  }
  return Error{.code = Code::kUsage,
               .message = "the confidence is too close to what " + std::to_string(people) +
                          " people give to be told apart",
               .hint = "change the error or the confidence a little."};
}

std::vector<int64_t> ResponseTail::LikelyWorst(int64_t people) const {
  // The window is small where the fraction f of mean + reach is at least that of 2 reach, phi; mean
  // is q tilt, and the tilts are parity + 2 k. Fractions are scaled to whole numbers below `unit`.
  const mpz_class unit = mpz_class(1) << 128;
  const auto fraction = [&unit](const Interval& x) {
    const Rational low = x.Low();
    return ((low - Rational(low.Floor())) * Rational(unit)).Floor();
  };
  const int64_t parity = people % 2;
  const Interval reach = Number(people) * reach_;
  const mpz_class phi = fraction(Number(2) * reach);
  const mpz_class start = fraction(Number(parity) * lie_ + reach);
  const mpz_class step = fraction(Number(2) * lie_);
  const mpz_class room = unit - phi;
  std::vector<int64_t> counts;
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(7, 8), std::pair(1, 7)}) {
    const mpz_class low = (phi + room * from / 8 - start + unit) % unit;
    const mpz_class high = (phi + (room * to - 1) / 8 - start + unit) % unit;
    if (low > high) continue;  // the turn ends inside: rare, and nothing is lost but time
    const std::optional<mpz_class> k = FirstHit(step, unit, low, high);
    if (k && *k <= (people - parity) / 2) counts.push_back((people - parity) / 2 - k->get_si());
  }
  return counts;
}

bool ResponseTail::MeetsForAllAsFarOff(int64_t people, int64_t yes) const {
  const Window window = Accepted(people, yes);
  const int64_t size = window.size();
  if (size <= 0) return false;
  const int64_t nodes = NodesFor(people, size);
  const Interval offset =
      Number(Rational(window.low + window.high, 2)) - lie_ * Number(people - 2 * yes);
  // cos(offset theta - tilt phase) up to the square of the tilt, and what is left at most.
  Interval mass = Number(Rational(size, nodes));
  Interval slope = Number(0);
  Interval bend = Number(0);
  Interval third_max = Number(0);
  const Interval rest = ForEachNode(people, nodes, [&](int64_t j, const Node& node) {
    const Interval term = Weight(j, nodes, size, node) * Exp(Number(people) * node.log_modulus);
    const Interval even = term * Cos(offset * node.theta);
    const Interval phase = Number(people) * node.phase;
    mass += even;
    slope += term * Sin(offset * node.theta) * phase;
    bend += even * phase * phase;
    third_max += Abs(term * phase * phase * phase);
  });
  const Interval tilted = Abs(slope) + PositivePart(bend) / Number(2) + third_max / Number(6);
  const Interval failure = Number(1) - mass + tilted + rest + Folded(people, size, nodes);
  return failure.CertainlyAtMost(failure_max_);
}

std::optional<bool> ResponseTail::MeetsByClasses(int64_t people) const {
  if (target_.epsilon.linear.sign() != 0) return std::nullopt;
  const mpz_class classes = (Rational(1) + target_.epsilon.ratio).numerator();
  if (classes > kClassesMax || people <= classes) return std::nullopt;
  bool all = true;
  for (int64_t yes = 0; yes < classes.get_si(); ++yes) {
    if (MeetsForAllAsFarOff(people, yes)) continue;
    all = false;
    const int64_t steps = (people - yes) / classes.get_si();
    for (int64_t quarter = 0; quarter <= 4; ++quarter) {
      const Result<bool> met = IsMet(people, yes + steps * quarter / 4 * classes.get_si());
      if (met.ok() && !*met) return false;
    }
  }
  return all ? std::optional<bool>(true) : std::nullopt;
}

Result<bool> ResponseTail::MeetsAt(int64_t people) const {
  if (people > kFewPeople) {
    if (const std::optional<bool> met = MeetsByClasses(people); met.has_value()) return *met;
    for (int64_t yes : LikelyWorst(people)) {
      TACET_TRY(const bool met, IsMet(people, yes));
      if (!met) return false;
    }
  }
  if (people / 2 > kCountsMax) {
    return Error{.code = Code::kUsage,
                 .message = "the worst count among " + std::to_string(people) +
                            " people cannot be told from its neighbours",
                 .hint = "change the error or the confidence a little."};
  }
  const Rational spread = Rational(2) * target_.error * Rational(people);
  const int64_t size = Floor(spread, Rational(-2) * spread).get_si();
  const RoughSum rough(people, size, NodesFor(people, size + 1), ToDouble(lie_));
  const double lie = ToDouble(lie_);
  const double reach = ToDouble(Number(people) * reach_);
  const auto window_of = [&](int64_t yes) {
    const double mean = lie * static_cast<double>(people - 2 * yes);
    const double low = mean - reach;
    const double high = mean + reach;
    constexpr double kTie = 1e-7;
    const bool tied =
        std::abs(low - std::round(low)) < kTie || std::abs(high - std::round(high)) < kTie;
    return tied ? Accepted(people, yes)
                : Window{.low = static_cast<int64_t>(std::ceil(low)),
                         .high = static_cast<int64_t>(std::floor(high))};
  };
  // One yes more moves the failure by at most q times twice the largest probability of a sum.
  const double spread_max = std::sqrt(ToDouble(variance_) * static_cast<double>(people - 1));
  const double change_max = lie * std::min(1.0, 1.26 / std::max(spread_max, 1.0));
  // Counts turned around, people - yes, are the same law: half of them is all.
  const double allowed = failure_max_.ToDouble() - RoughSum::kDoubt;
  for (int64_t yes = 0; yes <= people / 2;) {
    const Window window = window_of(yes);
    const double room = allowed - rough.Failure(yes, window.low, window.high);
    if (room > 0) {
      int64_t skipped = std::min(static_cast<int64_t>(room / change_max), people / 2 - yes);
      while (skipped > 0) {
        const Window next = window_of(yes + skipped);
        if (next.low == window.low && next.high == window.high) break;
        skipped /= 2;
      }
      yes += skipped + 1;
      continue;
    }
    TACET_TRY(const bool met, IsMet(people, yes));
    if (!met) return false;
    ++yes;
  }
  return true;
}

}  // namespace tacet
