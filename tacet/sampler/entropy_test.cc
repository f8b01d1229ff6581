// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/entropy.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tacet/sampler/coins.h"
#include "tacet/testing/chi_square.h"

namespace {
enum class Kernel { kWorks, kFails, kStopsShort, kInterruptsOnce };
Kernel kernel = Kernel::kWorks;
}  // namespace

// Stands in for the C library's, so that a test can make the kernel fail.
extern "C" ssize_t getrandom(void* buffer, size_t length, unsigned flags) {
  switch (kernel) {
    case Kernel::kFails:
      errno = ENOSYS;
      return -1;
    case Kernel::kStopsShort:
      return 0;
    case Kernel::kInterruptsOnce:
      kernel = Kernel::kWorks;
      errno = EINTR;
      return -1;
    case Kernel::kWorks:
      break;
  }
  return syscall(SYS_getrandom, buffer, length, flags);
}

namespace tacet {
namespace {

using Bytes = std::array<uint8_t, 32>;

Bytes Take() {
  SystemEntropy entropy;
  Bytes bytes{};
  EXPECT_TRUE(entropy.Fill(bytes).ok());
  return bytes;
}

// Uses up what is buffered and what the key may still give, so that the next byte needs the kernel.
void UseUpTheKey() {
  SystemEntropy entropy;
  std::vector<uint8_t> bytes(1 << 17);
  ASSERT_TRUE(entropy.Fill(bytes).ok());
}

TEST(SystemEntropy, NeverRepeats) {
  std::set<Bytes> seen;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(seen.insert(Take()).second);
}

TEST(SystemEntropy, BytesAreUniform) {
  // One false alarm in a million, for small and for large requests.
  for (size_t size : {size_t{16}, size_t{4096}, size_t{1} << 17}) {
    SystemEntropy entropy;
    std::vector<uint8_t> bytes(size);
    std::vector<uint64_t> counts(256);
    for (size_t total = 0; total < size_t{1} << 20; total += size) {
      ASSERT_TRUE(entropy.Fill(bytes).ok());
      for (uint8_t byte : bytes) ++counts[byte];
    }
    EXPECT_GT(testing::ChiSquareP(counts, std::vector<double>(256, 1.0 / 256)),
              testing::kFalseAlarm);
  }
}

// What `count` forked children draw after the parent has drawn, and what the parent draws then.
std::vector<Bytes> DrawsAfterFork(int count) {
  std::vector<Bytes> draws;
  for (int i = 0; i < count; ++i) {
    std::array<int, 2> pipe_ends;
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      const Bytes bytes = Take();
      _exit(write(pipe_ends[1], bytes.data(), bytes.size()) == 32 ? 0 : 1);
    }
    Bytes bytes{};
    EXPECT_EQ(read(pipe_ends[0], bytes.data(), bytes.size()), 32);
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    draws.push_back(bytes);
  }
  draws.push_back(Take());
  return draws;
}

TEST(SystemEntropy, ParentAndChildrenOfAForkDrawDifferently) {
  Take();  // so that there is a key and a buffer to share by mistake
  const std::vector<Bytes> draws = DrawsAfterFork(5);
  EXPECT_EQ(std::set<Bytes>(draws.begin(), draws.end()).size(), draws.size());
}

TEST(SystemEntropy, ThreadsDrawDifferently) {
  std::vector<Bytes> draws(8);
  std::vector<std::thread> threads;
  for (Bytes& draw : draws) threads.emplace_back([&draw] { draw = Take(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<Bytes>(draws.begin(), draws.end()).size(), draws.size());
}

TEST(SystemEntropy, FailsWhenTheKernelDoes) {
  for (Kernel broken : {Kernel::kFails, Kernel::kStopsShort}) {
    std::thread([broken] {  // a thread has no key yet
      kernel = broken;
      SystemEntropy entropy;
      Bytes bytes{};
      const Status status = entropy.Fill(bytes);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code, Code::kEntropy);
      EXPECT_EQ(bytes, Bytes{});
      EXPECT_FALSE(Draw(entropy, [](Coins& coins) { return coins.Word(); }).ok());
      kernel = Kernel::kWorks;
      EXPECT_TRUE(entropy.Fill(bytes).ok());
    })
        .join();
  }
}

TEST(SystemEntropy, AKeyDoesNotOutliveItsBytes) {
  UseUpTheKey();
  kernel = Kernel::kFails;
  SystemEntropy entropy;
  std::vector<uint8_t> bytes(1 << 17);
  EXPECT_FALSE(entropy.Fill(bytes).ok());
  kernel = Kernel::kWorks;
}

TEST(SystemEntropy, AFailedReseedEndsTheOldKey) {
  std::thread([] {
    SystemEntropy entropy;
    std::vector<uint8_t> buffered(4000);
    ASSERT_TRUE(entropy.Fill(buffered).ok());  // a key that could give more, and an empty buffer
    kernel = Kernel::kFails;
    std::vector<uint8_t> large(1 << 16);
    EXPECT_FALSE(entropy.Fill(large).ok());
    Bytes bytes{};
    EXPECT_FALSE(entropy.Fill(bytes).ok());
    EXPECT_EQ(bytes, Bytes{});
    kernel = Kernel::kWorks;
    EXPECT_TRUE(entropy.Fill(bytes).ok());
  }).join();
}

TEST(SystemEntropy, ASignalDuringSeedingIsNoFailure) {
  std::thread([] {
    kernel = Kernel::kInterruptsOnce;
    Take();
  }).join();
}

TEST(Coins, CountsTheFlipsItHandsOut) {
  SystemEntropy entropy;
  Coins coins(entropy);
  EXPECT_EQ(coins.flips(), 0u);
  coins.Bits(3);
  EXPECT_EQ(coins.flips(), 3u);
  coins.Bits(64);
  EXPECT_EQ(coins.flips(), 67u);
  coins.Bits(63);
  EXPECT_EQ(coins.flips(), 130u);
  coins.Bits(0);
  EXPECT_EQ(coins.flips(), 130u);
}

}  // namespace
}  // namespace tacet
