// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/interrupts.h"

namespace tacet::cli {
namespace {

// All that a signal handler may touch.
std::atomic<bool> is_requested = false;
std::atomic<bool> is_end_wanted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
int living = 0;

void Request(int signal) {
  if (signal != SIGINT) is_end_wanted = true;
  is_requested = true;
}

}  // namespace

Interrupts::Interrupts() {
  if (living++ == 0) {
    is_requested = false;
    is_end_wanted = false;
  }
  struct sigaction action = {};
  action.sa_handler = Request;
  sigemptyset(&action.sa_mask);
  // What a signal interrupts goes on: third parties need not be ready for EINTR.
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  --living;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& Interrupts::requested() const { return is_requested; }

bool Interrupts::wants_end() const { return is_end_wanted; }

void Interrupts::Forget() {
  is_requested = false;
  // One that came in between is not lost.
  if (is_end_wanted) is_requested = true;
}

}  // namespace tacet::cli
