// SPDX-License-Identifier: Apache-2.0
// Who may have charges in flight at the same time. Private to this folder, but for Turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tacet {

// Charges whose people are known from texts alone go together; one whose people depend on what
// others were charged goes alone, from its record to its narrowing. Safe for many threads.
class Turns {
 public:
  // Held until it is destroyed, assigned to or let go of. May outlive the Ledger.
  class Turn {
   public:
    Turn() = default;
    Turn(Turn&& other) noexcept = default;
    Turn& operator=(Turn&& other) noexcept;
    ~Turn() { LetGo(); }
    void LetGo();

   private:
    friend class Turns;
    Turn(std::shared_ptr<Turns> turns, bool is_alone)
        : turns_(std::move(turns)), is_alone_(is_alone) {}

    std::shared_ptr<Turns> turns_;
    bool is_alone_ = false;
  };

  // Waits while somebody is alone, or waits for that.
  static Turn Together(const std::shared_ptr<Turns>& turns);
  // Waits until nobody has a turn.
  static Turn Alone(const std::shared_ptr<Turns>& turns);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t together_ = 0;
  uint64_t waiting_to_be_alone_ = 0;
  bool is_alone_ = false;
};

}  // namespace tacet
