// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/chooser.h"

#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/surd.h"

namespace tacet {
namespace {

// The root, or a little less if it is no fraction.
Rational RootFromBelow(const Rational& square) {
  if (!Surd::Root(square).is_rational()) return Sqrt(Interval(square, 64)).Low();
  return Rational(mpq_class(sqrt(square.numerator()), sqrt(square.denominator())));
}

}  // namespace

Epsilon EpsilonOfEachChoice(const ChoiceBudget& budget, int64_t steps, ChoiceRule rule) {
  TACET_CHECK(steps > 0);
  if (const auto* pure = std::get_if<Epsilon>(&budget)) {
    return *Epsilon::Create(pure->value() / Rational(steps));
  }
  const Rational rho_of_each = std::get<Rho>(budget).value() / Rational(steps);
  if (rule == ChoiceRule::kExponential) {
    return *Epsilon::Create(RootFromBelow(Rational(8) * rho_of_each));
  }
  const Rational root = RootFromBelow(Rational(2) * rho_of_each);
  if (RhoOfPure({.linear = root}).value() <= rho_of_each) return *Epsilon::Create(root);
  // So small that the loss, rounded up, is above epsilon^2 / 2 by the last of its bits.
  return *Epsilon::Create(root * (Rational(1) - Rational::PowerOfTwo(-60)));
}

Result<Chooser> Chooser::For(const Epsilon& epsilon, const Rational& width, ChoiceRule rule) {
  if (width.sign() <= 0) {
    return Error{.code = Code::kUsage,
                 .message = "the changes of the scores must span more than 0"};
  }
  const Rational rate = epsilon.value() / width;
  if (rule == ChoiceRule::kExponential) {
    TACET_TRY(ExponentialMechanism mechanism, ExponentialMechanism::Create(rate));
    return Chooser(std::move(mechanism));
  }
  TACET_TRY(PermuteAndFlip mechanism, PermuteAndFlip::Create(rate));
  return Chooser(std::move(mechanism));
}

const Rational& Chooser::rate() const {
  return std::visit([](const auto& mechanism) -> const Rational& { return mechanism.rate(); },
                    mechanism_);
}

Result<PrivacyLoss> Chooser::Loss(const Rational& width) const {
  return std::visit([&](const auto& mechanism) { return mechanism.Loss(width); }, mechanism_);
}

Result<size_t> Chooser::Release(const Candidates& candidates, Entropy& entropy) const {
  return std::visit([&](const auto& mechanism) { return mechanism.Release(candidates, entropy); },
                    mechanism_);
}

std::vector<Interval> Chooser::Law(const Candidates& candidates, mpfr_prec_t precision) const {
  return std::visit([&](const auto& mechanism) { return mechanism.Law(candidates, precision); },
                    mechanism_);
}

}  // namespace tacet
