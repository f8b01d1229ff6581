// SPDX-License-Identifier: Apache-2.0
// tacet local answer.
#include <fmt/format.h>

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

// The answer to every question: all of them must be there, so that what is drawn later decides
// nothing about errors.
Result<std::vector<uint64_t>> ReadValues(const Survey& survey,
                                         const std::vector<std::string>& values) {
  const std::vector<Randomizer>& questions = survey.questions();
  if (values.empty()) return WrongValue("--value is missing", "for example --value yes.");
  if (questions.size() == 1) {
    if (values.size() > 1)
      return WrongValue("--value is given twice", "the survey has a question.");
    TACET_TRY(const uint64_t answer, ReadAnswer(questions[0].question(), values[0]));
    return std::vector<uint64_t>{answer};
  }
  std::vector<std::optional<uint64_t>> answers(questions.size());
  std::vector<std::string_view> names;
  for (const Randomizer& randomizer : questions) names.push_back(randomizer.question().name);
  for (const std::string& value : values) {
    const size_t equals = value.find('=');
    const std::string_view name = std::string_view(value).substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string::npos || found == names.end()) {
      return WrongValue("--value " + value + " names no question of the survey",
                        "write NAME=VALUE; " + SuggestionHint(name, names));
    }
    std::optional<uint64_t>& answer = answers[static_cast<size_t>(found - names.begin())];
    if (answer) return WrongValue("question " + std::string(name) + " has two values", "give one.");
    TACET_TRY(answer, ReadAnswer(questions[static_cast<size_t>(found - names.begin())].question(),
                                 std::string_view(value).substr(equals + 1)));
  }
  std::vector<uint64_t> all;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      return Error{.code = Code::kData,
                   .message = "question " + std::string(names[i]) + ": the answer is missing",
                   .hint = "give every question its --value NAME=VALUE."};
    }
    all.push_back(*answers[i]);
  }
  return all;
}

Result<FileLock> LockState(const LocalFlags& flags) {
  TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.wait));
  Result<FileLock> lock = FileLock::Acquire(flags.state + ".lock", wait);
  if (lock.ok() || lock.error().code != Code::kLocked) return lock;
  return Error{.code = Code::kLocked,
               .message = "the state '" + flags.state + "' is in use by another process",
               .hint = lock.error().hint};
}

Result<std::vector<DeviceAnswer>> AnswerAll(DeviceLedger& ledger, const Survey& survey,
                                            const std::vector<uint64_t>& answers) {
  SystemEntropy entropy;
  std::vector<size_t> asked;
  if (survey.asks() == Asks::kOne) {
    TACET_TRY(const size_t pick, ledger.Pick(survey, entropy));
    asked.push_back(pick);
  } else {
    for (size_t i = 0; i < answers.size(); ++i) asked.push_back(i);
  }
  std::vector<DeviceAnswer> given;
  for (const size_t question : asked) {
    TACET_TRY(DeviceAnswer answer, ledger.Answer(survey, question, answers[question], entropy));
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
  TACET_TRY(const std::vector<uint64_t> answers, ReadValues(survey, flags.values));
  TACET_TRY(const FileLock lock, LockState(flags));
  const bool exists = NameExists(flags.state);
  if (exists) TACET_RETURN_IF_ERROR(CheckPrivateFile(flags.state));
  SystemFileSystem files;
  TACET_TRY(DeviceLedger ledger, DeviceLedger::Open(files, flags.state, exists));
  TACET_TRY(const std::vector<DeviceAnswer> given, AnswerAll(ledger, survey, answers));

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
  terminal.Print(reports);
  for (const DeviceAnswer& answer : given) {
    terminal.Aside(fmt::format("{}: {}.\n", survey.questions()[answer.question].question().name,
                               KindWord(answer.kind)));
  }
  terminal.Aside(
      fmt::format("Spent epsilon {} of {}, for life.\n", CostText(spent), CostText(limit)));
  return {};
}

}  // namespace tacet::cli
