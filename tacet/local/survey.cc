// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/survey.h"

#include <algorithm>
#include <set>

namespace tacet {
namespace {

Error WrongSurvey(std::string what, std::string hint) {
  return {.code = Code::kCatalog, .message = std::move(what), .hint = std::move(hint)};
}

std::string CanonicalText(const SurveyDraft& draft) {
  std::string text = "tacet-survey 1\nname " + draft.name + "\ntext " +
                     std::to_string(draft.text.size()) + ":" + draft.text + "\nbudget " +
                     draft.budget + " " + draft.limit.ToString() + "\nexhausted " +
                     (draft.exhausted == WhenExhausted::kNull ? "null" : "silent") + "\nasks " +
                     (draft.asks == Asks::kOne ? "one" : "all") + "\n";
  for (const SurveyQuestion& question : draft.questions) text += tacet::CanonicalText(question);
  return text;
}

}  // namespace

Survey::Survey(SurveyDraft draft, std::vector<Randomizer> randomizers)
    : draft_(std::move(draft)),
      randomizers_(std::move(randomizers)),
      digest_(Sha256(CanonicalText(draft_))) {}

Result<Survey> Survey::Create(SurveyDraft draft) {
  constexpr size_t kQuestionsMax = 1000;
  constexpr int64_t kBillion = 1'000'000'000;
  for (const std::string& name : {draft.name, draft.budget}) {
    if (IsLocalName(name)) continue;
    return WrongSurvey("a survey and its budget need names",
                       "begin with a letter; then letters, digits, _ and -, at most 64.");
  }
  // Devices keep the limit as text, which must be short enough to be read again.
  constexpr size_t kLimitDigitsMax = 200;
  if (draft.limit < Rational(1, kBillion) || draft.limit > Rational(kBillion) ||
      draft.limit.ToString().size() > kLimitDigitsMax) {
    return WrongSurvey("the budget is out of range",
                       "write epsilon = \"4\" under [budget]; 1e-9 to 1e9 are possible, with at "
                       "most 200 digits.");
  }
  if (draft.questions.empty() || draft.questions.size() > kQuestionsMax) {
    return WrongSurvey("a survey has 1 to 1000 questions", "write a section [questions.NAME].");
  }
  std::vector<Randomizer> randomizers;
  std::set<std::string> names;
  for (const SurveyQuestion& question : draft.questions) {
    TACET_TRY(Randomizer randomizer, Randomizer::Create(question));
    if (!names.insert(question.name).second) {
      return WrongSurvey("question " + question.name + " occurs twice", "rename one of them.");
    }
    if (question.epsilon.Amount().value() > draft.limit) {
      return WrongSurvey("question " + question.name + " costs more than the budget " +
                             draft.budget + " of " + draft.limit.ToString(),
                         "nobody could ever answer it: lower its epsilon.");
    }
    randomizers.push_back(std::move(randomizer));
  }
  return Survey(std::move(draft), std::move(randomizers));
}

Epsilon Survey::Loss() const {
  Epsilon loss;
  for (const Randomizer& randomizer : randomizers_) {
    const Epsilon one = *randomizer.Loss().epsilon;
    loss = asks() == Asks::kAll ? loss + one : std::max(loss, one);
  }
  return loss;
}

}  // namespace tacet
