// SPDX-License-Identifier: Apache-2.0
// Values of released tables.
#pragma once

#include <string>
#include <variant>

#include "tacet/base/rational.h"

namespace tacet {

struct NullValue {
  bool operator==(const NullValue&) const = default;
};

// Integers, decimals, dates (days) and timestamps (microseconds) are exact numbers; which of them
// one is, its type says. Doubles are finite.
using Value = std::variant<NullValue, bool, Rational, double, std::string>;

inline bool IsNull(const Value& value) { return std::holds_alternative<NullValue>(value); }

}  // namespace tacet
