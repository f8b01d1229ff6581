// SPDX-License-Identifier: Apache-2.0
// Threads that ask for more than there is, all at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tacet/ledger/crash_testing.h"

namespace tacet {
namespace {

class LastOfTheBudget : public CrashStates {
 protected:
  static constexpr int kThreads = 256;
  // How many of `requests` are admitted, one thread for each.
  int Admitted(Ledger& ledger, const std::vector<SpendRequest>& requests) {
    std::atomic<int> admitted = 0;
    std::atomic<bool> may_begin = false;
    std::vector<std::thread> threads;
    for (const SpendRequest& request : requests) {
      threads.emplace_back([&] {
        may_begin.wait(false);
        const Result<Charge> charge = ledger.Spend(request);
        if (charge.ok()) {
          ++admitted;
        } else {
          EXPECT_EQ(charge.error().code, Code::kBudget) << charge.error().message;
        }
      });
    }
    may_begin = true;
    may_begin.notify_all();
    for (std::thread& thread : threads) thread.join();
    return admitted;
  }
};

TEST_F(LastOfTheBudget, IsSpentOnceByManyThreads) {
  {
    const auto ledger = *Create("1");
    EXPECT_EQ(Admitted(*ledger, std::vector(kThreads, Ask("1/100"))), 100);
    EXPECT_EQ(ledger->Spent().epsilon, E("1"));
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->Spent().epsilon, E("1"));
  EXPECT_EQ(ledger->charges(), 100u);
  EXPECT_TRUE(ledger->Verify().ok());
}

// Of two groups of people that share nobody each may spend all of it, and who may be in both has
// nothing left then.
TEST_F(LastOfTheBudget, IsSpentOnceOnEachOfTwoDisjointRegions) {
  const auto ledger = *Create("1");
  SpendRequest women = Ask("1/100", "F");
  SpendRequest men = Ask("1/100", "M");
  ASSERT_TRUE(ledger->Spend(women).ok());
  men.disjoint = {1};
  ASSERT_TRUE(ledger->Spend(men).ok());
  women.disjoint = {2};
  std::vector<SpendRequest> requests(kThreads / 2, women);
  requests.resize(kThreads, men);
  EXPECT_EQ(Admitted(*ledger, requests), 99 + 99);
  EXPECT_EQ(ledger->Spent().epsilon, E("2"));
  for (const uint64_t number : {1u, 2u}) {
    EXPECT_EQ(ledger->Spent({.data_version = 1, .disjoint = {number}}).epsilon, E("1"));
  }
  EXPECT_EQ(Admitted(*ledger, {Ask("1/100"), Ask("1/100", "old"), women, men}), 0);
}

// Whoever reads everything meanwhile finds it whole.
TEST_F(LastOfTheBudget, IsVerifiedWhileItIsSpent) {
  constexpr int kWriters = 32;
  constexpr int kChargesOfEach = 50;
  const auto ledger = *Create("16");
  std::atomic<int> writing = kWriters;
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kChargesOfEach; ++j) EXPECT_TRUE(ledger->Spend(Ask("1/100")).ok());
      --writing;
    });
  }
  while (writing > 0) {
    const Status verified = ledger->Verify();
    EXPECT_TRUE(verified.ok()) << verified.error().message << ": " << verified.error().detail;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger->Spent().epsilon, E("16"));
}

}  // namespace
}  // namespace tacet
