// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tacet::internal {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tacet: internal error: CHECK failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace tacet::internal
