// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/sha256.h"

#include <openssl/evp.h>

#include <charconv>

#include "tacet/base/check.h"

namespace tacet {

Digest Sha256(std::string_view bytes) {
  // EVP_sha256() is looked up anew with each digest, which takes as long as hashing a short text.
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  TACET_CHECK(kAlgorithm != nullptr);
  Digest digest;
  unsigned int size = 0;
  TACET_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kAlgorithm, nullptr) ==
              1);
  TACET_CHECK(size == digest.size());
  return digest;
}

std::string ToHex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(2 * digest.size(), '0');
  for (size_t i = 0; i < digest.size(); ++i) {
    text[2 * i] = kDigits[digest[i] >> 4];
    text[2 * i + 1] = kDigits[digest[i] & 15];
  }
  return text;
}

std::optional<Digest> DigestFromHex(std::string_view text) {
  Digest digest = {};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (size_t i = 0; i < digest.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, digest[i], 16);
  }
  if (ToHex(digest) != text) return std::nullopt;
  return digest;
}

}  // namespace tacet
