// SPDX-License-Identifier: Apache-2.0
// Balances in a file beside the ledger, so that they need not be added up from the whole log. The
// log is the truth: a file that is missing or does not verify is as good as none.
#pragma once

#include <optional>
#include <string>

#include "tacet/ledger/person_balances.h"
#include "tacet/ledger/witness.h"

namespace tacet {

struct BalancesCheckpoint {
  std::string dataset_id;
  ChainPoint point;  // every narrowing up to this record is in the balances, and no other
  PersonBalances balances;
};

// Nothing is synced: what a crash leaves of it does not verify.
Status WriteBalances(const std::string& path, const BalancesCheckpoint& checkpoint);
// Nothing unless the file is whole, to the byte. Whether the log holds its point is for the caller
// to see.
std::optional<BalancesCheckpoint> ReadBalances(const std::string& path);

}  // namespace tacet
