// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/shuffle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "tacet/base/ball.h"
#include "tacet/base/fault.h"

// Each formula is written once, for two kinds of numbers: long double to search with, and Ball to
// be certain. What the search finds is believed only after it was evaluated with balls.
namespace tacet {
namespace {

long double Up(long double x) { return x; }
long double Up(const Ball& x) { return x.Upper(); }
long double Down(long double x) { return x; }
long double Down(const Ball& x) { return x.Lower(); }
long double Middle(long double x) { return x; }
long double Middle(const Ball& x) { return x.middle(); }
long double PlainOrBall(const Ball& x, long double) { return x.middle(); }
Ball PlainOrBall(const Ball& x, const Ball&) { return x; }
// Something between 0 and `most`.
long double Between(long double most, long double) { return most / 2; }
Ball Between(long double most, const Ball&) { return {most / 2, most / 2 * (1 + 0x1p-60L)}; }

template <typename Real>
Real Of(const Ball& ball) {
  return PlainOrBall(ball, Real());
}

// Part of a law on whole numbers: mass[i] is that of first + i, and what is left out is at most
// `tail`.
template <typename Real>
struct Window {
  int64_t first = 0;
  std::vector<Real> mass;
  long double tail = 0;

  int64_t last() const { return first + static_cast<int64_t>(mass.size()) - 1; }
};

// Binomial(count, p) with odds = p / (1 - p), all but about `cut` of it. The masses are ratios to
// the largest, divided by their sum: no factorial is needed.
template <typename Real>
Window<Real> BinomialWindow(int64_t count, const Real& odds, long double cut) {
  const long double p = Middle(odds) / (1 + Middle(odds));
  const auto mode = std::min(count, static_cast<int64_t>(p * static_cast<long double>(count + 1)));
  const Real inverse = Real(1) / odds;
  const auto grow = [&](int64_t from, int direction, std::vector<Real>& out) -> long double {
    Real weight(1);
    for (int64_t j = from;; j += direction) {
      const int64_t over = direction > 0 ? count - j : j;
      const int64_t under = direction > 0 ? j + 1 : count - j + 1;
      if (over == 0) return 0;
      const Real ratio = Real(static_cast<long double>(over)) /
                         Real(static_cast<long double>(under)) * (direction > 0 ? odds : inverse);
      // From here on the ratios only fall, so the rest is below a geometric series.
      const long double r = Up(ratio);
      if (r < 1 && Up(weight) * r / (1 - r) * (1 + 0x1p-50L) < cut) {
        return Up(weight) * r / (1 - r) * (1 + 0x1p-50L);
      }
      weight = weight * ratio;
      out.push_back(weight);
    }
  };
  std::vector<Real> above;
  std::vector<Real> below;
  const long double left_out = grow(mode, 1, above) + grow(mode, -1, below);
  Window<Real> window;
  window.first = mode - static_cast<int64_t>(below.size());
  window.mass.assign(below.rbegin(), below.rend());
  window.mass.push_back(Real(1));
  window.mass.insert(window.mass.end(), above.begin(), above.end());
  Real total = Between(left_out, Real());
  for (const Real& weight : window.mass) total = total + weight;
  const Real scale = Real(1) / total;
  for (Real& weight : window.mass) weight = weight * scale;
  window.tail = left_out * Up(scale) * (1 + 0x1p-50L);
  return window;
}

// The two inputs' reports differ by a bit that is 1 with probability p or q = 1 - p, added to a
// number of others. Against a ratio x, the event "more than m, or as many as m and one more" gains
// gain s(m) - cost P[S > m], where s is the law of the others' number S.
template <typename Real>
struct Stakes {
  Real gain;  // p - x q
  Real cost;  // x - 1
  Real loss;  // x p - q

  Stakes(const Ball& lie_odds, long double epsilon) {
    const Ball x = Exp(Ball(epsilon));
    const Ball q = lie_odds / (Ball(1) + lie_odds);
    const Ball p = Ball(1) / (Ball(1) + lie_odds);
    gain = Of<Real>(p - x * q);
    cost = Of<Real>(x - Ball(1));
    loss = Of<Real>(x * p - q);
  }
};

// P[Bin(c, 1/2) = m] and P[Bin(c, 1/2) > m], going down with c, for m that go down by 0 or 1.
template <typename Real>
class FairTail {
 public:
  FairTail(int64_t c, int64_t m) : c_(c), m_(m) {
    const Window<Real> centre = BinomialWindow<Real>(c, Real(1), 0x1p-90L);
    const int64_t mode = centre.first + static_cast<int64_t>(centre.mass.size()) / 2;
    Real mass = centre.mass[static_cast<size_t>(mode - centre.first)];
    for (int64_t j = mode; j < m; ++j) mass = mass * Ratio(j);
    for (int64_t j = mode; j > m; --j) {
      mass = mass * (Real(static_cast<long double>(j)) / Real(static_cast<long double>(c - j + 1)));
    }
    at_ = mass;
    above_ = Real(0);
    for (int64_t j = m; j < c; ++j) {
      const Real ratio = Ratio(j);
      const long double r = Up(ratio);
      if (r < 1 && Up(mass) * r / (1 - r) < 0x1p-80L * Middle(above_)) {
        above_ = above_ + Between(Up(mass) * r / (1 - r) * (1 + 0x1p-50L), Real());
        break;
      }
      if (Up(mass) < kVanishing) {
        above_ = above_ + Between(2 * kVanishing * static_cast<long double>(c), Real());
        break;
      }
      mass = mass * ratio;
      above_ = above_ + mass;
    }
  }

  int64_t c() const { return c_; }
  int64_t m() const { return m_; }
  const Real& at() const { return at_; }
  const Real& above() const { return above_; }

  // To c - 1 and `m`, which is at most the present one.
  void Descend(int64_t m) {
    const Real half_stay =
        at_ * (Real(static_cast<long double>(c_ - m_)) / Real(static_cast<long double>(c_)));
    if (m == m_) {
      at_ = half_stay + half_stay;
      above_ = above_ - half_stay;
      --c_;
      return;
    }
    at_ = at_ * (Real(static_cast<long double>(2 * m_)) / Real(static_cast<long double>(c_)));
    above_ = above_ + half_stay;
    --c_;
    --m_;
    while (m_ > m) {
      above_ = above_ + at_;
      at_ =
          at_ * (Real(static_cast<long double>(m_)) / Real(static_cast<long double>(c_ - m_ + 1)));
      --m_;
    }
  }

 private:
  static constexpr long double kVanishing = 0x1p-7000L;

  Real Ratio(int64_t j) const {
    return Real(static_cast<long double>(c_ - j)) / Real(static_cast<long double>(j + 1));
  }

  int64_t c_;
  int64_t m_;
  Real at_;
  Real above_;
};

// delta(epsilon) of the clones' pair.
template <typename Real>
class CloneLaw {
 public:
  CloneLaw(const Ball& lie_odds, int64_t people, long double delta)
      : lie_odds_(lie_odds),
        clones_(BinomialWindow<Real>(people - 1, Of<Real>(CloneOdds(lie_odds)), delta * 0x1p-50L)) {
  }

  Real Delta(long double epsilon) const {
    const Stakes<Real> stakes(lie_odds_, epsilon);
    if (!(Down(stakes.gain) > 0)) return Between(std::max(0.0L, Up(stakes.gain)), Real());
    const long double share = Middle(stakes.loss) / (Middle(stakes.gain) + Middle(stakes.loss));
    const auto best = [&](int64_t c) {
      return std::clamp(static_cast<int64_t>(share * static_cast<long double>(c + 1)), int64_t{0},
                        c);
    };
    // The fewer clones, the more is gained. Where even the fewest leave less than e^-5000, by
    // Hoeffding, there is nothing to add up.
    const auto fewest = static_cast<long double>(clones_.first);
    const long double beyond = static_cast<long double>(best(clones_.first) - 1) - fewest / 2;
    if (beyond > 0 && 2 * beyond * beyond > 5000 * fewest) {
      return Between(clones_.tail + 0x1p-7000L, Real());
    }
    FairTail<Real> tail(clones_.last(), best(clones_.last()));
    Real sum = Between(clones_.tail, Real());
    for (int64_t c = clones_.last();; --c) {
      const Real gained =
          stakes.gain * tail.at() - stakes.cost * tail.above() + Doubt(stakes, tail);
      sum = sum + clones_.mass[static_cast<size_t>(c - clones_.first)] * gained;
      if (c == clones_.first) return sum;
      tail.Descend(best(c - 1));
    }
  }

 private:
  // Of somebody else being a clone of the two, with probability e^-epsilon.
  static Ball CloneOdds(const Ball& lie_odds) {
    const Ball p =
        TACET_FAULT(shuffle_clones_doubled) ? Ball(2) * lie_odds / (Ball(1) + lie_odds) : lie_odds;
    return p / (Ball(1) - p);
  }
  // How much more the best event may gain than the one that was looked at: nothing where the
  // outcomes on both sides of it are certain to be on the right side.
  static Real Doubt(const Stakes<Real>& stakes, const FairTail<Real>& tail) {
    const int64_t c = tail.c();
    const int64_t m = tail.m();
    const auto gains = [&](int64_t a) {
      return Real(static_cast<long double>(a)) * stakes.gain -
             Real(static_cast<long double>(c + 1 - a)) * stakes.loss;
    };
    const long double inside = std::max(0.0L, -Down(gains(m + 1)));
    const long double outside = std::max(0.0L, Up(gains(m)));
    if (inside == 0 && outside == 0) return Real(0);
    const long double step = Down(stakes.gain) + Down(stakes.loss);
    if (inside > step / 4 || outside > step / 4) return Between(2, Real());
    return Between(Up(tail.at()) *
                       (inside / static_cast<long double>(m + 1) +
                        outside / static_cast<long double>(c - m + 1)) *
                       (1 + 0x1p-50L),
                   Real());
  }

  Ball lie_odds_;
  Window<Real> clones_;
};

// delta(epsilon) of the number of yes, where `yes` of `others` would say yes.
template <typename Real>
class CountLaw {
 public:
  CountLaw(const Ball& lie_odds, int64_t others, int64_t yes, long double delta)
      : lie_odds_(lie_odds),
        yes_(BinomialWindow<Real>(yes, Of<Real>(Ball(1) / lie_odds), delta * 0x1p-50L)),
        no_(BinomialWindow<Real>(others - yes, Of<Real>(lie_odds), delta * 0x1p-50L)),
        cut_(2 * (yes_.tail + no_.tail)) {
    no_above_.resize(no_.mass.size());
    Real sum(0);
    for (size_t j = no_.mass.size(); j-- > 0;) {
      no_above_[j] = sum;
      sum = sum + no_.mass[j];
    }
  }

  Real Delta(long double epsilon) const {
    const Stakes<Real> stakes(lie_odds_, epsilon);
    if (!(Down(stakes.gain) > 0)) return Between(std::max(0.0L, Up(stakes.gain)), Real());
    const int64_t best = BestEvent(stakes);
    Real most = Gained(stakes, best);
    // The gain grows up to the best event and falls from there: it is enough to go on, both ways,
    // to one that is certainly worse.
    for (const int direction : {-1, 1}) {
      for (int64_t m = best + direction; m >= 0 && m <= yes_.last() + no_.last(); m += direction) {
        const Real other = Gained(stakes, m);
        if (Up(other) < Down(most) || Up(other) <= 0) break;
        if (Up(other) <= Up(most)) {
          if (std::is_same_v<Real, long double>) break;
          continue;
        }
        most = Hull(most, other);
      }
    }
    return most + Between(cut_, Real());
  }

 private:
  static long double Hull(long double a, long double b) { return std::max(a, b); }
  static Ball Hull(const Ball& a, const Ball& b) {
    const long double high = std::max(a.Upper(), b.Upper());
    const long double low = std::max(a.Lower(), b.Lower());
    return {(high + low) / 2, (high - low) / 2 * (1 + 0x1p-50L) + std::fabs(high) * 0x1p-60L};
  }

  // P[S = m].
  Real At(int64_t m) const {
    Real sum(0);
    const int64_t from = std::max(yes_.first, m - no_.last());
    const int64_t to = std::min(yes_.last(), m - no_.first);
    for (int64_t i = from; i <= to; ++i) {
      sum = sum + yes_.mass[static_cast<size_t>(i - yes_.first)] *
                      no_.mass[static_cast<size_t>(m - i - no_.first)];
    }
    return sum;
  }

  // P[S > m].
  Real Above(int64_t m) const {
    Real sum(0);
    for (int64_t i = yes_.first; i <= yes_.last(); ++i) {
      const Real& mass = yes_.mass[static_cast<size_t>(i - yes_.first)];
      const int64_t j = m - i;
      if (j > no_.last()) continue;
      sum = sum + (j < no_.first ? mass : mass * no_above_[static_cast<size_t>(j - no_.first)]);
    }
    return sum;
  }

  Real Gained(const Stakes<Real>& stakes, int64_t m) const {
    return stakes.gain * At(m) - stakes.cost * Above(m);
  }

  // The first outcome that gains is best + 1; found by halves, which needs no certainty.
  int64_t BestEvent(const Stakes<Real>& stakes) const {
    int64_t low = yes_.first + no_.first;
    int64_t high = yes_.last() + no_.last() + 1;
    long double gain = Middle(stakes.gain);
    long double loss = Middle(stakes.loss);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const bool gains = gain * PlainAt(middle) >= loss * PlainAt(middle + 1);
      if (gains) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  long double PlainAt(int64_t m) const {
    long double sum = 0;
    const int64_t from = std::max(yes_.first, m - no_.last());
    const int64_t to = std::min(yes_.last(), m - no_.first);
    for (int64_t i = from; i <= to; ++i) {
      sum += Middle(yes_.mass[static_cast<size_t>(i - yes_.first)]) *
             Middle(no_.mass[static_cast<size_t>(m - i - no_.first)]);
    }
    return sum;
  }

  Ball lie_odds_;
  Window<Real> yes_;
  Window<Real> no_;
  long double cut_;
  std::vector<Real> no_above_;  // P[more than this many noes lie]
};

// The epsilon at which a falling curve passes `delta`, by halves: no proof.
double Search(const std::function<long double(long double)>& curve, long double epsilon_max,
              long double delta) {
  long double low = 0;
  long double high = epsilon_max;
  if (curve(0) <= delta) return 0;
  constexpr int kSteps = 50;
  for (int i = 0; i < kSteps && high - low > 1e-14L * high; ++i) {
    const long double middle = low + (high - low) / 2;
    (curve(middle) > delta ? low : high) = middle;
  }
  return static_cast<double>(high);
}

using CertainCurve = std::function<Ball(long double)>;

// The least number a little above `found` where the curve is certainly at most `delta`.
double CertainlyAbove(const CertainCurve& curve, double found, double epsilon_max,
                      const Ball& delta) {
  for (double slack = 1e-12; slack < 1; slack *= 8) {
    const double epsilon = found * (1 + slack);
    if (epsilon >= epsilon_max) break;
    if (curve(epsilon).Upper() <= delta.Lower()) return epsilon;
  }
  return epsilon_max;
}

double CertainlyBelow(const CertainCurve& curve, double found, const Ball& delta) {
  for (double slack = 1e-12; slack < 1; slack *= 8) {
    const double epsilon = found * (1 - slack);
    if (curve(epsilon).Lower() > delta.Upper()) return epsilon;
  }
  return 0;
}

struct Prepared {
  Ball lie_odds;  // e^-epsilon
  Ball delta;
  double epsilon_max;
};

Result<Prepared> Prepare(const ShuffleTarget& target) {
  const auto wrong = [](const char* what, const char* hint) {
    return Error{.code = Code::kUsage, .message = what, .hint = hint};
  };
  if (target.epsilon.ratio.sign() <= 0 || !target.epsilon.CertainlyPositive() ||
      !target.epsilon.Enclosure(128).CertainlyAtLeast(Rational(1, 1'000'000'000)) ||
      !target.epsilon.Enclosure(128).CertainlyAtMost(Rational(100))) {
    return wrong("epsilon is out of range for shuffling", "it must lie between 1e-9 and 100.");
  }
  if (target.people < 1 || target.people > kShuffledPeopleMax) {
    return wrong("the number of people is out of range", "it must lie between 1 and 10^9.");
  }
  if (target.delta < Rational::PowerOfTwo(-600) || target.delta >= Rational(1)) {
    return wrong("delta is out of range for shuffling",
                 "it must be below 1 and not below 2^-600; 1e-6 is common.");
  }
  const Interval epsilon = target.epsilon.Enclosure(128);
  return Prepared{.lie_odds = Ball::Of(Exp(-epsilon)),
                  .delta = Ball::Of(target.delta),
                  .epsilon_max = mpfr_get_d(epsilon.high(), MPFR_RNDU)};
}

// Neighbouring counts of yes among the others, which are looked at together: what is known of all
// of them is what `others` of them do, `yes` of whom would say yes. More people never lose more.
struct Block {
  int64_t first;
  int64_t last;
};

double EpsilonOfCount(const Prepared& prepared, int64_t others, int64_t yes) {
  const long double delta = prepared.delta.middle();
  const CountLaw<long double> law(prepared.lie_odds, others, yes, delta);
  return Search([&](long double epsilon) { return law.Delta(epsilon); }, prepared.epsilon_max,
                delta);
}

}  // namespace

Result<LossBounds> ShuffledEpsilon(const ShuffleTarget& target) {
  TACET_TRY(const Prepared prepared, Prepare(target));
  const long double delta = prepared.delta.middle();
  const CloneLaw<long double> plain(prepared.lie_odds, target.people, delta);
  const double found = Search([&](long double epsilon) { return plain.Delta(epsilon); },
                              prepared.epsilon_max, delta);
  const CloneLaw<Ball> certain(prepared.lie_odds, target.people, delta);
  const CertainCurve curve = [&](long double epsilon) { return certain.Delta(epsilon); };
  return LossBounds{.lower = CertainlyBelow(curve, found, prepared.delta),
                    .upper = CertainlyAbove(curve, found, prepared.epsilon_max, prepared.delta)};
}

Result<LossBounds> ShuffledResponseEpsilon(const ShuffleTarget& target, int64_t blocks) {
  TACET_TRY(const Prepared prepared, Prepare(target));
  const int64_t others = target.people - 1;
  const int64_t size = (others + blocks) / blocks;
  const int64_t count = others / size + 1;
  const auto block_at = [&](int64_t i) {
    return Block{.first = i * size, .last = std::min(others, i * size + size - 1)};
  };
  // The two ends, which are often the worst, then all in an order that goes back and forth, so that
  // the largest so far seldom grows.
  std::vector<int64_t> order = {0, count - 1};
  int64_t stride = count / 2 + 1;
  while (std::gcd(stride, count) != 1) ++stride;
  for (int64_t i = 0; i < count; ++i) order.push_back((i * stride) % count);

  LossBounds bounds;
  const long double delta = prepared.delta.middle();
  if (TACET_FAULT(shuffle_one_count)) order = {count / 2};
  for (size_t turn = 0; turn < order.size(); ++turn) {
    const Block block = block_at(order[turn]);
    const int64_t fewer = others - (block.last - block.first);
    const CountLaw<Ball> law(prepared.lie_odds, fewer, block.first, delta);
    const CertainCurve curve = [&](long double epsilon) { return law.Delta(epsilon); };
    if (turn >= 2 && curve(bounds.upper).Upper() <= prepared.delta.Lower()) continue;
    const double found = EpsilonOfCount(prepared, fewer, block.first);
    bounds.upper =
        std::max(bounds.upper, CertainlyAbove(curve, found, prepared.epsilon_max, prepared.delta));
    // Everybody counts for the lower bound.
    for (const int64_t yes : {block.first, block.last}) {
      const CountLaw<Ball> whole(prepared.lie_odds, others, yes, delta);
      const CertainCurve all = [&](long double epsilon) { return whole.Delta(epsilon); };
      bounds.lower = std::max(
          bounds.lower, CertainlyBelow(all, EpsilonOfCount(prepared, others, yes), prepared.delta));
    }
  }
  return bounds;
}

}  // namespace tacet
