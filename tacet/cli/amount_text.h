// SPDX-License-Identifier: Apache-2.0
// Amounts of privacy loss, short for people and exact for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/base/rational.h"
#include "tacet/measure/cost.h"

namespace tacet::cli {

enum class Rounding { kDown, kUp };

// A decimal with at most `digits` significant digits: `9.9`, `1e-9`. Never more than `value` if
// rounded down, never less if rounded up; exact where so many digits are enough.
std::string DecimalText(const Rational& value, Rounding rounding, int digits = 4);

// What is charged: exact where that is short (`1/10`), else a decimal rounded up.
std::string CostText(const Rational& value);

// Exact: {"epsilon": "1/10", "delta": "0", "rho": "1/200"}.
nlohmann::ordered_json CostJson(const Cost& cost);

}  // namespace tacet::cli
