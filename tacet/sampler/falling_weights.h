// SPDX-License-Identifier: Apache-2.0
// e^-x as an integer and a power of two, certified, in a time that does not depend on x.
#pragma once

#include <array>
#include <cstdint>

#include "tacet/base/int128.h"
#include "tacet/base/interval.h"
#include "tacet/base/rational.h"

namespace tacet {

// Stands for mantissa 2^(-63 - exponent), which is at most the exact weight and more than 1 - 2^-53
// of it. But where exponent >= kFarExponent, all that is known is that
// the exact weight is between 0 and 2^(8 - kFarExponent).
struct FloatingWeight {
  uint64_t mantissa;
  int32_t exponent;
};
inline constexpr int32_t kFarExponent = int32_t{1} << 24;

// The weight that `exact`, in [0, 1], encloses with 100 bits or more.
FloatingWeight ToFloatingWeight(const Interval& exact);

// e^(-rate gap) for every whole gap of 64 bits: eight factors, one for each byte of the gap.
// Immutable; safe to share between threads.
//
// Proof: docs/proofs/weighted_choice.md, section 1.
class FallingWeights {
 public:
  // Stops the process unless rate > 0.
  explicit FallingWeights(const Rational& rate);

  FloatingWeight Of(uint64_t gap) const {
    uint64_t mantissa = mantissas_[0][gap & 255];
    int32_t exponent = exponents_[0][gap & 255];
    for (size_t place = 1; place < kPlaces; ++place) {
      const size_t byte = (gap >> (8 * place)) & 255;
      mantissa =
          static_cast<uint64_t>((static_cast<UInt128>(mantissa) * mantissas_[place][byte]) >> 64);
      exponent += exponents_[place][byte] - 1;
    }
    return {mantissa, exponent};
  }

 private:
  static constexpr size_t kPlaces = 8;

  std::array<std::array<uint64_t, 256>, kPlaces> mantissas_;
  std::array<std::array<int32_t, 256>, kPlaces> exponents_;
};

}  // namespace tacet
