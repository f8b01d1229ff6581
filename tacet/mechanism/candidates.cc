// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tacet {
namespace {

Status CheckCount(size_t count) {
  if (count == 0) {
    return Error{.code = Code::kUsage,
                 .message = "there is nothing to choose from",
                 .hint = "give at least one candidate."};
  }
  if (count > kCandidatesMax) {
    return Error{
        .code = Code::kUsage,
        .message = "there are more than " + std::to_string(kCandidatesMax) + " candidates"};
  }
  return {};
}

// The least number of which all are whole multiples, if 1 over it has at most 62 bits.
std::optional<mpz_class> CommonDenominator(const std::vector<Rational>& numbers) {
  mpz_class common = 1;
  for (const Rational& number : numbers) {
    mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), number.value().get_den_mpz_t());
    if (mpz_sizeinbase(common.get_mpz_t(), 2) > 62) return std::nullopt;
  }
  return common;
}

}  // namespace

Result<Candidates> Candidates::Of(std::vector<int64_t> scores) {
  TACET_RETURN_IF_ERROR(CheckCount(scores.size()));
  Candidates made;
  made.best_ = *std::max_element(scores.begin(), scores.end());
  made.steps_ = std::move(scores);
  return made;
}

Result<Candidates> Candidates::Of(std::vector<Rational> scores) {
  TACET_RETURN_IF_ERROR(CheckCount(scores.size()));
  const Rational best = *std::max_element(scores.begin(), scores.end());
  for (Rational& score : scores) score = best - score;
  Candidates made;
  if (const auto common = CommonDenominator(scores)) {
    const Rational steps_in_one(*common);
    const auto fits = [&](const Rational& gap) {
      return mpz_sizeinbase((gap * steps_in_one).numerator().get_mpz_t(), 2) <= 64;
    };
    if (std::all_of(scores.begin(), scores.end(), fits)) {
      made.step_ = steps_in_one.Inverse();
      for (const Rational& gap : scores) {
        const uint64_t below = (gap * steps_in_one).numerator().get_ui();
        made.steps_.push_back(static_cast<int64_t>(0 - below));
      }
      return made;
    }
  }
  made.distant_ = std::move(scores);
  return made;
}

Result<Candidates> Candidates::Of(std::span<const double> scores) {
  std::vector<Rational> exact;
  exact.reserve(scores.size());
  for (double score : scores) {
    if (!std::isfinite(score)) {
      return Error{.code = Code::kUsage,
                   .message = "a score is not a finite number",
                   .hint = "a utility must be defined for every candidate."};
    }
    exact.push_back(Rational::FromDouble(score));
  }
  return Of(std::move(exact));
}

Result<Candidates> Candidates::Weighted(std::vector<uint64_t> weights) && {
  if (weights.size() != size()) {
    return Error{.code = Code::kUsage,
                 .message = "there are " + std::to_string(weights.size()) + " weights for " +
                            std::to_string(size()) + " candidates"};
  }
  if (std::all_of(weights.begin(), weights.end(), [](uint64_t weight) { return weight == 0; })) {
    return Error{.code = Code::kUsage, .message = "every candidate has a weight of 0"};
  }
  weights_ = std::move(weights);
  return std::move(*this);
}

Rational Candidates::Gap(size_t candidate) const {
  if (!is_stepped()) return distant_[candidate];
  return Rational(mpz_class(static_cast<unsigned long>(StepsBelow(candidate)))) * step_;
}

}  // namespace tacet
