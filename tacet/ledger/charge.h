// SPDX-License-Identifier: Apache-2.0
// The evidence that an answer is paid for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/sha256.h"
#include "tacet/measure/cost.h"

namespace tacet {

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

  // Uses the evidence up for the one release that it pays for. Stops the process if `plan` is not,
  // byte for byte, the plan that was charged, or if the evidence was used before.
  void Consume(std::string_view plan) &&;

 private:
  friend class Ledger;
  Charge(std::string dataset_id, uint64_t number, Cost cost, const Digest& plan);

  std::string dataset_id_;
  uint64_t number_;
  Cost cost_;
  Digest plan_;
  bool is_used_ = false;
  bool is_narrowed_ = false;
};

}  // namespace tacet
