// SPDX-License-Identifier: Apache-2.0
// What the demonstration shows, in its order.
#pragma once

#include <cstddef>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/cli/demo_stage.h"

namespace tacet::cli {

// In the folder of the demonstration, once the first step has imported the data.
inline constexpr char kLedgerFile[] = ".tacet/ledger.db";

struct DemoStep {
  const char* title;
  // In the folder of the demonstration; attacks are tried `trials` times each.
  Status (*show)(const Stage& stage, size_t trials);
};

const std::vector<DemoStep>& StepsOfDemo();

}  // namespace tacet::cli
