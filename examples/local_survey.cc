// SPDX-License-Identifier: Apache-2.0
// A survey without a curator: everybody randomises their own answer, and the estimate has no bias.
#include <cstdio>

#include "tacet/local/tally.h"

int main() {
  const tacet::SurveyQuestion question{
      .name = "transport",
      .text = "How did you come today?",
      .domain = tacet::ChoiceDomain{{"bus", "car", "bike"}},
      .epsilon = {.linear = tacet::Rational(1)},
  };
  const auto randomizer = tacet::Randomizer::Create(question);
  if (!randomizer.ok()) return std::puts(randomizer.error().message.c_str()), 1;
  tacet::SystemEntropy entropy;
  tacet::Tally tally(*randomizer);
  for (uint64_t person = 0; person < 10'000; ++person) {
    const uint64_t truth = person % 4 == 0 ? 1 : 0;  // never leaves the person
    const auto report = randomizer->Release(truth, entropy);
    if (!report.ok()) return std::puts(report.error().message.c_str()), 1;
    tally.Add(*report);
  }
  const tacet::QuestionEstimate estimate = tacet::Estimate(*randomizer, tally);
  const auto& values = std::get<tacet::ChoiceDomain>(question.domain).values;
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%-5s %6.3f +- %.3f\n", values[i].c_str(), estimate.estimates[i].value,
                estimate.estimates[i].margin);
  }
}
