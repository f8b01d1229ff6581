// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/report_file.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tacet/base/fault.h"
#include "tacet/local/line_words.h"

namespace tacet {
namespace {

constexpr size_t kIdDigits = 32;
constexpr std::string_view kReportsMagic = "tacet-reports 1";
constexpr std::string_view kTallyMagic = "tacet-tally 1";

std::optional<uint64_t> ReadCount(std::string_view text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || stop != end || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  return value;
}

std::string SurveyLines(const Survey& survey) {
  return "survey " + survey.name() + " " + ToHex(survey.digest()) + "\n";
}

std::string QuestionLineOf(const Survey& survey, size_t question) {
  const Randomizer& randomizer = survey.questions()[question];
  return "question " + std::to_string(question) + " " + randomizer.question().name + " " +
         randomizer.Spec();
}

}  // namespace

Result<BatchId> DrawBatchId(Entropy& entropy) {
  std::array<uint8_t, kIdDigits / 2> bytes;
  TACET_RETURN_IF_ERROR(entropy.Fill(bytes));
  constexpr std::string_view kDigits = "0123456789abcdef";
  BatchId id;
  for (const uint8_t byte : bytes) {
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

bool IsBatchId(std::string_view text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string BatchHeader(const Survey& survey, const BatchId& batch) {
  std::string text =
      std::string(kReportsMagic) + "\n" + SurveyLines(survey) + "batch " + batch + "\n";
  for (size_t i = 0; i < survey.questions().size(); ++i) text += QuestionLineOf(survey, i) + "\n";
  return text + "reports\n";
}

std::string ReportLine(size_t question, std::string_view report) {
  return std::to_string(question) + " " + std::string(report) + "\n";
}

std::string BatchEnd(uint64_t reports) { return "end " + std::to_string(reports) + "\n"; }

Collector::Collector(const Survey& survey, bool skip_duplicates)
    : survey_(survey), skip_duplicates_(skip_duplicates) {
  for (const Randomizer& randomizer : survey.questions()) tallies_.emplace_back(randomizer);
}

void Collector::Begin(std::string name) {
  name_ = std::move(name);
  line_ = 0;
  rest_.clear();
  state_ = State::kStart;
  is_tally_ = false;
}

Status Collector::Feed(std::string_view bytes) {
  // The longest line has 2^18 digits, or 2^20 counts.
  constexpr size_t kLineMax = size_t{1} << 25;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      if (rest_.size() + bytes.size() > kLineMax) return Wrong("a line is too long");
      rest_ += bytes;
      return {};
    }
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    ++line_;
    if (!rest_.empty()) {
      rest_ += line;
      const std::string whole = std::move(rest_);
      rest_.clear();
      TACET_RETURN_IF_ERROR(Line(whole));
    } else {
      TACET_RETURN_IF_ERROR(Line(line));
    }
  }
  return {};
}

Status Collector::End() {
  if (!rest_.empty() || state_ != State::kStart || line_ == 0) {
    ++line_;
    return Wrong(line_ == 1 && rest_.empty() ? "the file is empty" : "the file ends too early",
                 "it was cut off, or is still being written: fetch it again.");
  }
  return {};
}

Error Collector::Wrong(std::string what, std::string hint) const {
  return {.code = Code::kData,
          .message = "'" + name_ + "', line " + std::to_string(line_) + ": " + std::move(what),
          .hint = std::move(hint)};
}

Status Collector::Line(std::string_view line) {
  switch (state_) {
    case State::kStart:
      return StartLine(line);
    case State::kSurvey:
      return SurveyLine(line);
    case State::kBatch:
      return BatchLine(line);
    case State::kQuestions:
      return QuestionLine(line);
    case State::kReports:
    case State::kSkipping:
      return ReportsLine(line);
    case State::kTallies:
      return TallyLine(line);
    case State::kIds:
      return IdLine(line);
  }
  return {};
}

Status Collector::StartLine(std::string_view line) {
  if (line != kReportsMagic && line != kTallyMagic) {
    const bool newer = line.starts_with("tacet-reports ") || line.starts_with("tacet-tally ");
    return Wrong(
        newer ? "a format that is not known" : "neither reports nor a tally",
        newer ? "a newer tacet wrote it." : "tacet local randomize and merge write such files.");
  }
  is_tally_ = line == kTallyMagic;
  has_reports_ = false;
  hashed_ = std::string(line) + "\n";
  state_ = State::kSurvey;
  return {};
}

Status Collector::SurveyLine(std::string_view line) {
  if (TakeWord(line) != "survey") return Wrong("the survey is missing");
  const std::string_view name = TakeWord(line);
  if (name != survey_.name()) {
    return Wrong("reports to another survey, " + std::string(name.substr(0, 64)),
                 "this one is " + survey_.name() + ".");
  }
  if (!DigestFromHex(line)) return Wrong("the survey's digest is missing");
  // Where the digest differs, the lines of the questions may say why.
  other_version_ = line != ToHex(survey_.digest());
  hashed_ += SurveyLines(survey_);
  seen_ = 0;
  state_ = is_tally_ ? State::kQuestions : State::kBatch;
  return {};
}

Status Collector::BatchLine(std::string_view line) {
  if (TakeWord(line) != "batch" || !IsBatchId(line)) return Wrong("the batch is missing");
  batch_ = std::string(line);
  state_ = State::kQuestions;
  return {};
}

Status Collector::QuestionLine(std::string_view line) {
  if (seen_ < survey_.questions().size()) {
    const std::string expected = QuestionLineOf(survey_, seen_);
    if (line != expected) {
      return Wrong("question " + std::to_string(seen_) + " was not randomised as this survey says",
                   "expected '" + expected + "': its domain, method or epsilon was another.");
    }
    if (is_tally_) hashed_ += std::string(line) + "\n";
    ++seen_;
    return {};
  }
  if (other_version_) {
    return Wrong("reports to another version of survey " + survey_.name(),
                 "its texts, budget or values are not those of this survey file.");
  }
  seen_ = 0;
  if (is_tally_) {
    state_ = State::kTallies;
    return TallyLine(line);
  }
  if (line != "reports") return Wrong("expected the line 'reports'");
  const bool fresh = batches_.insert(batch_).second || TACET_FAULT(batch_counted_twice);
  if (!fresh && !skip_duplicates_) {
    return Wrong("this batch was counted already",
                 "a file is given twice; --skip-duplicates counts every batch once.");
  }
  if (!fresh) ++skipped_;
  state_ = fresh ? State::kReports : State::kSkipping;
  return {};
}

Status Collector::ReportsLine(std::string_view line) {
  const std::string_view number = TakeWord(line);
  if (number == "end") return EndOfBatch(line);
  const std::optional<uint64_t> question = ReadCount(number);
  if (!question || *question >= tallies_.size()) return Wrong("a report to no question");
  Tally& tally = tallies_[*question];
  ++seen_;
  if (tally.reports() + tally.nulls() >= Tally::kReportsMax) return Wrong("too many reports");
  if (line == kNullReport) {
    if (state_ == State::kReports) tally.AddNull();
    return {};
  }
  const Result<Report> report = survey_.questions()[*question].Read(line);
  if (!report.ok()) return Wrong(report.error().message, report.error().hint);
  if (state_ == State::kReports) tally.Add(*report);
  return {};
}

Status Collector::EndOfBatch(std::string_view count) {
  const std::optional<uint64_t> reports = ReadCount(count);
  if (reports != seen_) {
    return Wrong("the batch has " + std::to_string(seen_) + " reports, not as many as it says",
                 "lines were lost or added: fetch the file again.");
  }
  state_ = State::kStart;
  return {};
}

Status Collector::TallyLine(std::string_view line) {
  hashed_ += std::string(line) + "\n";
  const std::string_view word = TakeWord(line);
  if (seen_ == tallies_.size()) {
    const std::optional<uint64_t> ids = ReadCount(line);
    if (word != "batches" || !ids || (*ids == 0 && has_reports_)) {
      return Wrong("the batches are missing");
    }
    ids_ = *ids;
    seen_ = 0;
    state_ = State::kIds;
    return {};
  }
  if (word != "tally" || ReadCount(TakeWord(line)) != seen_) return Wrong("a tally is missing");
  const Result<Tally> tally = Tally::Read(survey_.questions()[seen_], line);
  if (!tally.ok()) return Wrong(tally.error().message, tally.error().hint);
  has_reports_ = has_reports_ || tally->reports() + tally->nulls() > 0;
  const Status merged = tallies_[seen_].Merge(*tally);
  if (!merged.ok()) return Wrong(merged.error().message, merged.error().hint);
  ++seen_;
  return {};
}

Status Collector::IdLine(std::string_view line) {
  if (seen_ < ids_) {
    if (!IsBatchId(line)) return Wrong("the name of a batch is missing");
    if (!batches_.insert(std::string(line)).second) {
      return Wrong("this tally holds a batch that was counted already",
                   "leave out the file that holds it, or make the tally again without it.");
    }
    hashed_ += std::string(line) + "\n";
    ++seen_;
    return {};
  }
  if (line != "end " + ToHex(Sha256(hashed_))) {
    return Wrong("the tally is damaged", "its checksum is wrong: make it again.");
  }
  state_ = State::kStart;
  return {};
}

std::string Collector::TallyText() const {
  std::string text = std::string(kTallyMagic) + "\n" + SurveyLines(survey_);
  for (size_t i = 0; i < tallies_.size(); ++i) text += QuestionLineOf(survey_, i) + "\n";
  for (size_t i = 0; i < tallies_.size(); ++i) {
    text += "tally " + std::to_string(i) + " " + tallies_[i].Text() + "\n";
  }
  text += "batches " + std::to_string(batches_.size()) + "\n";
  std::vector<BatchId> ids(batches_.begin(), batches_.end());
  std::sort(ids.begin(), ids.end());
  for (const BatchId& id : ids) text += id + "\n";
  return text + "end " + ToHex(Sha256(text)) + "\n";
}

}  // namespace tacet
