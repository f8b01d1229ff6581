// SPDX-License-Identifier: Apache-2.0
// The time, behind a seam. Nothing about privacy may depend on it: a clock can be set back.
#pragma once

#include <chrono>
#include <string>

namespace tacet {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() = 0;
};

// The machine's clock. Safe to share between threads.
class SystemClock final : public Clock {
 public:
  Time Now() override;
};

// ISO 8601 in UTC: 2026-01-31T09:05:00.000000Z. A time outside the years 0 to 9999 reads as the
// nearest one inside.
std::string ToString(Time time);

}  // namespace tacet
