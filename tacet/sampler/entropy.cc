// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/entropy.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr size_t kBytesPerKey = size_t{1} << 16;
constexpr size_t kBufferBytes = 4000;

Error NoEntropy(const char* what) {
  return {.code = Code::kEntropy,
          .message = std::string("no randomness: ") + what,
          .hint = "nothing was released; the system's random generator must work first."};
}

// Lives in memory that the kernel fills with zeros in the child of a fork, however it was forked.
// All zeros therefore means: no key yet.
struct Page {
  size_t key_bytes_left;
  size_t buffered;  // how many bytes at the end of `buffer` were not handed out yet
  std::array<uint8_t, kBufferBytes> buffer;
};
constexpr size_t kPageBytes = 4096;
static_assert(sizeof(Page) <= kPageBytes);

class Generator {
 public:
  Generator() : cipher_(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
    void* memory =
        ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    page_ = static_cast<Page*>(memory);
    if (TACET_FAULT(shared_state_after_fork)) return;
    wiped_on_fork_ = ::madvise(memory, kPageBytes, MADV_WIPEONFORK) == 0;
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator() {
    if (page_ == nullptr) return;
    OPENSSL_cleanse(page_, kPageBytes);
    ::munmap(page_, kPageBytes);
  }

  Status Fill(std::span<uint8_t> bytes) {
    if (page_ == nullptr || cipher_ == nullptr) return NoEntropy("out of memory");
    if (!wiped_on_fork_ && !TACET_FAULT(shared_state_after_fork)) {
      return NoEntropy("this kernel cannot protect the generator's state across fork()");
    }
    while (!bytes.empty()) {
      if (page_->buffered == 0 && bytes.size() >= kBufferBytes) {
        const size_t count = std::min(bytes.size(), kBytesPerKey);
        TACET_RETURN_IF_ERROR(Stream(bytes.first(count)));
        bytes = bytes.subspan(count);
        continue;
      }
      if (page_->buffered == 0) {
        TACET_RETURN_IF_ERROR(Stream(page_->buffer));
        page_->buffered = kBufferBytes;
      }
      const size_t count = std::min(bytes.size(), page_->buffered);
      uint8_t* next = page_->buffer.data() + (kBufferBytes - page_->buffered);
      std::memcpy(bytes.data(), next, count);
      std::memset(next, 0, count);
      page_->buffered -= count;
      bytes = bytes.subspan(count);
    }
    return {};
  }

 private:
  // Writes up to kBytesPerKey bytes of key stream.
  Status Stream(std::span<uint8_t> bytes) {
    if (page_->key_bytes_left < bytes.size()) TACET_RETURN_IF_ERROR(NewKey());
    page_->key_bytes_left -= bytes.size();
    // The key stream is what zeros are encrypted to.
    static constexpr std::array<uint8_t, 4096> kZeros{};
    while (!bytes.empty()) {
      const size_t count = std::min(bytes.size(), kZeros.size());
      int written = 0;
      if (EVP_EncryptUpdate(cipher_.get(), bytes.data(), &written, kZeros.data(),
                            static_cast<int>(count)) != 1 ||
          static_cast<size_t>(written) != count) {
        page_->key_bytes_left = 0;
        return NoEntropy("the cipher failed");
      }
      bytes = bytes.subspan(count);
    }
    return {};
  }

  Status NewKey() {
    page_->key_bytes_left = 0;     // if this fails, the old key does not come back
    std::array<uint8_t, 48> seed;  // a key of 32 bytes and a counter block of 16
    for (size_t done = 0; done < seed.size();) {
      const ssize_t got = ::getrandom(seed.data() + done, seed.size() - done, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return NoEntropy("getrandom failed");
      done += static_cast<size_t>(got);
    }
    const int started = EVP_EncryptInit_ex(cipher_.get(), EVP_aes_256_ctr(), nullptr, seed.data(),
                                           seed.data() + 32);
    OPENSSL_cleanse(seed.data(), seed.size());
    if (started != 1) return NoEntropy("the cipher could not be started");
    page_->key_bytes_left = kBytesPerKey;
    return {};
  }

  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher_;
  Page* page_ = nullptr;
  bool wiped_on_fork_ = false;
};

}  // namespace

Status SystemEntropy::Fill(std::span<uint8_t> bytes) {
  thread_local Generator generator;
  return generator.Fill(bytes);
}

}  // namespace tacet
