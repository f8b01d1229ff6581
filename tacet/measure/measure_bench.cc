// SPDX-License-Identifier: Apache-2.0
// The numerical accountant on the problems of bench/accounting, called again and again as peers
// are.
#include <benchmark/benchmark.h>

#include "tacet/measure/numerical.h"

namespace tacet {
namespace {

Rational R(const char* text) { return *Rational::Parse(text); }

void Account(benchmark::State& state, const std::vector<Step>& steps, const char* delta) {
  const DeclaredSequence sequence = *DeclaredSequence::Create(steps);
  const Rational target = R(delta);
  for (auto _ : state) benchmark::DoNotOptimize(NumericalEpsilon(sequence, target));
}

using Steps = std::vector<Step>;
const Steps kMix = {
    {LaplaceStep{20}, 1, 100}, {GaussianStep{40}, 1, 100}, {ResponseStep{{R("0.05")}}, 1, 100}};

BENCHMARK_CAPTURE(Account, a, Steps{{PureStep{{R("0.001")}}, 1, 500}}, "1e-6");
BENCHMARK_CAPTURE(Account, b, Steps{{PureStep{{R("0.1")}}, 1, 1000}}, "1e-6");
BENCHMARK_CAPTURE(Account, c 100, Steps{{LaplaceStep{10}, 1, 100}}, "1e-6");
BENCHMARK_CAPTURE(Account, c 10000, Steps{{LaplaceStep{10}, 1, 10000}}, "1e-6");
BENCHMARK_CAPTURE(Account, d, Steps{{GaussianStep{30}, 1, 1000}}, "1e-6");
BENCHMARK_CAPTURE(Account, e1, Steps{{GaussianStep{1}, R("0.01"), 1000}}, "1e-5");
BENCHMARK_CAPTURE(Account, e2, Steps{{GaussianStep{1}, R("0.01"), 10000}}, "1e-5");
BENCHMARK_CAPTURE(Account, e3, Steps{{GaussianStep{R("0.8")}, R("0.001"), 100000}}, "1e-5");
BENCHMARK_CAPTURE(Account, f, kMix, "1e-8");
BENCHMARK_CAPTURE(Account, g 1e-12, Steps{{GaussianStep{20}, 1, 100}}, "1e-12");
BENCHMARK_CAPTURE(Account, g 1e-15, Steps{{GaussianStep{20}, 1, 100}}, "1e-15");
BENCHMARK_CAPTURE(Account, g 1e-30, Steps{{GaussianStep{20}, 1, 100}}, "1e-30");

}  // namespace
}  // namespace tacet
