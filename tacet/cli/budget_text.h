// SPDX-License-Identifier: Apache-2.0
// Budgets as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tacet/base/rational.h"

namespace tacet::cli {

// `████░░░░ 50% spent`, with a mark as soon as anything is spent. No wider than `columns`.
std::string SpentBar(const Rational& spent, const Rational& limit, size_t columns);

// `1 charge`, `2 charges`.
std::string ChargeCount(uint64_t count);

}  // namespace tacet::cli
