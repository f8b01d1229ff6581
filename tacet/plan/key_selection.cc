// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/key_selection.h"

#include <utility>

namespace tacet {
namespace {

Result<Rho> ShareOf(const Price& price, size_t shares) {
  return Rho::Create(price.Amount() / Rational(static_cast<int64_t>(shares)));
}

Result<KeySelection> WithLoss(GroupSelection rule, int64_t groups_per_person) {
  TACET_TRY(SelectionLoss loss,
            std::visit([&](const auto& one) { return one.Loss(groups_per_person); }, rule));
  return KeySelection{
      .rule = std::move(rule), .groups_per_person = groups_per_person, .loss = std::move(loss)};
}

Result<KeySelection> BestRule(const Price& price, int64_t groups_per_person, size_t shares) {
  TACET_TRY(const Rho rho, ShareOf(price, shares));
  TACET_TRY(GroupSelection rule, BestSelection(rho, price.delta, groups_per_person));
  return WithLoss(std::move(rule), groups_per_person);
}

Result<KeySelection> RuleWithCounts(const Price& price, int64_t groups_per_person, size_t shares) {
  TACET_TRY(const Rho rho, ShareOf(price, shares));
  TACET_TRY(GaussianSelection rule, GaussianSelection::For(rho, price.delta, groups_per_person));
  return WithLoss(std::move(rule), groups_per_person);
}

}  // namespace

Int128 KeySelection::PersonsForEvenOdds() const {
  return gaussian() != nullptr ? gaussian()->threshold() : optimal()->PersonsForEvenOdds();
}

Result<KeySelection> SelectKeys(const Price& price, int64_t groups_per_person, size_t numbers,
                                std::optional<size_t> persons) {
  if (price.is_pure || price.delta.is_zero()) {
    return Error{.code = Code::kUnsupported,
                 .message = "keys that nobody declared cannot be shown at a delta of 0",
                 .hint = "ask with a delta, or ask the data owner to declare the values."};
  }
  Result<KeySelection> apart = BestRule(price, groups_per_person, numbers + 1);
  if (persons) {
    Result<KeySelection> shared = RuleWithCounts(price, groups_per_person, numbers);
    if (shared.ok() &&
        (!apart.ok() || shared->PersonsForEvenOdds() <= apart->PersonsForEvenOdds())) {
      shared->shared = persons;
      return shared;
    }
  }
  if (apart.ok()) return apart;
  return Error{.code = Code::kUnsupported,
               .message = "no rule can select keys at this epsilon and delta",
               .hint = "ask with another epsilon or another delta, at most 1/2.",
               .detail = apart.error().message};
}

}  // namespace tacet
