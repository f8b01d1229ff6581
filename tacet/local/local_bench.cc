// SPDX-License-Identifier: Apache-2.0
// Reports a second, on one core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/local/report_file.h"
#include "tacet/mechanism/discrete_laplace.h"

namespace tacet {
namespace {

constexpr size_t kPeople = 1 << 16;

SurveyQuestion Choice(uint64_t values, LocalMethod method) {
  ChoiceDomain domain;
  for (uint64_t i = 0; i < values; ++i) domain.values.push_back("v" + std::to_string(i));
  return {.name = "q",
          .text = {},
          .domain = domain,
          .epsilon = {.linear = Rational(1)},
          .method = method};
}

void Count(benchmark::State& state, size_t people) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(people));
}

void RandomizeYesNo(benchmark::State& state) {
  const auto response = *RandomizedResponse::Create({.linear = Rational(1)});
  const std::vector<uint8_t> truths(kPeople, 1);
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(response.Release(truths, entropy));
  Count(state, kPeople);
}
BENCHMARK(RandomizeYesNo);

void AggregateYesNo(benchmark::State& state) {
  const Randomizer randomizer = *Randomizer::Create(
      {.name = "q", .text = {}, .domain = YesNoDomain{}, .epsilon = {.linear = Rational(1)}});
  std::vector<uint8_t> reports(kPeople);
  for (size_t i = 0; i < kPeople; ++i) reports[i] = i % 3 == 0 ? 1 : 0;
  Tally tally(randomizer);
  for (auto _ : state) {
    tally.AddNumbers(reports);
    benchmark::DoNotOptimize(&tally);
  }
  Count(state, kPeople);
}
BENCHMARK(AggregateYesNo);

// Of a file as it comes from a panel.
void ReadYesNo(benchmark::State& state) {
  SurveyDraft draft{.name = "s", .text = {}, .budget = "b", .limit = Rational(1), .questions = {}};
  draft.questions = {
      {.name = "q", .text = {}, .domain = YesNoDomain{}, .epsilon = {.linear = Rational(1)}}};
  const Survey survey = *Survey::Create(draft);
  SystemEntropy entropy;
  std::string lines;
  for (size_t i = 0; i < kPeople; ++i) lines += ReportLine(0, i % 3 == 0 ? "1" : "0");
  for (auto _ : state) {
    Collector collector(survey, false);
    collector.Begin("bench");
    const std::string header = BatchHeader(survey, *DrawBatchId(entropy));
    if (!collector.Feed(header).ok() || !collector.Feed(lines).ok()) state.SkipWithError("reports");
    benchmark::DoNotOptimize(&collector);
  }
  Count(state, kPeople);
}
BENCHMARK(ReadYesNo);

// One of range(0) values.
void RandomizeUnary(benchmark::State& state) {
  constexpr size_t kFewer = 1 << 12;
  const auto k = static_cast<uint64_t>(state.range(0));
  const auto encoding = *UnaryEncoding::Create(k, {.linear = Rational(1)});
  std::vector<uint64_t> reports(kFewer * encoding.words());
  SystemEntropy entropy;
  for (auto _ : state) {
    const Status drawn = Draw(entropy, [&](Coins& coins) {
      for (size_t i = 0; i < kFewer; ++i) {
        const auto report = std::span(reports).subspan(i * encoding.words(), encoding.words());
        encoding.Respond(i % k, report, coins);
      }
    });
    if (!drawn.ok()) state.SkipWithError("entropy");
    benchmark::DoNotOptimize(reports.data());
  }
  Count(state, kFewer);
}
BENCHMARK(RandomizeUnary)->ArgName("k")->Arg(100)->Arg(1000);

void AggregateUnary(benchmark::State& state) {
  constexpr size_t kFewer = 1 << 12;
  const auto k = static_cast<uint64_t>(state.range(0));
  const Randomizer randomizer = *Randomizer::Create(Choice(k, LocalMethod::kUnary));
  std::vector<uint64_t> reports(kFewer * randomizer.unary()->words());
  SystemEntropy entropy;
  for (size_t i = 0; i < kFewer; ++i) {
    const Report report = *randomizer.Release(i % k, entropy);
    std::copy(report.bits.begin(), report.bits.end(),
              reports.begin() + static_cast<std::ptrdiff_t>(i * report.bits.size()));
  }
  Tally tally(randomizer);
  for (auto _ : state) {
    tally.AddBits(reports);
    benchmark::DoNotOptimize(&tally);
  }
  Count(state, kFewer);
}
BENCHMARK(AggregateUnary)->ArgName("k")->Arg(100)->Arg(1000);

void RandomizeDirect(benchmark::State& state) {
  const auto k = static_cast<uint64_t>(state.range(0));
  const auto response = *KaryResponse::Create(k, {.linear = Rational(1)});
  SystemEntropy entropy;
  for (auto _ : state) {
    const Status drawn = Draw(entropy, [&](Coins& coins) {
      for (size_t i = 0; i < kPeople; ++i) benchmark::DoNotOptimize(response.Respond(i % k, coins));
    });
    if (!drawn.ok()) state.SkipWithError("entropy");
  }
  Count(state, kPeople);
}
BENCHMARK(RandomizeDirect)->ArgName("k")->Arg(1000);

// By epsilon: 1 is Duchi's, 3 piecewise.
void RandomizeNumber(benchmark::State& state) {
  const auto response = *NumberResponse::Create(1000, {.linear = Rational(state.range(0))});
  SystemEntropy entropy;
  for (auto _ : state) {
    const Status drawn = Draw(entropy, [&](Coins& coins) {
      for (size_t i = 0; i < kPeople; ++i) {
        benchmark::DoNotOptimize(response.Respond(i % 1001, coins));
      }
    });
    if (!drawn.ok()) state.SkipWithError("entropy");
  }
  Count(state, kPeople);
}
BENCHMARK(RandomizeNumber)->ArgName("epsilon")->Arg(1)->Arg(3);

// M3: how far off the share of yes is, root mean square, of range(0) people at epsilon 1/2. Once
// everybody randomises their own answer, and once a curator adds noise to the exact count.
template <typename Error>
void MeasureError(benchmark::State& state, Error error) {
  double sum = 0;
  for (auto _ : state) {
    const double off = error();
    sum += off * off;
  }
  state.counters["error"] = std::sqrt(sum / static_cast<double>(state.iterations()));
}

void ErrorAtTheSource(benchmark::State& state) {
  const SurveyQuestion question{
      .name = "q", .text = {}, .domain = YesNoDomain{}, .epsilon = {.linear = Rational(1, 2)}};
  const Randomizer randomizer = *Randomizer::Create(question);
  const auto response = *RandomizedResponse::Create(question.epsilon);
  std::vector<uint8_t> truths(static_cast<size_t>(state.range(0)));
  for (size_t i = 0; i < truths.size() / 4; ++i) truths[i] = 1;
  SystemEntropy entropy;
  MeasureError(state, [&] {
    Tally tally(randomizer);
    tally.AddNumbers(*response.Release(truths, entropy));
    return Estimate(randomizer, tally).estimates[0].value - 0.25;
  });
}
BENCHMARK(ErrorAtTheSource)
    ->ArgName("people")
    ->RangeMultiplier(4)
    ->Range(64, 1 << 20)
    ->Iterations(500);

void ErrorAtTheCurator(benchmark::State& state) {
  const auto laplace = *DiscreteLaplace::Create(Rational(2));
  const Int128 exact = state.range(0) / 4;
  SystemEntropy entropy;
  MeasureError(state, [&] {
    return ToDouble(*laplace.Release(exact, entropy) - exact) / static_cast<double>(state.range(0));
  });
}
BENCHMARK(ErrorAtTheCurator)
    ->ArgName("people")
    ->RangeMultiplier(4)
    ->Range(64, 1 << 20)
    ->Iterations(500);

}  // namespace
}  // namespace tacet
