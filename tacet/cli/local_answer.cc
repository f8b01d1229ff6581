// SPDX-License-Identifier: Apache-2.0
// tacet local answer.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tacet/base/private_path.h"
#include "tacet/base/suggest.h"
#include "tacet/cli/amount_text.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/local_commands.h"
#include "tacet/cli/survey_file.h"
#include "tacet/ledger/file_lock.h"
#include "tacet/local/device_ledger.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

Error WrongValue(std::string what, std::string hint) {
  return {.code = Code::kUsage, .message = std::move(what), .hint = std::move(hint)};
}

// What stands beside every question, unread. What is wrong here is wrong whatever the answers are.
using Values = std::vector<std::optional<std::string>>;

Result<Values> FindValues(const Survey& survey, const std::vector<std::string>& given) {
  const std::vector<Randomizer>& questions = survey.questions();
  Values values(questions.size());
  if (questions.size() == 1) {
    if (given.size() > 1) return WrongValue("--value is given twice", "the survey has a question.");
    if (!given.empty()) values[0] = given[0];
    return values;
  }
  std::vector<std::string_view> names;
  for (const Randomizer& randomizer : questions) names.push_back(randomizer.question().name);
  for (const std::string& text : given) {
    const size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string::npos || found == names.end()) {
      return WrongValue("--value " + text + " names no question of the survey",
                        "write NAME=VALUE; " + SuggestionHint(name, names));
    }
    std::optional<std::string>& value = values[static_cast<size_t>(found - names.begin())];
    if (value) return WrongValue("question " + std::string(name) + " has two values", "give one.");
    value = text.substr(equals + 1);
  }
  return values;
}

Result<uint64_t> ReadValue(const Survey& survey, const Values& values, size_t question) {
  const SurveyQuestion& asked = survey.questions()[question].question();
  if (values[question]) return ReadAnswer(asked, *values[question]);
  if (values.size() == 1) return WrongValue("--value is missing", "for example --value yes.");
  return Error{.code = Code::kData,
               .message = "question " + asked.name + ": the answer is missing",
               .hint = "give every question its --value NAME=VALUE."};
}

Result<FileLock> LockState(const LocalFlags& flags) {
  TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.wait));
  Result<FileLock> lock = FileLock::Acquire(flags.state + ".lock", wait);
  if (lock.ok() || lock.error().code != Code::kLocked) return lock;
  return Error{.code = Code::kLocked,
               .message = "the state '" + flags.state + "' is in use by another process",
               .hint = lock.error().hint};
}

Status CheckState(const std::string& path) {
  TACET_RETURN_IF_ERROR(CheckPrivateFile(path));
  std::error_code failed;
  if (std::filesystem::hard_link_count(path, failed) == 1) return {};
  // A new state replaces one name; the other would go on with what was spent until then.
  return Error{.code = Code::kLedger,
               .message = "the state '" + path + "' has another name (a hard link)",
               .hint = "each would be a budget of its own: remove the other name."};
}

Result<std::vector<DeviceAnswer>> AnswerAll(DeviceLedger& ledger, const Survey& survey,
                                            const Values& values) {
  SystemEntropy entropy;
  std::vector<size_t> asked;
  if (survey.asks() == Asks::kOne) {
    TACET_TRY(const size_t pick, ledger.Pick(survey, entropy));
    asked.push_back(pick);
  } else {
    for (size_t i = 0; i < values.size(); ++i) asked.push_back(i);
  }
  // Values that are not randomised now are not looked at: an error would tell about them. Those
  // that are, are read before anything is spent.
  const std::vector<DeviceAnswer::Kind> kinds = ledger.Foresee(survey, asked);
  std::vector<uint64_t> answers(asked.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    if (kinds[i] != DeviceAnswer::Kind::kFresh) continue;
    TACET_TRY(answers[i], ReadValue(survey, values, asked[i]));
  }
  std::vector<DeviceAnswer> given;
  for (size_t i = 0; i < asked.size(); ++i) {
    TACET_TRY(DeviceAnswer answer, ledger.Answer(survey, asked[i], answers[i], entropy));
    given.push_back(std::move(answer));
  }
  return given;
}

std::string_view KindWord(DeviceAnswer::Kind kind) {
  switch (kind) {
    case DeviceAnswer::Kind::kFresh:
      return "fresh";
    case DeviceAnswer::Kind::kMemorised:
      return "memorised";
    case DeviceAnswer::Kind::kExhausted:
      return "exhausted";
  }
  return {};
}

}  // namespace

Status AnswerOnDevice(const LocalFlags& flags, const Terminal& terminal) {
  if (flags.state.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "--state FILE is missing",
                 .hint = "what this device spends is kept there, for life."};
  }
  TACET_TRY(const Survey survey, ReadSurvey(flags.survey));
  TACET_TRY(const Values values, FindValues(survey, flags.values));
  TACET_TRY(const FileLock lock, LockState(flags));
  const bool exists = NameExists(flags.state);
  if (exists) TACET_RETURN_IF_ERROR(CheckState(flags.state));
  SystemFileSystem files;
  TACET_TRY(DeviceLedger ledger, DeviceLedger::Open(files, flags.state, exists));
  TACET_TRY(const std::vector<DeviceAnswer> given, AnswerAll(ledger, survey, values));

  std::string reports;
  Json list = Json::array();
  for (const DeviceAnswer& answer : given) {
    reports += answer.report;
    list.push_back({{"question", survey.questions()[answer.question].question().name},
                    {"kind", KindWord(answer.kind)},
                    {"report", answer.report}});
  }
  const Rational spent = ledger.Spent(survey.budget());
  const Rational limit = ledger.Limit(survey.budget()).value_or(survey.limit());
  if (reports.empty()) {
    return Error{.code = Code::kBudget,
                 .message = "the budget " + survey.budget() + " is used up: nothing is sent",
                 .hint = "epsilon " + CostText(spent) + " of " + CostText(limit) +
                         " is spent, for life; nothing brings it back."};
  }
  if (terminal.json) {
    terminal.Print(DocumentText({{"survey", survey.name()},
                                 {"budget", survey.budget()},
                                 {"reports", list},
                                 {"spent", spent.ToString()},
                                 {"limit", limit.ToString()}}));
    return {};
  }
  terminal.Write(reports);
  for (const DeviceAnswer& answer : given) {
    terminal.Aside(fmt::format("{}: {}.\n", survey.questions()[answer.question].question().name,
                               KindWord(answer.kind)));
  }
  terminal.Aside(
      fmt::format("Spent epsilon {} of {}, for life.\n", CostText(spent), CostText(limit)));
  return {};
}

}  // namespace tacet::cli
