// SPDX-License-Identifier: Apache-2.0
// Older copies of a ledger, and changed ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tacet/ledger/crash_testing.h"
#include "tacet/testing/faulty_vfs.h"

namespace tacet {
namespace {

using ::tacet::testing::FaultyVfs;

// A copy of the file as of every record, under the witness as it is in the end.
TEST_F(CrashStates, EveryOlderCopyIsRefused) {
  std::vector<ChainPoint> heads;
  {
    const auto ledger = *Create();
    const auto copy = [&] {
      if (!heads.empty() && heads.back() == ledger->head()) return;
      heads.push_back(ledger->head());
      CopyTo(std::to_string(heads.size()));
    };
    copy();
    for (int i = 0; i < 3; ++i) {
      Charge charge = *ledger->Spend(Ask("1/100", "F"));
      copy();
      EXPECT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(40)).ok());
      EXPECT_TRUE(ledger->Flush().ok());
      copy();
      EXPECT_TRUE(ledger->People().ok());
      copy();
      EXPECT_TRUE(RecordNextImport(*ledger, 10).ok());
      copy();
      EXPECT_TRUE(ledger->ApplyBudget(Pure(i == 0 ? "9/10" : i == 1 ? "8/10" : "7/10")).ok());
      copy();
      EXPECT_TRUE(ledger->Raise(Pure("2"), "more").ok());
      copy();
    }
  }
  EXPECT_GT(heads.size(), 15u);
  const View newest = ViewOf(**Open());
  for (size_t i = 1; i <= heads.size(); ++i) {
    SCOPED_TRACE(i);
    BringBackFolder(std::to_string(i));
    const auto ledger = Open();
    ASSERT_EQ(ledger.ok(), i == heads.size());
    if (ledger.ok()) {
      EXPECT_TRUE(ViewOf(**ledger) == newest);
    } else {
      EXPECT_EQ(ledger.error().code, Code::kLedger);
      EXPECT_NE(ledger.error().message.find("not the newest"), std::string::npos)
          << ledger.error().message;
    }
  }
}

// Bytes flipped anywhere in a ledger with a record of each kind.
class FlippedBytes : public CrashStates {
 protected:
  void SetUp() override {
    FaultyVfs quick;
    {
      const auto ledger = *Create("100");
      LiveALittle(*ledger);
      while (ledger->charges() < kChargesPerCheckpoint + 20) {
        ASSERT_TRUE(ledger->Spend(Ask("1/1000", ledger->charges() % 50 == 0 ? "M" : "F")).ok());
      }
    }
    // The order is such that the last checkpoint has others before and after it.
    std::filesystem::remove_all(place_.witness_folder);
    const auto ledger = *Ledger::Adopt(place_, "lost", clock_, kNoWait);
    LiveALittle(*ledger);
    for (const int count : CountKinds(*ledger)) EXPECT_GE(count, 1);
    expected_ = ViewOf(*ledger);
    witness_path_ = ledger->witness_path();
    CopyTo("killed");
  }
  // Flips bits in the file, at places that `pick` picks, of what was copied to `name`.
  void Flip(const std::string& name, const std::string& path, int places,
            const std::function<size_t(const std::string&)>& pick) {
    SCOPED_TRACE(seed_);
    BringBack(name);
    const std::string whole = ReadAll(path);
    ASSERT_FALSE(whole.empty());
    for (int i = 0; i < places && !HasFailure(); ++i) {
      BringBack(name);
      std::string changed = whole;
      const size_t place = pick(whole);
      changed[place] = static_cast<char>(changed[place] ^ static_cast<char>(1 + random_() % 255));
      WriteAll(path, changed);
      const auto ledger = Open();
      if (!ledger.ok()) {
        ++noticed_;
        EXPECT_EQ(ledger.error().code, Code::kLedger) << place << " " << ledger.error().message;
        continue;
      }
      EXPECT_TRUE(ViewOf(**ledger) == expected_) << place;
    }
  }
  // Anywhere, with half of the places where pages say what they hold.
  size_t PickInPages(const std::string& bytes) {
    constexpr size_t kPageSize = 4096;
    const size_t place = random_() % bytes.size();
    if (random_() % 2 == 0) return place;
    return std::min(bytes.size() - 1, place / kPageSize * kPageSize + random_() % 16);
  }
  static int Places(int in_soak) { return testing::Soaking() ? in_soak : in_soak / 40; }

  View expected_;
  std::string witness_path_;
  int noticed_ = 0;
};

TEST_F(FlippedBytes, AreNoticedOrChangeNothing) {
  BringBack("killed");
  ASSERT_TRUE(Open().ok());
  ASSERT_FALSE(std::filesystem::exists(File() + "-wal"));
  CopyTo("closed");
  Flip("closed", File(), Places(10'000), [&](const auto& bytes) { return PickInPages(bytes); });
  EXPECT_GT(noticed_, 0);
}

TEST_F(FlippedBytes, AreNoticedOrChangeNothingWhereAProcessWasKilled) {
  Flip("killed", File(), Places(2'000), [&](const auto& bytes) { return PickInPages(bytes); });
  Flip("killed", File() + "-wal", Places(6'000),
       [&](const auto& bytes) { return random_() % bytes.size(); });
  EXPECT_GT(noticed_, 0);
}

TEST_F(FlippedBytes, ChangeNothingInTheWitness) {
  Flip("killed", witness_path_, Places(2'000),
       [&](const auto& bytes) { return random_() % bytes.size(); });
}

}  // namespace
}  // namespace tacet
