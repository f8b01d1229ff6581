// SPDX-License-Identifier: Apache-2.0
// Loss and rollback, what notices them, and what an owner can do then.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tacet/ledger/ledger.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

namespace fs = std::filesystem;

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }
Budget Pure(const char* epsilon) { return *Budget::Pure(E(epsilon)); }

SpendRequest Ask(const char* epsilon, const char* analyst = "ada") {
  return {.analyst = analyst,
          .statement = "SELECT 1",
          .plan = "plan",
          .cost = {.epsilon = E(epsilon), .rho = *Rho::Create(Rational(1, 1'000'000))}};
}

class WaysForward : public ::testing::Test {
 protected:
  using Opened = Result<std::unique_ptr<Ledger>>;
  Opened Create(const Budget& budget = Pure("1")) {
    return Ledger::Create(place_, budget, clock_, kNoWait);
  }
  Opened Open() { return Ledger::Open(place_, clock_, kNoWait); }
  Opened Adopt() { return Ledger::Adopt(place_, "moved", clock_, kNoWait); }
  Opened Recover(const Ledger::Recovery& recovery) {
    return Ledger::Recover(place_, recovery, clock_, kNoWait);
  }
  static Ledger::Recovery Lost(const Budget& budget = Pure("1")) {
    return {.budget = budget, .dataset_id = "", .reason = "the disk died"};
  }
  std::string File() const { return place_.folder + "/ledger.db"; }
  std::string WitnessFile() { return place_.witness_folder + "/" + id_; }

  // A ledger of which 1/4 was spent, and 1/2 since `kept_` was copied.
  void LiveOn() {
    {
      const auto ledger = *Create();
      id_ = ledger->dataset_id();
      ASSERT_TRUE(ledger->Spend(Ask("1/4")).ok());
    }
    fs::copy_file(File(), kept_);
    ASSERT_TRUE((*Open())->Spend(Ask("1/4")).ok());
  }
  // Puts a file of tests/data in the ledger's place.
  void Bring(const std::string& name) {
    fs::create_directory(place_.folder);
    fs::permissions(place_.folder, fs::perms::owner_all);
    fs::copy_file(std::string(TACET_SOURCE_DIR "/tests/data/") + name, File());
    fs::permissions(File(), fs::perms(0600));
  }
  void RestoreKept() { fs::copy_file(kept_, File(), fs::copy_options::overwrite_existing); }

  static constexpr LedgerOptions kNoWait{.lock_wait = std::chrono::milliseconds(0)};
  testing::TemporaryFolder parent_;
  LedgerPlace place_{.folder = parent_.path() + "/.tacet",
                     .witness_folder = parent_.path() + "/state"};
  std::string kept_ = parent_.path() + "/kept.db";
  std::string id_;
  testing::FakeClock clock_;
};

TEST_F(WaysForward, AnOlderCopyIsRefused) {
  LiveOn();
  RestoreKept();
  const Opened refused = Open();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kLedger);
  EXPECT_NE(refused.error().message.find("not the newest"), std::string::npos);
  EXPECT_NE(refused.error().hint.find("recover"), std::string::npos);
  EXPECT_EQ(Adopt().error().code, Code::kLedger) << "its witness is there and says no";
}

TEST_F(WaysForward, OfTwoCopiesTheFirstThatChargesWins) {
  LiveOn();
  const LedgerPlace copy{.folder = parent_.path() + "/copy",
                         .witness_folder = place_.witness_folder};
  fs::copy(place_.folder, copy.folder);
  fs::permissions(copy.folder, fs::perms::owner_all);
  {
    const auto first = *Ledger::Open(copy, clock_, kNoWait);
    EXPECT_EQ(Open().error().code, Code::kLocked) << "also while the first is open";
    ASSERT_TRUE(first->Spend(Ask("1/4")).ok());
  }
  EXPECT_EQ(Open().error().code, Code::kLedger);
  // Of the same length, it is another one.
  const auto again = *Ledger::Open(copy, clock_, kNoWait);
  EXPECT_EQ(again->Spent().epsilon, E("3/4"));
}

TEST_F(WaysForward, AMissingWitnessWaitsForTheOwner) {
  LiveOn();
  fs::remove(WitnessFile());
  const Opened refused = Open();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kLedger);
  EXPECT_NE(refused.error().hint.find("adopt"), std::string::npos);
  EXPECT_FALSE(fs::exists(WitnessFile())) << "asking is no adoption";
  EXPECT_EQ(Ledger::Adopt(place_, "", clock_, kNoWait).error().code, Code::kUsage);
  {
    const Opened adopted = Adopt();
    ASSERT_TRUE(adopted.ok()) << adopted.error().message;
    EXPECT_EQ((*adopted)->Spent().epsilon, E("1/2"));
  }
  const auto ledger = *Open();
  ASSERT_EQ(ledger->marks().size(), 1u);
  EXPECT_EQ(ledger->marks()[0].kind, MarkRecord::Kind::kAdopted);
  EXPECT_EQ(ledger->marks()[0].reason, "moved");
  EXPECT_EQ(ledger->Spent().epsilon, E("1/2"));
}

TEST_F(WaysForward, AWitnessThatIsThereNeedsNoAdoption) {
  LiveOn();
  EXPECT_EQ(Adopt().error().code, Code::kUsage);
  EXPECT_EQ(Recover(Lost()).error().code, Code::kUsage);
  EXPECT_TRUE((*Open())->marks().empty());
}

TEST_F(WaysForward, AWitnessTravelsWithItsLedger) {
  LiveOn();
  const std::string witness = WitnessLine((*Open())->head());
  const std::string stale = WitnessLine({.sequence = 1, .hash = {}});
  fs::remove(WitnessFile());
  const auto bring = [&](const std::string& text) {
    return Ledger::BringWitness(place_, text, clock_, kNoWait);
  };
  EXPECT_EQ(bring("nonsense").error().code, Code::kUsage);
  EXPECT_EQ(bring(stale).error().code, Code::kLedger) << "of no record here";
  ASSERT_TRUE(bring(witness).ok());
  EXPECT_TRUE((*Open())->marks().empty()) << "nothing had to be vouched for";
  RestoreKept();
  EXPECT_FALSE(Open().ok());
  EXPECT_EQ(bring(witness).error().code, Code::kLedger);
}

TEST_F(WaysForward, AfterARollbackAllIsSpent) {
  LiveOn();
  RestoreKept();
  {
    const Opened recovered = Recover(Lost());
    ASSERT_TRUE(recovered.ok()) << recovered.error().message << recovered.error().detail;
    EXPECT_EQ((*recovered)->Spent().epsilon, E("5/4")) << "what is known, and a whole limit";
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->Spend(Ask("1/1000")).error().code, Code::kBudget);
  ASSERT_EQ(ledger->marks().size(), 1u);
  EXPECT_EQ(ledger->marks()[0].kind, MarkRecord::Kind::kRecovered);
  ASSERT_TRUE(ledger->Raise(Pure("3/2"), "new consent").ok());
  EXPECT_EQ(ledger->Remaining().epsilon, E("1/4"));
  EXPECT_TRUE(ledger->Verify().ok());
}

TEST_F(WaysForward, ALostLedgerBeginsWithEverythingSpent) {
  LiveOn();
  fs::remove(File());
  EXPECT_EQ(Open().error().code, Code::kLedger);
  Ledger::Recovery lost = Lost(Pure("5"));
  lost.dataset_id = id_;
  {
    const Opened recovered = Recover(lost);
    ASSERT_TRUE(recovered.ok()) << recovered.error().message;
    EXPECT_EQ((*recovered)->dataset_id(), id_);
  }
  EXPECT_EQ((*Open())->Spent().epsilon, E("5"));
  EXPECT_TRUE((*Open())->Remaining().epsilon.is_zero());
}

TEST_F(WaysForward, ADamagedLedgerIsPutAside) {
  LiveOn();
  std::ofstream(File(), std::ios::binary | std::ios::trunc) << "not a ledger";
  for (int i = 1; i <= 2; ++i) {
    const Opened recovered = Recover(Lost());
    ASSERT_TRUE(recovered.ok()) << recovered.error().message;
    EXPECT_TRUE((*recovered)->Remaining().epsilon.is_zero());
    EXPECT_TRUE(fs::exists(File() + ".damaged-" + std::to_string(i)));
    std::ofstream(File(), std::ios::binary | std::ios::trunc) << "again";
  }
}

TEST_F(WaysForward, ALedgerOfALaterFormatIsNotPutAside) {
  constexpr std::streamoff kUserVersion = 60;  // 4 bytes, highest first
  LiveOn();
  {
    std::fstream file(File(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(kUserVersion + 3).put(4);
  }
  for (const Status& refused : {Status(Open().error()), Status(Recover(Lost()).error())}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kIo) << refused.error().message;
    EXPECT_NE(refused.error().hint.find("newer program"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(File() + ".damaged-1"));
}

// What was spent may have been more than today's catalog allows.
TEST_F(WaysForward, ARecoveryChargesTheLargerOfTheLimits) {
  LiveOn();
  RestoreKept();
  EXPECT_EQ((*Recover(Lost(Pure("7"))))->Spent().epsilon, E("29/4"));
}

TEST_F(WaysForward, ARecoveryOfAConcentratedBudgetLeavesNothing) {
  const Budget budget = *Budget::Approximate(E("1"), D("2e-6"), Rational(1, 2));
  std::string id;
  {
    const auto ledger = *Create(budget);
    id = ledger->dataset_id();
    ASSERT_TRUE(ledger->Spend(Ask("1/100")).ok());
  }
  fs::remove(place_.witness_folder + "/" + id);
  ASSERT_TRUE(Recover(Lost(budget)).ok());
  const auto ledger = *Open();
  EXPECT_TRUE(ledger->Remaining().rho.is_zero());
  EXPECT_TRUE(ledger->Remaining().delta.is_zero());
  EXPECT_EQ(ledger->Spend(Ask("1/1000000")).error().code, Code::kBudget);
}

TEST_F(WaysForward, ALargerLimitIsRaisedWithAReason) {
  {
    const auto ledger = *Create();
    ASSERT_TRUE(ledger->Spend(Ask("1")).ok());
    EXPECT_EQ(ledger->Raise(Pure("1"), "same").error().code, Code::kUsage);
    EXPECT_EQ(ledger->Raise(Pure("1/2"), "less").error().code, Code::kUsage);
    EXPECT_EQ(ledger->Raise(Pure("2"), "").error().code, Code::kUsage);
    EXPECT_EQ(ledger->Raise(Pure("2"), "a\nb").error().code, Code::kUsage);
    EXPECT_EQ(ledger->Spend(Ask("1/2")).error().code, Code::kBudget);
    ASSERT_TRUE(ledger->Raise(Pure("2"), "consent of May").ok());
    ASSERT_TRUE(ledger->Spend(Ask("1/2")).ok());
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->budget(), Pure("2"));
  EXPECT_EQ(ledger->Spent().epsilon, E("3/2"));
}

TEST_F(WaysForward, ImportsPeopleAndDeclarationsOutliveTheProgram) {
  const std::vector<DeclarationRecord> declarations = {
      {.time = {}, .table = "t", .source = "t.csv", .person = "column id"}};
  {
    const auto ledger = *Create();
    PersonRegistry people = *ledger->People();
    for (int i = 0; i < 70'000; ++i) ASSERT_TRUE(people.FindOrAdd(std::to_string(i)).ok());
    ASSERT_TRUE(ledger->RecordImport(1, declarations, people).ok());
    ASSERT_TRUE(people.FindOrAdd("late").ok());
    ASSERT_TRUE(ledger->RecordImport(2, {}, people).ok());
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->last_import(), 2u);
  EXPECT_EQ(ledger->declarations(), declarations);
  const PersonRegistry people = *ledger->People();
  EXPECT_EQ(people.size(), 70'001u);
  EXPECT_EQ(people.Find("69999"), 69'999u);
  EXPECT_EQ(people.Find("late"), 70'000u);
  EXPECT_TRUE(ledger->Verify().ok());
}

// Enough charges for checkpoints; made at the same time, which is faster.
TEST_F(WaysForward, CheckpointsSayWhatAllRecordsSay) {
  constexpr uint64_t kImports = 3;
  constexpr uint64_t kThreads = 16;
  constexpr uint64_t kChargesEach = 52;
  constexpr uint64_t kCharges = kImports * kThreads * kChargesEach;
  {
    const auto ledger = *Create(Pure("1000"));
    ASSERT_TRUE(ledger->People().ok());
    for (uint64_t import = 1; import <= kImports; ++import) {
      std::vector<std::thread> threads;
      for (uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
          for (uint64_t i = 0; i < kChargesEach; ++i) {
            SpendRequest request = Ask("1/10", thread % 2 == 0 ? "ada" : "bob");
            request.reach = {.data_version = import,
                             .region = "region " + std::to_string(thread % 4)};
            Result<Charge> charge = ledger->Spend(request);
            ASSERT_TRUE(charge.ok()) << charge.error().message;
            ASSERT_TRUE(ledger->Narrow(*charge, PersonSet::FirstPeople(3)).ok());
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      ASSERT_TRUE(ledger
                      ->ApplyBudget(*Budget::Pure(*Epsilon::Create(
                          Rational(1000) - Rational(static_cast<int64_t>(import)))))
                      .ok());
    }
  }
  int checkpoints = 0;
  const auto ledger = *Open();
  ASSERT_TRUE(ledger
                  ->ForEach([&](uint64_t, const Record& record) -> Status {
                    checkpoints += std::holds_alternative<CheckpointRecord>(record) ? 1 : 0;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(checkpoints, 2);
  EXPECT_EQ(ledger->charges(), kCharges);
  EXPECT_EQ(ledger->Spent().epsilon, E("249.6"));
  EXPECT_EQ(ledger->budget(), Pure("997"));
  EXPECT_EQ(ledger->last_import(), kImports);
  EXPECT_EQ(ledger->RegionsOf(2).size(), 4u);
  const uint64_t region = ledger->RegionsOf(2)[0].number;
  EXPECT_EQ(ledger->Spent({.data_version = 2, .disjoint = {region}}).epsilon, E("228.8"));
  EXPECT_TRUE((*ledger->Touched(1)).has_value());
  EXPECT_TRUE((*ledger->Touched(kCharges)).has_value());
  EXPECT_TRUE(ledger->Verify().ok());
  SpendRequest dear = Ask("800", "bob");
  dear.quota = E("125");
  EXPECT_EQ(ledger->Spend(dear).error().code, Code::kBudget);
  dear.cost.epsilon = E("1");
  EXPECT_EQ(ledger->Spend(dear).error().code, Code::kQuota);
}

// Written by the first program: an import's worth of charges, and a smaller limit at the end.
TEST_F(WaysForward, ReadsLedgersOfFormat1) {
  Bring("ledger_format_1.db");
  EXPECT_EQ(Open().error().code, Code::kLedger) << "it never had a witness";
  ASSERT_TRUE(Adopt().ok());
  const auto ledger = *Open();
  EXPECT_EQ(ledger->charges(), 2u);
  EXPECT_EQ(ledger->Spent().epsilon, E("13/30"));
  EXPECT_EQ(ledger->budget(), Pure("3/2"));
  EXPECT_EQ(ledger->last_import(), 1u);
  // Its sets number people as one import did; the registry begins later, and numbers others.
  ASSERT_TRUE(ledger->People().ok());
  EXPECT_FALSE(ledger->Touched(1)->has_value());
  const PeopleAccounts accounts = *ledger->Accounts();
  EXPECT_EQ(accounts.everyone.Amount(), Rational(13, 30));
  EXPECT_EQ(accounts.balances, PersonBalances());
  EXPECT_TRUE(ledger->Spend(Ask("1/10")).ok());
  EXPECT_TRUE(ledger->Verify().ok());
}

// With records of every kind: 1,030 charges, two imports of five people, a smaller limit and a
// larger one, an adoption and a recovery.
TEST_F(WaysForward, ReadsLedgersOfFormat2) {
  Bring("ledger_format_2.db");
  ASSERT_TRUE(Adopt().ok());
  const auto ledger = *Open();
  EXPECT_EQ(ledger->charges(), 1031u);
  EXPECT_EQ(ledger->Spent().epsilon, E("12.03"));
  EXPECT_EQ(ledger->Spent().delta, D("5.0103e-7"));
  EXPECT_EQ(ledger->budget().epsilon(), E("11"));
  EXPECT_EQ(ledger->last_import(), 2u);
  EXPECT_EQ(ledger->RegionsOf(1).size(), 2u);
  EXPECT_EQ(ledger->declarations().size(), 2u);
  EXPECT_EQ(ledger->marks().size(), 3u);
  EXPECT_EQ(ledger->People()->Find("4").has_value(), true);
  EXPECT_EQ((*ledger->Touched(8))->size(), 3u);
  EXPECT_TRUE(ledger->Verify().ok());
}

// With classes: five people without one, then three of them in F, a raise, and one more in F; four
// charges, each narrowed to those who could pay.
TEST_F(WaysForward, ReadsLedgersOfFormat3) {
  Bring("ledger_format_3.db");
  ASSERT_TRUE(Adopt().ok());
  const auto ledger = *Open();
  EXPECT_EQ(ledger->charges(), 4u);
  EXPECT_EQ(ledger->budget(), Pure("1"));
  EXPECT_EQ(ledger->class_limits(),
            (std::vector<ClassLimit>{{.name = "", .epsilon = E("3"), .rho = {}},
                                     {.name = "F", .epsilon = E("1"), .rho = {}}}));
  const PersonRegistry people = *ledger->People();
  const PeopleAccounts accounts = *ledger->Accounts();
  for (const auto& [key, spent, limit] :
       {std::tuple("1", 1, 1), std::tuple("2", 1, 1), std::tuple("3", 1, 1), std::tuple("4", 3, 1),
        std::tuple("5", 3, 3)}) {
    const uint32_t person = *people.Find(key);
    EXPECT_EQ(accounts.balances.Of(person).Amount(), Rational(spent)) << key;
    for (const LimitShare& share : accounts.shares) {
      if (!share.people.Contains(person)) continue;
      EXPECT_EQ(share.limit.Amount(), Rational(limit)) << key;
    }
  }
  EXPECT_TRUE(ledger->Verify().ok());
}

}  // namespace
}  // namespace tacet
