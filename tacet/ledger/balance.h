// SPDX-License-Identifier: Apache-2.0
// What was spent, what is left, and whether one more charge fits: a function of the log alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/record.h"
#include "tacet/ledger/units.h"
#include "tacet/measure/budget.h"

namespace tacet {

// The sums over the log, in whole units. Nothing takes a charge away. For one thread at a time.
class Balance {
 public:
  explicit Balance(const Budget& budget) : budget_(budget) {}

  const Budget& budget() const { return budget_; }
  void SetBudget(const Budget& budget) { budget_ = budget; }
  // How many charges there are; their numbers are 1 to that.
  uint64_t charges() const { return entries_.size(); }

  // Stops the process when memory runs out: half a charge would be counted, or none.
  void Add(const ChargeRecord& charge) noexcept;

  // Fails with Code::kBudget if the charge, with those before it that may meet the same people,
  // would pass the limit, and with Code::kQuota if it would pass `quota` of its analyst. The error
  // names the charges in the way: the analyst's own with their price, others by number alone.
  // Guarantee: for a person, the charges that touch them and were admitted add up to at most the
  // budget's filter, and all deltas to at most the filter's delta.
  Status Admit(const ChargeRecord& charge, const std::optional<Epsilon>& quota) const;

  // What the charges that count against `reach` add up to; delta counts for everyone. In an
  // (epsilon, delta) budget the epsilon is the sum of prices, which no limit is compared with.
  Cost Spent(const Reach& reach) const;
  // What the filter still holds. In an (epsilon, delta) budget the epsilon is the price of the
  // dearest query that rho still pays for; in a pure one rho is 0.
  Cost Remaining(const Reach& reach) const;

 private:
  struct Sums {
    Units epsilon;
    Units delta;
    Units rho;
  };
  struct Entry {
    std::string analyst;
    uint64_t data_version;
    Units epsilon;
    Units rho;
  };

  Sums Counting(const Reach& reach) const;
  Error Refusal(const ChargeRecord& charge, std::string_view what, const Rational& asked,
                const Rational& left, const Rational& limit) const;

  Budget budget_;
  std::vector<Entry> entries_;  // by number, from 1
  Sums all_;
  std::map<std::string, Units, std::less<>> price_by_analyst_;
};

}  // namespace tacet
