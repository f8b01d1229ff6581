// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/accountant.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>

#include "tacet/measure/composition.h"
#include "tacet/measure/gaussian_dp.h"
#include "tacet/measure/numerical.h"
#include "tacet/measure/optimal.h"
#include "tacet/measure/renyi.h"
#include "tacet/measure/zcdp.h"

namespace tacet {
namespace {

// A method's answer; nothing where it does not apply or says nothing.
using Answer = std::optional<LossBounds>;

constexpr AdvancedForm kBetterForm = AdvancedForm::kKairouzOhViswanath;

double ProcessorSeconds() {
  timespec now;
  TACET_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Whether all of it lies in (0, 1), so that a logarithm of it makes sense.
bool IsProbability(const Interval& x) {
  return x.CertainlyPositive() && x.CertainlyAtMost(Rational(1)) && mpfr_cmp_ui(x.high(), 1) < 0;
}

// What a conversion that is rounded up by a 2^-62nd says of the value before that.
LossBounds RoundedUp(const Rational& value) {
  return {(value * (Rational(1) - Rational::PowerOfTwo(-60))).ToDoubleDown(), value.ToDoubleUp()};
}

Interval Enclosure(double value) { return Interval(Rational::FromDouble(value), 64); }

LossBounds Hull(const LossBounds& a, const LossBounds& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

class Methods {
 public:
  Methods(const DeclaredSequence& sequence, const AccountOptions& options)
      : sequence_(sequence),
        options_(options),
        bounded_(BoundedSteps(sequence)),
        leaky_(LeakySteps(sequence)) {}

  Answer BasicEpsilon(const Rational& delta) const {
    if (!bounded_ || SumOfDeltas(*bounded_) > delta) return {};
    return LossBounds::Of(SumOfEpsilons(*bounded_));
  }
  Answer BasicDelta(const Rational& epsilon) const {
    if (!bounded_ || !SumOfEpsilons(*bounded_).CertainlyAtMost(epsilon)) return {};
    return LossBounds::Of(SumOfDeltas(*bounded_));
  }

  Answer AdvancedEpsilon(const Rational& delta) const {
    if (!bounded_) return {};
    const Interval slack = DeltaWithoutLeaks(*bounded_, delta);
    if (!IsProbability(slack)) return {};
    return LossBounds::Of(tacet::AdvancedEpsilon(*bounded_, slack, kBetterForm));
  }
  Answer AdvancedDelta(const Rational& epsilon) const {
    if (!bounded_) return {};
    const std::optional<Interval> slack = AdvancedSlack(*bounded_, epsilon, kBetterForm);
    if (!slack) return {};
    return LossBounds::Of(DeltaWithLeaks(*bounded_, *slack));
  }

  Answer OptimalEpsilon(const Rational& delta) const {
    if (!bounded_ || delta.sign() == 0) return {};
    return tacet::OptimalEpsilon(*bounded_, delta);
  }
  Answer OptimalDelta(const Rational& epsilon) const {
    if (!bounded_) return {};
    return Of(tacet::OptimalDelta(*bounded_, epsilon));
  }

  Answer ZcdpEpsilon(const Rational& delta) const {
    const std::optional<Rho> rho = SumOfRhos(sequence_);
    if (!rho) return {};
    const Interval left = DeltaWithoutLeaks(leaky_, delta);
    if (!IsProbability(left)) return {};
    return RoundedUp(EpsilonOfRho(*rho, *Delta::Create(left.Low())).value());
  }
  Answer ZcdpDelta(const Rational& epsilon) const {
    const std::optional<Rho> rho = SumOfRhos(sequence_);
    if (!rho) return {};
    const Delta slack = DeltaOfRho(*rho, *Epsilon::Create(epsilon));
    if (slack.value() == Rational(1)) return {};
    const LossBounds least = RoundedUp(slack.value());
    return Hull(LossBounds::Of(DeltaWithLeaks(leaky_, Enclosure(least.lower))),
                LossBounds::Of(DeltaWithLeaks(leaky_, Enclosure(least.upper))));
  }

  Answer RdpEpsilon(const Rational& delta) const { return Of(RenyiEpsilon(sequence_, delta)); }
  Answer RdpDelta(const Rational& epsilon) const { return Of(RenyiDelta(sequence_, epsilon)); }

  Answer GaussianEpsilon(const Rational& delta) const {
    const std::optional<Mu> mu = GaussianMu(sequence_);
    if (!mu || delta.sign() == 0) return {};
    return tacet::GaussianEpsilon(*mu, delta);
  }
  Answer GaussianDelta(const Rational& epsilon) const {
    const std::optional<Mu> mu = GaussianMu(sequence_);
    if (!mu) return {};
    return LossBounds::Of(tacet::GaussianDelta(epsilon, *mu));
  }

  Answer NumericalEpsilon(const Rational& delta) const {
    if (delta.sign() == 0) return {};
    return Of(tacet::NumericalEpsilon(sequence_, delta, {.precision = options_.precision}));
  }
  Answer NumericalDelta(const Rational& epsilon) const {
    return Of(tacet::NumericalDelta(sequence_, epsilon, {.precision = options_.precision}));
  }

 private:
  static Answer Of(const std::optional<Interval>& enclosure) {
    if (!enclosure) return {};
    return LossBounds::Of(*enclosure);
  }
  static Answer Of(const Result<LossBounds>& result) {
    if (!result.ok()) return {};
    return *result;
  }

  const DeclaredSequence& sequence_;
  const AccountOptions options_;
  const std::optional<std::vector<BoundedStep>> bounded_;
  const std::vector<BoundedStep> leaky_;
};

struct Method {
  std::string_view name;
  Answer (Methods::*epsilon)(const Rational& delta) const;
  Answer (Methods::*delta)(const Rational& epsilon) const;
};

constexpr Method kMethods[] = {
    {"basic", &Methods::BasicEpsilon, &Methods::BasicDelta},
    {"advanced", &Methods::AdvancedEpsilon, &Methods::AdvancedDelta},
    {"optimal", &Methods::OptimalEpsilon, &Methods::OptimalDelta},
    {"zcdp", &Methods::ZcdpEpsilon, &Methods::ZcdpDelta},
    {"rdp", &Methods::RdpEpsilon, &Methods::RdpDelta},
    {"gaussian", &Methods::GaussianEpsilon, &Methods::GaussianDelta},
    {"numerical", &Methods::NumericalEpsilon, &Methods::NumericalDelta},
};

// A loss of `most` is no promise at all, and none is more than that.
Account Run(const Methods& methods, const Rational& at,
            Answer (Methods::*Method::*which)(const Rational&) const, double most) {
  Account account;
  for (const Method& method : kMethods) {
    const double start = ProcessorSeconds();
    Answer answer = (methods.*(method.*which))(at);
    const double seconds = ProcessorSeconds() - start;
    if (!answer || !std::isfinite(answer->upper) || answer->lower >= most) continue;
    answer->upper = std::min(answer->upper, most);
    account.methods.push_back({method.name, *answer, seconds});
    if (answer->upper < account.methods[account.best].bounds.upper) {
      account.best = account.methods.size() - 1;
    }
  }
  return account;
}

}  // namespace

Result<Account> AccountEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                               const AccountOptions& options) {
  if (delta.sign() < 0 || delta >= Rational(1)) {
    return Error{.code = Code::kUsage, .message = "delta must be in [0, 1)"};
  }
  Account account = Run(Methods(sequence, options), delta, &Method::epsilon,
                        std::numeric_limits<double>::infinity());
  if (account.methods.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "no epsilon is enough at this delta",
                 .hint = delta.sign() == 0
                             ? "these steps are not purely private: give a delta above 0."
                             : "the steps alone leak more: give a larger one."};
  }
  return account;
}

Result<Account> AccountDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                             const AccountOptions& options) {
  if (epsilon.sign() < 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must not be negative"};
  }
  Account account = Run(Methods(sequence, options), epsilon, &Method::delta, 1);
  if (account.methods.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "no method says anything below 1 for this epsilon",
                 .hint = "give a larger one."};
  }
  return account;
}

}  // namespace tacet
