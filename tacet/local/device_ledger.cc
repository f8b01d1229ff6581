// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/device_ledger.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "tacet/base/fault.h"
#include "tacet/local/line_words.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

constexpr std::string_view kMagic = "tacet-device 2";
constexpr std::string_view kFirstMagic = "tacet-device 1";
constexpr std::string_view kSeal = "sha256 ";

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

// What was spent after one more cost. A sum of fractions may need ever more digits, more than are
// read back; where it is long it is rounded up.
Rational SpentAfter(const Rational& spent, const Rational& cost) {
  constexpr size_t kBitsMax = 256;
  const Rational sum = spent + cost;
  const bool is_short = mpz_sizeinbase(sum.value().get_den_mpz_t(), 2) <= kBitsMax;
  return is_short ? sum : RoundUpTo(sum, Rational::PowerOfTwo(-64));
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
  const bool is_first = bytes.starts_with(std::string(kFirstMagic) + "\n");
  if (!is_first && !bytes.starts_with(std::string(kMagic) + "\n")) {
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
  if (is_first && accounts_.size() == 1) {
    for (auto& [question, memo] : memos_) memo.payers.insert(accounts_.begin()->first);
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
  if (kind == "memo") return IsBatchId(first) && ParseMemo(name, BatchId(first), line);
  if (kind == "null") {
    return IsBatchId(first) && line.empty() && nulls_.insert({name, BatchId(first)}).second;
  }
  uint64_t pick = 0;
  const char* const end = first.data() + first.size();
  const auto [stop, status] = std::from_chars(first.data(), end, pick);
  if (kind != "pick" || status != std::errc() || stop != end || !line.empty()) return false;
  return picks_.insert({name, pick}).second;
}

bool DeviceLedger::ParseMemo(const std::string& question, const BatchId& batch,
                             std::string_view line) {
  const std::string_view report = TakeWord(line);
  if (!IsReportText(report)) return false;
  Memo memo{.batch = batch, .report = std::string(report), .payers = {}};
  while (!line.empty()) {
    const std::string payer(TakeWord(line));
    if (!accounts_.contains(payer) || !memo.payers.insert(payer).second) return false;
  }
  return memos_.insert({question, std::move(memo)}).second;
}

std::string DeviceLedger::Text() const {
  std::string text = std::string(kMagic) + "\n";
  for (const auto& [name, account] : accounts_) {
    text +=
        "budget " + name + " " + account.limit.ToString() + " " + account.spent.ToString() + "\n";
  }
  for (const auto& [question, memo] : memos_) {
    text += "memo " + question + " " + memo.batch + " " + memo.report;
    for (const std::string& payer : memo.payers) text += " " + payer;
    text += "\n";
  }
  for (const auto& [question, batch] : nulls_) text += "null " + question + " " + batch + "\n";
  for (const auto& [survey, pick] : picks_) {
    text += "pick " + survey + " " + std::to_string(pick) + "\n";
  }
  return text + std::string(kSeal) + ToHex(Sha256(text)) + "\n";
}

Status DeviceLedger::Save() {
  if (!is_dirty_) return {};
  const std::string text = Text();
  // What could not be read again would silence the device for life.
  TACET_RETURN_IF_ERROR(DeviceLedger(*files_, path_).Parse(text));
  TACET_RETURN_IF_ERROR(WriteAtomically(*files_, path_, text));
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
  const auto memo = memos_.find(key);
  if (memo != memos_.end() && !randomizer.Read(memo->second.report).ok()) {
    return Damaged(path_, "holds a report that its question cannot have");
  }
  Rational spent;
  const DeviceAnswer::Kind kind = Decide(account, survey.budget(), randomizer, key, spent);
  if (kind == DeviceAnswer::Kind::kExhausted) return Exhausted(survey, question, key, entropy);
  if (kind == DeviceAnswer::Kind::kMemorised) {
    if (memo->second.payers.insert(survey.budget()).second) is_dirty_ = true;
    account.spent = spent;
    TACET_RETURN_IF_ERROR(Save());
    return DeviceAnswer{
        .kind = DeviceAnswer::Kind::kMemorised,
        .question = question,
        .report = OneReport(survey, question, memo->second.batch, memo->second.report)};
  }
  TACET_TRY(const BatchId batch, DrawBatchId(entropy));
  TACET_TRY(const Report report, randomizer.Release(answer, entropy));
  const std::string text = randomizer.Text(report);
  DeviceAnswer result{.kind = DeviceAnswer::Kind::kFresh,
                      .question = question,
                      .report = OneReport(survey, question, batch, text)};
  if (TACET_FAULT(state_after_report)) return result;
  account.spent = spent;
  memos_[key] = {.batch = batch, .report = text, .payers = {survey.budget()}};
  is_dirty_ = true;
  TACET_RETURN_IF_ERROR(Save());
  return result;
}

DeviceAnswer::Kind DeviceLedger::Decide(const Account& account, const std::string& budget,
                                        const Randomizer& randomizer, const std::string& key,
                                        Rational& spent) const {
  const auto memo = memos_.find(key);
  const bool is_known = memo != memos_.end();
  const bool is_paid =
      is_known && (memo->second.payers.contains(budget) || TACET_FAULT(memo_free_for_every_budget));
  spent = is_paid ? account.spent : SpentAfter(account.spent, randomizer.Loss().epsilon->value());
  if (!is_paid && spent > account.limit && !TACET_FAULT(device_budget_ignored)) {
    return DeviceAnswer::Kind::kExhausted;
  }
  return is_known ? DeviceAnswer::Kind::kMemorised : DeviceAnswer::Kind::kFresh;
}

std::vector<DeviceAnswer::Kind> DeviceLedger::Foresee(const Survey& survey,
                                                      std::span<const size_t> questions) const {
  const auto found = accounts_.find(survey.budget());
  Account account{.limit = survey.limit(), .spent = Rational(0)};
  if (found != accounts_.end()) {
    account = {.limit = std::min(found->second.limit, survey.limit()),
               .spent = found->second.spent};
  }
  std::vector<DeviceAnswer::Kind> kinds;
  for (const size_t question : questions) {
    const Randomizer& randomizer = survey.questions().at(question);
    Rational spent;
    kinds.push_back(
        Decide(account, survey.budget(), randomizer, ToHex(randomizer.QuestionDigest()), spent));
    if (kinds.back() != DeviceAnswer::Kind::kExhausted) account.spent = spent;
  }
  return kinds;
}

Result<DeviceAnswer> DeviceLedger::Exhausted(const Survey& survey, size_t question,
                                             const std::string& key, Entropy& entropy) {
  DeviceAnswer result{.kind = DeviceAnswer::Kind::kExhausted, .question = question, .report = {}};
  if (survey.exhausted() == WhenExhausted::kNull) {
    auto null = nulls_.find(key);
    if (null == nulls_.end()) {
      TACET_TRY(BatchId batch, DrawBatchId(entropy));
      null = nulls_.emplace(key, std::move(batch)).first;
      is_dirty_ = true;
    }
    result.report = OneReport(survey, question, null->second, kNullReport);
  }
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
