// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/balance.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr size_t kNamedMax = 8;
constexpr std::string_view kDelta = "delta";

// Short and exact, or else about right.
std::string Shown(const Rational& amount) {
  constexpr size_t kExactMax = 12;
  const std::string exact = amount.ToString();
  if (exact.size() <= kExactMax) return exact;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "about %.4g", amount.ToDouble());
  return text.data();
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "1-3, 5": the last few runs of ascending numbers.
std::string Runs(const std::vector<uint64_t>& numbers) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(std::to_string(numbers[i]));
    if (end - i > 1) runs.back() += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  if (runs.size() > kNamedMax) {
    runs.erase(runs.begin(), runs.end() - kNamedMax);
    runs.insert(runs.begin(), "earlier ones");
  }
  return Join(runs);
}

bool Fits(const Units& spent, const Units& cost, const Rational& limit) {
  if (TACET_FAULT(sum_in_double_ledger)) {
    return spent.Amount().ToDouble() + cost.Amount().ToDouble() <= limit.ToDouble();
  }
  return spent + cost <= Units::Down(limit);
}

Rational Left(const Rational& limit, const Units& spent) {
  return (Units::Down(limit) - spent).Amount();
}

// The largest price whose rho, its square by 2, is at most `rho`; rounded down.
Epsilon PriceOf(const Rational& rho) {
  constexpr mpfr_prec_t kPrecision = 64;
  return *Epsilon::Create(Sqrt(Interval(rho * Rational(2), kPrecision)).Low());
}

}  // namespace

void Balance::Add(const ChargeRecord& charge) noexcept {
  TACET_CHECK(charge.number == charges() + 1);
  const Units epsilon = Units::Up(charge.cost.epsilon.value());
  const Units rho = Units::Up(charge.cost.rho.value());
  all_.epsilon += epsilon;
  all_.rho += rho;
  all_.delta += Units::Up(charge.cost.delta.value());
  price_by_analyst_[charge.analyst] += epsilon;
  entries_.push_back({.analyst = charge.analyst,
                      .data_version = charge.reach.data_version,
                      .epsilon = epsilon,
                      .rho = rho});
}

Balance::Sums Balance::Counting(const Reach& reach) const {
  Sums disjoint;
  uint64_t last = 0;
  for (const uint64_t number : reach.disjoint) {
    // A number that is listed twice would be taken off twice.
    TACET_CHECK(number > last && number <= charges());
    last = number;
    const Entry& entry = entries_[number - 1];
    if (entry.data_version != reach.data_version) continue;
    disjoint.epsilon += entry.epsilon;
    disjoint.rho += entry.rho;
  }
  return {.epsilon = all_.epsilon - disjoint.epsilon,
          .delta = all_.delta,
          .rho = all_.rho - disjoint.rho};
}

Status Balance::Admit(const ChargeRecord& charge, const std::optional<Epsilon>& quota) const {
  const Cost& limit = budget_.filter();
  const Sums spent = Counting(charge.reach);
  const Rational& delta = charge.cost.delta.value();
  if (!Fits(spent.delta, Units::Up(delta), limit.delta.value())) {
    return Refusal(charge, kDelta, delta, Left(limit.delta.value(), spent.delta),
                   limit.delta.value());
  }
  const bool is_pure = budget_.is_pure();
  const Rational& asked = is_pure ? charge.cost.epsilon.value() : charge.cost.rho.value();
  const Rational& allowed = is_pure ? limit.epsilon.value() : limit.rho.value();
  const Units& counted = is_pure ? spent.epsilon : spent.rho;
  if (!Fits(counted, Units::Up(asked), allowed)) {
    return Refusal(charge, is_pure ? "epsilon" : "rho", asked, Left(allowed, counted), allowed);
  }
  if (quota.has_value()) {
    const auto found = price_by_analyst_.find(charge.analyst);
    const Units used = found == price_by_analyst_.end() ? Units() : found->second;
    if (!Fits(used, Units::Up(charge.cost.epsilon.value()), quota->value())) {
      return Error{.code = Code::kQuota,
                   .message = "your quota does not allow this: epsilon " +
                              Shown(charge.cost.epsilon.value()) + " is asked for and " +
                              Shown(Left(quota->value(), used)) + " of " + Shown(quota->value()) +
                              " is left",
                   .hint = "ask the data owner for a larger quota, or ask for a smaller epsilon."};
    }
  }
  return {};
}

Error Balance::Refusal(const ChargeRecord& charge, std::string_view what, const Rational& asked,
                       const Rational& left, const Rational& limit) const {
  const bool counts_for_everyone = what == kDelta;
  std::vector<uint64_t> numbers_of_others;
  std::vector<uint64_t> own_numbers;
  const std::vector<uint64_t>& disjoint = charge.reach.disjoint;
  for (uint64_t number = 1; number <= charges(); ++number) {
    const Entry& entry = entries_[number - 1];
    if (!counts_for_everyone && entry.data_version == charge.reach.data_version &&
        std::binary_search(disjoint.begin(), disjoint.end(), number)) {
      continue;
    }
    (entry.analyst == charge.analyst ? own_numbers : numbers_of_others).push_back(number);
  }
  std::vector<std::string> own;
  size_t first = 0;
  if (own_numbers.size() > kNamedMax) {
    first = own_numbers.size() - kNamedMax;
    own.emplace_back("earlier ones");
  }
  for (size_t i = first; i < own_numbers.size(); ++i) {
    const Entry& entry = entries_[own_numbers[i] - 1];
    own.push_back(std::to_string(own_numbers[i]) + " (epsilon " + Shown(entry.epsilon.Amount()) +
                  ")");
  }
  std::string hint;
  if (!own.empty()) hint += "your charges that count: " + Join(own) + ". ";
  if (!numbers_of_others.empty()) {
    hint += "charges of other analysts: " + Runs(numbers_of_others) + ". ";
  }
  hint += counts_for_everyone ? "ask for less." : "ask for less, or of other people.";
  return {.code = Code::kBudget,
          .message = "the budget does not allow this: " + std::string(what) + " " + Shown(asked) +
                     " is asked for and " + Shown(left) + " of " + Shown(limit) + " is left",
          .hint = std::move(hint)};
}

Cost Balance::Spent(const Reach& reach) const {
  const Sums spent = Counting(reach);
  return {.epsilon = *Epsilon::Create(spent.epsilon.Amount()),
          .delta = *Delta::Create(std::min(spent.delta.Amount(), Rational(1))),
          .rho = *Rho::Create(spent.rho.Amount())};
}

Cost Balance::Remaining(const Reach& reach) const {
  const Cost& limit = budget_.filter();
  const Sums spent = Counting(reach);
  const Rational rho = Left(limit.rho.value(), spent.rho);
  return {.epsilon = budget_.is_pure()
                         ? *Epsilon::Create(Left(limit.epsilon.value(), spent.epsilon))
                         : PriceOf(rho),
          .delta = *Delta::Create(Left(limit.delta.value(), spent.delta)),
          .rho = *Rho::Create(rho)};
}

}  // namespace tacet
