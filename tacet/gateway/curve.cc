// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/curve.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "tacet/gateway/planning.h"
#include "tacet/gateway/reach.h"
#include "tacet/ledger/balance.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

// How many decades of epsilon there are below the dearest.
constexpr int kDecades = 3;
// How far below the points marks are looked for.
constexpr int kDecadesMax = 9;
constexpr std::array<int64_t, 3> kSteps = {1, 2, 5};
// Margins below these parts are marked.
const std::array<Rational, 3>& MarkedParts() {
  static const std::array<Rational, 3> kParts = {Rational(1, 10), Rational(1, 20),
                                                 Rational(1, 100)};
  return kParts;
}

// The power of ten at or below `value`, which is positive.
int DecadeOf(const Rational& value) {
  int decade = 0;
  while (PowerOfTen(decade) > value) --decade;
  while (PowerOfTen(decade + 1) <= value) ++decade;
  return decade;
}

// What stands in two digits for it: not more than `value`.
Rational TwoDigitsDown(const Rational& value) {
  const Rational unit = PowerOfTen(DecadeOf(value) - 1);
  return Rational(mpz_class((value / unit).Floor())) * unit;
}

// The dearest query that an unspent budget pays for.
Rational DearestOf(const Budget& limit) {
  if (limit.is_pure()) return limit.epsilon().value();
  return TwoDigitsDown(Balance::PriceOf(limit.filter().rho.value()).value());
}

std::vector<Rational> EpsilonsUpTo(const Rational& dearest, const std::optional<Rational>& usual) {
  std::vector<Rational> epsilons;
  int last = DecadeOf(dearest);
  int first = last - kDecades;
  if (usual && usual->sign() > 0) {
    epsilons.push_back(*usual);
    const int decade = DecadeOf(*usual);
    last = std::min(last, decade + kDecades);
    first = std::min(last - kDecades, decade - 1);
  }
  if (last == DecadeOf(dearest)) epsilons.push_back(dearest);
  for (int decade = first; decade <= last; ++decade) {
    for (const int64_t step : kSteps) {
      const Rational epsilon = Rational(step) * PowerOfTen(decade);
      if (epsilon < dearest) epsilons.push_back(epsilon);
    }
  }
  std::sort(epsilons.begin(), epsilons.end());
  epsilons.erase(std::unique(epsilons.begin(), epsilons.end()), epsilons.end());
  return epsilons;
}

// What there is to spend, of those whom a plan is about.
struct Account {
  Budget limit;
  Cost left;

  const Rational& Counted(const Cost& cost) const {
    return limit.is_pure() ? cost.epsilon.value() : cost.rho.value();
  }

  // Fills in what the point would leave.
  void Judge(CurvePoint& point) const {
    const Rational& cost = Counted(point.cost);
    point.times = (Counted(left) / cost).Floor();
    if (!point.cost.delta.is_zero()) {
      const mpz_class by_delta = (left.delta.value() / point.cost.delta.value()).Floor();
      point.times = std::min(point.times, by_delta);
    }
    const Rational rest = Counted(left) - cost;
    point.left_part = rest.sign() <= 0 ? Rational(0) : rest / Counted(limit.filter());
  }
};

// Where nothing was imported yet nothing was spent. The ledger is not held any longer.
Result<Account> ReadAccount(const Project& project, const Region& region,
                            const Services& services) {
  const Result<std::unique_ptr<Ledger>> ledger =
      OpenLedger(project, services.clock, services.ledger_options());
  if (ledger.ok()) {
    return Account{.limit = (*ledger)->budget(),
                   .left = (*ledger)->Remaining(AboutPeople(**ledger, region))};
  }
  if (ledger.error().code != Code::kCatalog) return ledger.error();
  TACET_TRY(const Budget declared, BudgetOf(project.catalog));
  return Account{.limit = declared, .left = declared.filter()};
}

class CurveMaker {
 public:
  CurveMaker(const Project& project, const Question& question, sql::Select select,
             const std::atomic<bool>* interrupted)
      : project_(project),
        question_(question),
        select_(std::move(select)),
        interrupted_(interrupted) {
    if (select_.privacy) select_.privacy->epsilon.reset();
  }

  Result<Plan> PlanAt(const Rational& epsilon) const {
    Question question = question_;
    question.epsilon = epsilon;
    return PlanOf(project_, question, select_, Referenced::kRequired);
  }

  // Adds what the catalog says.
  void Suppose(const Supposition& supposition, Curve& curve) {
    const Supposition declared = DeclaredSupposition(project_.catalog, curve.plan);
    curve.has_declared_rows = !supposition.rows && declared.rows;
    supposition_ = supposition;
    if (!supposition_.rows) supposition_.rows = declared.rows;
    supposition_.people = declared.people;
    curve.supposition = supposition_;
  }

  Result<CurvePoint> PointAt(const Rational& epsilon, const Account& account) {
    TACET_RETURN_IF_ERROR(CheckInterrupted());
    TACET_TRY(const Plan plan, PlanAt(epsilon));
    TACET_TRY(std::vector<ExpectedMargin> margins, ExpectedMargins(plan, supposition_));
    known_.emplace(epsilon, margins);
    CurvePoint point{.epsilon = epsilon, .cost = plan.cost, .margins = std::move(margins)};
    if (plan.selection) point.even_odds = plan.selection->PersonsForEvenOdds();
    account.Judge(point);
    return point;
  }

  Status AddMarks(Curve& curve) {
    const std::vector<ExpectedMargin>& margins = curve.points.back().margins;
    for (size_t series = 0; series < margins.size(); ++series) {
      if (!margins[series].relative()) continue;
      for (const Rational& part : MarkedParts()) {
        TACET_RETURN_IF_ERROR(CheckInterrupted());
        curve.marks.push_back({series, part, WhereBelow(curve, series, part)});
      }
    }
    return {};
  }

 private:
  // Margins at this epsilon, computed once; none where there is no plan for it.
  const std::vector<ExpectedMargin>& MarginsAt(const Rational& epsilon) {
    const auto [found, is_new] = known_.try_emplace(epsilon);
    if (!is_new) return found->second;
    const Result<Plan> plan = PlanAt(epsilon);
    if (!plan.ok()) return found->second;
    Result<std::vector<ExpectedMargin>> margins = ExpectedMargins(*plan, supposition_);
    if (margins.ok()) found->second = *std::move(margins);
    return found->second;
  }

  bool IsBelow(const Rational& epsilon, size_t series, const Rational& part) {
    const std::vector<ExpectedMargin>& margins = MarginsAt(epsilon);
    const std::optional<double> relative =
        margins.empty() ? std::nullopt : margins[series].relative();
    return relative && *relative <= part.ToDouble();
  }

  std::optional<Rational> WhereBelow(const Curve& curve, size_t series, const Rational& part) {
    const auto below =
        std::find_if(curve.points.begin(), curve.points.end(),
                     [&](const CurvePoint& point) { return IsBelow(point.epsilon, series, part); });
    if (below == curve.points.end()) return std::nullopt;
    if (below != curve.points.begin()) {
      return Between(std::prev(below)->epsilon, below->epsilon, series, part);
    }
    // It fell below somewhere on the left of the curve.
    Rational low = below->epsilon;
    for (int decades = 0; decades < kDecadesMax; ++decades) {
      const Rational lower = low / Rational(10);
      if (!IsBelow(lower, series, part)) return Between(lower, low, series, part);
      low = lower;
    }
    return low;
  }

  // The least of two digits at which it is below, above `above` and not more than `below`.
  Rational Between(const Rational& above, const Rational& below, size_t series,
                   const Rational& part) {
    const Rational unit = PowerOfTen(DecadeOf(above) - 1);
    mpz_class low = (above / unit).Floor();
    mpz_class high = (below / unit).Floor();
    if (Rational(high) * unit < below) ++high;
    while (high - low > 1) {
      const mpz_class middle = (low + high) / 2;
      (IsBelow(Rational(middle) * unit, series, part) ? high : low) = middle;
    }
    return std::min(Rational(high) * unit, below);
  }

  Status CheckInterrupted() const {
    if (interrupted_ == nullptr || !*interrupted_) return {};
    return Error{.code = Code::kInterrupted, .message = "interrupted"};
  }

  const Project& project_;
  const Question& question_;
  sql::Select select_;
  const std::atomic<bool>* interrupted_;
  Supposition supposition_ = {};
  std::map<Rational, std::vector<ExpectedMargin>> known_;
};

std::vector<Notice> NoticesOf(const Catalog& catalog, const Plan& plan) {
  std::vector<Notice> notices;
  const std::optional<int64_t> people = DeclaredPeople(catalog, plan);
  if (people && catalog.budget.delta && *catalog.budget.delta * Rational(*people) >= Rational(1)) {
    notices.push_back({"delta",
                       "The budget's delta is not below one over the number of people: it "
                       "would allow publishing somebody at random."});
  }
  const std::span<const Plan> parts = PartsOf(plan);
  const auto caps = [](const Plan& part) { return part.caps_groups || part.caps_rows; };
  if (std::any_of(parts.begin(), parts.end(), caps)) {
    notices.push_back({"bounded",
                       "Margins are of the noise, not of what the bounds leave out "
                       "('tacet explain' shows them)."});
  }
  return notices;
}

}  // namespace

std::optional<int64_t> DeclaredPeople(const Catalog& catalog, const Plan& plan) {
  const Table* own = catalog.FindTable(plan.table);
  if (own != nullptr && (own->people || std::holds_alternative<RowPerson>(own->person))) {
    return own->people;
  }
  std::optional<int64_t> least;
  for (const Table& table : catalog.tables) {
    if (!table.people || std::holds_alternative<RowPerson>(table.person)) continue;
    if (!least || *table.people < *least) least = table.people;
  }
  return least;
}

Supposition DeclaredSupposition(const Catalog& catalog, const Plan& plan) {
  Supposition supposition;
  if (const auto people = DeclaredPeople(catalog, plan)) {
    supposition.rows = Rational(*people);
    supposition.people = Rational(*people);
  }
  return supposition;
}

Result<Curve> DrawCurve(const Project& project, const Question& question,
                        const Supposition& supposition, const Services& services) {
  TACET_TRY(sql::Select select, sql::Parse(question.statement));
  CurveMaker maker(project, question, std::move(select), services.interrupted);
  TACET_TRY(const Budget declared, BudgetOf(project.catalog));
  const std::optional<Rational> usual =
      question.epsilon ? question.epsilon : project.catalog.query.epsilon;
  TACET_TRY(Plan plan, maker.PlanAt(usual.value_or(DearestOf(declared))));
  if (plan.is_public) {
    return Error{.code = Code::kUsage,
                 .message = "the table is public: its answers are exact and cost nothing"};
  }
  TACET_TRY(const Account account, ReadAccount(project, plan.region, services));
  Curve curve{.plan = std::move(plan),
              .supposition = {},
              .excludes = project.catalog.budget.exhausted == Exhausted::kExclude,
              .points = {},
              .marks = {},
              .notices = {}};
  maker.Suppose(supposition, curve);
  std::optional<Error> first_error;
  for (const Rational& epsilon : EpsilonsUpTo(DearestOf(account.limit), usual)) {
    Result<CurvePoint> point = maker.PointAt(epsilon, account);
    if (point.ok()) {
      curve.points.push_back(*std::move(point));
      continue;
    }
    // Some are so cheap, or so dear, that there is no such noise.
    if (point.error().code != Code::kUnsupported) return point.error();
    if (!first_error) first_error = point.error();
  }
  if (curve.points.empty()) return *first_error;
  TACET_RETURN_IF_ERROR(maker.AddMarks(curve));
  curve.notices = NoticesOf(project.catalog, curve.plan);
  return curve;
}

}  // namespace tacet
