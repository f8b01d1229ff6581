// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/curve.h"

#include <algorithm>
#include <array>
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

std::vector<Rational> EpsilonsUpTo(const Rational& dearest, const std::optional<Rational>& asked) {
  std::vector<Rational> epsilons = {dearest};
  if (asked) epsilons.push_back(*asked);
  const int last = DecadeOf(dearest);
  for (int decade = last - kDecades; decade <= last; ++decade) {
    for (const int64_t step : kSteps) {
      const Rational epsilon = Rational(step) * PowerOfTen(decade);
      if (epsilon < dearest) epsilons.push_back(epsilon);
    }
  }
  std::sort(epsilons.begin(), epsilons.end());
  epsilons.erase(std::unique(epsilons.begin(), epsilons.end()), epsilons.end());
  return epsilons;
}

bool IsSameSeries(const ExpectedMargin& a, const ExpectedMargin& b) {
  return a.part == b.part && a.column == b.column && a.level == b.level && a.keys == b.keys;
}

// What was spent, as far as there is a ledger.
class Account {
 public:
  static Result<Account> Open(const Project& project, const Services& services) {
    TACET_TRY(const Budget declared, BudgetOf(project.catalog));
    Result<std::unique_ptr<Ledger>> ledger =
        OpenLedger(project, services.clock, services.ledger_options());
    if (ledger.ok()) return Account(*std::move(ledger));
    if (ledger.error().code == Code::kCatalog) return Account(declared);
    return ledger.error();
  }

  const Budget& limit() const { return limit_; }

  // Fills in what the point would leave to those whom the plan is about.
  void Judge(const Plan& plan, CurvePoint& point) const {
    const Cost left = ledger_ == nullptr ? limit_.filter()
                                         : ledger_->Remaining(AboutPeople(*ledger_, plan.region));
    const Rational& cost = Counted(point.cost);
    point.times = (Counted(left) / cost).Floor();
    if (!point.cost.delta.is_zero()) {
      point.times =
          std::min(point.times, mpz_class((left.delta.value() / point.cost.delta.value()).Floor()));
    }
    const Rational rest = Counted(left) - cost;
    point.left_part = rest.sign() <= 0 ? Rational(0) : rest / Counted(limit_.filter());
  }

 private:
  explicit Account(const Budget& limit) : limit_(limit) {}
  explicit Account(std::unique_ptr<Ledger> ledger)
      : limit_(ledger->budget()), ledger_(std::move(ledger)) {}

  const Rational& Counted(const Cost& cost) const {
    return limit_.is_pure() ? cost.epsilon.value() : cost.rho.value();
  }

  Budget limit_;
  std::unique_ptr<Ledger> ledger_;
};

class CurveMaker {
 public:
  CurveMaker(const Project& project, const Question& question, sql::Select select,
             Supposition supposition)
      : project_(project),
        question_(question),
        select_(std::move(select)),
        supposition_(std::move(supposition)) {
    if (select_.privacy) select_.privacy->epsilon.reset();
  }

  Result<Plan> PlanAt(const Rational& epsilon) const {
    Question question = question_;
    question.epsilon = epsilon;
    return PlanOf(project_, question, select_, Referenced::kIfImported);
  }

  // Fills in what the catalog says, by a plan at any epsilon.
  void Suppose(const Plan& plan, Curve& curve) {
    if (!supposition_.rows) {
      if (const auto people = DeclaredPeople(project_.catalog, plan)) {
        supposition_.rows = Rational(*people);
        curve.has_declared_rows = true;
      }
    }
    curve.supposition = supposition_;
  }

  // Margins at this epsilon, computed once; nothing where there is no plan for it.
  const std::vector<ExpectedMargin>* MarginsAt(const Rational& epsilon) {
    const auto [found, is_new] = known_.try_emplace(epsilon);
    if (is_new) {
      const Result<Plan> plan = PlanAt(epsilon);
      Result<std::vector<ExpectedMargin>> margins =
          plan.ok() ? ExpectedMargins(*plan, supposition_)
                    : Result<std::vector<ExpectedMargin>>(plan.error());
      if (margins.ok()) found->second = *std::move(margins);
    }
    return found->second ? &*found->second : nullptr;
  }

  Result<CurvePoint> PointAt(const Rational& epsilon, const Account& account) {
    TACET_TRY(const Plan plan, PlanAt(epsilon));
    TACET_TRY(std::vector<ExpectedMargin> margins, ExpectedMargins(plan, supposition_));
    known_[epsilon] = margins;
    CurvePoint point{.epsilon = epsilon, .cost = plan.cost, .margins = std::move(margins)};
    if (plan.selection) point.even_odds = plan.selection->PersonsForEvenOdds();
    account.Judge(plan, point);
    return point;
  }

  // Of the series of the first point.
  void AddMarks(Curve& curve) {
    const std::vector<ExpectedMargin> series = curve.points.front().margins;
    for (size_t i = 0; i < series.size(); ++i) {
      if (!series[i].relative()) continue;
      for (const Rational& part : MarkedParts()) {
        curve.marks.push_back({i, part, WhereBelow(curve, series[i], part)});
      }
    }
  }

 private:
  bool IsBelow(const Rational& epsilon, const ExpectedMargin& series, const Rational& part) {
    const std::vector<ExpectedMargin>* margins = MarginsAt(epsilon);
    if (margins == nullptr) return false;
    const auto same =
        std::find_if(margins->begin(), margins->end(),
                     [&](const ExpectedMargin& one) { return IsSameSeries(one, series); });
    return same != margins->end() && same->relative() && *same->relative() <= part.ToDouble();
  }

  std::optional<Rational> WhereBelow(const Curve& curve, const ExpectedMargin& series,
                                     const Rational& part) {
    const auto below =
        std::find_if(curve.points.begin(), curve.points.end(),
                     [&](const CurvePoint& point) { return IsBelow(point.epsilon, series, part); });
    if (below == curve.points.end()) return std::nullopt;
    if (below == curve.points.begin()) return below->epsilon;
    const Rational& above = std::prev(below)->epsilon;
    const Rational unit = PowerOfTen(DecadeOf(above) - 1);
    // In units: above at `low`, below at `high`.
    mpz_class low = (above / unit).Floor();
    mpz_class high = (below->epsilon / unit).Floor();
    if (Rational(high) * unit < below->epsilon) ++high;
    while (high - low > 1) {
      const mpz_class middle = (low + high) / 2;
      (IsBelow(Rational(middle) * unit, series, part) ? high : low) = middle;
    }
    return std::min(Rational(high) * unit, below->epsilon);
  }

  const Project& project_;
  const Question& question_;
  sql::Select select_;
  Supposition supposition_;
  std::map<Rational, std::optional<std::vector<ExpectedMargin>>> known_;
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

Result<std::vector<ExpectedMargin>> DeclaredMargins(const Catalog& catalog, const Plan& plan) {
  Supposition supposition;
  if (const auto people = DeclaredPeople(catalog, plan)) supposition.rows = Rational(*people);
  return ExpectedMargins(plan, supposition);
}

Result<Curve> DrawCurve(const Project& project, const Question& question,
                        const Supposition& supposition, const Services& services) {
  TACET_TRY(sql::Select select, sql::Parse(question.statement));
  CurveMaker maker(project, question, std::move(select), supposition);
  TACET_TRY(const Account account, Account::Open(project, services));
  const Rational dearest = DearestOf(account.limit());
  TACET_TRY(Plan plan, maker.PlanAt(dearest));
  if (plan.is_public) {
    return Error{.code = Code::kUsage,
                 .message = "the table is public: its answers are exact and cost nothing"};
  }
  Curve curve{.plan = std::move(plan),
              .supposition = {},
              .limit = account.limit(),
              .points = {},
              .marks = {},
              .notices = {}};
  maker.Suppose(curve.plan, curve);
  for (const Rational& epsilon : EpsilonsUpTo(dearest, question.epsilon)) {
    Result<CurvePoint> point = maker.PointAt(epsilon, account);
    if (point.ok()) {
      curve.points.push_back(*std::move(point));
    } else if (epsilon == dearest) {
      return point.error();
    }
    // Else it is so cheap, or so dear, that there is no such noise.
  }
  maker.AddMarks(curve);
  curve.notices = NoticesOf(project.catalog, curve.plan);
  return curve;
}

}  // namespace tacet
