// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/balance.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include "tacet/base/fault.h"
#include "tacet/base/number_runs.h"

namespace tacet {
namespace {

constexpr size_t kNamedMax = 8;
constexpr std::string_view kDelta = "delta";
// In a checkpoint. A larger count is none that was written, and would only use up memory.
constexpr uint64_t kRunMax = uint64_t{1} << 20;

// Short and exact, or else about right.
std::string Shown(const Rational& amount) {
  constexpr size_t kExactMax = 12;
  const std::string exact = amount.ToString();
  if (exact.size() <= kExactMax) return exact;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "about %.4g", amount.ToDouble());
  return text.data();
}

// The last few runs.
std::string LastRuns(const std::vector<uint64_t>& numbers) {
  std::vector<std::string> runs = NumberRuns(numbers);
  if (runs.size() > kNamedMax) {
    runs.erase(runs.begin(), runs.end() - kNamedMax);
    runs.insert(runs.begin(), "earlier ones");
  }
  return JoinWithCommas(runs);
}

bool Fits(const Units& spent, const Units& cost, const Units& limit) {
  if (TACET_FAULT(sum_in_double_ledger)) {
    return spent.Amount().ToDouble() + cost.Amount().ToDouble() <= limit.Amount().ToDouble();
  }
  return spent + cost <= limit;
}

Rational Left(const Units& limit, const Units& spent) { return (limit - spent).Amount(); }

}  // namespace

// Of an epsilon e that is half of its square.
Epsilon Balance::PriceOf(const Rational& rho) {
  constexpr mpfr_prec_t kPrecision = 64;
  return *Epsilon::Create(Sqrt(Interval(rho * Rational(2), kPrecision)).Low());
}

void Balance::SetBudget(const Budget& budget) {
  budget_ = budget;
  SetLimit();
}

void Balance::SetClassLimits(const std::vector<ClassLimit>& limits) {
  class_limits_ = limits;
  SetLimit();
}

void Balance::SetLimit() {
  filter_ = budget_.filter();
  for (const ClassLimit& limit : class_limits_) {
    if (TACET_FAULT(refusal_ignores_classes)) break;
    filter_.epsilon = std::min(filter_.epsilon, limit.epsilon);
    filter_.rho = std::min(filter_.rho, limit.rho);
  }
  limit_ = {.epsilon = Units::Down(filter_.epsilon.value()),
            .delta = Units::Down(filter_.delta.value()),
            .rho = Units::Down(filter_.rho.value())};
}

uint32_t Balance::KindOf(const ChargeKind& kind) {
  const auto [found, is_new] = kind_numbers_.emplace(kind, static_cast<uint32_t>(kinds_.size()));
  if (!is_new) return found->second;
  const auto [region, is_new_region] = region_by_reach_.emplace(
      std::pair(kind.reach.data_version, kind.reach.region), regions_.size());
  if (is_new_region) regions_.push_back({.reach = kind.reach, .sums = {}});
  kinds_.push_back({.kind = kind, .region = region->second});
  return found->second;
}

void Balance::AddRun(uint32_t number, uint64_t count) {
  const auto& [kind, region] = kinds_[number];
  const Units epsilon = kind.epsilon * count;
  const Units rho = kind.rho * count;
  all_.epsilon += epsilon;
  all_.rho += rho;
  all_.delta += kind.delta * count;
  regions_[region].sums.epsilon += epsilon;
  regions_[region].sums.rho += rho;
  price_by_analyst_[kind.analyst] += epsilon;
  kind_of_charge_.insert(kind_of_charge_.end(), count, number);
}

void Balance::Add(const ChargeRecord& charge) noexcept {
  TACET_CHECK(charge.number == charges() + 1);
  AddRun(KindOf({.analyst = charge.analyst,
                 .reach = charge.reach,
                 .epsilon = Units::Up(charge.cost.epsilon.value()),
                 .delta = Units::Up(charge.cost.delta.value()),
                 .rho = Units::Up(charge.cost.rho.value())}),
         1);
}

std::pair<std::vector<ChargeKind>, std::vector<ChargeRun>> Balance::Take() {
  std::vector<ChargeKind> new_kinds;
  for (; taken_kinds_ < kinds_.size(); ++taken_kinds_) {
    new_kinds.push_back(kinds_[taken_kinds_].kind);
  }
  std::vector<ChargeRun> runs;
  for (; taken_ < charges(); ++taken_) {
    const uint64_t kind = kind_of_charge_[taken_];
    if (runs.empty() || runs.back().kind != kind || runs.back().count == kRunMax) {
      runs.push_back({.kind = kind, .count = 0});
    }
    ++runs.back().count;
  }
  return {std::move(new_kinds), std::move(runs)};
}

Status Balance::AddTaken(const std::vector<ChargeKind>& new_kinds,
                         const std::vector<ChargeRun>& runs) {
  const Error senseless{.code = Code::kData, .message = "a checkpoint makes no sense"};
  for (const ChargeKind& kind : new_kinds) {
    const size_t before = kinds_.size();
    if (KindOf(kind) != before) return senseless;
  }
  for (const ChargeRun& run : runs) {
    if (run.kind >= kinds_.size() || run.count == 0 || run.count > kRunMax) return senseless;
    AddRun(static_cast<uint32_t>(run.kind), run.count);
  }
  taken_ = charges();
  taken_kinds_ = kinds_.size();
  return {};
}

std::vector<KnownRegion> Balance::RegionsOf(uint64_t data_version) const {
  std::vector<KnownRegion> known;
  for (auto next = region_by_reach_.lower_bound({data_version, ""});
       next != region_by_reach_.end() && next->first.first == data_version; ++next) {
    known.push_back({.number = next->second + 1, .reach = regions_[next->second].reach});
  }
  std::sort(known.begin(), known.end(),
            [](const KnownRegion& a, const KnownRegion& b) { return a.number < b.number; });
  return known;
}

Balance::Sums Balance::SumsOf(const About& about) const {
  Sums disjoint;
  uint64_t last = 0;
  for (const uint64_t number : about.disjoint) {
    // A number that is listed twice would be taken off twice.
    TACET_CHECK(number > last && number <= regions_.size());
    last = number;
    const Region& region = regions_[number - 1];
    const bool is_of_import = region.reach.data_version == about.data_version;
    if (!is_of_import && !TACET_FAULT(disjoint_across_imports)) continue;
    disjoint.epsilon += region.sums.epsilon;
    disjoint.rho += region.sums.rho;
  }
  return {.epsilon = all_.epsilon - disjoint.epsilon,
          .delta = all_.delta,
          .rho = all_.rho - disjoint.rho};
}

std::vector<uint64_t> Balance::Counting(const About& about) const {
  std::vector<bool> counts(regions_.size(), true);
  for (const uint64_t number : about.disjoint) {
    if (regions_[number - 1].reach.data_version == about.data_version) counts[number - 1] = false;
  }
  std::vector<uint64_t> numbers;
  for (uint64_t number = 1; number <= charges(); ++number) {
    if (counts[kinds_[kind_of_charge_[number - 1]].region]) numbers.push_back(number);
  }
  return numbers;
}

Units Balance::CountedOf(uint64_t charge) const {
  TACET_CHECK(charge >= 1 && charge <= charges());
  const ChargeKind& kind = kinds_[kind_of_charge_[charge - 1]].kind;
  return budget_.is_pure() ? kind.epsilon : kind.rho;
}

Units Balance::CountedOf(const Cost& cost) const {
  return Units::Up(budget_.is_pure() ? cost.epsilon.value() : cost.rho.value());
}

bool Balance::EverybodyCanPay(const ChargeRecord& charge, const std::vector<uint64_t>& disjoint,
                              const Units& limit) const {
  const Sums spent = SumsOf({.data_version = charge.reach.data_version, .disjoint = disjoint});
  return Fits(Counted(spent), CountedOf(charge.cost), limit);
}

Status Balance::Admit(const ChargeRecord& charge, const std::vector<uint64_t>& disjoint,
                      const std::optional<Epsilon>& quota, Beyond beyond) const {
  const About about{.data_version = charge.reach.data_version, .disjoint = disjoint};
  const Sums spent = SumsOf(about);
  const Rational& delta = charge.cost.delta.value();
  if (!Fits(spent.delta, Units::Up(delta), limit_.delta)) {
    return Refusal(charge, {}, kDelta, delta, spent.delta, filter_.delta.value());
  }
  const bool is_pure = budget_.is_pure();
  const Rational& asked = is_pure ? charge.cost.epsilon.value() : charge.cost.rho.value();
  const Units& counted = Counted(spent);
  const char* const what = is_pure ? "epsilon" : "rho";
  const Rational& limit = is_pure ? filter_.epsilon.value() : filter_.rho.value();
  if (beyond == Beyond::kExclude) {
    if (Units::Up(asked) > CountedLimit()) {
      return Error{.code = Code::kBudget,
                   .message = "no budget allows this: " + std::string(what) + " " + Shown(asked) +
                              " is asked for, and a person has " + Shown(limit) + " for life",
                   .hint = "ask for less."};
    }
  } else if (!Fits(counted, Units::Up(asked), CountedLimit())) {
    return Refusal(charge, about, what, asked, counted, limit);
  }
  if (quota.has_value()) {
    const auto found = price_by_analyst_.find(charge.analyst);
    const Units used = found == price_by_analyst_.end() ? Units() : found->second;
    if (!Fits(used, Units::Up(charge.cost.epsilon.value()), Units::Down(quota->value()))) {
      return Error{.code = Code::kQuota,
                   .message = "your quota does not allow this: epsilon " +
                              Shown(charge.cost.epsilon.value()) + " is asked for and " +
                              Shown(Left(Units::Down(quota->value()), used)) + " of " +
                              Shown(quota->value()) + " is left",
                   .hint = "ask the data owner for a larger quota, or ask for a smaller epsilon."};
    }
  }
  return {};
}

Error Balance::Refusal(const ChargeRecord& charge, const About& about, std::string_view what,
                       const Rational& asked, const Units& spent, const Rational& limit) const {
  std::vector<uint64_t> numbers_of_others;
  std::vector<uint64_t> own_numbers;
  for (const uint64_t number : Counting(about)) {
    const bool is_own = kinds_[kind_of_charge_[number - 1]].kind.analyst == charge.analyst;
    (is_own ? own_numbers : numbers_of_others).push_back(number);
  }
  std::vector<std::string> own;
  size_t first = 0;
  if (own_numbers.size() > kNamedMax) {
    first = own_numbers.size() - kNamedMax;
    own.emplace_back("earlier ones");
  }
  for (size_t i = first; i < own_numbers.size(); ++i) {
    const ChargeKind& kind = kinds_[kind_of_charge_[own_numbers[i] - 1]].kind;
    own.push_back(std::to_string(own_numbers[i]) + " (epsilon " + Shown(kind.epsilon.Amount()) +
                  ")");
  }
  std::string hint;
  if (!own.empty()) hint += "your charges that count: " + JoinWithCommas(own) + ". ";
  if (!numbers_of_others.empty()) {
    hint += "charges of other analysts: " + LastRuns(numbers_of_others) + ". ";
  }
  hint += what == kDelta ? "ask for less." : "ask for less, or of other people.";
  return {.code = Code::kBudget,
          .message = "the budget does not allow this: " + std::string(what) + " " + Shown(asked) +
                     " is asked for and " + Shown(Left(Units::Down(limit), spent)) + " of " +
                     Shown(limit) + " is left",
          .hint = std::move(hint)};
}

Cost Balance::Spent(const About& about) const {
  const Sums spent = SumsOf(about);
  return {.epsilon = *Epsilon::Create(spent.epsilon.Amount()),
          .delta = *Delta::Create(std::min(spent.delta.Amount(), Rational(1))),
          .rho = *Rho::Create(spent.rho.Amount())};
}

Cost Balance::Remaining(const About& about) const {
  const Sums spent = SumsOf(about);
  const Rational rho = Left(limit_.rho, spent.rho);
  return {.epsilon = budget_.is_pure() ? *Epsilon::Create(Left(limit_.epsilon, spent.epsilon))
                                       : PriceOf(rho),
          .delta = *Delta::Create(Left(limit_.delta, spent.delta)),
          .rho = *Rho::Create(rho)};
}

}  // namespace tacet
