// SPDX-License-Identifier: Apache-2.0
// What `tacet account`, `tacet account compare` and other calculators have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/rational.h"
#include "tacet/cli/program.h"
#include "tacet/measure/loss_bounds.h"

namespace tacet::cli {

// Reads the exact number of `flag`.
Result<Rational> ParseNumber(const std::string& flag, const std::string& text);

// Reads the whole number of `flag`, from 1 to `most`, also written 1e6.
Result<uint64_t> ParseWhole(const std::string& flag, const std::string& text, uint64_t most);

// The same error, said of a flag: `--delta: 'x' is not an exact number: ...`.
Error AboutFlag(const std::string& flag, Error error);

// About a dozen whole numbers from 1 to `most`, evenly spread on a logarithmic axis, with both
// ends.
std::vector<uint64_t> SpreadCounts(uint64_t most);

// Both ends with as many digits as they share and two more, rounded outwards; at most
// `digits_max`. Where
// the ends are neighbouring doubles with a decimal of so few digits between them, as for 0.1, that
// is what both show.
struct BoundsText {
  std::string lower;
  std::string upper;
};
BoundsText TextOf(const LossBounds& bounds, int digits_max = 10);

// Declares `compare` below `account`.
void AddCompare(CLI::App& account, Invocation& invocation);

}  // namespace tacet::cli
