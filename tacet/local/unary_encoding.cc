// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/unary_encoding.h"

#include <algorithm>

#include "tacet/base/fault.h"
#include "tacet/mechanism/randomized_response.h"

namespace tacet {

Result<UnaryEncoding> UnaryEncoding::Create(uint64_t categories, const ExactEpsilon& epsilon) {
  constexpr uint64_t kCategoriesMax = uint64_t{1} << 20;
  if (categories < 2 || categories > kCategoriesMax) {
    return Error{.code = Code::kUsage,
                 .message = "the number of categories is out of range",
                 .hint = "it must lie in [2, 2^20]."};
  }
  TACET_RETURN_IF_ERROR(RandomizedResponse::Create(epsilon));  // the same range of epsilon
  TACET_TRY(Probability other, Probability::Against(epsilon.ratio, epsilon.linear));
  if (TACET_FAULT(unary_bits_swapped)) {
    TACET_TRY(other, Probability::Against(epsilon.ratio.Inverse(), -epsilon.linear));
  }
  return UnaryEncoding(categories, epsilon, std::move(other));
}

PrivacyLoss UnaryEncoding::Loss() const {
  return {.epsilon = epsilon_.Amount(), .rho = RhoOfPure(epsilon_), .law = PureLoss{epsilon_}};
}

void UnaryEncoding::Respond(uint64_t truth, std::span<uint64_t> report, Coins& coins) const {
  TACET_CHECK(truth < categories_ && report.size() == words());
  uint64_t left = categories_;
  for (uint64_t& word : report) {
    const int lanes = static_cast<int>(std::min<uint64_t>(left, 64));
    word = other_.DrawLanes(lanes, coins);
    left -= static_cast<uint64_t>(lanes);
  }
  // The bit of the truth is drawn like the others and then replaced by a fair one.
  const uint64_t mask = uint64_t{1} << (truth % 64);
  uint64_t& word = report[truth / 64];
  word = (word & ~mask) | (coins.Bits(1) << (truth % 64));
}

}  // namespace tacet
