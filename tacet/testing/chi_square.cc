// SPDX-License-Identifier: Apache-2.0
#include "tacet/testing/chi_square.h"

#include <mpfr.h>

#include <cmath>
#include <numeric>

#include "tacet/base/check.h"

namespace tacet::testing {
namespace {

// The upper tail of the chi-square law: the regularised incomplete gamma function Q(k/2, x/2).
double UpperTail(double statistic, int degrees) {
  // Chernoff's bound, where it settles the matter: far out MPFR's function takes minutes.
  const double excess = statistic / degrees;
  const double bound = std::exp(-degrees / 2.0 * (excess - 1 - std::log(excess)));
  if (excess > 1 && bound < 1e-30) return bound;
  mpfr_t shape, x, upper, all;
  mpfr_inits2(128, shape, x, upper, all, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(shape, degrees / 2.0, MPFR_RNDN);
  mpfr_set_d(x, statistic / 2, MPFR_RNDN);
  mpfr_gamma_inc(upper, shape, x, MPFR_RNDN);
  mpfr_gamma(all, shape, MPFR_RNDN);
  mpfr_div(upper, upper, all, MPFR_RNDN);
  const double result = mpfr_get_d(upper, MPFR_RNDN);
  mpfr_clears(shape, x, upper, all, static_cast<mpfr_ptr>(nullptr));
  return result;
}

}  // namespace

double ChiSquareP(std::span<const uint64_t> counts, std::span<const double> probabilities) {
  TACET_CHECK(counts.size() == probabilities.size());
  constexpr double kExpectedMin = 10;
  const auto draws =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  double statistic = 0;
  int cells = 0;
  double expected = 0;
  double seen = 0;
  double expected_left = draws;
  for (size_t i = 0; i < counts.size(); ++i) {
    expected += probabilities[i] * draws;
    seen += static_cast<double>(counts[i]);
    const bool last = i + 1 == counts.size();
    // The last cell takes the rest, so no small one may remain behind this one.
    if (!last && (expected < kExpectedMin || expected_left - expected < kExpectedMin)) continue;
    if (expected == 0) return seen == 0 ? 1 : 0;
    statistic += (seen - expected) * (seen - expected) / expected;
    ++cells;
    expected_left -= expected;
    expected = 0;
    seen = 0;
  }
  return cells < 2 ? 1 : UpperTail(statistic, cells - 1);
}

}  // namespace tacet::testing
