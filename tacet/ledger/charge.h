// SPDX-License-Identifier: Apache-2.0
// The evidence that an answer is paid for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/person_set.h"
#include "tacet/base/sha256.h"
#include "tacet/ledger/turns.h"
#include "tacet/measure/cost.h"

namespace tacet {

// Who has to be left out of an answer, because their budget cannot pay for it. Private.
struct Exclusion {
  PersonSet people;  // by number
  // Of tables where every row is a person: all rows, or none.
  bool rows = false;
};

// Evidence that the cost of one plan is durably spent. Only Ledger makes one and a release consumes
// it, so an answer without a charge does not compile. One that is thrown away stays spent.
class Charge {
 public:
  // What was moved from is used up.
  Charge(Charge&& other) noexcept;
  Charge& operator=(Charge&&) = delete;

  uint64_t number() const { return number_; }
  // As it was recorded.
  const Cost& cost() const { return cost_; }
  // Nothing where the log alone shows that everybody can pay.
  const std::optional<Exclusion>& exclusion() const { return exclusion_; }

  // Uses the evidence up for the one release that it pays for. Stops the process if `plan` is not,
  // byte for byte, the plan that was charged, or if the evidence was used before.
  void Consume(std::string_view plan) &&;

 private:
  friend class Ledger;
  Charge(std::string dataset_id, uint64_t number, Cost cost, const Digest& plan,
         std::optional<Exclusion> exclusion, Turns::Turn turn);

  std::string dataset_id_;
  uint64_t number_;
  Cost cost_;
  Digest plan_;
  std::optional<Exclusion> exclusion_;
  Turns::Turn turn_;  // until it is narrowed, or known never to be
  bool is_used_ = false;
  bool is_narrowed_ = false;
};

}  // namespace tacet
