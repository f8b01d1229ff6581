// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/charge.h"

#include <utility>

#include "tacet/base/check.h"

namespace tacet {

Charge::Charge(std::string dataset_id, uint64_t number, Cost cost, const Digest& plan,
               std::optional<Exclusion> exclusion, Turns::Turn turn)
    : dataset_id_(std::move(dataset_id)),
      number_(number),
      cost_(std::move(cost)),
      plan_(plan),
      exclusion_(std::move(exclusion)),
      turn_(std::move(turn)) {}

Charge::Charge(Charge&& other) noexcept
    : dataset_id_(std::move(other.dataset_id_)),
      number_(other.number_),
      cost_(std::move(other.cost_)),
      plan_(other.plan_),
      exclusion_(std::move(other.exclusion_)),
      turn_(std::move(other.turn_)),
      is_used_(std::exchange(other.is_used_, true)),
      is_narrowed_(std::exchange(other.is_narrowed_, true)) {}

void Charge::Consume(std::string_view plan) && {
  const bool was_used = std::exchange(is_used_, true);
  TACET_CHECK(!was_used);
  TACET_CHECK(Sha256(plan) == plan_);
}

}  // namespace tacet
