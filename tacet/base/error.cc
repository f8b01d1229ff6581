// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/error.h"

#include <array>

#include "tacet/base/check.h"

namespace tacet {
namespace {

constexpr std::array kCodes = {
    CodeInfo{Code::kUsage, "usage", "22023", 400, 2},
    CodeInfo{Code::kUnsupported, "unsupported", "0A000", 400, 1},
    CodeInfo{Code::kForbidden, "forbidden", "42501", 403, 1},
    CodeInfo{Code::kBudget, "budget", "53400", 403, 1},
    CodeInfo{Code::kQuota, "quota", "53400", 429, 1},
    CodeInfo{Code::kCatalog, "catalog", "F0000", 500, 3},
    CodeInfo{Code::kData, "data", "22000", 500, 3},
    CodeInfo{Code::kIo, "io", "58030", 500, 4},
    CodeInfo{Code::kEntropy, "entropy", "58000", 500, 4},
    CodeInfo{Code::kEngine, "engine", "XX000", 500, 4},
    CodeInfo{Code::kLedger, "ledger", "58P01", 500, 4},
    CodeInfo{Code::kLocked, "locked", "55P03", 503, 4},
    CodeInfo{Code::kInterrupted, "interrupted", "57014", 499, 130},
};

}  // namespace

const CodeInfo& Info(Code code) {
  const auto index = static_cast<size_t>(code);
  TACET_CHECK(index < kCodes.size());
  return kCodes[index];
}

std::span<const CodeInfo> AllCodes() { return kCodes; }

}  // namespace tacet
