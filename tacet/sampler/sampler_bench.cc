// SPDX-License-Identifier: Apache-2.0
// Nanoseconds a draw, in batches on one core. `bench/noise` prints them beside other libraries.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "tacet/sampler/noise_sampler.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

constexpr size_t kBatch = 4096;

void DrawBatches(benchmark::State& state, const NoiseSampler& sampler) {
  SystemEntropy entropy;
  std::vector<Int128> batch(kBatch);
  for (auto _ : state) {
    const Status drawn = Draw(entropy, [&](Coins& coins) { sampler.Sample(batch, coins); });
    TACET_CHECK(drawn.ok());
    benchmark::DoNotOptimize(batch.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}

void DiscreteLaplace(benchmark::State& state) {
  DrawBatches(state, *NoiseSampler::DiscreteLaplace(Rational(state.range(0))));
}
BENCHMARK(DiscreteLaplace)
    ->ArgName("scale")
    ->Arg(1)
    ->Arg(10)
    ->Arg(1000)
    ->Arg(1000000)
    ->Arg(int64_t{1} << 40)
    ->Arg(int64_t{1} << 60);

void DiscreteGaussian(benchmark::State& state) {
  const Rational sigma(state.range(0));
  DrawBatches(state, *NoiseSampler::DiscreteGaussian(sigma * sigma));
}
BENCHMARK(DiscreteGaussian)
    ->ArgName("sigma")
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(1000000)
    ->Arg(int64_t{1} << 40);

void MakeLaplaceSampler(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(NoiseSampler::DiscreteLaplace(Rational(state.range(0))));
  }
}
BENCHMARK(MakeLaplaceSampler)->ArgName("scale")->Arg(10)->Arg(1000);

void MakeGaussianSampler(benchmark::State& state) {
  const Rational sigma(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(NoiseSampler::DiscreteGaussian(sigma * sigma));
  }
}
BENCHMARK(MakeGaussianSampler)->ArgName("sigma")->Arg(10)->Arg(1000);

void EntropyBytes(benchmark::State& state) {
  SystemEntropy entropy;
  std::array<uint8_t, 4096> bytes;
  for (auto _ : state) {
    TACET_CHECK(entropy.Fill(bytes).ok());
    benchmark::DoNotOptimize(bytes.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}
BENCHMARK(EntropyBytes);

}  // namespace
}  // namespace tacet
