// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/numerical.h"

#include "tacet/measure/contour.h"

namespace tacet {
namespace {

Error NoEngine() {
  return Error{.code = Code::kUnsupported, .message = "these losses are not smooth enough"};
}

}  // namespace

Result<Bounds> NumericalEpsilon(const DeclaredSequence& sequence, const Rational& delta,
                                const NumericalOptions& options) {
  if (const auto bounds = ContourEpsilon(sequence, delta, options.precision)) return *bounds;
  return NoEngine();
}

Result<Bounds> NumericalDelta(const DeclaredSequence& sequence, const Rational& epsilon,
                              const NumericalOptions& options) {
  if (const auto bounds = ContourDelta(sequence, epsilon, options.precision)) return *bounds;
  return NoEngine();
}

}  // namespace tacet
