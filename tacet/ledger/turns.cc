// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/turns.h"

#include <utility>

namespace tacet {

Turns::Turn& Turns::Turn::operator=(Turn&& other) noexcept {
  LetGo();
  turns_ = std::move(other.turns_);
  is_alone_ = other.is_alone_;
  return *this;
}

void Turns::Turn::LetGo() {
  const std::shared_ptr<Turns> turns = std::exchange(turns_, nullptr);
  if (turns == nullptr) return;
  {
    const std::lock_guard guard(turns->mutex_);
    if (is_alone_) {
      turns->is_alone_ = false;
    } else {
      --turns->together_;
    }
  }
  turns->changed_.notify_all();
}

Turns::Turn Turns::Together(const std::shared_ptr<Turns>& turns) {
  std::unique_lock guard(turns->mutex_);
  turns->changed_.wait(guard,
                       [&] { return !turns->is_alone_ && turns->waiting_to_be_alone_ == 0; });
  ++turns->together_;
  return Turn(turns, /*is_alone=*/false);
}

Turns::Turn Turns::Alone(const std::shared_ptr<Turns>& turns) {
  std::unique_lock guard(turns->mutex_);
  ++turns->waiting_to_be_alone_;
  turns->changed_.wait(guard, [&] { return !turns->is_alone_ && turns->together_ == 0; });
  --turns->waiting_to_be_alone_;
  turns->is_alone_ = true;
  return Turn(turns, /*is_alone=*/true);
}

}  // namespace tacet
