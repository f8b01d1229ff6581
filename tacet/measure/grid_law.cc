// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/grid_law.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/fault.h"

namespace tacet::internal {
namespace {

constexpr double kLeastMass = 1e-200;

Interval Exact(const Rational& value) { return Interval(value, kGridBits); }
Interval Whole(int64_t value) { return Exact(Rational(value)); }
// The exact value of a long double.
Rational RationalOf(long double value) {
  const auto high = static_cast<double>(value);
  return Rational::FromDouble(high) +
         Rational::FromDouble(static_cast<double>(value - static_cast<long double>(high)));
}
double Near(const Interval& value) { return mpfr_get_d(value.low(), MPFR_RNDN); }

// How a pair looks after sampling, in one of the two orders.
class View {
 public:
  View(const Rational& rate, PairOrder order)
      : plain_(rate == Rational(1)),
        add_(order == PairOrder::kAdd),
        rate_(Exact(rate)),
        rest_(Exact(Rational(1) - rate)),
        rate_ball_(Ball::Of(rate_)),
        rest_ball_(Ball::Of(rest_)) {}

  bool plain() const { return plain_; }
  // Whether large losses of the pair are small ones now.
  bool reversed() const { return add_ && !plain_; }

  Interval Loss(const Interval& loss) const {
    if (plain_) return loss;
    const Interval mixed = Log(rest_ + rate_ * Exp(loss));
    return add_ ? -mixed : mixed;
  }
  // The loss where only Q is possible. There must be sampling.
  Interval LeastLoss() const { return add_ ? -Log(rest_) : Log(rest_); }
  double Loss(double loss) const {
    if (plain_) return loss;
    const double rate = Near(rate_);
    const double mixed = loss > 0 ? loss + std::log(rate + (1 - rate) * std::exp(-loss))
                                  : std::log1p(rate * std::expm1(loss));
    return add_ ? -mixed : mixed;
  }

  // The probability under the first law.
  Ball Mass(const PairMass& mass) const {
    if (plain_) return mass.p;
    return add_ ? mass.q : rest_ball_ * mass.q + rate_ball_ * mass.p;
  }

  // The loss of the pair that `loss` comes from, for cells that are at least `step` wide.
  PairDensity::End Source(const Interval& loss, long double step) const {
    // Balls are enough where e^loss is not close to 1 - rate and cells are not too narrow.
    const Ball near = (Exp(Ball::Of(add_ ? -loss : loss)) - rest_ball_) / rate_ball_;
    const long double enough = std::fmin(1e-14L, 1e-6L * step);
    if (near.radius() < near.middle() * enough) return {Log(near), near, true};
    const Interval ratio = (Exp(add_ ? -loss : loss) - rest_) / rate_;
    const Ball ball = Ball::Of(ratio);
    if (!ratio.CertainlyPositive()) return {Ball(0), ball, false};
    return {Ball::Of(Log(ratio)), ball, true};
  }

  const Ball& rate() const { return rate_ball_; }
  const Interval& exact_rate() const { return rate_; }

 private:
  bool plain_;
  bool add_;
  Interval rate_;
  Interval rest_;
  Ball rate_ball_;
  Ball rest_ball_;
};

// Masses on the points of a grid, and in its cells: cell j lies between the points j and j + 1, and
// what it holds is split onto both so that both laws keep their probabilities.
class Masses {
 public:
  Masses(int64_t first, size_t count, const Interval& step)
      : first_(first),
        points_(count),
        left_(count),
        right_(count),
        rise_(Ball::Of(Exp(step) - Exact(1))),
        fall_(Ball::Of(Exact(1) - Exp(-step))),
        step_(Ball::Of(step)),
        growth_(Ball::Of(Exp(step))) {}

  const Ball& rise() const { return rise_; }
  const Ball& fall() const { return fall_; }

  void AddPoint(int64_t index, const Ball& mass) { Add(points_, index, mass); }
  // What only the upper law has.
  void AddUpper(int64_t index, const Ball& mass) { upper_only_.emplace_back(Slot(index), mass); }
  void AddCell(int64_t index, const Ball& left, const Ball& right) {
    Add(left_, index, left);
    Add(right_, index, right);
  }
  // A mass `above` the point `index`, in units of the step between 0 and 1.
  void AddInside(int64_t index, const Ball& above, const Ball& mass) {
    const Ball distance = above * step_;
    AddCell(index, mass * (Exp(step_ - distance) - Ball(1)) / rise_,
            mass * (Ball(1) - Exp(-distance)) / fall_);
  }

  void Finish(GridLaw* law) const;

 private:
  size_t Slot(int64_t index) const {
    TACET_CHECK(index >= first_ && static_cast<size_t>(index - first_) < points_.size());
    return static_cast<size_t>(index - first_);
  }
  void Add(std::vector<Ball>& where, int64_t index, const Ball& mass) const {
    Ball& at = where[Slot(index)];
    at = at + mass;
  }
  std::vector<double> Lower() const;

  int64_t first_;
  std::vector<Ball> points_;
  std::vector<Ball> left_;
  std::vector<Ball> right_;
  std::vector<std::pair<size_t, Ball>> upper_only_;
  Ball rise_;
  Ball fall_;
  Ball step_;
  Ball growth_;
};

double RoundedUp(const Ball& mass) {
  if (TACET_FAULT(masses_rounded_to_nearest)) return static_cast<double>(mass.middle());
  if (mass.middle() == 0 && mass.radius() == 0) return 0;
  return std::max(mass.UpperDouble(), kLeastMass);
}

double RoundedDown(const Ball& mass) {
  if (TACET_FAULT(masses_rounded_to_nearest)) return static_cast<double>(mass.middle());
  const double lower = mass.LowerDouble();
  return lower >= kLeastMass ? lower : 0;
}

// From the split masses, d_j and d_j e^h are taken from the neighbours of j and merged at j. It is
// enough that d_j / (right e^-h) + d_(j+1) / left >= 1 in every cell: half of each, or all of one
// where the other must be 0 because its neighbours have nothing to give. Where neither is possible
// the cell moves down to its lower point instead.
std::vector<double> Masses::Lower() const {
  const size_t count = points_.size();
  const Ball shrink = Ball(1) / growth_;
  std::vector<long double> left(count);
  std::vector<long double> right(count);
  for (size_t j = 0; j < count; ++j) {
    left[j] = std::fmax(left_[j].Upper(), 0.0L);
    right[j] = std::fmax((right_[j] * shrink).Upper(), 0.0L);
  }
  std::vector<char> none(count, 0);  // points that take nothing
  std::vector<char> down(count, 0);  // cells that move down
  const auto empty = [&](size_t j) {
    return points_[j].middle() == 0 && left[j] <= 0 && (j == 0 || right[j - 1] <= 0);
  };
  for (size_t j = 0; j < count; ++j) {
    none[j] = static_cast<char>(j == 0 || j + 1 == count || empty(j - 1) || empty(j + 1));
  }
  std::vector<long double> taken(count);
  const auto take = [&](size_t j) {
    taken[j] = 0;
    if (none[j] != 0) return;
    if (down[j] == 0) taken[j] = right[j] / (none[j + 1] != 0 ? 1 : 2);
    if (down[j - 1] == 0) taken[j] = std::fmax(taken[j], left[j - 1] / (none[j - 1] != 0 ? 1 : 2));
  };
  const auto mass_at = [&](size_t j) {
    Ball mass = points_[j] + left_[j];
    if (down[j] != 0) mass = mass + right_[j];
    if (j > 0 && down[j - 1] == 0) mass = mass + right_[j - 1];
    if (taken[j] > 0) mass = mass + Ball(taken[j]) * (Ball(1) + growth_);
    if (j + 1 < count) mass = mass - Ball(taken[j + 1]);
    if (j > 0) mass = mass - Ball(taken[j - 1]) * growth_;
    return mass;
  };
  std::vector<Ball> masses(count);
  std::vector<char> open(count, 1);  // points to be computed (again)
  for (int pass = 0;; ++pass) {
    if (pass == 20) {
      std::fill(none.begin(), none.end(), 1);
      std::fill(open.begin(), open.end(), 1);
    }
    for (size_t j = 0; j + 1 < count; ++j) {
      if (none[j] != 0 && none[j + 1] != 0) down[j] = 1;
    }
    for (size_t j = 0; j < count; ++j) take(j);
    for (size_t j = 0; j < count; ++j) {
      if (open[j] != 0) masses[j] = mass_at(j);
    }
    bool settled = true;
    std::fill(open.begin(), open.end(), 0);
    for (size_t j = 0; j < count; ++j) {
      const bool gives_down = j > 0 && taken[j - 1] > 0;
      const bool gives_up = j + 1 < count && taken[j + 1] > 0;
      if ((!gives_down && !gives_up) || masses[j].Lower() >= 0) continue;
      settled = false;
      if (gives_down) {
        if (none[j] != 0) down[j - 1] = 1;
        none[j - 1] = 1;
      }
      if (gives_up) {
        if (none[j] != 0 && down[j] == 0) {
          down[j] = 1;
        } else {
          none[j + 1] = 1;
        }
      }
      for (size_t i = j < 4 ? 0 : j - 4; i < std::min(count, j + 5); ++i) open[i] = 1;
    }
    if (settled) break;
  }
  std::vector<double> lower(count);
  std::transform(masses.begin(), masses.end(), lower.begin(), RoundedDown);
  return lower;
}

void Masses::Finish(GridLaw* law) const {
  std::vector<Ball> upper = points_;
  for (size_t j = 0; j < upper.size(); ++j) {
    upper[j] = upper[j] + left_[j];
    if (j > 0) upper[j] = upper[j] + right_[j - 1];
  }
  for (const auto& [slot, mass] : upper_only_) upper[slot] = upper[slot] + mass;
  law->first = first_;
  law->upper.resize(upper.size());
  for (size_t j = 0; j < upper.size(); ++j) {
    const bool untouched = upper[j].middle() == 0 && upper[j].radius() <= 1e-2000L;
    law->upper[j] = untouched ? 0 : RoundedUp(upper[j]);
  }
  law->lower = Lower();
  // The points beside the support, which served the cells.
  const auto is_empty = [&](size_t j) { return law->upper[j] <= 0 && law->lower[j] <= 0; };
  size_t end = law->upper.size();
  while (end > 1 && is_empty(end - 1)) --end;
  size_t begin = 0;
  while (begin + 1 < end && is_empty(begin)) ++begin;
  for (std::vector<double>* side : {&law->upper, &law->lower}) {
    *side = std::vector<double>(side->begin() + static_cast<std::ptrdiff_t>(begin),
                                side->begin() + static_cast<std::ptrdiff_t>(end));
  }
  law->first += static_cast<int64_t>(begin);
}

// Where a loss lies on the grid.
struct Place {
  int64_t index = 0;
  Ball above;  // in steps, from 0 to 1; meaningless on a point
  bool on_point = false;
  bool known = true;   // whether it is known between which points it lies
  Rational tolerance;  // how far from the point it may be, in steps
};

Place Locate(const Interval& loss, const Interval& offset, const Interval& step) {
  const Interval position = (loss - offset) / step;
  Place place;
  if (mpfr_number_p(position.low()) == 0 || mpfr_number_p(position.high()) == 0) {
    place.known = false;
    return place;
  }
  // Far from all points, which is the rule, rationals are not needed.
  if (mpfr_fits_slong_p(position.low(), MPFR_RNDD) != 0) {
    const int64_t index = mpfr_get_si(position.low(), MPFR_RNDD);
    const Interval above = position - Whole(index);
    if (mpfr_cmp_d(above.low(), 0x1p-60) > 0 && mpfr_cmp_d(above.high(), 1 - 0x1p-50) < 0) {
      place.index = index;
      place.above = Ball::Of(above);
      return place;
    }
  }
  const Rational low = position.Low();
  const Rational high = position.High();
  const mpz_class nearest = ((low + high) / Rational(2) + Rational(1, 2)).Floor();
  const Rational distance =
      std::max((high - Rational(nearest)).Abs(), (low - Rational(nearest)).Abs());
  if (distance < Rational::PowerOfTwo(-70)) {
    place.index = nearest.get_si();
    place.on_point = true;
    place.tolerance = distance;
    return place;
  }
  const mpz_class below = low.Floor();
  if (high > Rational(below) + Rational(1)) {
    place.known = false;
    return place;
  }
  place.index = below.get_si();
  place.above = Ball::Of(position - Exact(Rational(below)));
  return place;
}

Error TooFine() {
  return {
      .code = Code::kUnsupported,
      .message = "the sampling or the noise of a step is too small for the numerical accountant"};
}

class LawMaker {
 public:
  LawMaker(const Step& step, PairOrder order, LossPair pair, const Interval& grid_step)
      : view_(step.rate, order), pair_(std::move(pair)), step_(grid_step) {}

  Result<GridLaw> Make(size_t points_max);

 private:
  Interval AtomLoss(size_t i) const {
    return view_.Loss(pair_.largest - pair_.spacing * Whole(static_cast<int64_t>(i)));
  }
  Status AddAtoms(Masses* masses);
  Status AddAtom(const Interval& loss, const Ball& mass, Masses* masses);
  bool AddEvenAtoms(Masses* masses);
  Status AddDensity(Masses* masses);
  Status AddSliver(const Place& place, const Interval& end, Masses* masses);
  void AddTails(Masses* masses, GridLaw* law) const;
  Ball PointLoss(int64_t index) const { return Ball::Of(offset_ + step_ * Whole(index)); }
  int64_t IndexAtLeast(const Interval& loss) const {
    return ((loss - offset_) / step_).High().Ceil().get_si();
  }

  View view_;
  LossPair pair_;
  Interval step_;
  Interval offset_ = Exact(0);
  Rational tolerance_;  // in steps
};

Status LawMaker::AddAtom(const Interval& loss, const Ball& mass, Masses* masses) {
  const Place place = Locate(loss, offset_, step_);
  if (!place.known) return TooFine();
  if (place.on_point) {
    tolerance_ = std::max(tolerance_, place.tolerance);
    masses->AddPoint(place.index, mass);
  } else {
    masses->AddInside(place.index, place.above, mass);
  }
  return {};
}

// Where the spacing is a multiple of the step, up to what all atoms together can bear.
bool LawMaker::AddEvenAtoms(Masses* masses) {
  const Place spacing = Locate(pair_.spacing, Exact(0), step_);
  const Place top = Locate(pair_.largest, offset_, step_);
  if (!view_.plain() || !spacing.on_point || !top.on_point) return false;
  const Rational drift =
      spacing.tolerance * Rational(static_cast<int64_t>(pair_.atoms.size())) + top.tolerance;
  tolerance_ = std::max(tolerance_, drift);
  int64_t index = top.index;
  for (const PairMass& atom : pair_.atoms) {
    masses->AddPoint(index, atom.p);
    index -= spacing.index;
  }
  return true;
}

Status LawMaker::AddAtoms(Masses* masses) {
  if (!pair_.atoms.empty() && !AddEvenAtoms(masses)) {
    for (size_t i = 0; i < pair_.atoms.size(); ++i) {
      TACET_RETURN_IF_ERROR(AddAtom(AtomLoss(i), view_.Mass(pair_.atoms[i]), masses));
    }
  }
  if (!view_.plain() && mpfr_sgn(pair_.only_q.high()) > 0) {
    const Ball only_q = Ball::Of(pair_.only_q);
    return AddAtom(view_.LeastLoss(), view_.Mass({Ball(0), only_q}), masses);
  }
  return {};
}

// What lies between the end of a density and the point that it is taken for: at most so much, and
// no further from the point than the offset's doubt.
Status LawMaker::AddSliver(const Place& place, const Interval& end, Masses* masses) {
  if (!place.on_point || TACET_FAULT(sliver_lost)) return {};
  PairDensity::End point{PointLoss(place.index), Ball(1), true};
  if (!view_.plain()) point = view_.Source(offset_ + step_ * Whole(place.index), 0);
  if (!point.finite) return TooFine();
  const Ball loss = Ball::Of(end);
  const long double size = std::fmax(point.loss.Magnitude(), loss.Magnitude());
  const Ball most = pair_.density->Highest(size) * Ball((point.loss - loss).Magnitude());
  tolerance_ = std::max(tolerance_, place.tolerance);
  masses->AddUpper(place.index, Ball(most.Upper()));
  return {};
}

Status LawMaker::AddDensity(Masses* masses) {
  const PairDensity& density = *pair_.density;
  const Interval one_end = view_.Loss(density.least());
  const Interval other_end = view_.Loss(density.largest());
  const Place low = Locate(view_.reversed() ? other_end : one_end, offset_, step_);
  const Place high = Locate(view_.reversed() ? one_end : other_end, offset_, step_);
  if (!low.known || !high.known) return TooFine();
  TACET_RETURN_IF_ERROR(
      AddSliver(low, view_.reversed() ? density.largest() : density.least(), masses));
  TACET_RETURN_IF_ERROR(
      AddSliver(high, view_.reversed() ? density.least() : density.largest(), masses));
  const int64_t first = low.index;
  const int64_t last = high.on_point ? high.index - 1 : high.index;  // a cell
  if (view_.plain()) {
    const bool flat = density.is_flat();
    const int64_t first_whole = flat && !low.on_point ? first + 1 : first;
    const int64_t last_whole = flat && !high.on_point ? last - 1 : last;
    const auto add = [&](int64_t index, const PairDensity::Parts& parts) {
      masses->AddCell(index, parts.below_high / masses->rise(), parts.above_low / masses->fall());
    };
    if (last_whole >= first_whole) {
      const std::vector<PairDensity::Parts> cells =
          density.Cells(offset_ + step_ * Whole(first_whole), step_,
                        static_cast<size_t>(last_whole - first_whole + 1));
      for (size_t i = 0; i < cells.size(); ++i) {
        add(first_whole + static_cast<int64_t>(i), cells[i]);
      }
    }
    const auto end_of = [&](int64_t index) {
      const Interval loss = offset_ + step_ * Whole(index);
      return PairDensity::End{Ball::Of(loss), Ball::Of(Exp(loss))};
    };
    if (first_whole > first) add(first, density.Cell(end_of(first), end_of(first + 1)));
    if (last_whole < last && last > first) add(last, density.Cell(end_of(last), end_of(last + 1)));
    return {};
  }

  const long double least_ratio = Exp(Ball::Of(density.least())).Lower();
  const long double step = Ball::Of(step_).middle();
  PairDensity::End before = view_.Source(offset_ + step_ * Whole(first), step);
  for (int64_t index = first; index <= last; ++index) {
    const PairDensity::End after = view_.Source(offset_ + step_ * Whole(index + 1), step);
    const PairDensity::End& source_low = view_.reversed() ? after : before;
    const PairDensity::End& source_high = view_.reversed() ? before : after;
    if (!source_high.finite && !(source_high.ratio.Upper() < least_ratio)) return TooFine();
    // Ends that cannot be told apart: the quadrature would not end, and show nothing.
    if (source_low.finite && source_high.finite &&
        !((source_high.loss - source_low.loss).Lower() > 0)) {
      return TooFine();
    }
    if (source_high.finite) {
      const PairDensity::Parts parts = density.Cell(source_low, source_high);
      if (view_.reversed()) {
        masses->AddCell(index,
                        Exp(PointLoss(index + 1)) * view_.rate() * parts.above_low / masses->rise(),
                        Exp(PointLoss(index)) * view_.rate() * parts.below_high / masses->fall());
      } else {
        masses->AddCell(index, view_.rate() * parts.below_high / masses->rise(),
                        view_.rate() * parts.above_low / masses->fall());
      }
    }
    before = after;
  }
  return {};
}

void LawMaker::AddTails(Masses* masses, GridLaw* law) const {
  const auto up = [](const Ball& mass) { return Exact(RationalOf(std::fmax(mass.Upper(), 0.0L))); };
  Interval infinite = pair_.only_p;
  if (!view_.plain()) infinite = view_.reversed() ? Exact(0) : infinite * view_.exact_rate();
  law->infinite_lower = infinite;
  law->infinite_upper = infinite;
  const PairMass& to_infinity = view_.reversed() ? pair_.below : pair_.above;
  const PairMass& to_least = view_.reversed() ? pair_.above : pair_.below;
  const Ball beyond = view_.Mass(to_infinity);
  if (beyond.Upper() > 0 && !TACET_FAULT(tail_mass_dropped)) {
    law->infinite_upper = law->infinite_upper + up(beyond);
  }
  const Ball lowest = view_.Mass(to_least);
  if (lowest.Upper() > 0) {
    const Interval largest = pair_.density ? pair_.density->largest() : pair_.largest;
    const Interval least =
        pair_.density
            ? pair_.density->least()
            : largest - pair_.spacing * Whole(static_cast<int64_t>(pair_.atoms.size()) - 1);
    masses->AddUpper(IndexAtLeast(view_.Loss(view_.reversed() ? largest : least)), lowest);
  }
}

Result<GridLaw> LawMaker::Make(size_t points_max) {
  if (!step_.CertainlyPositive()) return TooFine();
  // Largest losses first: the grid holds that of the largest atom.
  double least = HUGE_VAL;
  double largest = -HUGE_VAL;
  const auto cover = [&](const Interval& loss) {
    least = std::min(least, Near(loss));
    largest = std::max(largest, Near(loss));
  };
  if (pair_.density) {
    cover(view_.Loss(pair_.density->largest()));
    cover(view_.Loss(pair_.density->least()));
  }
  if (!pair_.atoms.empty()) {
    const size_t bottom = pair_.atoms.size() - 1;
    cover(AtomLoss(0));
    cover(AtomLoss(bottom));
    offset_ = AtomLoss(view_.reversed() ? bottom : 0);
  }
  if (!view_.plain() && mpfr_sgn(pair_.only_q.high()) > 0) cover(view_.LeastLoss());
  const double step = Near(step_);
  const double from = std::floor((least - Near(offset_)) / step) - 3;
  const double to = std::ceil((largest - Near(offset_)) / step) + 3;
  if (!(to - from < static_cast<double>(points_max))) {
    return Error{.code = Code::kUnsupported,
                 .message = "the grid of losses would have too many points"};
  }
  GridLaw law;
  Masses masses(static_cast<int64_t>(from), static_cast<size_t>(to - from) + 1, step_);
  TACET_RETURN_IF_ERROR(AddAtoms(&masses));
  if (pair_.density) TACET_RETURN_IF_ERROR(AddDensity(&masses));
  AddTails(&masses, &law);
  masses.Finish(&law);
  const Interval doubt = Exact(tolerance_) * step_;
  law.offset = Hull(offset_ - doubt, offset_ + doubt);
  return law;
}

}  // namespace

TailCut CutFor(const Step& step, PairOrder order, double infinite, double least) {
  const bool plain = step.rate == Rational(1);
  const bool reversed = !plain && order == PairOrder::kAdd;
  return {.below = reversed ? infinite : least,
          .above = reversed ? least : infinite,
          .of_p = !reversed,
          .of_q = !plain};
}

Interval LargestLoss(const Step& step, PairOrder order, const LossPair& pair) {
  const View view(step.rate, order);
  if (!view.reversed()) return view.Loss(pair.largest);
  if (mpfr_sgn(pair.only_q.high()) > 0) return view.LeastLoss();
  const auto gaps = static_cast<int64_t>(pair.atoms.size()) - 1;
  return view.Loss(pair.largest - pair.spacing * Whole(gaps));
}

LossShape ShapeOf(const Step& step, PairOrder order, const LossPair& pair) {
  const View view(step.rate, order);
  LossShape shape;
  shape.least = HUGE_VAL;
  shape.largest = -HUGE_VAL;
  const auto cover = [&](double loss) {
    shape.least = std::min(shape.least, view.Loss(loss));
    shape.largest = std::max(shape.largest, view.Loss(loss));
  };
  if (pair.density) {
    cover(Near(pair.density->largest()));
    cover(Near(pair.density->least()));
    shape.deviation = pair.density->deviation();
  }
  for (const PairMass& atom : pair.atoms) {
    shape.atoms += static_cast<double>(view.Mass(atom).middle());
  }
  if (!pair.atoms.empty()) {
    const auto gaps = static_cast<int64_t>(pair.atoms.size()) - 1;
    cover(Near(pair.largest));
    cover(Near(pair.largest) - static_cast<double>(gaps) * Near(pair.spacing));
    if (view.plain()) {
      shape.spacing = pair.spacing;
    } else {
      const Interval difference =
          view.Loss(pair.largest) - view.Loss(pair.largest - pair.spacing * Whole(gaps));
      shape.spacing = view.reversed() ? -difference : difference;
    }
    const bool third = !view.plain() && mpfr_sgn(pair.only_q.high()) > 0;
    shape.even = !pair.density && !third && (view.plain() || gaps == 1);
  }
  if (!view.plain() && mpfr_sgn(pair.only_q.high()) > 0) cover(-1e4);
  return shape;
}

Result<GridLaw> MakeGridLaw(const Step& step, PairOrder order, const LossPair& pair,
                            const Interval& grid_step, size_t points_max) {
  return LawMaker(step, order, pair, grid_step).Make(points_max);
}

}  // namespace tacet::internal
