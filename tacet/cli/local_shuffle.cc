// SPDX-License-Identifier: Apache-2.0
// tacet local shuffle.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tacet/base/interval.h"
#include "tacet/cli/account_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/local_commands.h"
#include "tacet/cli/text_table.h"
#include "tacet/local/shuffle.h"

namespace tacet::cli {
namespace {

// Fewer where each takes long; the bounds are then a little wider.
int64_t BlocksFor(int64_t people) {
  return people <= 100'000 ? 512 : people <= 1'000'000 ? 128 : 32;
}

// Seven digits, away from what lies between the bounds.
std::string BoundText(double value, const char* format) {
  Interval exact(Rational::FromDouble(value), 64);
  std::array<char, 64> text;
  mpfr_snprintf(text.data(), text.size(), format, exact.low());
  return text.data();
}
std::string LowerText(double value) { return BoundText(value, "%.7RDg"); }
std::string UpperText(double value) { return BoundText(value, "%.7RUg"); }

}  // namespace

Status ShowShuffling(const LocalFlags& flags, const Terminal& terminal) {
  if (flags.epsilon.empty() || flags.people.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "shuffle needs --epsilon and --people",
                 .hint = "for example: tacet local shuffle --epsilon 4 --people 100000"};
  }
  TACET_TRY(const ExactEpsilon epsilon, ExactEpsilon::Parse(flags.epsilon));
  TACET_TRY(const Rational people, ParseNumber("--people", flags.people));
  TACET_TRY(const Rational delta, ParseNumber("--delta", flags.delta));
  if (!people.is_integer() || people.sign() <= 0 || people > Rational(kShuffledPeopleMax)) {
    return Error{.code = Code::kUsage, .message = "--people must be a whole number from 1 to 10^9"};
  }
  const ShuffleTarget target{
      .epsilon = epsilon, .people = people.numerator().get_si(), .delta = delta};
  TACET_TRY(const LossBounds any, ShuffledEpsilon(target));
  TACET_TRY(const LossBounds binary, ShuffledResponseEpsilon(target, BlocksFor(target.people)));
  if (terminal.json) {
    const auto bounds = [](const LossBounds& of) {
      return nlohmann::ordered_json{{"lower", of.lower}, {"upper", of.upper}};
    };
    terminal.Print(DocumentText({{"epsilon", epsilon.ToString()},
                                 {"people", target.people},
                                 {"delta", delta.ToString()},
                                 {"any", bounds(any)},
                                 {"randomized_response", bounds(binary)}}));
    return {};
  }
  terminal.Note(fmt::format("epsilon of {} shuffled reports of epsilon {}, at delta {}:\n\n",
                            target.people, epsilon.ToString(), flags.delta));
  TextTable table({{.name = "reports are"},
                   {.name = "lower", .to_the_right = true},
                   {.name = "upper", .to_the_right = true}});
  table.AddRow(
      {{.text = "any, by clones"}, {.text = LowerText(any.lower)}, {.text = UpperText(any.upper)}});
  table.AddRow({{.text = "yes or no, exactly"},
                {.text = LowerText(binary.lower)},
                {.text = UpperText(binary.upper)}});
  terminal.Print(table.Render("  ", terminal, terminal.out));
  terminal.Note(
      "\nThe first is the exact value of a bound that holds for every randomizer that all\n"
      "people use; the second is between the two numbers whatever the others answer. Whoever\n"
      "shuffles must tell nobody who sent what.\n");
  return {};
}

}  // namespace tacet::cli
