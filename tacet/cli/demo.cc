// SPDX-License-Identifier: Apache-2.0
// tacet demo: what exists so far, each step with the command that a user would type.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>

#include "tacet/cli/program.h"
#include "tacet/measure/gaussian.h"
#include "tacet/mechanism/bounded_sum.h"

namespace tacet::cli {
namespace {

void Title(const Terminal& terminal, const std::string& text) {
  terminal.Print("\n" + terminal.Strong(text, terminal.out) + "\n");
}

// Shows a command line and runs it.
Status Show(const Terminal& terminal, const std::vector<std::string>& words) {
  std::string line = "$ tacet";
  for (const std::string& word : words) line += " " + word;
  terminal.Print(line + "\n");
  if (RunProgram(words, {.out = terminal.out, .err = terminal.out, .color = terminal.color}) == 0) {
    return {};
  }
  return Error{.code = Code::kEngine, .message = "a step of the demonstration failed"};
}

// Ages of 10,000 invented people, and three rows that ruin a careless sum.
std::vector<double> Ages() {
  std::vector<double> ages;
  for (int i = 0; i < 10'000; ++i) ages.push_back(18 + (i * 7919) % 73);
  ages.push_back(std::numeric_limits<double>::quiet_NaN());
  ages.push_back(1e300);
  ages.push_back(-std::numeric_limits<double>::infinity());
  return ages;
}

Status ShowSum(const Terminal& terminal) {
  const std::vector<double> ages = Ages();
  double plain = 0;
  for (double age : ages) plain += age;
  terminal.Print(
      fmt::format("10,000 ages, and three rows with NaN, 1e300 and -infinity.\n"
                  "A plain sum of doubles:                      {}\n",
                  plain));
  SystemEntropy entropy;
  for (const Rational& epsilon : {Rational(1), Rational(1, 10)}) {
    TACET_TRY(BoundedSum sum, BoundedSum::WithLaplace({.low = 0, .high = 110}, epsilon));
    sum.Add(ages);
    // P[|Z| > t scale] = e^-t, so 95% of the noise is within ln(20) scales.
    const double margin = std::log(20.0) * 110 / epsilon.ToDouble();
    TACET_TRY(const double noisy, std::move(sum).Release(entropy));
    terminal.Print(fmt::format("Bounded to [0, 110] and private, epsilon {:<5} {:.1f} ± {:.0f}\n",
                               epsilon.ToString() + ":", noisy, margin));
  }
  terminal.Print(
      "One person more or less, whatever their row says, moves the exact sum by at most 110.\n");
  return {};
}

Status ShowCalibration(const Terminal& terminal) {
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(Rational(1)));
  TACET_TRY(const Delta delta, Delta::Create(Rational(1, 1'000'000)));
  TACET_TRY(const Rational classical, ClassicalGaussianSigma(epsilon, delta));
  TACET_TRY(const Rational exact, GaussianSigma(epsilon, delta));
  TACET_TRY(const Rational discrete, DiscreteGaussianSigma(epsilon, delta, 1));
  terminal.Print(
      fmt::format("epsilon 1, delta 1e-6, sensitivity 1:\n"
                  "  textbook formula    sigma {:.5f}\n"
                  "  exact, continuous   sigma {:.8f}\n"
                  "  exact, on integers  sigma {:.7f}\n",
                  classical.ToDouble(), exact.ToDouble(), discrete.ToDouble()));
  return {};
}

Status RunDemo(const Terminal& terminal) {
  if (terminal.json) {
    return Error{.code = Code::kUsage,
                 .message = "the demonstration is for people, not for scripts"};
  }
  terminal.Print(
      "Tacet answers questions about people privately. This shows what exists so far:\n"
      "noise that is exact, and private sums made of it. SQL comes next.\n");
  Title(terminal, "1. Exact noise");
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"noise", "discrete-laplace", "--scale", "10", "--count", "5"}));
  TACET_RETURN_IF_ERROR(Show(terminal, {"noise", "gaussian", "--sigma", "2.5", "--count", "3"}));
  Title(terminal, "2. Ten people toss a coin before they answer yes");
  TACET_RETURN_IF_ERROR(
      Show(terminal, {"noise", "randomized-response", "--epsilon", "ln(3)", "--count", "10"}));
  Title(terminal, "3. A sum that no single row can ruin or betray");
  TACET_RETURN_IF_ERROR(ShowSum(terminal));
  Title(terminal, "4. No more Gaussian noise than is needed");
  TACET_RETURN_IF_ERROR(ShowCalibration(terminal));
  Title(terminal, "5. What would not protect is refused");
  const std::vector<std::string> refused = {"noise", "laplace", "--scale", "0"};
  terminal.Print("$ tacet noise laplace --scale 0\n");
  RunProgram(refused, {.out = terminal.out, .err = terminal.out, .color = terminal.color});
  terminal.Print("\nNext: tacet noise --help, examples/private_sum.cc, docs/proofs/, make test.\n");
  return {};
}

}  // namespace

void AddDemo(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("demo", "What exists so far, step by step.");
  command->set_help_flag("-h,--help", "this help");
  command->footer("Examples:\n  tacet demo\n  tacet demo --color=always | less -R");
  command->callback([&invocation] { invocation.outcome = RunDemo(invocation.terminal); });
}

}  // namespace tacet::cli
