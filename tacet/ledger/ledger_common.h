// SPDX-License-Identifier: Apache-2.0
// What the parts of Ledger share. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "tacet/base/person_set.h"
#include "tacet/ledger/record.h"
#include "tacet/ledger/store.h"
#include "tacet/ledger/units.h"

namespace tacet {

inline Error Senseless(const char* what) { return {.code = Code::kUsage, .message = what}; }

// 32 bytes.
Result<Digest> DrawBytes();

// The log is for ever, and lists of it are read on terminals.
bool HasControlCharacters(std::string_view text);
Status CheckReason(const std::string& reason);

// A stored set. Fails with Code::kLedger if it is not there as it was.
Result<PersonSet> ReadPeople(Store& store, const Digest& digest);

// Whether it can be read back as it is.
template <typename Amount>
bool IsShort(const Amount& amount) {
  constexpr size_t kSizeMax = 1000;  // what Rational::Parse reads
  return amount.is_zero() || amount.ToString().size() <= kSizeMax;
}

// What cannot be read back would close the ledger for ever. Of a charge, that is the cost: it has
// digits without end, and all else has a size that was checked.
Status CheckReadable(const Record& record);
Status CheckReadable(const Cost& cost);

// A cost whose exact text would be too long to read back is recorded as what it is counted as.
template <typename Amount>
Amount Recordable(const Amount& amount) {
  if (IsShort(amount)) return amount;
  const Result<Amount> rounded = Amount::Create(Units::Up(amount.value()).Amount());
  return rounded.ok() ? *rounded : amount;
}

}  // namespace tacet
