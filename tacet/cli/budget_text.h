// SPDX-License-Identifier: Apache-2.0
// Budgets as text.
#pragma once

#include <cstdint>
#include <string>

#include "tacet/base/rational.h"

namespace tacet::cli {

// `████░░░░ 50% spent`, with a mark as soon as anything is spent.
std::string SpentBar(const Rational& spent, const Rational& limit);

// `1 charge`, `2 charges`.
std::string ChargeCount(uint64_t count);

}  // namespace tacet::cli
