// SPDX-License-Identifier: Apache-2.0
// tacet noise: draws from the laws that answers are protected with.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tacet/base/suggest.h"
#include "tacet/cli/mechanism_text.h"
#include "tacet/cli/program.h"
#include "tacet/mechanism/bounded_sum.h"
#include "tacet/mechanism/randomized_response.h"
#include "tacet/sampler/coins.h"

namespace tacet::cli {
namespace {

struct NoiseFlags {
  std::string law;
  std::map<std::string, std::string> parameters;  // by name: scale, sigma, epsilon
  std::string count = "1";
};

// A batch of values as text for people and as JSON, from the same draws.
struct Batch {
  std::vector<std::string> lines;
  nlohmann::ordered_json values;
};
using Source = std::function<Result<Batch>(size_t count, Entropy& entropy)>;

nlohmann::ordered_json IntegerJson(Int128 value) {
  constexpr Int128 kExactMax = Int128{1} << 53;
  if (value >= -kExactMax && value <= kExactMax) return static_cast<int64_t>(value);
  return ToString(value);
}

// Integer noise, times the step of the grid unless that is 1.
Source NoiseOn(const Grid& grid, NoiseSampler sampler) {
  return [grid, sampler = std::move(sampler)](size_t count, Entropy& entropy) -> Result<Batch> {
    std::vector<Int128> draws(count);
    TACET_RETURN_IF_ERROR(Draw(entropy, [&](Coins& coins) { sampler.Sample(draws, coins); }));
    const bool integers = grid.step() == Rational(1);
    Batch batch;
    for (Int128 draw : draws) {
      batch.lines.push_back(integers ? ToString(draw) : fmt::format("{}", grid.ValueOf(draw)));
      batch.values.push_back(integers ? IntegerJson(draw)
                                      : nlohmann::ordered_json(grid.ValueOf(draw)));
    }
    return batch;
  };
}

Error NotPositive(const char* what) {
  return {.code = Code::kUsage,
          .message = std::string(what) + " must be positive",
          .hint = "without noise the exact answer would be published."};
}

Result<Source> Laplace(const Rational& scale, bool discrete) {
  if (scale.sign() <= 0) return NotPositive("the scale");
  Grid grid = Grid::Integers();
  if (!discrete) {
    TACET_TRY(const BoundedSum sum,
              BoundedSum::WithLaplace({.low = 0, .high = 1}, scale.Inverse()));
    grid = sum.grid();
  }
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteLaplace(scale / grid.step()));
  return NoiseOn(grid, std::move(sampler));
}

Result<Source> Gaussian(const Rational& sigma, bool discrete) {
  if (sigma.sign() <= 0) return NotPositive("sigma");
  Grid grid = Grid::Integers();
  if (!discrete) {
    const Rational rho = (Rational(2) * sigma * sigma).Inverse();
    TACET_TRY(const BoundedSum sum, BoundedSum::WithGaussian({.low = 0, .high = 1}, rho));
    grid = sum.grid();
  }
  const Rational steps = sigma / grid.step();
  TACET_TRY(NoiseSampler sampler, NoiseSampler::DiscreteGaussian(steps * steps));
  return NoiseOn(grid, std::move(sampler));
}

Result<Source> Response(const ExactEpsilon& epsilon) {
  TACET_TRY(const RandomizedResponse response, RandomizedResponse::Create(epsilon));
  return Source([response](size_t count, Entropy& entropy) -> Result<Batch> {
    TACET_TRY(const std::vector<uint8_t> reports,
              response.Release(std::vector<uint8_t>(count, 1), entropy));
    Batch batch;
    for (uint8_t report : reports) {
      batch.lines.emplace_back(report != 0 ? "1" : "0");
      batch.values.push_back(report);
    }
    return batch;
  });
}

struct NamedLaw {
  std::string name;
  std::string parameter;
  std::function<Result<Source>(const std::string&)> make;
};

const std::vector<NamedLaw>& Laws() {
  const auto of_number = [](auto make, bool discrete) {
    return [make, discrete](const std::string& text) -> Result<Source> {
      TACET_TRY(const Rational number, Rational::Parse(text));
      return make(number, discrete);
    };
  };
  static const std::vector<NamedLaw> laws = {
      {"laplace", "scale", of_number(Laplace, false)},
      {"discrete_laplace", "scale", of_number(Laplace, true)},
      {"gaussian", "sigma", of_number(Gaussian, false)},
      {"discrete_gaussian", "sigma", of_number(Gaussian, true)},
      {"randomized_response", "epsilon",
       [](const std::string& text) -> Result<Source> {
         TACET_TRY(const ExactEpsilon epsilon, ExactEpsilon::Parse(text));
         return Response(epsilon);
       }},
  };
  return laws;
}

Result<Source> MakeSource(const NoiseFlags& flags, std::string* canonical) {
  TACET_TRY(MechanismText text, ParseMechanism(flags.law));
  std::vector<std::string_view> names;
  const NamedLaw* law = nullptr;
  for (const NamedLaw& known : Laws()) {
    names.push_back(known.name);
    if (known.name == text.name) law = &known;
  }
  if (law == nullptr) {
    return Error{.code = Code::kUsage,
                 .message = "unknown law '" + text.name + "'",
                 .hint = SuggestionHint(text.name, names)};
  }
  TACET_RETURN_IF_ERROR(NameArguments(text, {law->parameter}));
  std::string value = text.arguments.empty() ? "" : text.arguments.front().value;
  for (const auto& [name, given] : flags.parameters) {
    if (given.empty()) continue;
    if (name != law->parameter) {
      return Error{.code = Code::kUsage,
                   .message = "--" + name + " does not go with " + law->name,
                   .hint = "it takes --" + law->parameter + "."};
    }
    if (!value.empty()) {
      return Error{.code = Code::kUsage, .message = "the " + name + " is given twice"};
    }
    value = given;
  }
  if (value.empty()) {
    return Error{.code = Code::kUsage,
                 .message = law->name + " needs --" + law->parameter,
                 .hint = "for example: tacet noise " + law->name + " --" + law->parameter + " 1"};
  }
  *canonical = law->name + "(" + value + ")";
  return law->make(value);
}

Result<uint64_t> ParseCount(const std::string& text) {
  const Result<Rational> count = Rational::Parse(text);
  const Rational most = Rational::PowerOfTwo(62);
  if (!count.ok() || !count->is_integer() || count->sign() <= 0 || *count > most) {
    return Error{.code = Code::kUsage,
                 .message = "--count must be a whole number of draws, at least 1",
                 .hint = "for example --count 1000."};
  }
  return count->numerator().get_ui();
}

Status RunNoise(const NoiseFlags& flags, const Terminal& terminal) {
  TACET_TRY(uint64_t left, ParseCount(flags.count));
  std::string canonical;
  TACET_TRY(const Source source, MakeSource(flags, &canonical));
  SystemEntropy entropy;
  constexpr uint64_t kBatch = 4096;
  // JSON is printed whole, so that a failure in between leaves one document, the error.
  std::string document = "{\"law\": " + nlohmann::json(canonical).dump() + ", \"values\": [";
  const char* separator = "";
  while (left > 0 && std::ferror(terminal.out) == 0) {
    TACET_TRY(const Batch batch, source(static_cast<size_t>(std::min(left, kBatch)), entropy));
    std::string lines;
    for (size_t i = 0; i < batch.lines.size(); ++i) {
      if (terminal.json) {
        document += separator + batch.values[i].dump();
        separator = ", ";
      } else {
        lines += batch.lines[i] + "\n";
      }
    }
    terminal.Write(lines);
    left -= batch.lines.size();
  }
  if (terminal.json) terminal.Write(document + "]}\n");
  return {};
}

}  // namespace

void AddNoise(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("noise", "Draw exact noise, one value a line.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<NoiseFlags>();
  command
      ->add_option("LAW", flags->law,
                   "laplace, discrete-laplace, gaussian, discrete-gaussian or\n"
                   "randomized-response; with its parameter as a flag, or as laplace(10)")
      ->required();
  command->add_option("--scale", flags->parameters["scale"], "of laplace and discrete-laplace")
      ->type_name("B");
  command->add_option("--sigma", flags->parameters["sigma"], "of gaussian and discrete-gaussian")
      ->type_name("S");
  command
      ->add_option("--epsilon", flags->parameters["epsilon"],
                   "of randomized-response, a number or ln(3); a draw is the\n"
                   "report of somebody whose truth is 1")
      ->type_name("E");
  command->add_option("--count", flags->count, "how many values")
      ->type_name("N")
      ->capture_default_str();
  command->footer(
      "laplace and gaussian are drawn on the grid that a sum of numbers in [0, 1] would\n"
      "choose: multiples of 2^-30, or coarser for very large noise.\n\n"
      "Examples:\n"
      "  tacet noise discrete-laplace --scale 10 --count 5\n"
      "  tacet noise 'randomized_response(ln(3))' --count 20 --json");
  command->callback([flags, &invocation] {
    invocation.outcome = Outcome(RunNoise(*flags, invocation.terminal),
                                 Asked{.statement = flags->law, .is_free = true});
  });
}

}  // namespace tacet::cli
