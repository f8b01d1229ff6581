// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/coins.h"

#include <openssl/crypto.h>

#include <algorithm>

namespace tacet {

Coins::Coins(Entropy& entropy, int chunk_bits) : entropy_(entropy), chunk_bits_(chunk_bits) {
  TACET_CHECK(chunk_bits >= 1 && chunk_bits <= 64);
}

Coins::~Coins() {
  OPENSSL_cleanse(buffer_.data(), filled_ * sizeof(uint64_t));
  OPENSSL_cleanse(&spare_, sizeof(spare_));
}

void Coins::Fill(std::span<uint64_t> words) {
  words_filled_ += words.size();
  if (!failure_) {
    const auto bytes = std::span(reinterpret_cast<uint8_t*>(words.data()), words.size_bytes());
    const Status status = entropy_.Fill(bytes);
    if (status.ok()) return;
    failure_ = status.error();
  }
  std::fill(words.begin(), words.end(), 0);
}

void Coins::Refill() {
  // Small at first, so that a single draw does not pay for a batch; word by word where a test
  // counts the flips.
  filled_ = filled_ == 0 ? 8 : std::min(filled_ * 2, kBufferWords);
  if (chunk_bits_ < 64) filled_ = 1;
  next_ = 0;
  Fill(std::span(buffer_).first(filled_));
}

uint64_t Coins::FewBits(int count) {
  // The spare bits first, so that no flip is wasted.
  const uint64_t low = spare_;
  const int low_bits = spare_bits_;
  spare_ = Word();
  spare_bits_ = 64;
  return low | (Bits(count - low_bits) << low_bits);
}

}  // namespace tacet
