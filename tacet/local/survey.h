// SPDX-License-Identifier: Apache-2.0
// A survey: the questions, and the budget that answering them is paid from.
#pragma once

#include <string>
#include <vector>

#include "tacet/local/randomizer.h"

namespace tacet {

// Who answers what, where there are several questions. Splitting people beats splitting the budget:
// a share from n/m reports of epsilon has less variance than one from n reports of epsilon/m.
enum class Asks { kOne, kAll };
// What a device does once the budget cannot pay: nothing, or a report that is marked as null. Both
// depend on what was asked alone, never on an answer.
enum class WhenExhausted { kSilent, kNull };

struct SurveyDraft {
  std::string name;
  std::string text;
  std::string budget;  // surveys that name the same one share it
  Rational limit;      // for life
  WhenExhausted exhausted = WhenExhausted::kSilent;
  Asks asks = Asks::kOne;
  std::vector<SurveyQuestion> questions;
};

// Immutable; safe to share between threads.
class Survey {
 public:
  // Fails (kCatalog) unless the names are names, the limit is from 1e-9 to 1e9 and has at most 200
  // digits, every question can be asked and paid from the budget, and no two have the same name.
  static Result<Survey> Create(SurveyDraft draft);

  const std::string& name() const { return draft_.name; }
  const std::string& text() const { return draft_.text; }
  const std::string& budget() const { return draft_.budget; }
  const Rational& limit() const { return draft_.limit; }
  WhenExhausted exhausted() const { return draft_.exhausted; }
  Asks asks() const { return draft_.asks; }
  const std::vector<Randomizer>& questions() const { return randomizers_; }
  // Of all of the above: reports belong to exactly this survey.
  const Digest& digest() const { return digest_; }

  // What one person may lose by it at most, rounded up: the dearest question, or all of them.
  Epsilon Loss() const;

 private:
  Survey(SurveyDraft draft, std::vector<Randomizer> randomizers);

  SurveyDraft draft_;
  std::vector<Randomizer> randomizers_;
  Digest digest_;
};

}  // namespace tacet
