// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/fft.h"

#include <bit>
#include <limits>

#include "tacet/base/ball.h"
#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet::internal {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the roots need 64 bits");

struct LongComplex {
  long double re = 1;
  long double im = 0;
};

LongComplex operator*(const LongComplex& a, const LongComplex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex TimesConjugate(const Complex& a, const Complex& b) {
  return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}
Complex TimesMinusI(const Complex& a) { return {a.im, -a.re}; }
Complex TimesI(const Complex& a) { return {-a.im, a.re}; }

// e^(-2 pi i / 2^log2), each part off by at most a unit in the last place of 64 bits.
LongComplex RootOfUnity(unsigned log2) {
  if (log2 == 0) return {1, 0};
  if (log2 == 1) return {-1, 0};
  if (log2 == 2) return {0, -1};
  const ComplexBall turn =
      Turn(Ball::Of(-Interval::Pi(128) * Interval(Rational::PowerOfTwo(1 - int(log2)), 128)));
  return {turn.re(), turn.im()};
}

// Powers 0 to 2^bits - 1 of e^(-2 pi i 2^shift / 2^log2), as products of those of two.
std::vector<LongComplex> PowersOfRoot(unsigned log2, unsigned shift, unsigned bits) {
  std::vector<LongComplex> powers(size_t{1} << bits);
  for (unsigned bit = 0; bit < bits; ++bit) {
    const LongComplex root = RootOfUnity(log2 - shift - bit);
    const size_t half = size_t{1} << bit;
    for (size_t j = 0; j < half; ++j) powers[half + j] = powers[j] * root;
  }
  return powers;
}

}  // namespace

Fft::Fft(unsigned log2_size) : size_(size_t{1} << log2_size) {
  TACET_CHECK(log2_size >= 1 && log2_size <= 24);
  const unsigned low_bits = log2_size / 2;
  const std::vector<LongComplex> low = PowersOfRoot(log2_size, 0, low_bits);
  const std::vector<LongComplex> high = PowersOfRoot(log2_size, low_bits, log2_size - low_bits);
  roots_.resize(size_ / 4 * 3 + 1);
  for (size_t j = 0; j < roots_.size(); ++j) {
    const LongComplex root = low[j & (low.size() - 1)] * high[j >> low_bits];
    roots_[j] = {static_cast<double>(root.re), static_cast<double>(root.im)};
  }
  // Six units for a pass of four branches, five for one of two; one per thousand covers their
  // powers.
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  error_factor_ = (6.0 * (log2_size / 2) + 5.0 * (log2_size % 2)) * unit * 1.001;
}

// Decimation in frequency: four interleaved transforms of a quarter of the size, in the order of
// their last two bits reversed.
void Fft::ForwardBlock(Complex* values, size_t size) const {
  if (size == 1) return;
  if (size == 2) {
    const Complex a = values[0];
    values[0] = a + values[1];
    values[1] = a - values[1];
    return;
  }
  const size_t quarter = size / 4;
  const size_t stride = size_ / size;
  for (size_t j = 0; j < quarter; ++j) {
    Complex* x = values + j;
    const Complex sum = x[0] + x[2 * quarter];
    const Complex difference = x[0] - x[2 * quarter];
    const Complex other_sum = x[quarter] + x[3 * quarter];
    const Complex other_difference = TimesMinusI(x[quarter] - x[3 * quarter]);
    x[0] = sum + other_sum;
    x[quarter] = (sum - other_sum) * roots_[2 * j * stride];
    x[2 * quarter] = (difference + other_difference) * roots_[j * stride];
    x[3 * quarter] = (difference - other_difference) * roots_[3 * j * stride];
  }
  for (size_t part = 0; part < 4; ++part) ForwardBlock(values + part * quarter, quarter);
}

void Fft::BackwardBlock(Complex* values, size_t size) const {
  if (size == 1) return;
  if (size == 2) {
    const Complex a = values[0];
    values[0] = a + values[1];
    values[1] = a - values[1];
    return;
  }
  const size_t quarter = size / 4;
  const size_t stride = size_ / size;
  for (size_t part = 0; part < 4; ++part) BackwardBlock(values + part * quarter, quarter);
  for (size_t j = 0; j < quarter; ++j) {
    Complex* x = values + j;
    const Complex even = x[0];
    const Complex middle = TimesConjugate(x[quarter], roots_[2 * j * stride]);
    const Complex first = TimesConjugate(x[2 * quarter], roots_[j * stride]);
    const Complex third = TimesConjugate(x[3 * quarter], roots_[3 * j * stride]);
    const Complex sum = even + middle;
    const Complex difference = even - middle;
    const Complex other_sum = first + third;
    const Complex other_difference = TimesI(first - third);
    x[0] = sum + other_sum;
    x[quarter] = difference + other_difference;
    x[2 * quarter] = sum - other_sum;
    x[3 * quarter] = difference - other_difference;
  }
}

void Fft::Forward(std::span<Complex> values) const {
  TACET_CHECK(values.size() == size_);
  double size_sum = 0;
  if (TACET_FAULT(transform_error_above_its_bound)) {
    for (const Complex& value : values) size_sum += std::fabs(value.re) + std::fabs(value.im);
  }
  ForwardBlock(values.data(), size_);
  if (TACET_FAULT(transform_error_above_its_bound)) values[0].re += 1.1 * error_factor_ * size_sum;
}

void Fft::Backward(std::span<Complex> values) const {
  TACET_CHECK(values.size() == size_);
  BackwardBlock(values.data(), size_);
}

size_t Fft::Mirror(size_t position) {
  if (position == 0) return 0;
  return 3 * std::bit_floor(position) - 1 - position;
}

}  // namespace tacet::internal
