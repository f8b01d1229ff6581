// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/root.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/check.h"

namespace tacet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kConverged = 0x1p-37;
constexpr int kStepsMax = 200;

// Of the middle; only guides the search.
double ApproximateLog(const Interval& x) {
  if (mpfr_sgn(x.high()) <= 0) return -kInfinity;
  mpfr_t value;
  mpfr_init2(value, 64);
  mpfr_add(value, x.low(), x.high(), MPFR_RNDN);
  mpfr_log(value, value, MPFR_RNDN);
  const double result = mpfr_get_d(value, MPFR_RNDN) - std::log(2.0);
  mpfr_clear(value);
  return result;
}

class Search {
 public:
  Search(const std::function<Interval(double)>& f, const Interval& level)
      : f_(f), level_(level), log_level_(ApproximateLog(level)) {}

  // Looks at x; true if it became an end.
  bool Try(double x) {
    const Interval value = f_(x);
    const double excess = ApproximateLog(value) - log_level_;
    if (mpfr_lessequal_p(value.high(), level_.low()) != 0) {
      if (x < ends_.upper) {
        ends_.upper = x;
        excess_upper_ = excess;
      }
      return true;
    }
    if (mpfr_greaterequal_p(value.low(), level_.high()) != 0) {
      if (x > ends_.lower || excess_lower_ == kInfinity) {
        ends_.lower = x;
        excess_lower_ = excess;
      }
      return true;
    }
    return false;
  }

  LossBounds Run(double start) {
    // Who knows the root already is asked for proof only.
    Try(start - kConverged * start);
    Try(start + kConverged * start);
    if (ends_.lower > 0 && ends_.upper < kInfinity) return ends_;
    if (ends_.lower == 0 && Try(0) && ends_.upper == 0) return {0, 0};
    for (double x = start; ends_.upper == kInfinity && x < kInfinity; x *= 2) {
      if (!Try(x)) return Tighten(x);
    }
    if (ends_.upper == kInfinity) return ends_;
    double before = kInfinity;
    for (int step = 0; step < kStepsMax; ++step) {
      const double x = Next(step);
      if (!(x > ends_.lower && x < ends_.upper)) {
        return Tighten(std::clamp(x, ends_.lower, ends_.upper));
      }
      if (!Try(x) || std::fabs(x - before) <= kConverged * x) return Tighten(x);
      before = x;
    }
    return Tighten(ends_.lower + (ends_.upper - ends_.lower) / 2);
  }

 private:
  // By the secant through both ends; one end that stays is taken for nearer than it is. Every now
  // and then the middle, so that the bracket shrinks for any f.
  double Next(int step) {
    const double width = ends_.upper - ends_.lower;
    const bool secant = step % 4 != 3 && excess_lower_ < kInfinity && excess_upper_ > -kInfinity &&
                        excess_lower_ > excess_upper_;
    if (!secant) {
      const bool wide = ends_.lower > 0 && ends_.upper > 4 * ends_.lower;
      return wide ? std::sqrt(ends_.lower) * std::sqrt(ends_.upper) : ends_.lower + width / 2;
    }
    if (ends_.lower == last_.lower) excess_lower_ /= 2;
    if (ends_.upper == last_.upper) excess_upper_ /= 2;
    last_ = ends_;
    return ends_.lower + width * (excess_lower_ / (excess_lower_ - excess_upper_));
  }

  // The closest ends around the root x that can be shown.
  LossBounds Tighten(double x) {
    for (double part = kConverged; part < 1; part *= 8) {
      const double below = x - part * x;
      if (below <= ends_.lower) break;
      if (Try(below) && ends_.lower == below) break;
    }
    for (double part = kConverged; part < kInfinity; part *= 8) {
      const double above = x + part * x;
      if (above >= ends_.upper) break;
      if (Try(above) && ends_.upper == above) break;
    }
    return ends_;
  }

  const std::function<Interval(double)>& f_;
  const Interval& level_;
  const double log_level_;
  LossBounds ends_ = {0, kInfinity};
  LossBounds last_ = {-1, -1};
  double excess_lower_ = kInfinity;
  double excess_upper_ = -kInfinity;
};

}  // namespace

LossBounds FallingRoot(const std::function<Interval(double)>& f, const Interval& level,
                       double start) {
  TACET_CHECK(level.CertainlyPositive() && start > 0);
  return Search(f, level).Run(start);
}

}  // namespace tacet
