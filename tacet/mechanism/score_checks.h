// SPDX-License-Identifier: Apache-2.0
// What the mechanisms share that decide by scores.
#pragma once

#include "tacet/measure/privacy_loss.h"
#include "tacet/mechanism/query_sensitivity.h"

namespace tacet::internal {

// Fails (kUsage) unless change > 0.
inline Status CheckUtility(const Utility& utility) {
  if (utility.change.sign() > 0) return {};
  return Error{.code = Code::kUsage,
               .message = "the change of a score must be positive",
               .hint = "it is how far one person can move any score."};
}

// Fails (kUsage) unless epsilon > 0.
inline Status CheckEpsilon(const Epsilon& epsilon) {
  if (!epsilon.is_zero()) return {};
  return Error{.code = Code::kUsage, .message = "epsilon must be positive"};
}

// Of which nothing is known but a pure bound.
inline Result<PrivacyLoss> LossOfPure(const Rational& value) {
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(value));
  return PrivacyLoss{
      .epsilon = epsilon, .rho = RhoOfPure({.linear = value}), .law = PureLoss{{.linear = value}}};
}

}  // namespace tacet::internal
