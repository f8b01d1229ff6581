// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/person_registry.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "tacet/base/sha256.h"

namespace tacet {

PersonRegistry::Hash PersonRegistry::HashOf(std::string_view key) const {
  Digest digest = {};
  const unsigned char* made = ::HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
                                     reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                                     digest.data(), nullptr);
  TACET_CHECK(made != nullptr);
  Hash hash;
  std::copy_n(digest.begin(), hash.size(), hash.begin());
  return hash;
}

Result<uint32_t> PersonRegistry::Add(const Hash& hash) {
  if (size() >= kPeopleMax) {
    return Error{.code = Code::kData, .message = "there are more than 2^31 people"};
  }
  const auto number = static_cast<uint32_t>(size());
  const auto [found, is_new] = numbers_.emplace(hash, number);
  if (is_new) hashes_.append(reinterpret_cast<const char*>(hash.data()), hash.size());
  return found->second;
}

Status PersonRegistry::AddHashes(std::string_view hashes) {
  const Error senseless{.code = Code::kData, .message = "the registry of people makes no sense"};
  if (hashes.size() % kHashSize != 0) return senseless;
  for (; !hashes.empty(); hashes.remove_prefix(kHashSize)) {
    Hash hash;
    std::copy_n(hashes.begin(), kHashSize, hash.begin());
    const uint64_t before = size();
    TACET_TRY(const uint32_t number, Add(hash));
    if (number != before) return senseless;
  }
  return {};
}

std::optional<uint32_t> PersonRegistry::Find(std::string_view key) const {
  const auto found = numbers_.find(HashOf(key));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

Result<uint32_t> PersonRegistry::FindOrAdd(std::string_view key) { return Add(HashOf(key)); }

std::string_view PersonRegistry::HashesFrom(uint64_t first) const {
  return std::string_view(hashes_).substr(first * kHashSize);
}

}  // namespace tacet
