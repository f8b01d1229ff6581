// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/sample_size.h"

#include <algorithm>

#include "tacet/base/fault.h"
#include "tacet/mechanism/response_tail.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 160;

Error Wrong(std::string message, std::string hint = "") {
  return {.code = Code::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Error OutOfReach() {
  return Wrong("more than 10^15 people would be needed",
               "allow a larger error, or take a larger epsilon or a smaller confidence.");
}

Status Check(const SampleTarget& target) {
  if (!target.epsilon.CertainlyPositive() ||
      !target.epsilon.Enclosure(kPrecision).CertainlyAtMost(Rational(100))) {
    return Wrong("epsilon must be positive and at most 100", "beyond, the truth is published.");
  }
  if (target.error.sign() <= 0 || target.error >= Rational(1)) {
    return Wrong("the error must be between 0 and 1",
                 "it is how far off the mean of values in [0, 1] may be, for example 1/100.");
  }
  if (target.confidence.sign() <= 0 || target.confidence >= Rational(1)) {
    return Wrong("the confidence must be between 0 and 1",
                 "it is how often the error is kept, for example 0.95.");
  }
  return {};
}

// Whether ratio^(n error) = odds exactly, for ratio > 1 and odds > 1.
bool PowerIs(const Rational& ratio, const Rational& exponent, const Rational& odds) {
  // ratio^p = odds^q in lowest terms: then both are powers of one rational, ratio = root^q and
  // odds = root^p.
  const mpz_class p = exponent.numerator();
  const mpz_class q = exponent.denominator();
  if (!p.fits_ulong_p() || !q.fits_ulong_p()) return false;
  // root > 1 has a numerator of at least 2, so p is at most the number of bits of odds.
  if (p > mpz_sizeinbase(odds.numerator().get_mpz_t(), 2)) return false;
  mpz_class above;
  mpz_class below;
  const mpz_class numerator = ratio.numerator();
  const mpz_class denominator = ratio.denominator();
  if (mpz_root(above.get_mpz_t(), numerator.get_mpz_t(), q.get_ui()) == 0) return false;
  if (mpz_root(below.get_mpz_t(), denominator.get_mpz_t(), q.get_ui()) == 0) return false;
  mpz_pow_ui(above.get_mpz_t(), above.get_mpz_t(), p.get_ui());
  mpz_pow_ui(below.get_mpz_t(), below.get_mpz_t(), p.get_ui());
  return above == odds.numerator() && below == odds.denominator();
}

// The number of people beyond which Chebyshev's or Bernstein's inequality keeps the target.
Result<int64_t> PeopleThatSuffice(const ResponseTail& tail) {
  const Interval& reach = tail.reach();
  if (!reach.CertainlyPositive()) return OutOfReach();
  const Interval failure(tail.failure_max(), kPrecision);
  const Interval square = reach * reach;
  const Interval chebyshev = tail.variance() / (square * failure);
  const Interval bernstein = Interval(2, kPrecision) * Log(Interval(2, kPrecision) / failure) *
                             (tail.variance() + reach / Interval(3, kPrecision)) / square;
  const mpz_class people = std::min(chebyshev.High().Ceil(), bernstein.High().Ceil());
  // Both are some times more than are needed.
  if (people > mpz_class(4) * mpz_class(kPeopleMax)) return OutOfReach();
  return std::max<int64_t>(1, people.get_si());
}

}  // namespace

Result<int64_t> PeopleForLaplace(const SampleTarget& target) {
  TACET_RETURN_IF_ERROR(Check(target));
  const Rational odds = (Rational(1) - target.confidence).Inverse();
  // The noise is beyond the error with probability e^(-n epsilon error).
  for (mpfr_prec_t precision = kPrecision;; precision *= 2) {
    const Interval people = Log(Interval(odds, precision)) / (target.epsilon.Enclosure(precision) *
                                                              Interval(target.error, precision));
    const mpz_class low = people.Low().Ceil();
    const mpz_class high = people.High().Ceil();
    if (low > kPeopleMax) return OutOfReach();
    if (TACET_FAULT(ceiling_rounded_down))
      return std::max<int64_t>(1, people.Low().Floor().get_si());
    if (low == high) return std::max<int64_t>(1, low.get_si());
    // A whole number of people meets the target exactly only if epsilon is a logarithm.
    if (target.epsilon.linear.sign() == 0 && high == low + 1 &&
        PowerIs(target.epsilon.ratio, Rational(low) * target.error, odds)) {
      return std::max<int64_t>(1, low.get_si());
    }
  }
}

Result<int64_t> PeopleForResponse(const SampleTarget& target) {
  TACET_RETURN_IF_ERROR(Check(target));
  if (target.confidence > Rational(1) - Rational(1, 1'000'000'000)) {
    return Wrong("for randomized response the confidence may be at most 1 - 1e-9");
  }
  ResponseTail tail(target, kPrecision);
  // From `enough` people on the target is proven to be met. Below, whole blocks are tried, as large
  // as their proof succeeds; where it does not even for the last number, that is looked at closely,
  // and after it more and more, before blocks are tried again.
  TACET_TRY(int64_t enough, PeopleThatSuffice(tail));
  int64_t size = std::max<int64_t>(1, enough / 4);
  int64_t patience = 1;
  while (enough > 1) {
    const int64_t last = enough - 1;
    size = std::min(size, last);
    while (size > 0 && !tail.MeetsOn(last - size + 1, last)) size /= 2;
    if (size > 0) {
      enough = last - size + 1;
      size *= 2;
      patience = 1;
      continue;
    }
    for (int64_t i = 0; i < patience && enough > 1; ++i) {
      TACET_TRY(const bool met, tail.MeetsAt(enough - 1));
      if (!met) return enough <= kPeopleMax ? Result<int64_t>(enough) : OutOfReach();
      --enough;
    }
    patience *= 2;
    size = 1;
  }
  if (enough > kPeopleMax) return OutOfReach();
  return enough;
}

Interval ResponseFailure(const SampleTarget& target, int64_t people, int64_t yes,
                         mpfr_prec_t precision) {
  TACET_CHECK(Check(target).ok());
  TACET_CHECK(1 <= people && people <= kPeopleMax && 0 <= yes && yes <= people);
  return ResponseTail(target, precision).Failure(people, yes);
}

}  // namespace tacet
