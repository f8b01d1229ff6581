// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/optimal_selection.h"

#include <algorithm>
#include <utility>

#include "tacet/base/ball.h"
#include "tacet/base/fault.h"
#include "tacet/sampler/probability.h"

namespace tacet {
namespace {

// delta/(e^epsilon - 1) may be 2^40 times what the sums of these leave.
constexpr mpfr_prec_t kGuardBits = 64;
constexpr mpfr_prec_t kPrecision = 512;
constexpr int kDigitBits = 6;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

// pi(n) = base + factor e^(rate (n - start)) on one side of the turn.
struct Side {
  Interval base;
  Interval factor;
  Interval rate;
};

Status CheckEpsilon(const ExactEpsilon& epsilon) {
  if (epsilon.CertainlyPositive()) {
    const Interval enclosure = epsilon.Enclosure(kPrecision);
    static const Rational smallest = *Rational::Parse("1e-12");
    if (enclosure.High() >= smallest && enclosure.Low() <= Rational(100)) return {};
  }
  return Error{.code = Code::kUsage,
               .message = "the epsilon of one group is out of range for optimal selection",
               .hint = "it must lie in [10^-12, 100]."};
}

// Whether ratio^exponent == value, both in lowest terms, without huge numbers.
bool IsPower(const Rational& ratio, const mpz_class& exponent, const Rational& value) {
  const size_t digits = mpz_sizeinbase(value.numerator().get_mpz_t(), 2);
  const size_t digits_of_one = mpz_sizeinbase(ratio.numerator().get_mpz_t(), 2);
  if (exponent > digits / (digits_of_one - 1)) return false;
  mpz_class numerator;
  mpz_class denominator;
  mpz_pow_ui(numerator.get_mpz_t(), ratio.numerator().get_mpz_t(), exponent.get_ui());
  mpz_pow_ui(denominator.get_mpz_t(), ratio.denominator().get_mpz_t(), exponent.get_ui());
  return numerator == value.numerator() && denominator == value.denominator();
}

// The largest n for which the first of the three terms is the least: 1 + floor(log_r(turn)) with
// r = e^epsilon and turn = (r - 1 + 2 delta) / ((r + 1) delta). At a tie the first two terms are
// equal, and it does not matter which one is taken.
Result<int64_t> LastRising(const ExactEpsilon& epsilon, const Rational& delta) {
  constexpr mpfr_prec_t kPrecisionMax = 1 << 15;
  for (mpfr_prec_t precision = kPrecision; precision <= kPrecisionMax; precision *= 2) {
    const Interval enclosure = epsilon.Enclosure(precision);
    const Interval r = Exp(enclosure);
    const Interval one(Rational(1), precision);
    const Interval turn = (r - one + Interval(Rational(2) * delta, precision)) /
                          ((r + one) * Interval(delta, precision));
    const Interval steps = Log(turn) / enclosure;
    const mpz_class low = steps.Low().Floor();
    const mpz_class high = steps.High().Floor();
    if (low == high) return 1 + low.get_si();
    // e^linear is transcendental, so that ties are possible only between rationals.
    if (epsilon.linear.sign() != 0) continue;
    const Rational& ratio = epsilon.ratio;
    const Rational exact =
        (ratio - Rational(1) + Rational(2) * delta) / ((ratio + Rational(1)) * delta);
    if (IsPower(ratio, high, exact)) return 1 + high.get_si();
  }
  return Error{.code = Code::kUsage,
               .message = "where the rule turns cannot be told for this epsilon and delta",
               .hint = "change one of them a little."};
}

// A ball around pi(n), by a table of powers for each digit of n - start.
class QuickSide {
 public:
  QuickSide(const Side& side, int64_t start, int64_t steps_max)
      : base_(Ball::Of(side.base)), factor_(Ball::Of(side.factor)), start_(start) {
    Interval step = Exp(side.rate);
    for (auto left = static_cast<uint64_t>(steps_max); places_ == 0 || left > 0;
         left >>= kDigitBits) {
      AddPlace(step, std::min(left, kDigits - 1));
    }
  }

  int places() const { return places_; }
  // As many places as the other side has, so that both do the same work.
  void PadTo(int places) {
    for (; places_ < places; ++places_) powers_.resize(powers_.size() + kDigits, Ball(1));
  }

  Ball At(int64_t persons) const {
    auto steps = static_cast<uint64_t>(persons - start_);
    Ball power = powers_[steps % kDigits];
    for (size_t place = 1; place < static_cast<size_t>(places_); ++place) {
      steps >>= kDigitBits;
      power = power * powers_[place * kDigits + steps % kDigits];
    }
    return base_ + factor_ * power;
  }

 private:
  // step^0 .. step^digit_max, and takes `step` to the next place. Larger digits never occur there.
  void AddPlace(Interval& step, uint64_t digit_max) {
    Interval power(Rational(1), step.precision());
    for (uint64_t digit = 0; digit < kDigits; ++digit) {
      powers_.push_back(Ball::Of(power));
      if (digit < digit_max) power.MultiplyBy(step);
    }
    for (int i = 0; i < kDigitBits; ++i) step.MultiplyBy(step);
    ++places_;
  }

  Ball base_;
  Ball factor_;
  int64_t start_;
  int places_ = 0;
  std::vector<Ball> powers_;
};

// floor(x 2^64), at the ends of the range where x lies outside [0, 1).
uint64_t Word(long double x) {
  return static_cast<uint64_t>(std::clamp(x * 0x1p64L, 0.0L, 0x1p64L - 1));
}

}  // namespace

struct OptimalSelection::Rule {
  ExactEpsilon epsilon;
  Delta delta;
  int64_t last_rising = 0;
  int64_t certain_from = 0;
  std::vector<QuickSide> quick = {};  // rising, falling

  // With c = delta/(r - 1): pi(n) = c (r^n - 1) up to the turn at t; beyond it,
  // 1 + c - pi(n) is 1 + c - pi(t) = 1 + 2 c - c r^t at t, and shrinks by r a person.
  Side At(bool rising, mpfr_prec_t precision) const {
    const Interval one(Rational(1), precision);
    const Interval rate = epsilon.Enclosure(precision);
    const Interval c = Interval(delta.value(), precision) / (Exp(rate) - one);
    if (rising) return {.base = -c, .factor = c, .rate = rate};
    const Interval at_turn = c * Exp(rate * Interval(Rational(last_rising), precision));
    return {.base = one + c, .factor = at_turn - one - c - c, .rate = -rate};
  }

  // The first n beyond the turn for which the falling side certainly has reached 1.
  int64_t FirstCertain() const {
    const Side falling = At(false, kPrecision);
    const Interval c = At(true, kPrecision).factor;
    const Interval steps = Log(-falling.factor / c) / -falling.rate;
    return last_rising + steps.High().Floor().get_si() + 1;
  }

  void MakeQuick() {
    quick.emplace_back(At(true, kPrecision), 0, last_rising);
    quick.emplace_back(At(false, kPrecision), last_rising, certain_from - last_rising);
    const int places = std::max(quick[0].places(), quick[1].places());
    for (QuickSide& side : quick) side.PadTo(places);
  }

  Interval KeepProbability(int64_t persons, mpfr_prec_t precision) const {
    if (persons <= 0) return Interval(Rational(0), precision);
    if (persons >= certain_from) return Interval(Rational(1), precision);
    const mpfr_prec_t inner = precision + kGuardBits;
    const bool rising = persons <= last_rising;
    const Side side = At(rising, inner);
    const Rational steps(persons - (rising ? 0 : last_rising));
    return side.base + side.factor * Exp(side.rate * Interval(steps, inner));
  }
};

Result<OptimalSelection> OptimalSelection::Create(const ExactEpsilon& epsilon, const Delta& delta) {
  TACET_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  TACET_RETURN_IF_ERROR(CheckSelectionDelta(delta));
  Rule rule{.epsilon = epsilon, .delta = delta};
  TACET_TRY(rule.last_rising, LastRising(epsilon, delta.value()));
  rule.certain_from = rule.FirstCertain();
  if (TACET_FAULT(selection_never_turns)) rule.last_rising = rule.certain_from;
  rule.MakeQuick();
  return OptimalSelection(std::make_shared<const Rule>(std::move(rule)));
}

Result<OptimalSelection> OptimalSelection::For(const Epsilon& epsilon, const Delta& delta,
                                               int64_t groups_per_person) {
  TACET_TRY(const Delta each, DeltaPerGroup(delta, groups_per_person));
  return Create({.linear = epsilon.value() / Rational(groups_per_person)}, each);
}

Result<OptimalSelection> OptimalSelection::For(const Rho& rho, const Delta& delta,
                                               int64_t groups_per_person) {
  TACET_TRY(const Delta each, DeltaPerGroup(delta, groups_per_person));
  TACET_TRY(const Epsilon epsilon, EpsilonPerGroup(rho, groups_per_person));
  return Create({.linear = epsilon.value()}, each);
}

const ExactEpsilon& OptimalSelection::epsilon() const { return rule_->epsilon; }

const Delta& OptimalSelection::delta() const { return rule_->delta; }

Result<SelectionLoss> OptimalSelection::Loss(int64_t groups_per_person) const {
  TACET_TRY(const Delta delta, DeltaOfGroups(rule_->delta, groups_per_person));
  return SelectionLoss{.epsilon = EpsilonOfGroups(rule_->epsilon, groups_per_person),
                       .rho = RhoOfGroups(RhoOfPure(rule_->epsilon), groups_per_person),
                       .delta = delta};
}

Interval OptimalSelection::KeepProbability(int64_t persons, mpfr_prec_t precision) const {
  return rule_->KeepProbability(persons, precision);
}

int64_t OptimalSelection::CertainFrom() const { return rule_->certain_from; }

int64_t OptimalSelection::PersonsForEvenOdds() const {
  int64_t below = 0;
  int64_t enough = rule_->certain_from;
  while (enough - below > 1) {
    const int64_t middle = below + (enough - below) / 2;
    const bool even = KeepProbability(middle, kPrecision).CertainlyAtLeast(Rational(1, 2));
    (even ? enough : below) = middle;
  }
  return enough;
}

bool OptimalSelection::Keep(int64_t persons, Coins& coins) const {
  const int64_t counted =
      TACET_FAULT(selection_of_zero_persons) ? std::max<int64_t>(persons, 1) : persons;
  const int64_t n = std::clamp<int64_t>(counted, 0, rule_->certain_from);
  const Ball chance = rule_->quick[n > rule_->last_rising ? 1 : 0].At(n);
  const uint64_t below = Word(chance.Lower());
  const uint64_t above = Word(chance.Upper());
  const uint64_t low = coins.Chunk();
  const uint64_t high = low | (~uint64_t{0} >> 1 >> (coins.chunk_bits() - 1));
  const bool certainly = high < below;
  const bool certainly_not = low > above;
  if (certainly != certainly_not) [[likely]] {
    return certainly;
  }
  const LazyReal exact = [&](mpfr_prec_t precision) { return KeepProbability(counted, precision); };
  return Probability::Refine(low >> (64 - coins.chunk_bits()), coins.chunk_bits(), exact, coins);
}

Result<std::vector<uint8_t>> OptimalSelection::Release(std::span<const int64_t> persons,
                                                       Entropy& entropy) const {
  return Draw(entropy, [&](Coins& coins) {
    std::vector<uint8_t> kept(persons.size());
    for (size_t i = 0; i < persons.size() && coins.ok(); ++i) {
      kept[i] = static_cast<uint8_t>(Keep(persons[i], coins));
    }
    return kept;
  });
}

}  // namespace tacet
