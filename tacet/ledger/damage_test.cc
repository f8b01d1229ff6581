// SPDX-License-Identifier: Apache-2.0
// Older copies of a ledger, and changed ones.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>

#include "tacet/ledger/crash_testing.h"

namespace tacet {
namespace {

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
    {
      const auto ledger = *Create("100");
      LiveALittle(*ledger);
      while (ledger->charges() < kChargesPerCheckpoint + 20) {
        ASSERT_TRUE(ledger->Spend(Ask("1/2000", ledger->charges() % 50 == 0 ? "M" : "F")).ok());
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

// Records that are there but not found, and checkpoints that say what the charges do not.
class HiddenRecords : public CrashStates {
 protected:
  // A ledger whose third record is a smaller limit, and whose last one is a checkpoint.
  void LowerTheLimitBeforeACheckpoint() {
    const auto ledger = *Create("100");
    ASSERT_TRUE(ledger->ApplyBudget(Pure("20")).ok());
    while (ledger->charges() < kChargesPerCheckpoint) {
      ASSERT_TRUE(ledger->Spend(Ask("1/100")).ok());
    }
  }
  size_t StartOfIndexPage() {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(File().c_str(), &database), SQLITE_OK);
    size_t page = 0;
    EXPECT_EQ(sqlite3_exec(
                  database, "SELECT rootpage FROM sqlite_schema WHERE name = 'others'",
                  [](void* into, int, char** values, char**) {
                    *static_cast<size_t*>(into) = std::stoul(values[0]);
                    return 0;
                  },
                  &page, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
    return (page - 1) * 4096;
  }
  void Change(const char* statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(File().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
};

// A page that says that it holds one record less hides the newest; the rest is a chain that is
// whole, and where the witness is gone only the page itself tells.
TEST_F(HiddenRecords, AreNoticedByAnAdoption) {
  constexpr size_t kPage = 4096;  // the second, which holds the records
  constexpr char kLeafOfATable = 13;
  constexpr size_t kCountOfCells = kPage + 4;
  {
    const auto ledger = *Create();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ledger->Spend(Ask("1/10")).ok());
  }
  std::string bytes = ReadAll(File());
  ASSERT_EQ(bytes[kPage], kLeafOfATable);
  ASSERT_EQ(bytes[kCountOfCells], 5);
  --bytes[kCountOfCells];
  WriteAll(File(), bytes);
  EXPECT_FALSE(Open().ok());
  std::filesystem::remove_all(place_.witness_folder);
  const auto adopted = Ledger::Adopt(place_, "lost", clock_, kNoWait);
  ASSERT_FALSE(adopted.ok());
  EXPECT_EQ(adopted.error().code, Code::kLedger);
}

// A smaller limit that the index does not list.
TEST_F(HiddenRecords, AreNoticedByTheirNumber) {
  LowerTheLimitBeforeACheckpoint();
  Change(
      "DROP INDEX others; DROP INDEX people; DROP INDEX narrowings;"
      "CREATE INDEX others ON records (sequence) WHERE kind <> 3 AND kind <> 4 AND kind <> 7 AND "
      "sequence <> 3;"
      "CREATE INDEX people ON records (sequence) WHERE kind = 7;"
      "CREATE INDEX narrowings ON records (substr(body, 1, 8)) WHERE kind = 4;"
      "PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET sql = replace(sql, ' AND sequence <> 3', '');");
  const auto opened = Open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::kLedger);
  EXPECT_NE(opened.error().message.find("damaged"), std::string::npos) << opened.error().message;
}

// The limit before it, listed in its place: the number is right.
TEST_F(HiddenRecords, AreNoticedWhereAnotherIsListedTwice) {
  constexpr char kLeafOfAnIndex = 10;
  constexpr size_t kHeaderSize = 8;
  constexpr size_t kPointerSize = 2;
  LowerTheLimitBeforeACheckpoint();
  std::string bytes = ReadAll(File());
  const size_t page = StartOfIndexPage();
  ASSERT_EQ(bytes[page], kLeafOfAnIndex);
  const size_t second = page + kHeaderSize + kPointerSize;
  bytes.replace(second + kPointerSize, kPointerSize, bytes.substr(second, kPointerSize));
  WriteAll(File(), bytes);
  const auto opened = Open();
  ASSERT_FALSE(opened.ok()) << (*opened)->budget().epsilon().ToString();
  EXPECT_EQ(opened.error().code, Code::kLedger);
}

// A checkpoint that comes before every limit, and that the index does not list.
TEST_F(HiddenRecords, ACheckpointOfNothingIsNoticed) {
  std::filesystem::create_directory(place_.folder, parent_.path());
  const StoredRecord opening =
      Encode(OpeningRecord{.time = clock_.Now(), .dataset_id = std::string(32, 'a')});
  const Digest first = ChainHash({}, 1, opening);
  const StoredRecord checkpoint =
      Encode(CheckpointRecord{.others = 1, .people = 0, .new_kinds = {}, .runs = {}});
  const std::vector<ChainedRecord> chain = {
      {.sequence = 1, .stored = opening, .hash = first},
      {.sequence = 2, .stored = checkpoint, .hash = ChainHash(first, 2, checkpoint)}};
  ASSERT_TRUE(Store::Create(File(), chain).ok());
  Change(
      "DROP INDEX others; DROP INDEX people; DROP INDEX narrowings;"
      "CREATE INDEX others ON records (sequence) WHERE kind <> 3 AND kind <> 4 AND kind <> 7 AND "
      "sequence <> 2;"
      "CREATE INDEX people ON records (sequence) WHERE kind = 7;"
      "CREATE INDEX narrowings ON records (substr(body, 1, 8)) WHERE kind = 4;"
      "PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET sql = replace(sql, ' AND sequence <> 2', '');");
  const auto opened = Open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::kLedger);
}

// Whoever writes the whole chain anew can have a checkpoint say that others were charged.
TEST_F(HiddenRecords, WhatAForgedCheckpointSaysIsNoticed) {
  const std::string dataset_id(32, 'a');
  const auto begin = [&](const std::string& region_in_checkpoint) {
    StartAgain();
    std::filesystem::create_directory(place_.folder, parent_.path());
    const Time now = clock_.Now();
    const SpendRequest asked = Ask("1/2", "F");
    const Units units = Units::Up(asked.cost.epsilon.value());
    const Record records[] = {
        OpeningRecord{.time = now, .dataset_id = dataset_id}, ToRecord(now, Pure("1")),
        ChargeRecord{.number = 1,
                     .time = now,
                     .analyst = asked.analyst,
                     .statement = Sha256(asked.statement),
                     .plan = asked.plan,
                     .cost = asked.cost,
                     .reach = asked.reach},
        CheckpointRecord{
            .others = 2,
            .people = 0,
            .new_kinds = {{.analyst = asked.analyst,
                           .reach = {.data_version = 1, .region = region_in_checkpoint},
                           .epsilon = units,
                           .delta = {},
                           .rho = {}}},
            .runs = {{.kind = 0, .count = 1}}}};
    std::vector<ChainedRecord> chain;
    Digest hash = {};
    for (const Record& record : records) {
      StoredRecord stored = Encode(record);
      hash = ChainHash(hash, chain.size() + 1, stored);
      chain.push_back({.sequence = chain.size() + 1, .stored = std::move(stored), .hash = hash});
    }
    ASSERT_TRUE(Store::Create(File(), chain).ok());
    auto witness = Witness::Open(place_.witness_folder, dataset_id, kNoWait.lock_wait, nullptr);
    ASSERT_TRUE(witness.ok());
    EXPECT_TRUE(witness->Write({.sequence = chain.size(), .hash = hash}).ok());
  };
  begin("F");
  EXPECT_TRUE((*Open())->Verify().ok()) << "this one is as it should be";
  begin("M");
  const Status verified = (*Open())->Verify();
  ASSERT_FALSE(verified.ok());
  EXPECT_EQ(verified.error().code, Code::kLedger);
}

}  // namespace
}  // namespace tacet
