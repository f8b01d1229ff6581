// SPDX-License-Identifier: Apache-2.0
// What was charged to each person by the charges that were narrowed: a sum over the log, kept so
// that nobody has to read it again.
//
// Private: who has spent how much is a function of people's rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/base/result.h"
#include "tacet/ledger/units.h"

namespace tacet {

// Amounts are exact. A person holds the place of an amount in a list of those that occur, since
// many people have spent the same: four bytes for each, however long the number is. A value; for
// one thread at a time.
class PersonBalances {
 public:
  // Charges `amount` to each of `people`.
  void Charge(const PersonSet& people, const Units& amount);

  // What was charged to one person; nothing to those who are not known.
  Units Of(uint32_t person) const;
  // What all charges add up to, each counted once: against everyone that sum is `all - narrowed()`.
  const Units& narrowed() const { return narrowed_; }

  // Those of the first `people` who were charged more than `allowed`.
  PersonSet Above(uint64_t people, const Units& allowed) const;
  // The amounts that occur among `people`, ascending, and how many people were charged each.
  std::vector<std::pair<Units, uint64_t>> Spread(const PersonSet& people) const;

  // The `count` of `people` who were charged most, the most first, and of equals the first number.
  std::vector<std::pair<uint32_t, Units>> Largest(const PersonSet& people, size_t count) const;

  // Amounts and people as bytes, the same for the same balances; Parse fails on anything else.
  std::string Serialize() const;
  static Result<PersonBalances> Parse(std::string_view bytes);

  // Compares what was charged, not how it is kept.
  friend bool operator==(const PersonBalances& a, const PersonBalances& b);

 private:
  // The place of `amount` in the list, which gets it if it is new.
  uint32_t PlaceOf(const Units& amount);
  // Leaves out amounts that nobody holds any more.
  void Compact();

  Units narrowed_;
  std::vector<Units> amounts_ = {Units()};
  std::map<Units, uint32_t> places_ = {{Units(), 0}};
  std::vector<uint32_t> place_of_person_;  // those behind its end were charged nothing
  size_t compact_at_ = 4096;
};

}  // namespace tacet
