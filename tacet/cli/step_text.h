// SPDX-License-Identifier: Apache-2.0
// Steps of a sequence as people write them: `500 * pure(1/1000)`.
#pragma once

#include <string_view>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/measure/step.h"

namespace tacet::cli {

// Reads MECHANISM(args) or COUNT * MECHANISM(args), where a mechanism is one of
//   pure(epsilon), approximate(epsilon, delta), randomized_response(epsilon), zcdp(rho),
//   laplace(scale, sensitivity=1), discrete_laplace(scale, sensitivity=1),
//   gaussian(sigma, sensitivity=1), discrete_gaussian(sigma, sensitivity=1),
//   subsampled(rate, MECHANISM(args)), whose rates multiply if it is nested.
// A count is a whole number from 1 to kStepCountMax, also written 1e6. Fails on anything else, and
// on parameters that make no sense, with the position of what is wrong.
Result<Step> ParseStep(std::string_view text);

// How each mechanism is written, for help and hints: `pure(epsilon)`.
std::vector<std::string_view> StepForms();

}  // namespace tacet::cli
