// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/randomized_response.h"

#include "tacet/base/fault.h"
#include "tacet/sampler/uniform.h"

namespace tacet {
namespace {

Status CheckEpsilon(const ExactEpsilon& epsilon) {
  if (epsilon.CertainlyPositive() && epsilon.Enclosure(128).CertainlyAtMost(Rational(100)))
    return {};
  return Error{.code = Code::kUsage,
               .message = "epsilon is out of range for randomized response",
               .hint = "it must be positive and at most 100: more would publish the truth."};
}

PrivacyLoss LossOf(const ExactEpsilon& epsilon, uint64_t categories) {
  return {.epsilon = epsilon.Amount(),
          .rho = RhoOfPure(epsilon),
          .law = ResponseLoss{epsilon, categories}};
}

}  // namespace

RandomizedResponse RandomizedResponse::CoinToss() { return *WithGamma(Rational(1, 4)); }

Result<RandomizedResponse> RandomizedResponse::WithGamma(const Rational& gamma) {
  if (gamma.sign() <= 0 || gamma >= Rational(1, 2)) {
    return Error{.code = Code::kUsage,
                 .message = "gamma must be between 0 and 1/2",
                 .hint = "1/2 would publish the truth and 0 would say nothing."};
  }
  const Rational truth = Rational(1, 2) + gamma;
  return Create({.linear = Rational(0), .ratio = truth / (Rational(1) - truth)});
}

Result<RandomizedResponse> RandomizedResponse::Create(const ExactEpsilon& epsilon) {
  TACET_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  TACET_TRY(Probability lie, Probability::Against(epsilon.ratio, epsilon.linear));
  return RandomizedResponse(epsilon, std::move(lie));
}

PrivacyLoss RandomizedResponse::Loss() const { return LossOf(epsilon_, 2); }

Result<bool> RandomizedResponse::Release(bool truth, Entropy& entropy) const {
  return Draw(entropy, [&](Coins& coins) { return Respond(truth, coins); });
}

Result<std::vector<uint8_t>> RandomizedResponse::Release(std::span<const uint8_t> truths,
                                                         Entropy& entropy) const {
  return Draw(entropy, [&](Coins& coins) {
    std::vector<uint8_t> reports(truths.size());
    lie_.Draw(reports, coins);
    for (size_t i = 0; i < truths.size(); ++i) {
      reports[i] = static_cast<uint8_t>((truths[i] != 0) != (reports[i] != 0));
    }
    return reports;
  });
}

Result<KaryResponse> KaryResponse::Create(uint64_t categories, const ExactEpsilon& epsilon) {
  constexpr uint64_t kCategoriesMax = uint64_t{1} << 32;
  if (categories < 2 || categories > kCategoriesMax) {
    return Error{.code = Code::kUsage,
                 .message = "the number of categories is out of range",
                 .hint = "it must lie in [2, 2^32]."};
  }
  TACET_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  // e^epsilon against k - 1 others of weight 1.
  const Rational others(static_cast<int64_t>(categories - 1));
  TACET_TRY(Probability keep, Probability::Against(others / epsilon.ratio, -epsilon.linear));
  if (TACET_FAULT(kary_swapped_weights)) {
    TACET_TRY(keep, Probability::Against(epsilon.ratio / others, epsilon.linear));
  }
  return KaryResponse(categories, epsilon, std::move(keep));
}

PrivacyLoss KaryResponse::Loss() const { return LossOf(epsilon_, categories_); }

Result<uint64_t> KaryResponse::Release(uint64_t truth, Entropy& entropy) const {
  if (truth >= categories_) {
    return Error{.code = Code::kUsage, .message = "that is not one of the categories"};
  }
  return Draw(entropy, [&](Coins& coins) { return Respond(truth, coins); });
}

uint64_t KaryResponse::Respond(uint64_t truth, Coins& coins) const {
  TACET_CHECK(truth < categories_);
  // Both are always drawn, so that the work does not tell whether the report is true.
  const bool keep = keep_.Draw(coins);
  const auto other = static_cast<uint64_t>(SampleBelow(categories_ - 1, coins));
  const uint64_t lie = other + (other >= truth ? 1 : 0);
  return keep ? truth : lie;
}

}  // namespace tacet
