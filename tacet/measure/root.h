// SPDX-License-Identifier: Apache-2.0
// Where a falling function crosses a level, for functions that are known by enclosures.
#pragma once

#include <functional>

#include "tacet/measure/loss_bounds.h"

namespace tacet {

// Encloses the least x >= 0 with f(x) <= level, for an f that falls from above and is given by
// enclosures of f(x). Nothing is assumed of f but that: each end that is returned was evaluated
// itself. They are closer than a 2^-34th of themselves where the enclosures and doubles allow it.
// `start` > 0 is where the search begins: quick if it is the root; `level` must be positive. Where
// f(x) <= level cannot be shown for any x that is a double, the upper end is infinite.
LossBounds FallingRoot(const std::function<Interval(double)>& f, const Interval& level,
                       double start);

}  // namespace tacet
