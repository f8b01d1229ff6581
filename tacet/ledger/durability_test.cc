// SPDX-License-Identifier: Apache-2.0
// What a crash, a failing disk or a stranger's hand does to the ledger.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tacet/ledger/ledger.h"
#include "tacet/ledger/sync_testing.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/faulty_vfs.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

// In place of the system's, for this program: SQLite's VFS does not tell how it syncs folders.
extern "C" int fsync(int descriptor) {
  struct stat found;
  if (tacet::folder_syncs_fail && ::fstat(descriptor, &found) == 0 && S_ISDIR(found.st_mode)) {
    errno = EIO;
    return -1;
  }
  if (tacet::syncs_do_nothing) return 0;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
extern "C" int fdatasync(int descriptor) {
  if (tacet::syncs_do_nothing) return 0;
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

namespace tacet {
namespace {

using ::tacet::testing::FaultyVfs;

Epsilon E(const char* text) { return *Epsilon::Create(*Rational::Parse(text)); }

SpendRequest Ask(const char* epsilon) {
  return {
      .analyst = "ada", .statement = "SELECT 1", .plan = "plan", .cost = {.epsilon = E(epsilon)}};
}

class Durability : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Ledger>> Create() {
    return Ledger::Create(place_, *Budget::Pure(E("1")), clock_, kNoWait);
  }
  Result<std::unique_ptr<Ledger>> Open() { return Ledger::Open(place_, clock_, kNoWait); }
  std::string File() const { return folder_ + "/ledger.db"; }
  void StartAgain() { std::filesystem::remove_all(folder_); }

  static constexpr LedgerOptions kNoWait{.lock_wait = std::chrono::milliseconds(0)};
  testing::TemporaryFolder parent_;
  std::string folder_ = parent_.path() + "/.tacet";
  LedgerPlace place_{.folder = folder_, .witness_folder = parent_.path() + "/state"};
  testing::FakeClock clock_;
};

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(Durability, AChargeThatWasReturnedSurvivesKilling) {
  ASSERT_TRUE(Create().ok());
  for (int round = 1; round <= 5; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto ledger = Open();
      if (!ledger.ok() || !(*ledger)->Spend(Ask("1/10")).ok()) ::_exit(1);
      if (::write(told[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    }
    ASSERT_GT(child, 0) << "to kill process -1 is to kill them all";
    ::close(told[1]);
    char answer = 0;
    EXPECT_EQ(::read(told[0], &answer, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(told[0]);
    const auto ledger = Open();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    EXPECT_EQ((*ledger)->Charges()->size(), static_cast<size_t>(round));
    EXPECT_EQ((*ledger)->Spent().epsilon.value(), Rational(round, 10));
  }
}

TEST_F(Durability, TheChildOfAForkMayLetGoOfIt) {
  ASSERT_TRUE(Create().ok());
  const pid_t holder = ::fork();
  if (holder == 0) {
    auto ledger = *Open();
    if (!ledger->Spend(Ask("1/10")).ok()) ::_exit(1);
    const pid_t child = ::fork();
    if (child == 0) {
      ledger.reset();
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    if (!ledger->Spend(Ask("1/5")).ok()) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(holder, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "both charges were returned";
  const auto ledger = Open();
  ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
  EXPECT_EQ((*ledger)->Spent().epsilon, E("3/10"));
}

TEST_F(Durability, AChargeIsSyncedBeforeItIsReturned) {
  FaultyVfs vfs;
  const auto ledger = *Create();
  for (int i = 0; i < 3; ++i) {
    vfs.Heal();
    ASSERT_TRUE(ledger->Spend(Ask("1/10")).ok());
    EXPECT_GE(vfs.operations(), 2) << "at least a write and a sync";
    EXPECT_TRUE(vfs.all_synced());
  }
}

// Plans a fault at every operation of a charge in turn.
class DurabilityFault : public Durability,
                        public ::testing::WithParamInterface<void (FaultyVfs::*)(int)> {};

TEST_P(DurabilityFault, AtEveryOperationOfACharge) {
  FaultyVfs vfs;
  int failures = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    StartAgain();
    bool was_reached = false;
    bool was_returned = false;
    {
      const auto ledger = *Create();
      ASSERT_TRUE(ledger->Spend(Ask("1/10")).ok());
      (vfs.*GetParam())(n);
      const Result<Charge> charge = ledger->Spend(Ask("1/5"));
      was_reached = vfs.operations() >= n;
      was_returned = charge.ok();
      EXPECT_EQ(ledger->Spent().epsilon, E("3/10")) << "it counts, whatever happened";
      if (!was_returned) {
        ++failures;
        EXPECT_EQ(charge.error().code, Code::kLedger);
        EXPECT_NE(charge.error().message.find("may stay"), std::string::npos);
        const Result<Charge> later = ledger->Spend(Ask("1/10"));
        ASSERT_FALSE(later.ok()) << "stopped";
        EXPECT_EQ(later.error().code, Code::kLedger);
      }
    }
    vfs.Heal();
    const auto ledger = Open();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    const Epsilon spent = (*ledger)->Spent().epsilon;
    if (was_returned) {
      EXPECT_EQ(spent, E("3/10"));
    } else {
      EXPECT_TRUE(spent == E("1/10") || spent == E("3/10"));
    }
    EXPECT_TRUE((*ledger)->Spend(Ask("1/10")).ok());
    if (!was_reached) break;
    ASSERT_LT(n, 1000);
  }
  EXPECT_GE(failures, 1);
}

INSTANTIATE_TEST_SUITE_P(Fails, DurabilityFault, ::testing::Values(&FaultyVfs::FailAt));
INSTANTIATE_TEST_SUITE_P(IsShort, DurabilityFault, ::testing::Values(&FaultyVfs::ShortWriteAt));
INSTANTIATE_TEST_SUITE_P(Stops, DurabilityFault, ::testing::Values(&FaultyVfs::StopAt));

TEST_F(Durability, AFaultWhileBeginningLeavesNoLedgerOrAWholeOne) {
  FaultyVfs vfs;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    StartAgain();
    vfs.StopAt(n);
    const bool was_created = Create().ok();
    const bool was_reached = vfs.operations() >= n;
    vfs.Heal();
    const auto ledger = Open();
    if (ledger.ok()) {
      EXPECT_EQ((*ledger)->budget().epsilon(), E("1"));
    } else {
      EXPECT_FALSE(was_created);
      EXPECT_EQ(ledger.error().code, Code::kLedger);
      EXPECT_TRUE(Create().ok()) << "nothing stands in the way of another try";
    }
    if (!was_reached) break;
    ASSERT_LT(n, 1000);
  }
}

// The log is copied into the file after a charge that makes it long. That charge is durable
// already, so it is returned; but nothing comes after it.
TEST_F(Durability, AFaultWhileTheLogIsCopiedStopsWithoutForgetting) {
  FaultyVfs vfs;
  SpendRequest large = Ask("1/10");
  large.plan.assign(3 << 20, 'p');  // two of these are more pages than the log may have
  int operations = 0;
  {
    const auto ledger = *Create();
    ASSERT_TRUE(ledger->Spend(large).ok());
    vfs.Heal();
    ASSERT_TRUE(ledger->Spend(large).ok());
    operations = vfs.operations();
  }
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (const int n : {operations, operations - 1, operations - 100, operations - 700}) {
    SCOPED_TRACE(n);
    StartAgain();
    {
      const auto ledger = *Create();
      ASSERT_TRUE(ledger->Spend(large).ok());
      vfs.StopAt(n);
      EXPECT_TRUE(ledger->Spend(large).ok());
      const Result<Charge> later = ledger->Spend(large);
      ASSERT_FALSE(later.ok());
      EXPECT_EQ(later.error().code, Code::kLedger);
      EXPECT_EQ(ledger->Spent().epsilon, E("1/5"));
    }
    vfs.LoseUnsynced(random);
    vfs.Heal();
    const auto ledger = Open();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    EXPECT_EQ((*ledger)->Spent().epsilon, E("1/5"));
  }
}

// The power goes before every operation in turn of a ledger that is begun, charged, closed and
// charged again, and what was not synced is lost in part.
TEST_F(Durability, WhatWasReturnedOutlivesALossOfPower) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  FaultyVfs vfs;
  bool was_created = false;
  int asked = 0;
  int returned = 0;
  const auto spend = [&](Ledger& ledger) {
    ++asked;
    Result<Charge> charge = ledger.Spend(Ask("1/100"));
    if (!charge.ok()) return;
    ++returned;
    static_cast<void>(ledger.Narrow(*charge, PersonSet::FirstPeople(static_cast<uint32_t>(asked))));
  };
  const auto live = [&] {
    asked = returned = 0;
    const auto begun = Create();
    was_created = begun.ok();
    if (!was_created) return;
    for (int i = 0; i < 3; ++i) spend(**begun);
  };
  const auto live_on = [&] {
    const auto ledger = Open();
    if (!ledger.ok()) return;
    for (int i = 0; i < 3; ++i) spend(**ledger);
  };
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    StartAgain();
    vfs.StopAt(n);
    live();
    live_on();
    const bool was_reached = vfs.operations() >= n;
    vfs.LoseUnsynced(random);
    vfs.Heal();
    if (was_created) {
      const auto ledger = Open();
      ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
      EXPECT_GE((*ledger)->Spent().epsilon.value(), Rational(returned, 100));
      EXPECT_LE((*ledger)->Spent().epsilon.value(), Rational(asked, 100));
      EXPECT_TRUE((*ledger)->Spend(Ask("1/100")).ok());
    }
    if (!was_reached) break;
    ASSERT_LT(n, 1000);
  }
  EXPECT_EQ(returned, 6);
}

// After a sync that failed, Linux shows pages that never reached the disk, and no later sync writes
// them. A log that goes on behind such a page ends before it once the power goes.
TEST_F(Durability, AFailedSyncTakesNoLaterChargeWithIt) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  FaultyVfs vfs;
  constexpr int kRounds = 8;  // for each operation, since what is lost is a matter of chance
  for (int round = 0, n = 1;; ++round, n = 1 + round / kRounds) {
    SCOPED_TRACE(n);
    StartAgain();
    Rational returned(1, 10);
    bool was_reached = false;
    {
      const auto ledger = *Create();
      ASSERT_TRUE(ledger->Spend(Ask("1/10")).ok());
      vfs.FailAt(n);
      if (ledger->Spend(Ask("1/5")).ok()) returned += Rational(1, 5);
      was_reached = vfs.operations() >= n;
    }
    vfs.Heal();
    {
      const auto ledger = Open();
      ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
      ASSERT_TRUE((*ledger)->Spend(Ask("1/2")).ok());
      returned += Rational(1, 2);
      vfs.StopAt(1);
    }
    vfs.LoseUnsynced(random);
    vfs.Heal();
    const auto ledger = Open();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    EXPECT_GE((*ledger)->Spent().epsilon.value(), returned)
        << (*ledger)->Spent().epsilon.ToString();
    if (!was_reached) break;
    ASSERT_LT(n, 1000);
  }
}

// The name of a new log is lost with its folder, and the charges in the log with its name.
TEST_F(Durability, AFolderThatCannotBeSyncedStopsTheLedger) {
  ASSERT_TRUE(Create().ok());
  const auto ledger = *Open();
  folder_syncs_fail = true;
  const Result<Charge> refused = ledger->Spend(Ask("1/10"));
  folder_syncs_fail = false;
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kLedger);
  EXPECT_FALSE(ledger->Spend(Ask("1/10")).ok()) << "stopped";
}

TEST_F(Durability, ALostNarrowingLeavesEveryoneCharged) {
  FaultyVfs vfs;
  {
    const auto ledger = *Create();
    Charge charge = *ledger->Spend(Ask("1/10"));
    EXPECT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(5)).ok());
    vfs.StopAt(1);
  }
  vfs.Heal();
  const auto ledger = *Open();
  EXPECT_EQ(*ledger->Touched(1), std::nullopt);
  EXPECT_EQ(ledger->Spent().epsilon, E("1/10"));
}

TEST_F(Durability, RecordsAndSetsAreNeitherChangedNorReplaced) {
  {
    const auto ledger = *Create();
    Charge charge = *ledger->Spend(Ask("1/10"));
    EXPECT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(5)).ok());
  }
  const std::string before = ReadAll(File());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(File().c_str(), &database), SQLITE_OK);
  for (const char* statement :
       {"UPDATE records SET body = x'00'", "UPDATE records SET sequence = sequence + 10",
        "DELETE FROM records", "DELETE FROM records WHERE sequence = 3",
        "UPDATE sets SET bytes = x'00'", "DELETE FROM sets",
        "INSERT OR REPLACE INTO records VALUES (3, 3, x'00', x'00')",
        "INSERT OR REPLACE INTO sets SELECT digest, x'00' FROM sets",
        "INSERT INTO records VALUES (9, 3, x'00', x'00')",
        "INSERT INTO records VALUES (NULL, 3, x'00', x'00')",
        "INSERT INTO records VALUES (5, 'three', x'00', x'00')"}) {
    EXPECT_NE(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK) << statement;
  }
  sqlite3_close(database);
  EXPECT_EQ(ReadAll(File()), before);
}

TEST_F(Durability, AChangedLayoutIsRefused) {
  for (const char* statement :
       {"DROP TRIGGER records_stay", "DROP TRIGGER records_follow", "DROP TABLE sets",
        "CREATE TABLE more (x)", "CREATE INDEX i ON records (kind)", "PRAGMA application_id = 1",
        "PRAGMA user_version = 1", "PRAGMA user_version = 0", "DROP INDEX others",
        "CREATE TRIGGER late AFTER INSERT ON records BEGIN SELECT 1; END"}) {
    StartAgain();
    ASSERT_TRUE((*Create())->Spend(Ask("1/10")).ok());
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(File().c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK) << statement;
    sqlite3_close(database);
    const auto opened = Open();
    ASSERT_FALSE(opened.ok()) << statement;
    EXPECT_EQ(opened.error().code, Code::kLedger);
  }
}

// With the triggers out of the way and put back, the chain still tells.
TEST_F(Durability, TheChainNoticesWhatTheTriggersCannot) {
  constexpr const char* kNoGuards =
      "CREATE TEMP TABLE guards AS SELECT name, sql FROM sqlite_schema "
      "WHERE type = 'trigger' OR sql LIKE 'CREATE INDEX%' ORDER BY rowid;"
      "DROP INDEX others; DROP INDEX people; DROP INDEX narrowings;"
      "DROP TRIGGER records_follow; DROP TRIGGER records_stay; DROP TRIGGER records_are_kept;"
      "DROP TRIGGER sets_are_stored_once; DROP TRIGGER sets_stay; DROP TRIGGER sets_are_kept;";
  for (
      const char* statement :
      {"DELETE FROM records WHERE sequence = 1", "DELETE FROM records WHERE sequence = 3",
       "DELETE FROM records WHERE sequence = 4; UPDATE records SET sequence = 4 WHERE sequence = 5",
       "UPDATE records SET hash = x'00' WHERE sequence = 3",
       "UPDATE records SET kind = 4 WHERE sequence = 3",
       "UPDATE records SET body = CAST(substr(body, 1, instr(body, x'312f3130') - 1) || "
       "x'312f3939' "
       "|| substr(body, instr(body, x'312f3130') + 4) AS BLOB) WHERE sequence = 4",
       "UPDATE records SET body = (SELECT body FROM records WHERE sequence = 3) WHERE sequence = 4",
       "DELETE FROM sets", "UPDATE sets SET bytes = x'00'", "DELETE FROM records"}) {
    SCOPED_TRACE(statement);
    StartAgain();
    {
      const auto ledger = *Create();
      Charge charge = *ledger->Spend(Ask("1/10"));
      EXPECT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(5)).ok());
      EXPECT_TRUE(ledger->Spend(Ask("1/10")).ok());
    }
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(File().c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, kNoGuards, nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_GT(sqlite3_changes(database), 0);
    std::vector<std::string> guards;
    ASSERT_EQ(sqlite3_exec(
                  database, "SELECT sql FROM guards ORDER BY rowid",
                  [](void* into, int, char** values, char**) {
                    static_cast<std::vector<std::string>*>(into)->emplace_back(values[0]);
                    return 0;
                  },
                  &guards, nullptr),
              SQLITE_OK);
    EXPECT_EQ(guards.size(), 9u);
    for (const std::string& guard : guards) {
      ASSERT_EQ(sqlite3_exec(database, guard.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    }
    sqlite3_close(database);
    // Sets of people are read when they are asked for; all the rest when the ledger is opened.
    const auto opened = Open();
    const Status found = opened.ok() ? (*opened)->Verify() : Status(opened.error());
    EXPECT_EQ(opened.ok(), std::string_view(statement).find(" sets") != std::string_view::npos);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, Code::kLedger);
  }
}

class DurabilityOfPages : public Durability, public ::testing::WithParamInterface<size_t> {};

TEST_P(DurabilityOfPages, AFlippedBitIsNoticedOrChangesNothing) {
  constexpr size_t kPageSize = 4096;
  constexpr size_t kPageHeaderSize = 12;
  constexpr size_t kFileHeaderSize = 100;
  SpendRequest request = Ask("1/10");
  request.plan.assign(GetParam(), 'p');
  {
    const auto ledger = *Create();
    for (int i = 0; i < 5; ++i) {
      Charge charge = *ledger->Spend(request);
      EXPECT_TRUE(ledger->Narrow(charge, PersonSet::FirstPeople(5)).ok());
    }
  }
  const std::string whole = ReadAll(File());
  ASSERT_FALSE(std::filesystem::exists(File() + "-wal"));
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  int noticed = 0;
  const auto flip = [&](size_t place, unsigned bit) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
    for (const char* suffix : {"-wal", "-journal"}) std::filesystem::remove(File() + suffix);
    WriteAll(File(), changed);
    const auto opened = Open();
    if (!opened.ok()) {
      ++noticed;
      return;
    }
    EXPECT_EQ((*opened)->Spent().epsilon, E("1/2")) << place << " " << bit;
    EXPECT_EQ((*opened)->budget().epsilon(), E("1")) << place << " " << bit;
    EXPECT_EQ((*opened)->charges(), 5u) << place << " " << bit;
    if ((*opened)->Verify().ok()) {
      EXPECT_EQ((*opened)->Charges()->size(), 5u) << place << " " << bit;
    }
  };
  for (size_t place = 0; place < whole.size(); ++place) {
    // How many rows a page holds, and where: a wrong number can hide the newest.
    const size_t page_start = place < kPageSize ? kFileHeaderSize : place / kPageSize * kPageSize;
    if (place >= page_start && place < page_start + kPageHeaderSize) {
      for (unsigned bit = 0; bit < 8; ++bit) flip(place, bit);
    } else if (random() % (testing::Soaking() ? 4 : whole[place] != 0 ? 32 : 256) == 0) {
      flip(place, static_cast<unsigned>(random() % 8));
    }
  }
  EXPECT_GT(noticed, 100);
}

// All records in one page, and in a tree of pages.
INSTANTIATE_TEST_SUITE_P(Plan, DurabilityOfPages, ::testing::Values(4, 1500));

TEST_F(Durability, OtherFilesAreRefused) {
  ASSERT_TRUE(Create().ok());
  for (const std::string& bytes :
       {std::string(), std::string("not a ledger"), std::string(5000, 'x')}) {
    WriteAll(File(), bytes);
    const auto opened = Open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Code::kLedger);
    EXPECT_EQ(ReadAll(File()), bytes) << "left as it is";
  }
}

}  // namespace
}  // namespace tacet
