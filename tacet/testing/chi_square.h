// SPDX-License-Identifier: Apache-2.0
// Pearson's chi-square test.
#pragma once

#include <cstdint>
#include <span>

namespace tacet::testing {

// The probability that independent draws with the given law deviate from it as much as the counts
// do, or more. Cells are merged from the left until each is expected at least 10 times;
// `probabilities` must add up to 1.
double ChiSquareP(std::span<const uint64_t> counts, std::span<const double> probabilities);

// Every statistical test compares its p-value with this: one false alarm in a million.
inline constexpr double kFalseAlarm = 1e-6;

}  // namespace tacet::testing
