// SPDX-License-Identifier: Apache-2.0
// What is asked of people who randomise their own answers, and which answers there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/measure/amount.h"

namespace tacet {

struct YesNoDomain {};
struct ChoiceDomain {
  std::vector<std::string> values;
};
// The multiples of `step` from `low` on, up to `high`.
struct NumberDomain {
  Rational low;
  Rational high;
  Rational step;
};
using AnswerDomain = std::variant<YesNoDomain, ChoiceDomain, NumberDomain>;

// How answers are randomised. kAuto picks what has the least variance.
enum class LocalMethod { kAuto, kDirect, kUnary, kTwoPoint, kPiecewise };

struct SurveyQuestion {
  std::string name;
  std::string text;  // what people are asked, in public
  AnswerDomain domain;
  ExactEpsilon epsilon;
  LocalMethod method = LocalMethod::kAuto;
};

// A letter, then letters, digits, _ and -, at most 64: names of questions, surveys and budgets.
bool IsLocalName(std::string_view name);

// Fails (kCatalog), naming the question, unless it can be asked: a name, an epsilon in
// [1e-9, 100], two or more different values, a range of whole steps with ends within 1e100 and a
// step of 1e-100 or more, a method that fits.
Status CheckQuestion(const SurveyQuestion& question);

// How many answers there are, and the number of the one that `text` says: yes, y, true, 1 is 1 and
// no, n, false, 0 is 0; a value's place in the list; whole steps above the low end, the nearest.
// Fails (kData) for an empty text, what is not in the list or out of range.
uint64_t AnswerCount(const SurveyQuestion& question);
Result<uint64_t> ReadAnswer(const SurveyQuestion& question, std::string_view text);

// All that makes a question this one and no other: name, text, domain, epsilon and method.
std::string CanonicalText(const SurveyQuestion& question);

}  // namespace tacet
