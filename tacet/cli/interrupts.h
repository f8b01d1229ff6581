// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, as a request that work can look at: nothing dies in the middle of a write.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace tacet::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP set requested() instead of ending the process. Those
// that were ignored stay ignored, as under nohup. For one thread; one may live inside another, and
// they share what is requested.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  const std::atomic<bool>& requested() const;
  // Whether it was more than Ctrl-C: the process itself shall end.
  bool wants_end() const;
  // A Ctrl-C was dealt with: requested() is false again, unless the process shall end.
  void Forget();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace tacet::cli
