// SPDX-License-Identifier: Apache-2.0
// Checks for programmer errors. They stay on in release builds: in the privacy kernel, failing
// closed means stopping.
#pragma once

namespace tacet::internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace tacet::internal

// Stops the process if `condition` does not hold. The message names the condition, never a value:
// values may be private.
#define TACET_CHECK(condition)        \
  ((condition) ? static_cast<void>(0) \
               : ::tacet::internal::CheckFailed(#condition, __FILE__, __LINE__))
