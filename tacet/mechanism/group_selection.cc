// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/group_selection.h"

namespace tacet {

Result<GroupSelection> BestSelection(const Rho& rho, const Delta& delta,
                                     int64_t groups_per_person) {
  const auto optimal = OptimalSelection::For(rho, delta, groups_per_person);
  const auto gaussian = GaussianSelection::For(rho, delta, groups_per_person);
  if (!gaussian.ok()) {
    if (!optimal.ok()) return optimal.error();
    return GroupSelection(*optimal);
  }
  // At the threshold itself noise that is not negative keeps a group: a little above even odds.
  if (optimal.ok() && optimal->PersonsForEvenOdds() < gaussian->threshold()) {
    return GroupSelection(*optimal);
  }
  return GroupSelection(*gaussian);
}

}  // namespace tacet
