// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform, with a proven bound of its rounding errors.
//
// Proof: docs/proofs/numerical_grid.md, section 5.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacet::internal {

struct Complex {
  double re = 0;
  double im = 0;
};

// Transforms of one size, 2^log2_size, from 2 to 2^24 points. Immutable; safe to share between
// threads. Stops the process on spans of another size.
class Fft {
 public:
  explicit Fft(unsigned log2_size);

  size_t size() const { return size_; }

  // X_f = sum of x_n e^(-2 pi i f n / size). X_f lands at the position whose bits are those of f in
  // reverse.
  void Forward(std::span<Complex> values) const;
  // The sum of X_f e^(2 pi i f n / size), without the factor 1 / size, from that order back to the
  // natural one.
  void Backward(std::span<Complex> values) const;

  // Every value that Forward or Backward computes is within ErrorFactor() times the sum of the
  // absolute values of its input, and 1e-300 for underflow, of the exact one.
  double ErrorFactor() const { return error_factor_; }

  // Where -f lands, if f lands at `position`.
  static size_t Mirror(size_t position);

 private:
  void ForwardBlock(Complex* values, size_t size) const;
  void BackwardBlock(Complex* values, size_t size) const;

  size_t size_;
  double error_factor_;
  std::vector<Complex> roots_;  // e^(-2 pi i j / size), for j below three quarters of the size
};

}  // namespace tacet::internal
