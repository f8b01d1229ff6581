// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/loss_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tacet/measure/group.h"
#include "tacet/measure/noise_loss.h"
#include "tacet/measure/optimal.h"

namespace tacet::cli {
namespace {

using Bar = LossReport::Bar;
using Point = LossReport::Point;
using Curve = std::function<Result<LossBounds>(const ExactLoss&)>;

constexpr mpfr_prec_t kPrecision = 192;
constexpr size_t kBarsMax = 60;
constexpr int kBins = 24;

Error Senseless(std::string what, std::string hint = {}) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

Rational Count(uint64_t count) { return Rational(static_cast<int64_t>(count)); }

double Middle(const LossBounds& bounds) { return bounds.lower + (bounds.upper - bounds.lower) / 2; }

double Near(const ExactLoss& loss) { return Middle(LossBounds::Of(loss.Enclosure(kPrecision))); }

LossBounds AtMostOne(const LossBounds& bounds) {
  return {std::clamp(bounds.lower, 0.0, 1.0), std::clamp(bounds.upper, 0.0, 1.0)};
}

LossBounds Larger(const LossBounds& a, const LossBounds& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

// Exact where ln(r^k) does not have millions of digits, else rounded up.
ExactLoss TimesUp(const ExactLoss& loss, uint64_t times) {
  constexpr uint64_t kPowerMax = 100'000;
  if (loss.ratio == Rational(1) || times <= kPowerMax) {
    return loss.Times(static_cast<int64_t>(times));
  }
  return {.linear = loss.Enclosure(kPrecision).High() * Count(times)};
}

// 0, and the mean and some standard deviations above it, in two digits.
std::vector<ExactLoss> PointsAround(double mean, double spread, double worst) {
  std::vector<ExactLoss> points = {ExactLoss{}};
  for (const int deviations : {0, 1, 2, 3, 4, 5}) {
    const double at = mean + deviations * spread;
    if (!std::isfinite(at) || at <= 0 || at >= worst) continue;
    const ExactLoss rounded{.linear = *Rational::Parse(fmt::format("{:.1e}", at))};
    if (rounded > points.back()) points.push_back(rounded);
  }
  return points;
}

// The share of one person in the loss of a group; not above it where it has to be rounded.
ExactLoss ShareOf(const ExactLoss& epsilon, uint64_t group) {
  if (group == 1) return epsilon;
  if (epsilon.ratio == Rational(1)) return {.linear = epsilon.linear / Count(group)};
  const Rational low = epsilon.Enclosure(kPrecision).Low() / Count(group);
  return {.linear = std::max(low, Rational(0))};
}

// P2 from the curve of one person: delta for `group` people at `group` times the share.
Result<double> GroupBound(const Curve& curve_of_one, const ExactLoss& share, uint64_t group) {
  TACET_TRY(const LossBounds one, curve_of_one(share));
  TACET_TRY(const Delta delta, Delta::Create(Rational::FromDouble(std::min(one.upper, 1.0))));
  TACET_TRY(const GroupLoss loss,
            LossOfGroup({.linear = share.linear, .ratio = share.ratio}, delta, group));
  return loss.delta.value().ToDoubleUp();
}

// Puts the values together that the picture cannot tell apart, without the far tails.
std::vector<Bar> BarsOf(const std::vector<Bar>& distribution) {
  if (distribution.size() <= kBarsMax) return distribution;
  constexpr double kNegligible = 1e-6;
  size_t first = 0;
  for (double mass = 0; first + 1 < distribution.size(); ++first) {
    mass += distribution[first].probability;
    if (mass > kNegligible) break;
  }
  size_t last = distribution.size() - 1;
  for (double mass = 0; last > first; --last) {
    mass += distribution[last].probability;
    if (mass > kNegligible) break;
  }
  // As many values in each bar where they are evenly spaced; else bars of the same width.
  const double low = distribution[first].loss;
  const double step = distribution[first + 1].loss - low;
  bool even = true;
  for (size_t i = first; i <= last; ++i) {
    const double expected = low + step * static_cast<double>(i - first);
    even = even && std::abs(distribution[i].loss - expected) < step / 4;
  }
  const size_t values = last - first + 1;
  const double together = even ? static_cast<double>((values + kBins - 1) / kBins) : 0;
  const double width =
      even ? step * together : (distribution[last].loss - low) / kBins * (1 + 1e-9);
  std::vector<Bar> bars;
  for (size_t i = first; i <= last; ++i) {
    const double from = even ? low - step / 2 : low;
    const double place = std::floor((distribution[i].loss - from) / width);
    const double middle = from + (place + 0.5) * width;
    if (bars.empty() || middle > bars.back().loss + width / 2) bars.push_back({middle, 0});
    bars.back().probability += distribution[i].probability;
  }
  return bars;
}

void SetDistribution(const LossDistribution& loss, LossReport& report) {
  for (const LossDistribution::Atom& atom : loss.atoms()) {
    report.distribution.push_back({Near(atom.loss), Middle(LossBounds::Of(atom.probability))});
  }
  report.infinite_probability = LossBounds::Of(loss.infinite()).upper;
  report.bars = BarsOf(report.distribution);
}

double SpreadOf(const std::vector<Bar>& distribution, double* mean) {
  *mean = 0;
  for (const Bar& bar : distribution) *mean += bar.probability * bar.loss;
  double variance = 0;
  for (const Bar& bar : distribution) {
    variance += bar.probability * (bar.loss - *mean) * (bar.loss - *mean);
  }
  return std::sqrt(variance);
}

// The values of the loss themselves where they are few, since the curve bends there, and quarters
// of the largest; without any, two points show that the curve is flat.
std::vector<ExactLoss> PointsOf(const LossDistribution& loss, const LossReport& report) {
  constexpr size_t kPointsMax = 6;
  std::vector<ExactLoss> points = {ExactLoss{}};
  for (const LossDistribution::Atom& atom : loss.atoms()) {
    if (points.size() > kPointsMax) break;
    if (atom.loss > points.back()) points.push_back(atom.loss);
  }
  if (points.size() > kPointsMax) {
    double mean = 0;
    const double spread = SpreadOf(report.distribution, &mean);
    return PointsAround(mean, spread, report.distribution.back().loss);
  }
  const double largest = Near(points.back());
  if (largest == 0) points.push_back({.linear = Rational(1)});
  constexpr size_t kFew = 3;
  if (largest > 0 && points.size() <= kFew) {
    for (const double share : {0.25, 0.5, 0.75}) {
      points.push_back({.linear = *Rational::Parse(fmt::format("{:.1e}", share * largest))});
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
  }
  return points;
}

Status AddPoints(const std::vector<ExactLoss>& at, const Curve& curve, const Curve& tail,
                 LossReport& report) {
  for (const ExactLoss& epsilon : at) {
    TACET_TRY(const LossBounds delta, curve(epsilon));
    Point point{.epsilon = epsilon, .delta = AtMostOne(delta)};
    if (tail) {
      TACET_TRY(const LossBounds beyond, tail(epsilon));
      point.tail = AtMostOne(beyond);
    }
    report.points.push_back(point);
  }
  return {};
}

std::string InfiniteBecause(const std::string& output) {
  return "output " + output + " is possible for one input and not for its neighbour";
}

// The two laws of every pair of neighbours, in both orders.
struct Compared {
  std::pair<size_t, size_t> inputs;
  FinitePair once;
  LossDistribution forth;
  LossDistribution back;
};

Result<std::vector<Compared>> Compare(const Channel& channel, const InputPairs& pairs,
                                      uint64_t uses) {
  constexpr size_t kEntriesMax = 4'000'000;
  if (pairs.empty()) {
    return Error{.code = Code::kData,
                 .message = "there are no neighbours to tell apart",
                 .hint = "a channel needs a line for each of two inputs."};
  }
  if (pairs.size() > kEntriesMax / channel.outputs().size()) {
    return Error{.code = Code::kData,
                 .message = "there are too many pairs of inputs to compare",
                 .hint = "say which ones are neighbours with --neighbours FILE."};
  }
  std::vector<Compared> compared;
  for (const auto& [a, b] : pairs) {
    const FinitePair once = channel.Pair(a, b);
    TACET_TRY(const FinitePair pair, once.Repeated(uses));
    compared.push_back({{a, b}, once, pair.Loss(), pair.Swapped().Loss()});
  }
  return compared;
}

Curve WorstOf(const std::vector<Compared>& all,
              Interval (LossDistribution::*what)(const ExactLoss&) const) {
  return [&all, what](const ExactLoss& epsilon) -> Result<LossBounds> {
    LossBounds worst;
    for (const Compared& pair : all) {
      worst = Larger(worst, LossBounds::Of((pair.forth.*what)(epsilon)));
      worst = Larger(worst, LossBounds::Of((pair.back.*what)(epsilon)));
    }
    return worst;
  };
}

// Whether `a` is told apart better than `b`.
bool IsWorse(const FinitePair::Extreme& a, const FinitePair::Extreme& b) {
  if (!a.ratio || !b.ratio) return !a.ratio && b.ratio;
  return *a.ratio > *b.ratio;
}

LossReport::Output OutputOf(const std::string& name, const Rational& p, const Rational& q) {
  LossReport::Output output{
      .name = name, .p = {p, p.ToDouble()}, .q = {q, q.ToDouble()}, .loss = {}};
  if (p.sign() > 0 && q.sign() > 0) output.loss = ExactLoss{.ratio = p / q};
  return output;
}

}  // namespace

Result<LossReport> ReportOfChannel(const Channel& channel, const InputPairs& neighbours,
                                   const LossOptions& options) {
  const InputPairs pairs =
      options.group == 1 ? neighbours : channel.Groups(neighbours, options.group);
  TACET_TRY(const std::vector<Compared> all, Compare(channel, pairs, options.uses));

  LossReport report;
  const Compared* chosen = nullptr;
  FinitePair::Extreme extreme;
  report.expected = LossBounds{};
  for (const Compared& pair : all) {
    const FinitePair::Extreme here = pair.once.Worst();
    if (chosen == nullptr || IsWorse(here, extreme)) {
      chosen = &pair;
      extreme = here;
    }
    for (const LossDistribution* order : {&pair.forth, &pair.back}) {
      const std::optional<Interval> expected = order->Expected();
      if (!expected) report.expected = std::nullopt;
      if (report.expected) report.expected = Larger(*report.expected, LossBounds::Of(*expected));
    }
  }
  const auto [a, b] = chosen->inputs;
  const FinitePair once = extreme.swapped ? chosen->once.Swapped() : chosen->once;
  const LossDistribution& loss = extreme.swapped ? chosen->back : chosen->forth;
  report.p_name = channel.inputs()[extreme.swapped ? b : a];
  report.q_name = channel.inputs()[extreme.swapped ? a : b];
  if (extreme.ratio) {
    report.epsilon = loss.Worst();
  } else {
    report.infinite_why = InfiniteBecause(channel.outputs()[extreme.output]);
  }
  for (size_t i = 0; i < channel.outputs().size(); ++i) {
    if (once.p()[i].sign() == 0 && once.q()[i].sign() == 0) continue;
    report.outputs.push_back(OutputOf(channel.outputs()[i], once.p()[i], once.q()[i]));
  }
  SetDistribution(loss, report);
  const std::vector<ExactLoss> at = options.at.empty() ? PointsOf(loss, report) : options.at;
  TACET_RETURN_IF_ERROR(AddPoints(at, WorstOf(all, &LossDistribution::Delta),
                                  WorstOf(all, &LossDistribution::Tail), report));
  if (options.group == 1) return report;
  TACET_TRY(const std::vector<Compared> ones, Compare(channel, neighbours, options.uses));
  for (Point& point : report.points) {
    TACET_TRY(point.group_bound, GroupBound(WorstOf(ones, &LossDistribution::Delta),
                                            ShareOf(point.epsilon, options.group), options.group));
  }
  return report;
}

namespace {

// The laws of the four outputs as decimals, where they are not rational.
void SetOutputs(const ExactEpsilon& epsilon, const Rational& delta, LossReport& report) {
  report.p_name = "0";
  report.q_name = "1";
  const ExactLoss loss = ExactLoss::Of(epsilon);
  const Rational rest = Rational(1) - delta;
  if (loss.linear.sign() == 0) {
    const Rational lie = rest / (Rational(1) + loss.ratio);
    const Rational truth = rest - lie;
    report.outputs = {OutputOf("0", truth, lie), OutputOf("1", lie, truth)};
  } else {
    const Interval ratio = loss.Exponential(kPrecision);
    const Interval lie = Interval(rest, kPrecision) / (Interval(Rational(1), kPrecision) + ratio);
    const LossReport::Probability lies{{}, Middle(LossBounds::Of(lie))};
    const LossReport::Probability truths{{}, Middle(LossBounds::Of(lie * ratio))};
    report.outputs = {{.name = "0", .p = truths, .q = lies, .loss = loss},
                      {.name = "1", .p = lies, .q = truths, .loss = loss.Times(-1)}};
  }
  if (delta.sign() == 0) return;
  report.outputs.push_back(OutputOf("U", delta, Rational(0)));
  report.outputs.push_back(OutputOf("V", Rational(0), delta));
}

// Bins between the points, from the curve alone.
Status SetBins(
    const std::function<Result<std::vector<LossBounds>>(const std::vector<Rational>&)>& tails,
    double from, double to, bool numerical, LossReport& report) {
  std::vector<Rational> edges;
  // One more at either end, so that every edge has a neighbour on both sides.
  for (int i = -1; i <= kBins + 1; ++i) {
    edges.push_back(Rational::FromDouble(from + (to - from) * i / kBins));
  }
  TACET_TRY(const std::vector<LossBounds> beyond, tails(edges));
  for (size_t i = 1; i + 2 < edges.size(); ++i) {
    const double left = edges[i].ToDouble();
    const double right = edges[i + 1].ToDouble();
    const double mass = std::max(0.0, Middle(beyond[i]) - Middle(beyond[i + 1]));
    report.distribution.push_back({(left + right) / 2, mass, LossBounds{left, right}});
  }
  if (numerical) {
    for (size_t i = 1; i + 1 < edges.size(); ++i) {
      report.cumulative.push_back(
          {edges[i].ToDouble(), LossBounds{1 - beyond[i].upper, 1 - beyond[i].lower}});
    }
  }
  report.bars = report.distribution;
  return {};
}

// More uses than there may be values: the curve by optimal composition, which is the same.
Status SetManyUses(const ExactEpsilon& epsilon, const Rational& delta, const LossOptions& options,
                   Curve* curve, LossReport& report) {
  const std::vector<BoundedStep> steps = {
      {.epsilon = epsilon, .rate = Rational(1), .delta = delta, .count = options.uses}};
  const auto at_rational = [steps](const Rational& at) -> Result<LossBounds> {
    const std::optional<Interval> found = OptimalDelta(steps, at);
    if (!found) return Senseless("so many uses are too much work");
    return AtMostOne(LossBounds::Of(*found));
  };
  *curve = [at_rational](const ExactLoss& at) -> Result<LossBounds> {
    if (at.ratio == Rational(1)) return at_rational(at.linear);
    const Interval enclosure = at.Enclosure(kPrecision);
    TACET_TRY(const LossBounds above, at_rational(enclosure.Low()));
    TACET_TRY(const LossBounds below, at_rational(enclosure.High()));
    return LossBounds{below.lower, above.upper};
  };
  const auto mirrored =
      [at_rational](const std::vector<Rational>& at) -> Result<std::vector<LossBounds>> {
    std::vector<LossBounds> deltas;
    for (const Rational& point : at) {
      TACET_TRY(const LossBounds found, at_rational(point.Abs()));
      const Interval factor = Exp(Interval(point, kPrecision));
      const auto other = [&](double value) {
        const Interval one(Rational(1), kPrecision);
        return one - factor * (one - Interval(Rational::FromDouble(value), kPrecision));
      };
      deltas.push_back(point.sign() >= 0 ? found
                                         : AtMostOne({LossBounds::Of(other(found.lower)).lower,
                                                      LossBounds::Of(other(found.upper)).upper}));
    }
    return internal::TailsOfCurve(at, deltas);
  };
  const double one = Near(ExactLoss::Of(epsilon));
  const auto uses = static_cast<double>(options.uses);
  const double mean = uses * one * std::tanh(one / 2);
  const double spread = std::sqrt(uses) * one;
  return SetBins(mirrored, std::max(mean - 4 * spread, -uses * one),
                 std::min(mean + 4 * spread, uses * one), /*numerical=*/true, report);
}

}  // namespace

Result<LossReport> ReportOfResponse(const ExactEpsilon& epsilon, const Rational& delta,
                                    const LossOptions& options) {
  TACET_TRY(const LossDistribution once, LeakyLoss(epsilon, delta));
  LossReport report;
  const ExactLoss loss = ExactLoss::Of(epsilon);
  const bool is_huge = options.group > kStepCountMax / options.uses;
  if (is_huge) return Senseless("--group times --compose is too large");
  const uint64_t times = options.uses * options.group;
  constexpr double kShownMax = 1e300;
  if (!(Near(loss) * static_cast<double>(times) < kShownMax)) {
    return Senseless("the loss is too large to be shown");
  }
  if (delta.sign() > 0) {
    report.infinite_why = InfiniteBecause("U");
  } else {
    report.epsilon = TimesUp(loss, times);
  }
  if (delta.sign() == 0) {
    report.expected = LossBounds::Of(*once.Expected() * Interval(Count(options.uses), kPrecision));
  }
  SetOutputs(epsilon, delta, report);

  Curve curve;
  Curve tail;
  std::vector<ExactLoss> at = options.at;
  const bool listed = options.uses < kLossValuesMax;
  if (listed) {
    TACET_TRY(const LossDistribution all, LeakyLoss(epsilon, delta, options.uses));
    SetDistribution(all, report);
    curve = [all](const ExactLoss& x) { return Result<LossBounds>(LossBounds::Of(all.Delta(x))); };
    tail = [all](const ExactLoss& x) { return Result<LossBounds>(LossBounds::Of(all.Tail(x))); };
    if (at.empty()) at = PointsOf(all, report);
  } else {
    TACET_RETURN_IF_ERROR(SetManyUses(epsilon, delta, options, &curve, report));
    report.infinite_probability =
        LossBounds::Of(DeltaWithLeaks({{.epsilon = epsilon, .delta = delta, .count = options.uses}},
                                      Interval(Rational(0), kPrecision)))
            .upper;
    double mean = 0;
    const double spread = SpreadOf(report.distribution, &mean);
    if (at.empty()) at = PointsAround(mean, spread, HUGE_VAL);
  }
  if (options.group == 1) {
    TACET_RETURN_IF_ERROR(AddPoints(at, curve, tail, report));
    return report;
  }
  // Nothing is known of a group but what P2 says.
  for (const ExactLoss& point : at) {
    const bool is_own = options.at.empty();
    const ExactLoss share = is_own ? point : ShareOf(point, options.group);
    TACET_TRY(const double bound, GroupBound(curve, share, options.group));
    report.points.push_back({.epsilon = is_own ? TimesUp(point, options.group) : point,
                             .delta = {0, bound},
                             .tail = {},
                             .group_bound = bound});
  }
  return report;
}

namespace {

// The same noise against `times` as large a change.
StepLaw Farther(StepLaw law, uint64_t times) {
  const auto widen = [&](auto* step) {
    if (step != nullptr) step->sensitivity *= Count(times);
  };
  widen(std::get_if<LaplaceStep>(&law));
  widen(std::get_if<DiscreteLaplaceStep>(&law));
  widen(std::get_if<GaussianStep>(&law));
  widen(std::get_if<DiscreteGaussianStep>(&law));
  return law;
}

// The distance between two values of the loss, if it has few of them near its mean.
std::optional<double> FewValues(const StepLaw& law, double spread) {
  double distance = 0;
  if (const auto* laplace = std::get_if<DiscreteLaplaceStep>(&law)) {
    distance = 2 / laplace->scale.ToDouble();
  } else if (const auto* gaussian = std::get_if<DiscreteGaussianStep>(&law)) {
    distance = (gaussian->sensitivity / (gaussian->sigma * gaussian->sigma)).ToDouble();
  }
  constexpr double kSpreads = 12;
  if (!std::isfinite(distance) || distance * static_cast<double>(kBarsMax) < kSpreads * spread) {
    return std::nullopt;
  }
  return distance;
}

// A bar for each value of a discrete loss, between edges half way to the next.
Status SetValues(const NoiseLoss& loss, double mean, double distance, LossReport& report) {
  const std::optional<Rational> worst = loss.Worst();
  // Values are mean + k distance for Gaussian noise, worst - k distance for Laplace noise.
  const double origin = worst ? worst->ToDouble() : mean;
  const int reach = static_cast<int>(kBarsMax);
  for (int k = -reach; k <= reach; ++k) {
    const double value = origin + k * distance;
    const auto edge = [&](double at) { return Rational::FromDouble(at); };
    if (worst && (value > origin + distance / 2 || value < -origin - distance / 2)) continue;
    TACET_TRY(const std::vector<LossBounds> tails,
              loss.Tails({edge(value - distance / 2), edge(value + distance / 2)}));
    const double mass = Middle(tails[0]) - Middle(tails[1]);
    constexpr double kNegligible = 1e-12;
    if (mass > kNegligible) report.distribution.push_back({value, mass});
  }
  report.bars = report.distribution;
  return {};
}

// Laplace noise has a mass at either end, and hardly any anywhere between.
Status SetLaplace(const NoiseLoss& loss, const StepLaw& law, LossReport& report) {
  const Rational end = *loss.Worst();
  std::vector<Rational> edges;
  for (int i = 0; i <= kBins; ++i) edges.push_back(end * (Rational(2 * i, kBins) - Rational(1)));
  TACET_TRY(std::vector<LossBounds> tails, loss.Tails(edges));
  tails.back() = {0.5, 0.5};  // what lies below the end
  if (const auto* discrete = std::get_if<DiscreteLaplaceStep>(&law)) {
    TACET_TRY(tails.back(), loss.Tail({.linear = end - discrete->scale.Inverse()}));
  }
  report.distribution.push_back({-end.ToDouble(), 1 - Middle(tails.front())});
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    const LossBounds range{edges[i].ToDouble(), edges[i + 1].ToDouble()};
    report.distribution.push_back(
        {Middle(range), std::max(0.0, Middle(tails[i]) - Middle(tails[i + 1])), range});
  }
  report.distribution.push_back({end.ToDouble(), Middle(tails.back())});
  report.bars = report.distribution;
  return {};
}

}  // namespace

Result<LossReport> ReportOfNoise(const StepLaw& law, const std::optional<ExactLoss>& promised,
                                 const LossOptions& options) {
  if (options.group > kStepCountMax) return Senseless("--group is too large");
  const StepLaw wide = Farther(law, options.group);
  TACET_TRY(const NoiseLoss loss, NoiseLoss::Create(wide, options.uses));
  LossReport report;
  const std::optional<Rational> worst = loss.Worst();
  if (worst) {
    report.epsilon = ExactLoss{.linear = *worst};
  } else {
    report.infinite_why =
        "the loss of Gaussian noise has no bound; it is private with a delta only";
  }
  report.expected = LossBounds::Of(loss.Expected());
  const double mean = Middle(*report.expected);
  const double spread = loss.Spread();
  const double end = worst ? worst->ToDouble() : HUGE_VAL;
  if (!std::isfinite(mean) || !std::isfinite(spread) || mean + 8 * spread > 1e300 ||
      spread < 1e-300) {
    return Senseless("the noise is too small or too large for a loss that could be shown");
  }

  std::vector<ExactLoss> at = options.at;
  if (at.empty() && worst && options.uses == 1) {
    for (const int quarter : {0, 1, 2, 3, 4}) {
      at.push_back({.linear = *worst * Rational(quarter, 4)});
    }
  } else if (at.empty()) {
    at = PointsAround(mean, spread, end);
    if (promised) at.push_back(*promised);
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
  }
  TACET_RETURN_IF_ERROR(AddPoints(
      at, [&](const ExactLoss& x) { return loss.Delta(x); },
      [&](const ExactLoss& x) { return loss.Tail(x); }, report));
  if (options.group > 1) {
    TACET_TRY(const NoiseLoss one, NoiseLoss::Create(law, options.uses));
    const Curve curve = [&](const ExactLoss& x) { return one.Delta(x); };
    for (Point& point : report.points) {
      TACET_TRY(point.group_bound,
                GroupBound(curve, ShareOf(point.epsilon, options.group), options.group));
    }
  }

  const std::optional<double> distance = options.uses == 1 ? FewValues(wide, spread) : std::nullopt;
  if (distance) {
    TACET_RETURN_IF_ERROR(SetValues(loss, mean, *distance, report));
  } else if (options.uses == 1 && worst) {
    TACET_RETURN_IF_ERROR(SetLaplace(loss, wide, report));
  } else {
    const bool numerical = options.uses > 1 && !std::holds_alternative<GaussianStep>(law);
    const auto tails = [&](const std::vector<Rational>& points) { return loss.Tails(points); };
    TACET_RETURN_IF_ERROR(SetBins(tails, std::max(mean - 4 * spread, -end),
                                  std::min(mean + 4 * spread, end), numerical, report));
  }
  return report;
}

}  // namespace tacet::cli
