// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/device_ledger.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "tacet/base/fault.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

constexpr std::string_view kMagic = "tacet-device 1";
constexpr std::string_view kSeal = "sha256 ";

std::string_view TakeWord(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(line.size(), end + 1));
  return word;
}

Error Damaged(const std::string& path, const std::string& what) {
  return {.code = Code::kLedger,
          .message = "the state file '" + path + "' " + what,
          .hint =
              "what was spent is in it, so no report is made without it: restore the newest "
              "copy. Whoever deletes it begins a new lifetime budget."};
}

bool IsReportText(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string OneReport(const Survey& survey, size_t question, const BatchId& batch,
                      std::string_view report) {
  return BatchHeader(survey, batch) + ReportLine(question, report) + BatchEnd(1);
}

}  // namespace

Result<DeviceLedger> DeviceLedger::Open(FileSystem& files, std::string path, bool exists) {
  DeviceLedger ledger(files, std::move(path));
  if (!exists) return ledger;
  TACET_TRY(const std::string bytes, files.Read(ledger.path_));
  TACET_RETURN_IF_ERROR(ledger.Parse(bytes));
  // An earlier Save may have failed after its rename: what is read here may then be lost in a
  // crash, and with it the reports that this call is about to repeat.
  TACET_RETURN_IF_ERROR(files.SyncFolder(FolderOf(ledger.path_)));
  return ledger;
}

Status DeviceLedger::Parse(std::string_view bytes) {
  const size_t seal = bytes.rfind(kSeal);
  if (!bytes.starts_with("tacet-device ")) return Damaged(path_, "is not a device's state");
  if (!bytes.starts_with(std::string(kMagic) + "\n")) {
    return Damaged(path_, "has a format that is not known");
  }
  if (seal == std::string_view::npos ||
      bytes.substr(seal) != std::string(kSeal) + ToHex(Sha256(bytes.substr(0, seal))) + "\n") {
    return Damaged(path_, "is damaged or cut off");
  }
  std::string_view lines = bytes.substr(kMagic.size() + 1, seal - kMagic.size() - 1);
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    if (end == std::string_view::npos || !ParseLine(lines.substr(0, end))) {
      return Damaged(path_, "has a line that is not understood");
    }
    lines.remove_prefix(end + 1);
  }
  return {};
}

bool DeviceLedger::ParseLine(std::string_view line) {
  const std::string_view kind = TakeWord(line);
  const std::string name(TakeWord(line));
  const std::string_view first = TakeWord(line);
  if (kind == "budget") {
    const Result<Rational> limit = Rational::Parse(first);
    const Result<Rational> spent = Rational::Parse(line);
    if (!IsLocalName(name) || !limit.ok() || !spent.ok() || spent->sign() < 0) return false;
    return accounts_.insert({name, {.limit = *limit, .spent = *spent}}).second;
  }
  if (!DigestFromHex(name)) return false;
  if (kind == "memo") {
    if (!IsBatchId(first) || !IsReportText(line)) return false;
    return memos_.insert({name, {.batch = BatchId(first), .report = std::string(line)}}).second;
  }
  uint64_t pick = 0;
  const char* const end = first.data() + first.size();
  const auto [stop, status] = std::from_chars(first.data(), end, pick);
  if (kind != "pick" || status != std::errc() || stop != end || !line.empty()) return false;
  return picks_.insert({name, pick}).second;
}

std::string DeviceLedger::Text() const {
  std::string text = std::string(kMagic) + "\n";
  for (const auto& [name, account] : accounts_) {
    text +=
        "budget " + name + " " + account.limit.ToString() + " " + account.spent.ToString() + "\n";
  }
  for (const auto& [question, memo] : memos_) {
    text += "memo " + question + " " + memo.batch + " " + memo.report + "\n";
  }
  for (const auto& [survey, pick] : picks_) {
    text += "pick " + survey + " " + std::to_string(pick) + "\n";
  }
  return text + std::string(kSeal) + ToHex(Sha256(text)) + "\n";
}

Status DeviceLedger::Save() {
  if (!is_dirty_) return {};
  TACET_RETURN_IF_ERROR(WriteAtomically(*files_, path_, Text()));
  is_dirty_ = false;
  return {};
}

Result<size_t> DeviceLedger::Pick(const Survey& survey, Entropy& entropy) {
  TACET_CHECK(survey.asks() == Asks::kOne);
  const size_t count = survey.questions().size();
  if (count == 1) return size_t{0};
  const std::string key = ToHex(survey.digest());
  const auto found = picks_.find(key);
  if (found != picks_.end()) {
    if (found->second >= count) {
      return Damaged(path_, "names a question that the survey does not have");
    }
    TACET_RETURN_IF_ERROR(Save());
    return static_cast<size_t>(found->second);
  }
  TACET_TRY(const auto pick, Draw(entropy, [&](Coins& coins) {
              return static_cast<uint64_t>(SampleBelow(count, coins));
            }));
  picks_[key] = pick;
  is_dirty_ = true;
  TACET_RETURN_IF_ERROR(Save());
  return static_cast<size_t>(pick);
}

Result<DeviceAnswer> DeviceLedger::Answer(const Survey& survey, size_t question, uint64_t answer,
                                          Entropy& entropy) {
  const Randomizer& randomizer = survey.questions().at(question);
  std::string key = ToHex(randomizer.QuestionDigest());
  if (TACET_FAULT(memo_keyed_by_value)) {
    key = ToHex(Sha256(key + std::to_string(answer)));
  }
  Account& account = AccountOf(survey);
  if (const auto memo = memos_.find(key); memo != memos_.end()) {
    TACET_RETURN_IF_ERROR(Save());
    return DeviceAnswer{
        .kind = DeviceAnswer::Kind::kMemorised,
        .question = question,
        .report = OneReport(survey, question, memo->second.batch, memo->second.report)};
  }
  TACET_TRY(const BatchId batch, DrawBatchId(entropy));
  const Rational spent = account.spent + randomizer.Loss().epsilon->value();
  if (spent > account.limit && !TACET_FAULT(device_budget_ignored)) {
    TACET_RETURN_IF_ERROR(Save());
    const bool silent = survey.exhausted() == WhenExhausted::kSilent;
    return DeviceAnswer{.kind = DeviceAnswer::Kind::kExhausted,
                        .question = question,
                        .report = silent ? "" : OneReport(survey, question, batch, kNullReport)};
  }
  TACET_TRY(const Report report, randomizer.Release(answer, entropy));
  const std::string text = randomizer.Text(report);
  DeviceAnswer result{.kind = DeviceAnswer::Kind::kFresh,
                      .question = question,
                      .report = OneReport(survey, question, batch, text)};
  if (TACET_FAULT(state_after_report)) return result;
  account.spent = spent;
  memos_[key] = {.batch = batch, .report = text};
  is_dirty_ = true;
  TACET_RETURN_IF_ERROR(Save());
  return result;
}

DeviceLedger::Account& DeviceLedger::AccountOf(const Survey& survey) {
  const auto [place, is_new] = accounts_.insert({survey.budget(), {survey.limit(), Rational(0)}});
  Account& account = place->second;
  if (is_new || survey.limit() < account.limit) is_dirty_ = true;
  account.limit = std::min(account.limit, survey.limit());
  return account;
}

Rational DeviceLedger::Spent(const std::string& budget) const {
  const auto found = accounts_.find(budget);
  return found == accounts_.end() ? Rational(0) : found->second.spent;
}

std::optional<Rational> DeviceLedger::Limit(const std::string& budget) const {
  const auto found = accounts_.find(budget);
  if (found == accounts_.end()) return std::nullopt;
  return found->second.limit;
}

}  // namespace tacet
