// SPDX-License-Identifier: Apache-2.0
// Surveys for tests.
#pragma once

#include <string>

#include "tacet/local/survey.h"

namespace tacet {

inline SurveyQuestion YesNoQuestion(const std::string& name, const char* epsilon) {
  return {.name = name,
          .text = "Is it so?",
          .domain = YesNoDomain{},
          .epsilon = *ExactEpsilon::Parse(epsilon)};
}

// One yes-or-no question, paid from the budget `health`.
inline SurveyDraft OneQuestion(const std::string& question, const char* epsilon,
                               const char* limit) {
  return {.name = "pets",
          .text = "Who has pets?",
          .budget = "health",
          .limit = *Rational::Parse(limit),
          .questions = {YesNoQuestion(question, epsilon)}};
}

// A choice, a yes or no, and a number.
inline SurveyDraft ThreeQuestions(Asks asks) {
  SurveyDraft draft = OneQuestion("dog", "1", "4");
  draft.asks = asks;
  draft.questions.push_back({.name = "colour",
                             .text = "Which colour?",
                             .domain = ChoiceDomain{{"black", "brown", "white"}},
                             .epsilon = *ExactEpsilon::Parse("ln(3)")});
  draft.questions.push_back({.name = "age",
                             .text = "How old?",
                             .domain = NumberDomain{Rational(0), Rational(20), Rational(1)},
                             .epsilon = *ExactEpsilon::Parse("3/2")});
  return draft;
}

}  // namespace tacet
