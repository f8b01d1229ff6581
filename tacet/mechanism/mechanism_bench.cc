// SPDX-License-Identifier: Apache-2.0
// Nanoseconds a bit or a value, in batches on one core.
#include <benchmark/benchmark.h>

#include <vector>

#include "tacet/mechanism/bounded_sum.h"
#include "tacet/mechanism/choice.h"
#include "tacet/mechanism/group_selection.h"
#include "tacet/mechanism/noisy_top.h"
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

// By the number of candidates and of those that are asked for.
void NoisyTop(benchmark::State& state) {
  const auto top = *::tacet::NoisyTop::Create(Rational(20), static_cast<size_t>(state.range(1)));
  std::vector<int64_t> scores(static_cast<size_t>(state.range(0)));
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<int64_t>(i * 7919 % 1000);
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(top.Release(scores, entropy));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(NoisyTop)->Args({1000, 1})->Args({100'000, 1})->Args({1'000'000, 1});
BENCHMARK(NoisyTop)->Args({1'000'000, 100});

// Scores of three kinds: the same for all, spread over a thousand, and all over 64 bits. What is
// measured holds the way from scores to gaps.
template <typename Mechanism>
void Choose(benchmark::State& state) {
  const auto mechanism = *Mechanism::Create(Rational(1, 2));
  std::vector<int64_t> scores(static_cast<size_t>(state.range(0)));
  for (size_t i = 0; i < scores.size(); ++i) {
    const uint64_t mixed = i * 0x9e3779b97f4a7c15;
    scores[i] = state.range(1) == 0   ? 0
                : state.range(1) == 1 ? static_cast<int64_t>(mixed % 1000)
                                      : static_cast<int64_t>(mixed);
  }
  SystemEntropy entropy;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mechanism.Release(*Candidates::Of(scores), entropy));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void Exponential(benchmark::State& state) { Choose<ExponentialMechanism>(state); }
void PermuteAndFlip(benchmark::State& state) { Choose<::tacet::PermuteAndFlip>(state); }
BENCHMARK(Exponential)->ArgsProduct({{1000, 100'000, 1'000'000}, {0, 1, 2}});
BENCHMARK(PermuteAndFlip)->ArgsProduct({{1000, 100'000, 1'000'000}, {0, 1, 2}});
// Groups of all sizes from one person to those that are certainly kept, at epsilon 10^-range(0).
void SelectOptimally(benchmark::State& state) {
  Rational epsilon(1);
  for (int64_t i = 0; i < state.range(0); ++i) epsilon /= Rational(10);
  const auto selection =
      *OptimalSelection::Create({.linear = epsilon}, *Delta::Create(Rational(1, 100000)));
  std::vector<int64_t> persons(kBatch);
  for (size_t i = 0; i < kBatch; ++i) {
    persons[i] = 1 + static_cast<int64_t>(i * 7919 % kBatch) * selection.CertainFrom() /
                         static_cast<int64_t>(kBatch);
  }
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(selection.Release(persons, entropy));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}
BENCHMARK(SelectOptimally)->Arg(0)->Arg(3)->Arg(12);

template <typename Selection>
void SelectByNoise(benchmark::State& state, const Selection& selection) {
  const std::vector<int64_t> persons(kBatch, state.range(0));
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(selection.Release(persons, entropy));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatch));
}

void SelectByLaplace(benchmark::State& state) {
  SelectByNoise(state, *LaplaceSelection::Create(Rational(1), *Delta::Create(Rational(1, 100000))));
}
BENCHMARK(SelectByLaplace)->Arg(1)->Arg(100);

void SelectByGaussian(benchmark::State& state) {
  SelectByNoise(state,
                *GaussianSelection::Create(Rational(15), *Delta::Create(Rational(1, 100000))));
}
BENCHMARK(SelectByGaussian)->Arg(1)->Arg(100);

// Making both rules and choosing one, with 10^range(0) groups a person.
void ChooseSelection(benchmark::State& state) {
  int64_t groups = 1;
  for (int64_t i = 0; i < state.range(0); ++i) groups *= 10;
  const Rho rho = *Rho::Create(Rational(1, 8));
  const Delta delta = *Delta::Create(Rational(1, 1000000));
  for (auto _ : state) benchmark::DoNotOptimize(BestSelection(rho, delta, groups));
}
BENCHMARK(ChooseSelection)->DenseRange(0, 6, 2);

}  // namespace
}  // namespace tacet
