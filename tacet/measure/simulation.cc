// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/simulation.h"

#include <algorithm>
#include <numeric>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

using Measure = std::vector<Rational>;

Error Senseless(std::string what) { return {.code = Code::kUsage, .message = std::move(what)}; }

Rational Mass(const Measure& measure) {
  return std::accumulate(measure.begin(), measure.end(), Rational(0));
}

Measure LeastOf(const Measure& a, const Measure& b, const Rational& b_factor) {
  Measure least;
  for (size_t i = 0; i < a.size(); ++i) least.push_back(std::min(a[i], b_factor * b[i]));
  return least;
}

// a_factor a + b_factor b.
Measure Combine(const Rational& a_factor, const Measure& a, const Rational& b_factor,
                const Measure& b) {
  Measure sum;
  for (size_t i = 0; i < a.size(); ++i) sum.push_back(a_factor * a[i] + b_factor * b[i]);
  return sum;
}

// Lowers `larger` to the mass of `smaller`, but nowhere below smaller/ratio.
Measure Lowered(const Measure& larger, const Measure& smaller, const Rational& ratio) {
  if (TACET_FAULT(simulation_residual_ignored)) return larger;
  const Measure floor = Combine(ratio.Inverse(), smaller, Rational(0), smaller);
  const Rational span = Mass(larger) - Mass(floor);
  if (span.sign() == 0) return larger;
  const Rational share = (Mass(smaller) - Mass(floor)) / span;
  return Combine(share, larger, Rational(1) - share, floor);
}

Measure Normalized(const Measure& measure, const Measure& otherwise) {
  const Rational mass = Mass(measure);
  if (mass.sign() == 0) return otherwise;  // never drawn, so any law will do
  return Combine(mass.Inverse(), measure, Rational(0), measure);
}

Violation Broken(const FinitePair& pair, const Rational& ratio, bool swapped) {
  const FinitePair order = swapped ? pair.Swapped() : pair;
  Violation violation{.event = order.WorstEvent(ratio),
                      .swapped = swapped,
                      .p = Rational(0),
                      .q = Rational(0),
                      .excess = order.DeltaOfOrder(ratio)};
  for (const size_t output : violation.event) {
    violation.p += order.p()[output];
    violation.q += order.q()[output];
  }
  return violation;
}

}  // namespace

Result<std::variant<SimulationMap, Violation>> Simulate(const FinitePair& pair,
                                                        const Rational& ratio,
                                                        const Rational& delta) {
  using Outcome = std::variant<SimulationMap, Violation>;
  if (ratio < Rational(1)) return Senseless("the ratio must be at least 1");
  if (delta.sign() < 0 || delta > Rational(1)) return Senseless("delta must be in [0, 1]");
  const Rational p_excess = pair.DeltaOfOrder(ratio);
  const Rational q_excess = pair.Swapped().DeltaOfOrder(ratio);
  const Rational least = std::max(p_excess, q_excess);
  if (delta < least) return Outcome(Broken(pair, ratio, p_excess < q_excess));

  // The parts of Y and Y' that are within the ratio of each other, both of mass 1 - delta.
  Measure p = LeastOf(pair.p(), pair.q(), ratio);
  Measure q = LeastOf(pair.q(), pair.p(), ratio);
  if (p_excess > q_excess) q = Lowered(q, p, ratio);
  if (q_excess > p_excess) p = Lowered(p, q, ratio);
  if (least < Rational(1)) {
    const Rational scale = (Rational(1) - delta) / (Rational(1) - least);
    p = Combine(scale, p, Rational(0), p);
    q = Combine(scale, q, Rational(0), q);
  }

  // p and q are mixtures of F(0) and F(1); what is left of Y and Y' is F(U) and F(V).
  const bool equal = ratio == Rational(1);  // then p = q
  const Measure zero = equal ? p : Combine(ratio, p, Rational(-1), q);
  const Measure one = equal ? q : Combine(ratio, q, Rational(-1), p);
  const Rational minus(-1);
  SimulationMap map;
  map.rows[0] = Normalized(zero, pair.p());
  map.rows[1] = Normalized(one, pair.q());
  map.rows[2] = Normalized(Combine(Rational(1), pair.p(), minus, p), pair.p());
  map.rows[3] = Normalized(Combine(Rational(1), pair.q(), minus, q), pair.q());
  return Outcome(std::move(map));
}

Result<FinitePair> Apply(const SimulationMap& map, const Rational& ratio, const Rational& delta) {
  TACET_TRY(const Channel leaky, LeakyChannel(ratio, delta));
  std::vector<std::string> names;
  for (size_t i = 0; i < map.rows[0].size(); ++i) names.push_back(std::to_string(i));
  TACET_TRY(const Channel kernel,
            Channel::Create(leaky.outputs(), std::move(names), {map.rows.begin(), map.rows.end()}));
  TACET_TRY(const Channel image, leaky.Then(kernel));
  return image.Pair(0, 1);
}

Result<Rational> RatioBelow(const ExactLoss& epsilon) {
  if (epsilon < ExactLoss{} || epsilon > ExactLoss{.linear = Rational(1000)}) {
    return Senseless("epsilon must be in [0, 1000]");
  }
  if (epsilon.linear.sign() == 0) return epsilon.ratio;
  // The partial quotients of the lower end; every other convergent is below the number. The last
  // one is the number itself, so this ends.
  constexpr mpfr_prec_t kPrecision = 1600;  // e^1000 has 1443 bits
  const Rational target = epsilon.Exponential(kPrecision).Low();
  const Rational enough = target * (Rational(1) - *Rational::Parse("1e-12"));
  mpz_class numerator = 1;
  mpz_class numerator_before = 0;
  mpz_class denominator = 0;
  mpz_class denominator_before = 1;
  for (Rational rest = target;; rest = (rest - Rational(rest.Floor())).Inverse()) {
    const mpz_class quotient = rest.Floor();
    numerator_before += quotient * numerator;
    denominator_before += quotient * denominator;
    std::swap(numerator, numerator_before);
    std::swap(denominator, denominator_before);
    const Rational convergent = Rational(numerator) / Rational(denominator);
    if (convergent <= target && convergent > enough) return std::max(convergent, Rational(1));
    if (rest.is_integer()) return target;
  }
}

}  // namespace tacet
