// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/numerical.h"

namespace tacet {

Result<Bounds> NumericalEpsilon(const DeclaredSequence&, const Rational&, const NumericalOptions&) {
  return Error{.code = Code::kUnsupported, .message = "no engine yet"};
}

Result<Bounds> NumericalDelta(const DeclaredSequence&, const Rational&, const NumericalOptions&) {
  return Error{.code = Code::kUnsupported, .message = "no engine yet"};
}

}  // namespace tacet
