// SPDX-License-Identifier: Apache-2.0
// The randomizer of a question, and what it reports.
//
//   TACET_TRY(const Randomizer randomizer, Randomizer::Create(question));
//   TACET_TRY(const Report report, randomizer.Release(answer, entropy));
//   std::string line = randomizer.Text(report);        // this leaves the person
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/sha256.h"
#include "tacet/local/survey_question.h"
#include "tacet/local/unary_encoding.h"
#include "tacet/local/window_response.h"
#include "tacet/mechanism/randomized_response.h"

namespace tacet {

struct Report {
  uint64_t number = 0;         // of a bit, a category or a cell
  std::vector<uint64_t> bits;  // of unary encoding, and then nothing else

  friend bool operator==(const Report&, const Report&) = default;
};

// Immutable; safe to share between threads.
//
// Proof: docs/proofs/local_randomizers.md.
class Randomizer {
 public:
  // Fails as CheckQuestion does. Where the question leaves the method open, takes the one whose
  // exact variance is less: of one of k, the sum over all categories, which does not depend on the
  // truth; of a number, the worst over the range.
  static Result<Randomizer> Create(const SurveyQuestion& question);

  const SurveyQuestion& question() const { return question_; }
  // Guarantee: the reports for any two answers are epsilon-indistinguishable.
  PrivacyLoss Loss() const;
  // Without spaces: `unary(1000;1/2)`, `direct(3;ln(3))`, `window(1024;311;5)`. Reports of
  // randomizers with the same spec mean the same.
  std::string Spec() const;
  std::string_view MethodName() const;
  // Of the question and of what its reports mean: a report may be given again where this is equal.
  Digest QuestionDigest() const;

  // `answer` must be below AnswerCount. Throw the report away if the coins are not ok() afterwards.
  Report Respond(uint64_t answer, Coins& coins) const;
  Result<Report> Release(uint64_t answer, Entropy& entropy) const;

  // A report as digits: decimal ones, or hexadecimal ones for bits, the first category first. Read
  // fails (kData) for what Text cannot have written.
  std::string Text(const Report& report) const;
  Result<Report> Read(std::string_view text) const;

  // How many different numbers a report can be; 0 for bits.
  uint64_t Outputs() const;
  const NumberResponse* number() const { return std::get_if<NumberResponse>(&law_); }
  const UnaryEncoding* unary() const { return std::get_if<UnaryEncoding>(&law_); }

 private:
  using Law = std::variant<KaryResponse, UnaryEncoding, NumberResponse>;

  Randomizer(SurveyQuestion question, Law law)
      : question_(std::move(question)), law_(std::move(law)) {}

  SurveyQuestion question_;
  Law law_;  // yes or no is a choice of two
};

// n times the variances of all k estimated shares, added up, whatever the truth is.
Interval DirectVariance(uint64_t categories, const ExactEpsilon& epsilon, mpfr_prec_t precision);
Interval UnaryVariance(uint64_t categories, const ExactEpsilon& epsilon, mpfr_prec_t precision);

}  // namespace tacet
