// SPDX-License-Identifier: Apache-2.0
// The sum of bounded numbers, epsilon-private: the ten lines that most programs need.
#include <cstdio>

#include "tacet/mechanism/bounded_sum.h"

int main() {
  const double incomes[] = {31000, 52500.5, 47000, 1e9, 28000};  // 1e9 will count as 200,000
  auto sum = tacet::BoundedSum::WithLaplace({.low = 0, .high = 200'000}, tacet::Rational(1, 2));
  if (!sum.ok()) return std::puts(sum.error().message.c_str()), 1;
  sum->Add(incomes);
  tacet::SystemEntropy entropy;
  const tacet::Result<double> noisy = std::move(*sum).Release(entropy);
  if (!noisy.ok()) return std::puts(noisy.error().message.c_str()), 1;
  std::printf("total income, epsilon 1/2: %.0f\n", *noisy);
}
