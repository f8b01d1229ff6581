// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/fault.h"

#ifdef TACET_MUTANTS
#include <cstdlib>
#include <cstring>

namespace tacet::internal {

bool FaultActive(const char* marker) {
  static const char* const chosen = std::getenv("TACET_FAULT");
  return chosen != nullptr && std::strcmp(std::strchr(marker, ':') + 1, chosen) == 0;
}

}  // namespace tacet::internal
#endif
