// SPDX-License-Identifier: Apache-2.0
// Reports added up, and what they say of the people's true answers.
//
// Every estimate is unbiased: over the randomizers' coins its mean is the true share, or the true
// mean, of the people who reported. Margins hold 95 times in 100, and are of those coins alone;
// where a survey asks everybody one of several questions, those who got this one are a random part
// of all, the estimate is of all, and the variance and the margin hold what the draw adds.
//
// Proof: docs/proofs/local_estimates.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/local/randomizer.h"

namespace tacet {

// What the reports to one question add up to. Its size depends on the number of categories, not on
// that of people. For one thread.
class Tally {
 public:
  // More reports than this are not counted.
  static constexpr uint64_t kReportsMax = uint64_t{1} << 48;

  // `outputs` and `categories` as Outputs() and AnswerCount() of the randomizer say.
  explicit Tally(const Randomizer& randomizer);

  // The report must be of this randomizer.
  void Add(const Report& report);
  // Reports in bulk, where they are numbers; where they are bits, one after the other, each of as
  // many words as one report has.
  void AddNumbers(std::span<const uint8_t> numbers);
  void AddBits(std::span<const uint64_t> reports);
  // Somebody whose budget is used up.
  void AddNull() { ++nulls_; }
  // Fails (kData) if they are not tallies of the same kind, or more than kReportsMax.
  Status Merge(const Tally& other);

  uint64_t reports() const { return reports_; }
  uint64_t nulls() const { return nulls_; }
  // Of categories: how many reports name each, or have its bit. Empty for numbers.
  std::vector<uint64_t> Counts() const;
  // Of numbers: the sum of the cells and of their squares.
  UInt128 sum() const { return sum_; }
  UInt128 sum_squares() const { return sum_squares_; }

  // What is stored of a tally: `reports nulls count...` or `reports nulls sum sum_squares`, in
  // decimal. Read fails (kData) for what no reports of the randomizer can add up to.
  std::string Text() const;
  static Result<Tally> Read(const Randomizer& randomizer, std::string_view text);

 private:
  enum class Kind { kDirect, kUnary, kNumber };
  static constexpr size_t kPlanes = 8;

  Status Check(uint64_t cells) const;
  void Flush();

  Kind kind_;
  uint64_t reports_ = 0;
  uint64_t nulls_ = 0;
  std::vector<uint64_t> counts_;
  UInt128 sum_ = 0;
  UInt128 sum_squares_ = 0;
  // Reports of bits that are not in counts_ yet, as numbers in binary that stand upright: plane i
  // holds bit i of all of them.
  std::vector<uint64_t> planes_;
  unsigned pending_ = 0;
};

struct LocalEstimate {
  double value = 0;     // a share, or a mean in the question's own unit
  double variance = 0;  // of the estimate, at the estimated share; of a mean: at most, on average
  double margin = 0;    // the truth is within it 95 times in 100
};

struct QuestionEstimate {
  uint64_t reports = 0;
  uint64_t nulls = 0;
  // Of a yes-or-no question the share of yes; of a choice that of every value; of a number the
  // mean.
  std::vector<LocalEstimate> estimates;
  // How far one report, whoever made it, can move an estimate.
  double moved_max = 0;
};

// Whose truth is estimated.
enum class Reporters {
  kAll,     // that of those who reported
  kSample,  // that of the many of whom they are a random sample
};

// Without reports there are no estimates.
QuestionEstimate Estimate(const Randomizer& randomizer, const Tally& tally,
                          Reporters reporters = Reporters::kAll);

// P[a report names the category] if it is the truth, and if it is not.
struct Support {
  double truth;
  double other;
  double difference;  // truth - other
};
Support SupportOf(const Randomizer& randomizer);
// The variance of an estimated share, times the number of reports, if the true share is `share`.
double ShareVariance(const Support& support, double share);

// The nearest point whose coordinates are not negative and add up to 1: for shares, which then are
// no longer unbiased but never further from the truth.
std::vector<double> ProjectToSimplex(std::vector<double> shares);

}  // namespace tacet
