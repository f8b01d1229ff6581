// SPDX-License-Identifier: Apache-2.0
// A clock that tells the time it was told.
#pragma once

#include <chrono>

#include "tacet/base/clock.h"

namespace tacet::testing {

// Stands still between calls. Not safe for use by several threads at once.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time now = Time{}) : now_(now) {}

  Time Now() override { return now_; }
  // Also backwards, as a real clock can be.
  void Set(Time now) { now_ = now; }
  void Advance(std::chrono::microseconds step) { now_ += step; }

 private:
  Time now_;
};

}  // namespace tacet::testing
