// SPDX-License-Identifier: Apache-2.0
// Nanoseconds a bit or a value, in batches on one core.
#include <benchmark/benchmark.h>

#include <vector>

#include "tacet/mechanism/bounded_sum.h"
#include "tacet/mechanism/randomized_response.h"

namespace tacet {
namespace {

constexpr size_t kBatch = 65536;

void RandomizedResponse(benchmark::State& state) {
  const auto response = *::tacet::RandomizedResponse::Create({.linear = Rational(1)});
  const std::vector<uint8_t> truths(kBatch, 1);
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(response.Release(truths, entropy));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}
BENCHMARK(RandomizedResponse);

void AddToBoundedSum(benchmark::State& state) {
  std::vector<double> values(kBatch);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 200);
  auto sum = *BoundedSum::WithLaplace({.low = 0, .high = 100}, Rational(1));
  for (auto _ : state) {
    sum.Add(values);
    benchmark::DoNotOptimize(&sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}
BENCHMARK(AddToBoundedSum);

}  // namespace
}  // namespace tacet
