// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/channel.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 256;

Error Senseless(std::string what, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

Status CheckLaw(const std::vector<Rational>& law) {
  Rational sum;
  for (const Rational& probability : law) {
    if (probability.sign() < 0) return Senseless("a probability must not be negative");
    sum += probability;
  }
  if (sum != Rational(1)) {
    return Senseless("probabilities must add up to exactly 1, not to " + sum.ToString());
  }
  return {};
}

// P[E] - ratio Q[E] of a single output, if that is positive.
Rational Excess(const Rational& p, const Rational& q, const Rational& ratio) {
  const Rational excess = p - ratio * q;
  return excess.sign() > 0 ? excess : Rational(0);
}

// A ratio as a key: infinite, the last, where q is 0.
struct RatioKey {
  bool infinite;
  Rational ratio;

  static RatioKey Of(const Rational& p, const Rational& q) {
    if (q.sign() == 0) return {true, Rational(0)};
    return {false, p / q};
  }
  friend bool operator<(const RatioKey& a, const RatioKey& b) {
    return a.infinite != b.infinite ? b.infinite : a.ratio < b.ratio;
  }
};

// Integers over one denominator, so that products need no fractions in lowest terms.
std::vector<mpz_class> OverOne(const std::vector<Rational>& law, mpz_class& denominator) {
  denominator = 1;
  for (const Rational& value : law) denominator = lcm(denominator, value.denominator());
  std::vector<mpz_class> numerators;
  for (const Rational& value : law) {
    numerators.push_back(value.numerator() * (denominator / value.denominator()));
  }
  return numerators;
}

mpz_class Power(const mpz_class& base, uint64_t exponent) {
  mpz_class power;
  mpz_pow_ui(power.get_mpz_t(), base.get_mpz_t(), exponent);
  return power;
}

mpz_class Binomial(uint64_t n, uint64_t k) {
  mpz_class binomial;
  mpz_bin_uiui(binomial.get_mpz_t(), n, k);
  return binomial;
}

Rational Fraction(const mpz_class& numerator, const mpz_class& denominator) {
  return Rational(numerator) / Rational(denominator);
}

}  // namespace

Result<FinitePair> FinitePair::Create(std::vector<Rational> p, std::vector<Rational> q) {
  if (p.empty() || p.size() != q.size()) {
    return Senseless("a pair of laws needs the same outputs, at least one");
  }
  TACET_RETURN_IF_ERROR(CheckLaw(p));
  TACET_RETURN_IF_ERROR(CheckLaw(q));
  return FinitePair(std::move(p), std::move(q));
}

std::optional<Rational> FinitePair::Ratio(size_t output) const {
  TACET_CHECK(p_[output].sign() > 0 || q_[output].sign() > 0);
  if (q_[output].sign() == 0) return std::nullopt;
  return p_[output] / q_[output];
}

FinitePair::Extreme FinitePair::Worst() const {
  Extreme worst{.ratio = Rational(0)};
  for (size_t i = 0; i < p_.size(); ++i) {
    for (const bool swapped : {false, true}) {
      const Rational& above = swapped ? q_[i] : p_[i];
      const Rational& below = swapped ? p_[i] : q_[i];
      if (above.sign() == 0) continue;
      if (below.sign() == 0) return {std::nullopt, i, swapped};
      const Rational ratio = above / below;
      if (ratio > *worst.ratio) worst = {ratio, i, swapped};
    }
  }
  return worst;
}

Rational FinitePair::DeltaOfOrder(const Rational& ratio) const {
  Rational sum;
  for (size_t i = 0; i < p_.size(); ++i) sum += Excess(p_[i], q_[i], ratio);
  return sum;
}

std::vector<size_t> FinitePair::WorstEvent(const Rational& ratio) const {
  std::vector<size_t> event;
  for (size_t i = 0; i < p_.size(); ++i) {
    if (p_[i] > ratio * q_[i]) event.push_back(i);
  }
  return event;
}

Rational FinitePair::Delta(const Rational& ratio) const {
  TACET_CHECK(ratio >= Rational(1));
  if (TACET_FAULT(channel_one_order)) return DeltaOfOrder(ratio);
  return std::max(DeltaOfOrder(ratio), Swapped().DeltaOfOrder(ratio));
}

LossDistribution FinitePair::Loss() const {
  Rational infinite;
  std::map<Rational, Rational> masses;
  for (size_t i = 0; i < p_.size(); ++i) {
    if (p_[i].sign() == 0) continue;
    (q_[i].sign() == 0 ? infinite : masses[p_[i] / q_[i]]) += p_[i];
  }
  std::vector<LossDistribution::Atom> atoms;
  for (const auto& [ratio, mass] : masses) {
    atoms.push_back({{.linear = Rational(0), .ratio = ratio}, Interval(mass, kPrecision)});
  }
  return LossDistribution(std::move(atoms), Interval(infinite, kPrecision));
}

FinitePair FinitePair::MergedOf(std::vector<std::pair<Rational, Rational>> atoms) {
  std::map<RatioKey, std::pair<Rational, Rational>> merged;
  for (const auto& [p, q] : atoms) {
    if (p.sign() == 0 && q.sign() == 0) continue;
    auto& sums = merged[RatioKey::Of(p, q)];
    sums.first += p;
    sums.second += q;
  }
  FinitePair pair({}, {});
  for (const auto& [ratio, sums] : merged) {
    pair.p_.push_back(sums.first);
    pair.q_.push_back(sums.second);
  }
  return pair;
}

FinitePair FinitePair::Merged() const {
  std::vector<std::pair<Rational, Rational>> atoms;
  for (size_t i = 0; i < p_.size(); ++i) atoms.emplace_back(p_[i], q_[i]);
  return MergedOf(std::move(atoms));
}

FinitePair FinitePair::Product(const FinitePair& other) const {
  std::vector<std::pair<Rational, Rational>> atoms;
  for (size_t i = 0; i < p_.size(); ++i) {
    for (size_t j = 0; j < other.p_.size(); ++j) {
      atoms.emplace_back(p_[i] * other.p_[j], q_[i] * other.q_[j]);
    }
  }
  return MergedOf(std::move(atoms));
}

Result<FinitePair> FinitePair::Repeated(uint64_t uses) const {
  if (uses == 0) return Senseless("a mechanism must be used at least once");
  const FinitePair merged = Merged();
  const size_t classes = merged.p_.size();
  if (uses == 1 || classes == 1) return merged;
  mpz_class p_denominator;
  mpz_class q_denominator;
  const std::vector<mpz_class> p = OverOne(merged.p_, p_denominator);
  const std::vector<mpz_class> q = OverOne(merged.q_, q_denominator);

  // How often each ratio occurred among the uses: so many cases, each of so many digits.
  constexpr uint64_t kUsesMax = 100'000;
  constexpr uint64_t kCasesMax = 100'000;
  constexpr double kBitsMax = 2e9;
  const double bits = static_cast<double>(mpz_sizeinbase(p_denominator.get_mpz_t(), 2) +
                                          mpz_sizeinbase(q_denominator.get_mpz_t(), 2)) *
                      static_cast<double>(uses);
  const bool few =
      uses <= kUsesMax && classes <= 64 && Binomial(uses + classes - 1, classes - 1) <= kCasesMax;
  if (!few || Binomial(uses + classes - 1, classes - 1).get_d() * bits > kBitsMax) {
    return Senseless("so many uses of this mechanism are too much to add up exactly",
                     "use fewer, or name a mechanism instead of a table.");
  }

  const mpz_class p_whole = Power(p_denominator, uses);
  const mpz_class q_whole = Power(q_denominator, uses);
  std::vector<std::pair<Rational, Rational>> atoms;
  // `left` uses are to be shared out among the classes from `from` on.
  const std::function<void(size_t, uint64_t, const mpz_class&, const mpz_class&)> share =
      [&](size_t from, uint64_t left, const mpz_class& p_so_far, const mpz_class& q_so_far) {
        if (p_so_far == 0 && q_so_far == 0) return;
        if (from + 1 == classes) {
          atoms.emplace_back(Fraction(p_so_far * Power(p[from], left), p_whole),
                             Fraction(q_so_far * Power(q[from], left), q_whole));
          return;
        }
        for (uint64_t here = 0; here <= left; ++here) {
          const mpz_class ways = Binomial(left, here);
          share(from + 1, left - here, p_so_far * ways * Power(p[from], here),
                q_so_far * ways * Power(q[from], here));
        }
      };
  share(0, uses, 1, 1);
  return MergedOf(std::move(atoms));
}

Result<Channel> Channel::Create(std::vector<std::string> inputs, std::vector<std::string> outputs,
                                std::vector<std::vector<Rational>> rows) {
  if (inputs.empty() || outputs.empty()) return Senseless("a channel needs inputs and outputs");
  for (const std::vector<std::string>* names : {&inputs, &outputs}) {
    std::set<std::string> seen;
    for (const std::string& name : *names) {
      if (!seen.insert(name).second) return Senseless("the name '" + name + "' is given twice");
    }
  }
  if (rows.size() != inputs.size()) return Senseless("every input needs a row");
  for (const std::vector<Rational>& row : rows) {
    if (row.size() != outputs.size()) return Senseless("every row needs an entry for each output");
    TACET_RETURN_IF_ERROR(CheckLaw(row));
  }
  return Channel(std::move(inputs), std::move(outputs), std::move(rows));
}

FinitePair Channel::Pair(size_t input, size_t other) const {
  return *FinitePair::Create(rows_[input], rows_[other]);
}

InputPairs Channel::EveryPair() const {
  InputPairs pairs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    for (size_t j = i + 1; j < inputs_.size(); ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}

InputPairs Channel::Groups(const InputPairs& neighbours, uint64_t size) const {
  std::vector<std::vector<size_t>> beside(inputs_.size());
  for (const auto& [a, b] : neighbours) {
    beside[a].push_back(b);
    beside[b].push_back(a);
  }
  InputPairs groups;
  for (size_t start = 0; start < inputs_.size(); ++start) {
    std::vector<std::optional<uint64_t>> steps(inputs_.size());
    steps[start] = 0;
    std::deque<size_t> open = {start};
    while (!open.empty()) {
      const size_t at = open.front();
      open.pop_front();
      if (*steps[at] == size) continue;
      for (const size_t next : beside[at]) {
        if (steps[next]) continue;
        steps[next] = *steps[at] + 1;
        open.push_back(next);
      }
    }
    for (size_t end = start + 1; end < inputs_.size(); ++end) {
      if (steps[end]) groups.emplace_back(start, end);
    }
  }
  return groups;
}

Result<Channel> Channel::Then(const Channel& kernel) const {
  if (kernel.inputs_.size() != outputs_.size()) {
    return Senseless("the second channel must have an input for each output of the first");
  }
  std::vector<std::vector<Rational>> rows;
  for (const std::vector<Rational>& row : rows_) {
    std::vector<Rational> image(kernel.outputs_.size());
    for (size_t i = 0; i < row.size(); ++i) {
      for (size_t j = 0; j < image.size(); ++j) image[j] += row[i] * kernel.rows_[i][j];
    }
    rows.push_back(std::move(image));
  }
  return Create(inputs_, kernel.outputs_, std::move(rows));
}

Rational GroupDelta(const Rational& ratio, const Rational& delta, uint64_t size) {
  const Rational growth = TACET_FAULT(group_delta_linear) ? Rational(1) : ratio;
  Rational sum;
  for (uint64_t i = 0; i < size; ++i) sum = sum * growth + Rational(1);
  return delta * sum;
}

Channel CoinTossChannel() { return *ResponseChannel(Rational(3)); }

Result<Channel> ResponseChannel(const Rational& ratio) {
  if (ratio <= Rational(1)) return Senseless("epsilon must be positive");
  const Rational lie = (Rational(1) + ratio).Inverse();
  return ResponseChannelOfGamma(Rational(1, 2) - lie);
}

Result<Channel> ResponseChannelOfGamma(const Rational& gamma) {
  if (gamma.sign() <= 0 || gamma >= Rational(1, 2)) {
    return Senseless("gamma must be between 0 and 1/2, without either",
                     "at 0 the answer says nothing, at 1/2 it is always the truth.");
  }
  const Rational truth = Rational(1, 2) + gamma;
  const Rational lie = Rational(1, 2) - gamma;
  return Channel::Create({"0", "1"}, {"0", "1"}, {{truth, lie}, {lie, truth}});
}

Result<Channel> LeakyChannel(const Rational& ratio, const Rational& delta) {
  if (ratio < Rational(1)) return Senseless("the ratio must be at least 1");
  if (delta.sign() < 0 || delta > Rational(1)) return Senseless("delta must be in [0, 1]");
  const Rational lie = (Rational(1) - delta) / (Rational(1) + ratio);
  const Rational truth = lie * ratio;
  return Channel::Create({"0", "1"}, {"0", "1", "U", "V"},
                         {{truth, lie, delta, Rational(0)}, {lie, truth, Rational(0), delta}});
}

Result<Channel> ShareChannel(const Rational& rate) {
  if (rate.sign() <= 0 || rate > Rational(1)) {
    return Senseless("the probability of being published must be in (0, 1]");
  }
  const Rational rest = Rational(1) - rate;
  const Rational none;
  return Channel::Create({"row a", "row b", "no row"}, {"row a", "row b", "nothing"},
                         {{rate, none, rest}, {none, rate, rest}, {none, none, Rational(1)}});
}

}  // namespace tacet
