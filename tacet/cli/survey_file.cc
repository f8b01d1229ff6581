// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/survey_file.h"

#include <array>
#include <optional>
#include <variant>

#include "tacet/catalog/section.h"
#include "tacet/cli/csv_text.h"

namespace tacet::cli {
namespace {

using Keys = std::vector<std::string_view>;

std::optional<ExactEpsilon> ReadEpsilon(const Section& section) {
  const Node* node = section.Find("epsilon");
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::kString || !node->text.starts_with("ln")) {
    const std::optional<Rational> number = section.PositiveNumber("epsilon");
    if (!number) return std::nullopt;
    return ExactEpsilon{.linear = *number};
  }
  const Result<ExactEpsilon> epsilon = ExactEpsilon::Parse(node->text);
  if (epsilon.ok()) return *epsilon;
  section.Complain("epsilon", "is wrong: " + epsilon.error().message, epsilon.error().hint);
  return std::nullopt;
}

// The truth with probability 1/2 + gamma.
ExactEpsilon OfGamma(const Rational& gamma) {
  const Rational truth = Rational(1, 2) + gamma;
  return {.linear = Rational(0), .ratio = truth / (Rational(1) - truth)};
}

// One of epsilon, gamma and coin_toss.
std::optional<ExactEpsilon> ReadStrength(const Section& section, bool is_yes_no) {
  const bool tossed = section.Boolean("coin_toss").value_or(false);
  const int given =
      (section.Has("epsilon") ? 1 : 0) + (section.Has("gamma") ? 1 : 0) + (tossed ? 1 : 0);
  if (given != 1) {
    section.Complain("epsilon", "must be given, once",
                     is_yes_no ? "or gamma = \"1/4\", or coin_toss = true." : "epsilon = \"1\".");
    return std::nullopt;
  }
  if (section.Has("epsilon")) return ReadEpsilon(section);
  if (!is_yes_no) {
    section.Complain(tossed ? "coin_toss" : "gamma", "is for yes-or-no questions",
                     "write epsilon = \"1\".");
    return std::nullopt;
  }
  if (tossed) return OfGamma(Rational(1, 4));
  const std::optional<Rational> gamma = section.PositiveNumber("gamma");
  if (!gamma) return std::nullopt;
  if (*gamma >= Rational(1, 2)) {
    section.Complain("gamma", "must be below 1/2", "at 1/2 the truth would be published.");
    return std::nullopt;
  }
  return OfGamma(*gamma);
}

std::optional<ChoiceDomain> ReadValues(const Section& section) {
  const Node* node = section.Find("values");
  if (node == nullptr || node->kind != Node::Kind::kArray) {
    section.Complain("values", "must be a list", "write values = [\"bus\", \"car\"].");
    return std::nullopt;
  }
  ChoiceDomain domain;
  for (const Node& item : node->items) {
    if (item.kind != Node::Kind::kString || item.text.find('\0') != std::string::npos) {
      section.Complain("values", "must be texts", "put every value in quotes.");
      return std::nullopt;
    }
    domain.values.push_back(item.text);
  }
  return domain;
}

std::optional<NumberDomain> ReadRange(const Section& section) {
  const Node* node = section.Find("range");
  if (node == nullptr || node->kind != Node::Kind::kArray || node->items.size() != 2) {
    section.Complain("range", "must be a list of two numbers", "write range = [0, 24].");
    return std::nullopt;
  }
  const std::string what = section.name() + ": range";
  const std::optional<Rational> low = ReadNumber(node->items[0], what, section.problems());
  const std::optional<Rational> high = ReadNumber(node->items[1], what, section.problems());
  std::optional<Rational> step = Rational(1);
  if (section.Has("grid")) step = section.PositiveNumber("grid");
  if (!low || !high || !step) return std::nullopt;
  return NumberDomain{*low, *high, *step};
}

std::optional<SurveyQuestion> ReadSurveyQuestion(const Entry& entry, Problems& problems) {
  static constexpr std::array<std::string_view, 9> kKeys = {
      "type", "text", "values", "range", "grid", "epsilon", "gamma", "coin_toss", "method"};
  static constexpr std::array<std::string_view, 3> kTypes = {"yes-no", "choice", "number"};
  static constexpr std::array<std::string_view, 5> kMethods = {"auto", "direct", "unary",
                                                               "two-point", "piecewise"};
  const size_t before = problems.size();
  const Section section(&entry.value, "question " + entry.key, kKeys, problems);
  const std::optional<size_t> type = section.Choice("type", kTypes);
  if (!type) {
    if (problems.size() == before) {
      section.Complain("type", "is missing", "yes-no, choice or number.");
    }
    return std::nullopt;
  }
  SurveyQuestion question{.name = entry.key,
                          .text = section.Text("text").value_or(""),
                          .domain = YesNoDomain{},
                          .epsilon = {}};
  if (*type == 1) {
    if (auto domain = ReadValues(section)) question.domain = *std::move(domain);
  } else if (*type == 2) {
    if (auto domain = ReadRange(section)) question.domain = *std::move(domain);
  }
  for (const char* key : {"values", "range", "grid"}) {
    const size_t owner = std::string_view(key) == "values" ? 1 : 2;
    if (section.Has(key) && owner != *type) {
      section.Complain(key, "does not go with this type", "leave it out.");
    }
  }
  if (section.Has("method")) {
    question.method = static_cast<LocalMethod>(section.Choice("method", kMethods).value_or(0));
  }
  if (auto epsilon = ReadStrength(section, *type == 0)) question.epsilon = *epsilon;
  if (problems.size() > before) return std::nullopt;
  return question;
}

SurveyDraft ReadDraft(const Node& root, Problems& problems) {
  static constexpr std::array<std::string_view, 3> kParts = {"survey", "budget", "questions"};
  static constexpr std::array<std::string_view, 3> kSurvey = {"name", "text", "asks"};
  static constexpr std::array<std::string_view, 3> kBudget = {"name", "epsilon", "exhausted"};
  static constexpr std::array<std::string_view, 2> kAsks = {"one", "all"};
  static constexpr std::array<std::string_view, 2> kExhausted = {"silent", "null"};
  const Section parts(&root, "the survey", kParts, problems);
  const Section survey(parts.Find("survey"), "[survey]", kSurvey, problems);
  const Section budget(parts.Find("budget"), "[budget]", kBudget, problems);
  SurveyDraft draft;
  draft.name = survey.Text("name").value_or("");
  draft.text = survey.Text("text").value_or("");
  draft.asks = static_cast<Asks>(survey.Choice("asks", kAsks).value_or(0));
  draft.budget = budget.Text("name").value_or(draft.name);
  if (!budget.Has("epsilon")) {
    budget.Complain("epsilon", "is missing", "the lifetime budget, such as epsilon = \"4\".");
  }
  draft.limit = budget.PositiveNumber("epsilon").value_or(Rational(1));
  draft.exhausted = static_cast<WhenExhausted>(budget.Choice("exhausted", kExhausted).value_or(0));
  const Node* questions = parts.Find("questions");
  if (questions == nullptr || questions->kind != Node::Kind::kTable) {
    parts.Complain("questions", "are missing", "write a section [questions.NAME].");
    return draft;
  }
  for (const Entry& entry : questions->entries) {
    if (auto question = ReadSurveyQuestion(entry, problems)) {
      draft.questions.push_back(*std::move(question));
    }
  }
  return draft;
}

}  // namespace

Result<Survey> ReadSurvey(const std::string& path) {
  constexpr size_t kBytesMax = size_t{32} << 20;
  if (path.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "--survey FILE is missing",
                 .hint = "the questions and the budget; docs/local.md shows one."};
  }
  TACET_TRY(const std::string text, ReadText(path, kBytesMax));
  const std::variant<Node, Problem> document = ReadDocument(text);
  if (const auto* problem = std::get_if<Problem>(&document)) return CatalogError(path, {*problem});
  Problems problems;
  SurveyDraft draft = ReadDraft(std::get<Node>(document), problems);
  if (!problems.empty()) return CatalogError(path, problems);
  Result<Survey> survey = Survey::Create(std::move(draft));
  if (survey.ok()) return survey;
  Error error = survey.error();
  error.message = path + ": " + error.message;
  return error;
}

}  // namespace tacet::cli
