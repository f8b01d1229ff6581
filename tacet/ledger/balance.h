// SPDX-License-Identifier: Apache-2.0
// What was spent, what is left, and whether one more charge fits: a function of the log alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/ledger/record.h"
#include "tacet/ledger/units.h"
#include "tacet/measure/budget.h"

namespace tacet {

// The people of one import whom charges name by the same bytes.
struct KnownRegion {
  uint64_t number = 0;  // 1, 2, 3, ... in the order of their first charges
  Reach reach;
};

// Whom a sum of charges is about: those of an import whom some regions cannot hold. All other
// charges count, also those of regions that nobody knew of when this was written.
struct About {
  uint64_t data_version = 0;
  // Numbers of regions, ascending, that texts and catalog prove to hold none of these people. A
  // region of another import counts even if it is listed: facts about people change.
  std::vector<uint64_t> disjoint = {};
};

// The sums over the log, in whole units. Nothing takes a charge away. For one thread at a time.
class Balance {
 public:
  explicit Balance(const Budget& budget) : budget_(budget) { SetBudget(budget); }

  const Budget& budget() const { return budget_; }
  void SetBudget(const Budget& budget);
  // Those of people in classes: from here on the smallest of them and of the budget's is the limit.
  void SetClassLimits(const std::vector<ClassLimit>& limits);
  // How many charges there are; their numbers are 1 to that.
  uint64_t charges() const { return kind_of_charge_.size(); }
  std::vector<KnownRegion> RegionsOf(uint64_t data_version) const;

  // Stops the process when memory runs out: half a charge would be counted, or none.
  void Add(const ChargeRecord& charge) noexcept;

  // What becomes of a charge that, with those before it that may meet the same people, would pass
  // the limit.
  enum class Beyond {
    kRefuse,
    kExclude,  // people who cannot pay are left out; only what nobody could ever pay is refused
  };
  // Fails with Code::kBudget if the charge would pass the limit and `beyond` says so, or deltas add
  // up to more than the filter's delta, and with Code::kQuota if it would pass `quota` of its
  // analyst. The error names the charges in the way: the analyst's own with their price, others by
  // number alone.
  // Guarantee: for a person, the charges that touch them and were admitted under kRefuse add up to
  // at most the budget's filter and the smallest limit of a class, and all deltas to at most the
  // filter's delta.
  Status Admit(const ChargeRecord& charge, const std::vector<uint64_t>& disjoint,
               const std::optional<Epsilon>& quota, Beyond beyond = Beyond::kRefuse) const;
  // Whether nobody whom the charge may meet can pass `limit` by it, as the log shows.
  bool EverybodyCanPay(const ChargeRecord& charge, const std::vector<uint64_t>& disjoint,
                       const Units& limit) const;

  // What the charges that count add up to; delta counts for everyone. In an (epsilon, delta) budget
  // the epsilon is the sum of prices, which no limit is compared with.
  Cost Spent(const About& about) const;
  // What the filter still holds. In an (epsilon, delta) budget the epsilon is the price of the
  // dearest query that rho still pays for; in a pure one rho is 0.
  Cost Remaining(const About& about) const;
  // The price of the dearest query that `rho` pays for, rounded down.
  static Epsilon PriceOf(const Rational& rho);
  // The same in what the limit counts, epsilon or rho: of all charges, of one, of a cost, and the
  // limit, which no class is below.
  const Units& CountedOfAll() const { return Counted(all_); }
  Units CountedOf(uint64_t charge) const;
  Units CountedOf(const Cost& cost) const;
  const Units& CountedLimit() const { return Counted(limit_); }
  // The numbers of the charges that count, ascending.
  std::vector<uint64_t> Counting(const About& about) const;

  // The kinds and runs of the charges since the last call of one of these, and how many they are.
  // Taking them begins anew; adding them counts charges that were taken from another Balance, and
  // fails if they make no sense.
  uint64_t untaken() const { return charges() - taken_; }
  std::pair<std::vector<ChargeKind>, std::vector<ChargeRun>> Take();
  Status AddTaken(const std::vector<ChargeKind>& new_kinds, const std::vector<ChargeRun>& runs);

 private:
  struct Sums {
    Units epsilon;
    Units delta;
    Units rho;
  };
  struct Region {
    Reach reach;
    Sums sums;
  };
  struct Kind {
    ChargeKind kind;
    size_t region;
  };

  // The number of the kind, which is made if it is new.
  uint32_t KindOf(const ChargeKind& kind);
  void AddRun(uint32_t kind, uint64_t count);
  Sums SumsOf(const About& about) const;
  const Units& Counted(const Sums& sums) const {
    return budget_.is_pure() ? sums.epsilon : sums.rho;
  }
  Error Refusal(const ChargeRecord& charge, const About& about, std::string_view what,
                const Rational& asked, const Units& spent, const Rational& limit) const;

  void SetLimit();

  Budget budget_;
  std::vector<ClassLimit> class_limits_;
  Cost filter_;  // the budget's, or the smallest class's where that is smaller
  Sums limit_;   // what it holds
  std::vector<Kind> kinds_;
  std::map<ChargeKind, uint32_t> kind_numbers_;
  std::vector<Region> regions_;
  std::map<std::pair<uint64_t, std::string>, size_t> region_by_reach_;
  std::vector<uint32_t> kind_of_charge_;  // by number, from 1
  Sums all_;
  std::map<std::string, Units, std::less<>> price_by_analyst_;
  uint64_t taken_ = 0;  // charges
  size_t taken_kinds_ = 0;
};

}  // namespace tacet
