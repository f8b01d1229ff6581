// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/selection_loss.h"

#include "tacet/base/fault.h"
#include "tacet/measure/one_minus_exp.h"

namespace tacet {
namespace {

// 1 - delta keeps 256 bits of the smallest delta, and of its part for a thousand million groups.
constexpr mpfr_prec_t kPrecision = 1344;
constexpr mpfr_prec_t kResultBits = 64;
constexpr mpfr_prec_t kEpsilonBits = 48;

Interval Exact(const Rational& value) { return Interval(value, kPrecision); }

// 1 - (1 - delta)^exponent.
Interval Leak(const Delta& delta, const Rational& exponent) {
  return OneMinusExp(-Log(Exact(Rational(1) - delta.value())) * Exact(exponent));
}

}  // namespace

Status CheckGroupsPerPerson(int64_t groups_per_person) {
  if (groups_per_person >= 1 && groups_per_person <= kGroupsPerPersonMax) return {};
  return Error{.code = Code::kUsage,
               .message = "the number of groups a person may be in is out of range",
               .hint = "it must lie in [1, 10^9]."};
}

Status CheckSelectionDelta(const Delta& delta) {
  static const Rational smallest = *Rational::Parse("1e-300");
  if (delta.is_zero()) {
    return Error{.code = Code::kBudget,
                 .message = "a pure budget cannot select keys that it does not know",
                 .hint = "declare the values of the key, or use a budget with a delta."};
  }
  if (delta.value() >= smallest && delta.value() <= Rational(1, 2)) return {};
  return Error{.code = Code::kUsage,
               .message = "delta is out of range for the selection of groups",
               .hint = "it must lie in [10^-300, 1/2]."};
}

Result<Delta> DeltaOfGroups(const Delta& delta, int64_t groups_per_person) {
  TACET_RETURN_IF_ERROR(CheckGroupsPerPerson(groups_per_person));
  if (groups_per_person == 1 || delta.is_zero() || delta.value() == Rational(1)) return delta;
  const Delta total = Delta::FromAbove(Leak(delta, Rational(groups_per_person)));
  return Delta::FromAbove(Interval(total.value(), kResultBits));
}

Result<Delta> DeltaPerGroup(const Delta& total, int64_t groups_per_person) {
  TACET_RETURN_IF_ERROR(CheckGroupsPerPerson(groups_per_person));
  TACET_RETURN_IF_ERROR(CheckSelectionDelta(total));
  Delta delta = total;
  if (groups_per_person > 1 && !TACET_FAULT(selection_delta_not_split)) {
    // Room for DeltaOfGroups to round up.
    const Rational room = Rational(1) - Rational::PowerOfTwo(-60);
    const Rational each = Leak(total, Rational(groups_per_person).Inverse()).Low() * room;
    TACET_TRY(delta, Delta::Create(Interval(each, kResultBits).Low()));
  }
  TACET_RETURN_IF_ERROR(CheckSelectionDelta(delta));
  return delta;
}

Result<Epsilon> EpsilonPerGroup(const Rho& rho, int64_t groups_per_person) {
  TACET_RETURN_IF_ERROR(CheckGroupsPerPerson(groups_per_person));
  if (rho.is_zero()) {
    return Error{.code = Code::kBudget, .message = "nothing can be selected for a rho of 0"};
  }
  const Rational epsilon_max(100);
  const auto holds_at = [&](const Rational& epsilon) {
    return RhoOfGroups(RhoOfPure({.linear = epsilon}), groups_per_person) <= rho;
  };
  if (holds_at(epsilon_max)) return Epsilon::Create(epsilon_max);
  // At most epsilon^2/2 is charged, so half of the epsilon with epsilon^2/2 = rho holds.
  const Interval square = Exact(rho.value() / (Rational(2) * Rational(groups_per_person)));
  Rational holds = Interval(Sqrt(square).Low(), kEpsilonBits).Low();
  Rational fails = holds * Rational(2);
  while (holds_at(fails)) {
    holds = fails;
    fails *= Rational(2);
  }
  while ((fails - holds) * Rational::PowerOfTwo(40) > holds) {
    const Rational middle = Interval((holds + fails) / Rational(2), kEpsilonBits).Low();
    (holds_at(middle) ? holds : fails) = middle;
  }
  return Epsilon::Create(holds);
}

Epsilon EpsilonOfGroups(const ExactEpsilon& epsilon, int64_t groups_per_person) {
  TACET_CHECK(CheckGroupsPerPerson(groups_per_person).ok());
  const Rational times(groups_per_person);
  if (epsilon.ratio == Rational(1)) return *Epsilon::Create(epsilon.linear * times);
  constexpr mpfr_prec_t kBits = 128;
  return Epsilon::FromAbove(epsilon.Enclosure(kBits) * Interval(times, kBits));
}

Rho RhoOfGroups(const Rho& rho, int64_t groups_per_person) {
  TACET_CHECK(CheckGroupsPerPerson(groups_per_person).ok());
  return *Rho::Create(rho.value() * Rational(groups_per_person));
}

}  // namespace tacet
