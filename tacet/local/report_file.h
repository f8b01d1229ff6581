// SPDX-License-Identifier: Apache-2.0
// Files of reports, and of tallies: written in batches, read as a stream, believed in nothing.
//
// A batch of reports is lines of text; several may follow each other in one file:
//
//   tacet-reports 1
//   survey NAME DIGEST
//   batch 32 hexadecimal digits, drawn at random
//   question 0 NAME SPEC            for every question of the survey
//   reports
//   0 17                            the number of the question and what Randomizer::Text writes
//   0 null                          somebody whose budget was used up
//   end 2                           how many reports there were
//
// A tally holds as many people as it likes in as many lines as there are questions and batches:
//
//   tacet-tally 1
//   survey, question                as above
//   tally 0 TEXT                    as Tally::Text writes, for every question
//   batches 1                       and so many lines with the batches that went in
//   end SHA256                      of all bytes before this line
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tacet/local/survey.h"
#include "tacet/local/tally.h"

namespace tacet {

// Names a batch, so that it is not counted twice. Drawn at random: it tells nothing else.
using BatchId = std::string;  // 32 hexadecimal digits
Result<BatchId> DrawBatchId(Entropy& entropy);
bool IsBatchId(std::string_view text);

// The lines of a batch before its reports, one report, and the line after them.
std::string BatchHeader(const Survey& survey, const BatchId& batch);
std::string ReportLine(size_t question, std::string_view report);
std::string BatchEnd(uint64_t reports);
inline constexpr std::string_view kNullReport = "null";

// Adds up what files hold. Its memory grows with the number of batches, not with that of people.
// After a failure it is of no more use. For one thread; the survey must outlive it.
class Collector {
 public:
  // A batch that was there already is an error; or, if `skip_duplicates`, counted once.
  Collector(const Survey& survey, bool skip_duplicates);

  // Call Begin, then Feed with pieces of the file in order, then End. Fails (kData), with the name
  // and the line, for anything that is not as it should be: another survey or epsilon, a report
  // that no randomizer gives, a file that ends early, a batch that was counted already.
  void Begin(std::string name);
  Status Feed(std::string_view bytes);
  Status End();

  const std::vector<Tally>& tallies() const { return tallies_; }
  uint64_t batches() const { return batches_.size(); }
  uint64_t skipped() const { return skipped_; }
  // All of it as a tally file.
  std::string TallyText() const;

 private:
  enum class State { kStart, kSurvey, kBatch, kQuestions, kReports, kSkipping, kTallies, kIds };

  Status Line(std::string_view line);
  Status StartLine(std::string_view line);
  Status SurveyLine(std::string_view line);
  Status BatchLine(std::string_view line);
  Status QuestionLine(std::string_view line);
  Status ReportsLine(std::string_view line);
  Status EndOfBatch(std::string_view count);
  Status TallyLine(std::string_view line);
  Status IdLine(std::string_view line);
  Error Wrong(std::string what, std::string hint = {}) const;

  const Survey& survey_;
  bool skip_duplicates_;
  std::vector<Tally> tallies_;
  std::unordered_set<BatchId> batches_;
  uint64_t skipped_ = 0;

  std::string name_;
  uint64_t line_ = 0;
  std::string rest_;  // the beginning of a line that is not whole yet
  State state_ = State::kStart;
  bool is_tally_ = false;
  bool other_version_ = false;
  BatchId batch_;
  uint64_t seen_ = 0;         // questions, reports, tallies or batches of this part
  uint64_t ids_ = 0;          // batches that a tally says it has
  bool has_reports_ = false;  // of a tally, nulls or others
  std::string hashed_;        // what a tally's checksum is of
};

}  // namespace tacet
