// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/survey_question.h"

#include <algorithm>
#include <array>
#include <set>

#include "tacet/base/overloaded.h"
#include "tacet/base/suggest.h"
#include "tacet/mechanism/randomized_response.h"

namespace tacet {
namespace {

constexpr uint64_t kValuesMax = uint64_t{1} << 20;

Error WrongQuestion(const SurveyQuestion& question, const std::string& what, std::string hint) {
  return {.code = Code::kCatalog,
          .message = "question " + question.name + ": " + what,
          .hint = std::move(hint)};
}

Error WrongAnswer(const SurveyQuestion& question, const std::string& what, std::string hint) {
  return {.code = Code::kData,
          .message = "question " + question.name + ": " + what,
          .hint = std::move(hint)};
}

std::string Shown(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

bool IsOne(LocalMethod method, std::initializer_list<LocalMethod> of) {
  return std::find(of.begin(), of.end(), method) != of.end();
}

Status CheckChoice(const SurveyQuestion& question, const ChoiceDomain& choice) {
  if (choice.values.size() < 2 || choice.values.size() > kValuesMax) {
    return WrongQuestion(question, "needs two values or more, and at most 2^20",
                         "write values = [\"bus\", \"car\"].");
  }
  std::set<std::string_view> seen;
  for (const std::string& value : choice.values) {
    if (value.empty()) {
      return WrongQuestion(question, "a value is empty", "an empty answer means none.");
    }
    if (!seen.insert(value).second) {
      return WrongQuestion(question, "the value " + Shown(value) + " occurs twice",
                           "write every value once.");
    }
  }
  return {};
}

Status CheckNumber(const SurveyQuestion& question, const NumberDomain& number) {
  // Estimates are doubles, and so are the squares of a range.
  const Rational most = *Rational::Parse("1e100");
  if (number.low.Abs() > most || number.high.Abs() > most ||
      (number.step.sign() > 0 && number.step < most.Inverse())) {
    return WrongQuestion(question, "the range or its grid is out of range",
                         "numbers up to 1e100 and steps down to 1e-100 are possible.");
  }
  if (number.low >= number.high) {
    return WrongQuestion(question, "the range is empty", "write range = [low, high], low first.");
  }
  const Rational width = number.high - number.low;
  if (number.step.sign() <= 0 || !(width / number.step).is_integer()) {
    return WrongQuestion(question, "the range is no whole number of steps",
                         "choose a grid that divides high - low, such as grid = \"1\".");
  }
  if (width / number.step > Rational::PowerOfTwo(40)) {
    return WrongQuestion(question, "the grid is too fine", "2^40 steps are the most.");
  }
  return {};
}

Result<uint64_t> ReadYesNo(const SurveyQuestion& question, std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* yes : {"yes", "y", "true", "1"}) {
    if (folded == yes) return uint64_t{1};
  }
  for (const char* no : {"no", "n", "false", "0"}) {
    if (folded == no) return uint64_t{0};
  }
  return WrongAnswer(question, Shown(text) + " is neither yes nor no", "write yes or no.");
}

Result<uint64_t> ReadChoice(const SurveyQuestion& question, const ChoiceDomain& choice,
                            std::string_view text) {
  const auto found = std::find(choice.values.begin(), choice.values.end(), text);
  if (found == choice.values.end()) {
    const std::vector<std::string_view> names(choice.values.begin(), choice.values.end());
    const std::string_view near = Suggest(text, names);
    return WrongAnswer(
        question, Shown(text) + " is not one of its values",
        near.empty() ? "write a value as the survey does." : "did you mean " + Shown(near) + "?");
  }
  return static_cast<uint64_t>(found - choice.values.begin());
}

Result<uint64_t> ReadNumberAnswer(const SurveyQuestion& question, const NumberDomain& number,
                                  std::string_view text) {
  const Result<Rational> value = Rational::Parse(text);
  if (!value.ok()) {
    return WrongAnswer(question, Shown(text) + " is no number", "write 7, 7.5 or 15/2.");
  }
  if (*value < number.low || *value > number.high) {
    return WrongAnswer(question, Shown(text) + " is out of range",
                       "it goes from " + number.low.ToString() + " to " + number.high.ToString() +
                           "; clamp it first if that is meant.");
  }
  const Rational steps = (*value - number.low) / number.step;
  return mpz_class((steps + Rational(1, 2)).Floor()).get_ui();
}

std::string Field(std::string_view name, std::string_view value) {
  return std::string(name) + " " + std::to_string(value.size()) + ":" + std::string(value) + "\n";
}

}  // namespace

bool IsLocalName(std::string_view name) {
  constexpr size_t kLongest = 64;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || name.size() > kLongest || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Status CheckQuestion(const SurveyQuestion& question) {
  if (!IsLocalName(question.name)) {
    return Error{.code = Code::kCatalog,
                 .message = "the name of a question is not one: " + Shown(question.name),
                 .hint = "begin with a letter; then letters, digits, _ and -, at most 64."};
  }
  if (!question.epsilon.CertainlyPositive() ||
      question.epsilon.Amount().value() < Rational(1, 1'000'000'000) ||
      !RandomizedResponse::Create(question.epsilon).ok()) {
    return WrongQuestion(question, "epsilon is out of range", "it must be from 1e-9 to 100.");
  }
  const LocalMethod method = question.method;
  bool fits = false;
  Status status;
  std::visit(
      Overloaded{
          [&](const YesNoDomain&) {
            fits = IsOne(method, {LocalMethod::kAuto, LocalMethod::kDirect});
          },
          [&](const ChoiceDomain& choice) {
            status = CheckChoice(question, choice);
            fits = IsOne(method, {LocalMethod::kAuto, LocalMethod::kDirect, LocalMethod::kUnary});
          },
          [&](const NumberDomain& number) {
            status = CheckNumber(question, number);
            fits = IsOne(method,
                         {LocalMethod::kAuto, LocalMethod::kTwoPoint, LocalMethod::kPiecewise});
          }},
      question.domain);
  TACET_RETURN_IF_ERROR(status);
  if (!fits) {
    return WrongQuestion(question, "the method does not go with its type",
                         "direct or unary for a choice, two-point or piecewise for a number.");
  }
  return {};
}

uint64_t AnswerCount(const SurveyQuestion& question) {
  return std::visit(
      Overloaded{[](const YesNoDomain&) { return uint64_t{2}; },
                 [](const ChoiceDomain& choice) { return uint64_t{choice.values.size()}; },
                 [](const NumberDomain& number) {
                   const Rational steps = (number.high - number.low) / number.step;
                   return uint64_t{steps.Floor().get_ui()} + 1;
                 }},
      question.domain);
}

Result<uint64_t> ReadAnswer(const SurveyQuestion& question, std::string_view text) {
  if (text.empty()) {
    return WrongAnswer(question, "the answer is missing",
                       "leave people without an answer out, or add a value such as 'none'.");
  }
  return std::visit(
      Overloaded{
          [&](const YesNoDomain&) { return ReadYesNo(question, text); },
          [&](const ChoiceDomain& choice) { return ReadChoice(question, choice, text); },
          [&](const NumberDomain& number) { return ReadNumberAnswer(question, number, text); }},
      question.domain);
}

std::string CanonicalText(const SurveyQuestion& question) {
  std::string text = Field("question", question.name) + Field("text", question.text) +
                     Field("epsilon", question.epsilon.ToString()) +
                     Field("method", std::to_string(static_cast<int>(question.method)));
  std::visit(Overloaded{[&](const YesNoDomain&) { text += Field("type", "yes-no"); },
                        [&](const ChoiceDomain& choice) {
                          text += Field("type", "choice");
                          for (const std::string& value : choice.values) {
                            text += Field("value", value);
                          }
                        },
                        [&](const NumberDomain& number) {
                          text += Field("type", "number") + Field("low", number.low.ToString()) +
                                  Field("high", number.high.ToString()) +
                                  Field("step", number.step.ToString());
                        }},
             question.domain);
  return text;
}

}  // namespace tacet
