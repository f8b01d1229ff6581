// SPDX-License-Identifier: Apache-2.0
// Every method of accounting that applies to a sequence of steps, side by side.
#pragma once

#include <string_view>
#include <vector>

#include "tacet/measure/loss_bounds.h"
#include "tacet/measure/step.h"

namespace tacet {

// What one method says. `bounds` enclose the method's own value, whose upper end bounds the true
// loss; for the tight methods they enclose the least loss that can be promised: gaussian and
// numerical for the mechanisms as named, optimal for all of the same epsilons and deltas.
struct MethodResult {
  std::string_view name;  // basic, advanced, optimal, zcdp, rdp, gaussian or numerical
  LossBounds bounds;
  double seconds;  // of processor time
};

struct Account {
  std::vector<MethodResult> methods;  // those that apply, in the order of the names above
  size_t best = 0;                    // the one with the least upper end; of equals, the first
};

struct AccountOptions {
  double precision = 1e-5;  // relative width that the numerical method aims for
};

// epsilon at a given delta, 0 <= delta < 1. At delta = 0 only pure losses are finite.
Result<Account> AccountEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                               const AccountOptions& options = {});
// delta at a given epsilon >= 0. No upper end is above 1; a method that says 1 or more is left out.
Result<Account> AccountDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                             const AccountOptions& options = {});

}  // namespace tacet
