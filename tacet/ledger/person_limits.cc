// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/person_limits.h"

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet {

void PersonLimits::Hold(const std::vector<std::pair<std::string, PersonSet>>& classes) {
  PersonSet all;
  for (const auto& [name, people] : classes) all |= people;
  for (auto& [name, people] : now_) people -= all;
  for (const auto& [name, people] : classes) {
    now_[name] |= people;
    ever_[name] |= people;
  }
}

PersonSet PersonLimits::WithoutClass(uint64_t people) const {
  PersonSet without = PersonSet::FirstPeople(people);
  for (const auto& [name, held] : now_) without -= held;
  return without;
}

std::vector<LimitShare> PersonLimits::Shares(uint64_t people,
                                             const std::map<std::string, Units>& limits) const {
  const auto rest = limits.find("");
  TACET_CHECK(rest != limits.end());
  PersonSet left = PersonSet::FirstPeople(people);
  if (TACET_FAULT(class_limit_ignored)) return {{.limit = rest->second, .people = left}};
  std::map<Units, PersonSet> by_limit;
  for (const auto& [name, held] : ever_) {
    const auto own = limits.find(name);
    by_limit[own == limits.end() ? rest->second : own->second] |= held;
  }
  std::vector<LimitShare> shares;
  for (auto& [limit, held] : by_limit) {
    held &= left;
    left -= held;
    if (!held.empty()) shares.push_back({.limit = limit, .people = held});
  }
  if (!left.empty()) shares.push_back({.limit = rest->second, .people = std::move(left)});
  return shares;
}

}  // namespace tacet
