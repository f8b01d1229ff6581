// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/ball.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet::internal {
namespace {

size_t Reversed(size_t position, unsigned bits) {
  size_t result = 0;
  for (unsigned bit = 0; bit < bits; ++bit) {
    if ((position >> bit & 1) != 0) result |= size_t{1} << (bits - 1 - bit);
  }
  return result;
}

// The transform by its definition, enclosed: MPFR gives the roots of unity.
std::vector<ComplexBall> ByDefinition(const std::vector<Complex>& values) {
  const size_t size = values.size();
  std::vector<ComplexBall> roots;
  for (size_t j = 0; j < size; ++j) {
    roots.push_back(Turn(Ball::Of(
        Interval::Pi(128) *
        Interval(Rational(-2 * static_cast<int64_t>(j), static_cast<int64_t>(size)), 128))));
  }
  std::vector<ComplexBall> result(size);
  for (size_t f = 0; f < size; ++f) {
    for (size_t n = 0; n < size; ++n) {
      const ComplexBall value(values[n].re, values[n].im, 0);
      result[f] = result[f] + value * roots[f * n % size];
    }
  }
  return result;
}

double SizeSum(const std::vector<Complex>& values) {
  double sum = 0;
  for (const Complex& value : values) sum += std::hypot(value.re, value.im);
  return sum;
}

// Plain random numbers, numbers of very different sizes, and waves that add up at one frequency.
std::vector<std::vector<Complex>> Inputs(size_t size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::vector<Complex>> inputs(4, std::vector<Complex>(size));
  const double frequency = static_cast<double>(random() % size);
  for (size_t n = 0; n < size; ++n) {
    const double angle = 2 * M_PI * frequency * static_cast<double>(n) / static_cast<double>(size);
    inputs[0][n] = {unit(random), unit(random)};
    inputs[1][n] = {std::exp(200 * unit(random)), -std::exp(200 * unit(random))};
    inputs[2][n] = {std::cos(angle), std::sin(angle)};
    inputs[3][n] = {n % 2 == 0 ? 1.0 : -1.0 + 0x1p-52, 0x1.fffffffffffffp-1};
  }
  return inputs;
}

TEST(Fft, ErrorsAreBelowTheBoundInBothDirections) {
  std::mt19937_64 random(testing::RotatingSeed());
  const unsigned largest = testing::Soaking() ? 10 : 7;
  for (unsigned bits = 1; bits <= largest; ++bits) {
    const Fft fft(bits);
    for (const std::vector<Complex>& input : Inputs(fft.size(), random)) {
      const double bound = fft.ErrorFactor() * SizeSum(input);
      const std::vector<ComplexBall> exact = ByDefinition(input);
      std::vector<Complex> forward = input;
      fft.Forward(forward);
      std::vector<Complex> backward(fft.size());
      for (size_t p = 0; p < fft.size(); ++p) backward[p] = input[Reversed(p, bits)];
      fft.Backward(backward);
      for (size_t p = 0; p < fft.size(); ++p) {
        const ComplexBall& at = exact[Reversed(p, bits)];
        const long double error = std::hypot(at.re() - static_cast<long double>(forward[p].re),
                                             at.im() - static_cast<long double>(forward[p].im));
        EXPECT_LE(error - at.radius(), bound) << bits << " " << p;
        // Backwards the frequencies are negative.
        const ComplexBall& mirrored = exact[(fft.size() - p) % fft.size()];
        const long double back_error =
            std::hypot(mirrored.re() - static_cast<long double>(backward[p].re),
                       mirrored.im() - static_cast<long double>(backward[p].im));
        EXPECT_LE(back_error - mirrored.radius(), bound) << bits << " " << p;
      }
    }
  }
}

TEST(Fft, ConvolvesLikeWholeNumbers) {
  std::mt19937_64 random(testing::RotatingSeed());
  const Fft fft(9);
  const size_t size = fft.size();
  std::vector<int64_t> a(size);
  std::vector<int64_t> b(size);
  std::vector<Complex> fa(size);
  std::vector<Complex> fb(size);
  double sum_a = 0;
  double sum_b = 0;
  for (size_t n = 0; n < size; ++n) {
    a[n] = static_cast<int64_t>(random() % 1000000);
    b[n] = n < 5 ? static_cast<int64_t>(random() % 1000000) : 0;
    fa[n].re = static_cast<double>(a[n]);
    fb[n].re = static_cast<double>(b[n]);
    sum_a += fa[n].re;
    sum_b += fb[n].re;
  }
  fft.Forward(fa);
  fft.Forward(fb);
  std::vector<Complex> product(size);
  for (size_t f = 0; f < size; ++f) {
    product[f] = {fa[f].re * fb[f].re - fa[f].im * fb[f].im,
                  fa[f].re * fb[f].im + fa[f].im * fb[f].re};
  }
  fft.Backward(product);
  // Both forward errors, that of the products and the backward one, at most.
  const double bound = (3 * fft.ErrorFactor() + 0x1p-51) * sum_a * sum_b * 1.001;
  for (size_t n = 0; n < size; ++n) {
    int64_t exact = 0;
    for (size_t m = 0; m < 5; ++m) exact += a[(n + size - m) % size] * b[m];
    EXPECT_NEAR(product[n].re / static_cast<double>(size), static_cast<double>(exact), bound);
  }
}

TEST(Fft, MirrorsFrequencies) {
  constexpr unsigned kBits = 6;
  for (size_t p = 0; p < size_t{1} << kBits; ++p) {
    const size_t frequency = Reversed(p, kBits);
    const size_t negative = ((size_t{1} << kBits) - frequency) % (size_t{1} << kBits);
    EXPECT_EQ(Fft::Mirror(p), Reversed(negative, kBits));
  }
}

}  // namespace
}  // namespace tacet::internal
