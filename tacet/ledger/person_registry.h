// SPDX-License-Identifier: Apache-2.0
// Everybody who was ever in the data, by a number that never changes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tacet/base/result.h"

namespace tacet {

// Keys themselves are not kept: a person is known by a hash of the canonical key under a secret of
// the ledger, HMAC-SHA-256 cut to 16 bytes. Two of a billion people share one with a probability
// below 1e-20; they would share a number and a budget.
//
// A value. Looking up is safe for many threads while nobody adds.
class PersonRegistry {
 public:
  static constexpr size_t kHashSize = 16;
  // PersonSet and the vault hold numbers in 31 bits.
  static constexpr uint64_t kPeopleMax = uint64_t{1} << 31;

  // Without people.
  explicit PersonRegistry(std::string secret) : secret_(std::move(secret)) {}

  // The next people, in the order of their numbers: hashes one after the other. Fails if one is
  // there already, or if there would be too many.
  Status AddHashes(std::string_view hashes);

  std::optional<uint32_t> Find(std::string_view key) const;
  // Adds those who are new. Fails if there are too many.
  Result<uint32_t> FindOrAdd(std::string_view key);

  uint64_t size() const { return numbers_.size(); }
  // The hashes of everybody from number `first` on.
  std::string_view HashesFrom(uint64_t first) const;

 private:
  using Hash = std::array<uint8_t, kHashSize>;
  struct HashOfHash {
    size_t operator()(const Hash& hash) const {
      size_t value;
      std::memcpy(&value, hash.data(), sizeof value);
      return value;
    }
  };

  Hash HashOf(std::string_view key) const;
  Result<uint32_t> Add(const Hash& hash);

  std::string secret_;
  std::string hashes_;
  std::unordered_map<Hash, uint32_t, HashOfHash> numbers_;
};

}  // namespace tacet
