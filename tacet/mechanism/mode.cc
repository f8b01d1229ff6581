// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/mode.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

Result<Candidates> CandidatesOf(std::span<const int64_t> counts) {
  if (std::any_of(counts.begin(), counts.end(), [](int64_t count) { return count < 0; })) {
    return Error{.code = Code::kUsage, .message = "a value has a negative number of rows"};
  }
  return Candidates::Of(std::vector<int64_t>(counts.begin(), counts.end()));
}

}  // namespace

Result<ModeChoice> ModeChoice::For(uint64_t rows_per_person, const ChoiceBudget& budget,
                                   ChoiceRule rule) {
  if (rows_per_person == 0) {
    return Error{.code = Code::kUsage,
                 .message = "a person must be allowed at least one row",
                 .hint = "rows_per_person bounds how far one person moves the counts."};
  }
  // Rows that are added lower no count, so the changes are between 0 and rows_per_person.
  const Rational width(TACET_FAULT(mode_of_one_row)
                           ? mpz_class(1)
                           : mpz_class(static_cast<unsigned long>(rows_per_person)));
  TACET_TRY(Chooser chooser, Chooser::For(EpsilonOfEachChoice(budget, 1, rule), width, rule));
  TACET_TRY(PrivacyLoss loss, chooser.Loss(width));
  return ModeChoice(std::move(chooser), std::move(loss));
}

Result<size_t> ModeChoice::Release(std::span<const int64_t> counts, Entropy& entropy) const {
  TACET_TRY(const Candidates candidates, CandidatesOf(counts));
  return chooser_.Release(candidates, entropy);
}

Result<std::vector<Interval>> ModeChoice::Law(std::span<const int64_t> counts,
                                              mpfr_prec_t precision) const {
  TACET_TRY(const Candidates candidates, CandidatesOf(counts));
  return chooser_.Law(candidates, precision);
}

}  // namespace tacet
