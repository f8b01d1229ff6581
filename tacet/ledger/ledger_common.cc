// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/ledger_common.h"

#include <unistd.h>

#include <algorithm>

namespace tacet {

Result<Digest> DrawBytes() {
  Digest bytes = {};
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return Error{.code = Code::kEntropy, .message = "the system gives no randomness"};
  }
  return bytes;
}

bool HasControlCharacters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Status CheckReason(const std::string& reason) {
  constexpr size_t kSizeMax = 1000;
  if (reason.empty() || reason.size() > kSizeMax || HasControlCharacters(reason)) {
    return Senseless("a reason has 1 to 1,000 bytes and no control characters");
  }
  return {};
}

Result<PersonSet> ReadPeople(Store& store, const Digest& digest) {
  TACET_TRY(const std::optional<std::string> bytes, store.ReadSet(digest));
  if (!bytes || Sha256(*bytes) != digest) {
    return Error{.code = Code::kLedger,
                 .message = "the ledger is damaged: a set of people is missing or was changed"};
  }
  return PersonSet::Deserialize(*bytes);
}

Status CheckReadable(const Record& record) {
  if (!Decode(Encode(record)).ok()) return Senseless("an amount has too many digits");
  return {};
}

Status CheckReadable(const Cost& cost) {
  if (!IsShort(cost.epsilon) || !IsShort(cost.delta) || !IsShort(cost.rho)) {
    return Senseless("an amount has too many digits");
  }
  return {};
}

}  // namespace tacet
