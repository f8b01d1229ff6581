// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/ledger.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>
#include <type_traits>

#include "tacet/base/private_path.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

static_assert(!std::is_default_constructible_v<Charge> && !std::is_copy_constructible_v<Charge>,
              "a charge is evidence: only a ledger makes one, and there is one of each");

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }

SpendRequest Ask(const char* epsilon, const char* plan = "plan") {
  return {.analyst = "ada", .statement = "SELECT 1", .plan = plan, .cost = {.epsilon = E(epsilon)}};
}

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> Create(const Budget& budget) {
    Result<std::unique_ptr<Ledger>> ledger = Ledger::Create(place_, budget, clock_, kNoWait);
    EXPECT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    return *std::move(ledger);
  }
  std::unique_ptr<Ledger> Create(const char* epsilon) { return Create(*Budget::Pure(E(epsilon))); }
  Result<std::unique_ptr<Ledger>> Open() { return Ledger::Open(place_, clock_, kNoWait); }
  std::string File() const { return folder_ + "/ledger.db"; }

  static constexpr LedgerOptions kNoWait{.lock_wait = std::chrono::milliseconds(0)};
  testing::TemporaryFolder parent_;
  std::string folder_ = parent_.path() + "/.tacet";
  LedgerPlace place_{.folder = folder_, .witness_folder = parent_.path() + "/state"};
  testing::FakeClock clock_;
};

TEST_F(LedgerTest, ExactSumsAreAdmittedAndNoMore) {
  const auto ledger = Create("1");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ledger->Spend(Ask("1/3")).ok());
  const Result<Charge> refused = ledger->Spend(Ask("1/3"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_EQ(ledger->Spent().epsilon, E("1"));
  EXPECT_EQ(ledger->Charges()->size(), 3u) << "a refusal leaves nothing behind";
}

TEST_F(LedgerTest, APreviewSaysWhatASpendWouldLeaveAndSpendsNothing) {
  const auto ledger = Create("1");
  EXPECT_EQ(ledger->Preview(Ask("1/4"))->remaining.epsilon, E("3/4"));
  EXPECT_EQ(ledger->Preview(Ask("1"))->remaining.epsilon, E("0"));
  EXPECT_EQ(ledger->Preview(Ask("5/4")).error().code, Code::kBudget);
  SpendRequest request = Ask("1/4");
  request.quota = E("1/5");
  EXPECT_EQ(ledger->Preview(request).error().code, Code::kQuota);
  request.plan.clear();
  EXPECT_EQ(ledger->Preview(request).error().code, Code::kUsage);
  EXPECT_EQ(ledger->Charges()->size(), 0u);
  ASSERT_TRUE(ledger->Spend(Ask("1/4")).ok());
  EXPECT_EQ(ledger->Remaining().epsilon, E("3/4"));
  EXPECT_EQ(ledger->Preview(Ask("1/4"))->remaining.epsilon, E("1/2"));
}

TEST_F(LedgerTest, ReopeningKeepsAll) {
  std::string id;
  {
    const auto ledger = Create("1");
    id = ledger->dataset_id();
    EXPECT_EQ(id.size(), 32u);
    clock_.Set(Time(std::chrono::seconds(1000)));
    SpendRequest request = Ask("1/4", "first");
    request.cost.rho = *Rho::Create(Rational(1, 32));
    request.reach = {.data_version = 7};
    EXPECT_EQ(ledger->Spend(request)->number(), 1u);
  }
  for (int round = 0; round < 3; ++round) {
    const auto ledger = *Open();
    EXPECT_EQ(ledger->dataset_id(), id);
    EXPECT_EQ(ledger->Spend(Ask("1/4"))->number(), static_cast<uint64_t>(round + 2));
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->Spent().epsilon, E("1"));
  EXPECT_FALSE(ledger->Spend(Ask("1e-9")).ok());
  const auto charges = *ledger->Charges();
  ASSERT_EQ(charges.size(), 4u);
  EXPECT_EQ(charges[0].analyst, "ada");
  EXPECT_EQ(charges[0].plan, "first");
  EXPECT_EQ(charges[0].statement, Sha256("SELECT 1"));
  EXPECT_EQ(charges[0].cost.epsilon, E("1/4"));
  EXPECT_EQ(charges[0].cost.rho.value(), Rational(1, 32));
  EXPECT_EQ(charges[0].reach.data_version, 7u);
  EXPECT_EQ(charges[0].time, Time(std::chrono::seconds(1000)));
}

TEST_F(LedgerTest, TheClockDecidesNothing) {
  const auto ledger = Create("1");
  EXPECT_TRUE(ledger->Spend(Ask("1")).ok());
  clock_.Advance(std::chrono::hours(24 * 3650));
  EXPECT_FALSE(ledger->Spend(Ask("1e-9")).ok());
  clock_.Set(Time{} - std::chrono::hours(24 * 3650));
  EXPECT_FALSE(ledger->Spend(Ask("1e-9")).ok());
}

TEST_F(LedgerTest, IsNeverBegunQuietly) {
  EXPECT_EQ(Open().error().code, Code::kLedger) << "no folder";
  EXPECT_FALSE(std::filesystem::exists(folder_));
  std::filesystem::create_directory(folder_);
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
  const auto missing = Open();
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::kLedger);
  EXPECT_FALSE(std::filesystem::exists(File()));
  ASSERT_TRUE(Create("1")->Spend(Ask("1")).ok());
  std::filesystem::remove(File());
  EXPECT_EQ(Open().error().code, Code::kLedger);
}

TEST_F(LedgerTest, IsBegunOnce) {
  ASSERT_TRUE(Create("1")->Spend(Ask("1")).ok());
  const auto again = Ledger::Create(place_, *Budget::Pure(E("5")), clock_, kNoWait);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, Code::kLedger);
  EXPECT_EQ((*Open())->Spent().epsilon, E("1"));
  // What a deleted ledger leaves is a reason to stop, too.
  std::filesystem::rename(File(), File() + "-wal");
  EXPECT_FALSE(Ledger::Create(place_, *Budget::Pure(E("5")), clock_, kNoWait).ok());
}

TEST_F(LedgerTest, EveryLedgerIsAnother) {
  const auto ledger = Create("1");
  testing::TemporaryFolder elsewhere;
  const auto other = Ledger::Create({elsewhere.path(), place_.witness_folder},
                                    *Budget::Pure(E("1")), clock_, kNoWait);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(ledger->dataset_id(), (*other)->dataset_id());
  Charge charge = *ledger->Spend(Ask("1/2"));
  EXPECT_DEATH(static_cast<void>((*other)->Narrow(charge, {})), "dataset_id");
}

// A name that begins as an address does is a name all the same.
TEST_F(LedgerTest, PathsAreNoAddresses) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(parent_.path());
  std::filesystem::create_directory("file:x");
  const auto ledger = Ledger::Create({"file:x/.tacet", place_.witness_folder},
                                     *Budget::Pure(E("1")), clock_, kNoWait);
  std::filesystem::current_path(before);
  ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
  EXPECT_TRUE(std::filesystem::exists(parent_.path() + "/file:x/.tacet/ledger.db"));
}

// Whoever can write a whole chain must still not choose where files named after it go.
TEST_F(LedgerTest, TheIdOfADatasetIsHexadecimal) {
  for (const char* id : {"../../0123456789abcdef0123456789", "0123456789ABCDEF0123456789ABCDEF",
                         "0123456789abcdef", "0123456789abcdef0123456789abcdef0"}) {
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(MakePrivateFolder(folder_).ok());
    const StoredRecord opening = Encode(OpeningRecord{.time = {}, .dataset_id = id});
    const StoredRecord limit = Encode(ToRecord({}, *Budget::Pure(E("1"))));
    const Digest first = ChainHash({}, 1, opening);
    ASSERT_TRUE(
        Store::Create(File(), std::array{ChainedRecord{1, opening, first},
                                         ChainedRecord{2, limit, ChainHash(first, 2, limit)}})
            .ok());
    const auto opened = Open();
    ASSERT_FALSE(opened.ok()) << id;
    EXPECT_EQ(opened.error().code, Code::kLedger);
  }
}

TEST_F(LedgerTest, FilesAreForTheirOwnerAlone) {
  const mode_t mask = ::umask(0);
  auto ledger = Create("1");
  EXPECT_TRUE(ledger->Spend(Ask("1/2")).ok());
  ::umask(mask);
  EXPECT_TRUE(std::filesystem::exists(File() + "-wal"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0600)) << entry.path();
  }
  EXPECT_EQ(std::filesystem::status(folder_).permissions(), std::filesystem::perms(0700));
  ledger.reset();
  for (const std::string& path : {File(), folder_}) {
    const std::filesystem::perms before = std::filesystem::status(path).permissions();
    std::filesystem::permissions(path, before | std::filesystem::perms::group_read);
    const auto refused = Open();
    ASSERT_FALSE(refused.ok()) << path;
    EXPECT_EQ(refused.error().code, Code::kIo);
    EXPECT_NE(refused.error().hint.find("chmod"), std::string::npos);
    std::filesystem::permissions(path, before);
  }
  EXPECT_TRUE(Open().ok());
}

TEST_F(LedgerTest, OneProcessHoldsIt) {
  auto ledger = Create("1");
  const auto second = Open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::kLocked);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
  // Without our lock file SQLite's own lock still holds others off.
  std::filesystem::remove(folder_ + "/ledger.lock");
  const auto third = Open();
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, Code::kLocked);
  ledger.reset();
  EXPECT_TRUE(Open().ok());
}

TEST_F(LedgerTest, TheChildOfAForkMayNotUseIt) {
  const auto ledger = Create("1");
  // A death test runs in such a child.
  EXPECT_DEATH(static_cast<void>(ledger->Spend(Ask("1/2"))), "process_");
  EXPECT_TRUE(ledger->Spend(Ask("1/2")).ok());
}

TEST_F(LedgerTest, ThreadsGetExactlyWhatTheBudgetHolds) {
  const auto ledger = Create("1");
  std::atomic<int> admitted = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 4; ++j) {
        const Result<Charge> charge = ledger->Spend(Ask("1/23"));
        if (charge.ok()) {
          ++admitted;
        } else if (charge.error().code == Code::kBudget) {
          ++refused;
        }
        static_cast<void>(ledger->Remaining());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 23);
  EXPECT_EQ(refused, 64 - 23);
  EXPECT_EQ(ledger->Charges()->size(), 23u);
}

TEST_F(LedgerTest, RefusesRequestsThatMakeNoSense) {
  const auto ledger = Create("1");
  SpendRequest nobody = Ask("1/2");
  nobody.analyst.clear();
  SpendRequest somebody_long = Ask("1/2");
  somebody_long.analyst.assign(257, 'a');
  SpendRequest planless = Ask("1/2");
  planless.plan.clear();
  SpendRequest free = Ask("0");
  free.cost.rho = *Rho::Create(Rational(1));
  // A price that could never be read back.
  SpendRequest endless = Ask("1/2");
  endless.cost.rho = *Rho::Create(Rational::PowerOfTwo(5000));
  SpendRequest loud = Ask("1/2");
  loud.analyst = "ada\x1b[2J";
  SpendRequest cut = Ask("1/2");
  cut.analyst = std::string("ada\0bob", 7);
  for (const SpendRequest& request : {nobody, somebody_long, loud, cut, planless, free, endless}) {
    const Result<Charge> refused = ledger->Spend(request);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kUsage);
  }
  EXPECT_TRUE(ledger->Spent().epsilon.is_zero());
  EXPECT_TRUE(ledger->Spend(Ask("1/2")).ok());
}

TEST_F(LedgerTest, CostsOfManyDigitsAreRecordedRoundedUp) {
  const Rational exact = Rational(1, 10) + Rational::PowerOfTwo(-5000);
  {
    const auto ledger = Create("1");
    SpendRequest request = Ask("1/2");
    request.cost.epsilon = *Epsilon::Create(exact);
    const Result<Charge> charge = ledger->Spend(request);
    ASSERT_TRUE(charge.ok());
    EXPECT_GT(charge->cost().epsilon.value(), exact);
  }
  EXPECT_GT((*Open())->Spent().epsilon.value(), exact);
}

TEST_F(LedgerTest, KeepsConcentratedBudgets) {
  const Budget budget = *Budget::Approximate(E("1"), D("2e-6"), Rational(1, 2));
  SpendRequest request = Ask("1/10");
  request.cost = {.epsilon = E("1/10"), .delta = D("1e-7"), .rho = *Rho::Create(Rational(1, 200))};
  {
    const auto ledger = Create(budget);
    EXPECT_EQ(ledger->Spend(request)->cost(), request.cost);
    SpendRequest free = request;
    free.cost = {.epsilon = E("1/10")};
    EXPECT_EQ(ledger->Spend(free).error().code, Code::kUsage);
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->budget(), budget);
  EXPECT_EQ(ledger->Spent(), request.cost);
  EXPECT_EQ(ledger->Remaining().delta, D("9e-7"));
  EXPECT_LE(ledger->Remaining().rho.value(), budget.filter().rho.value() - Rational(1, 200));
}

TEST_F(LedgerTest, ASmallerCountOfTheSameBudgetAppliesToo) {
  const Budget budget = *Budget::Approximate(E("1"), D("2e-6"), Rational(1, 2));
  const Budget smaller = budget.AtMost(*Rho::Create(Rational(1, 1000)));
  {
    const auto ledger = Create(budget);
    EXPECT_TRUE(ledger->ApplyBudget(smaller).ok());
    EXPECT_EQ(ledger->budget(), smaller);
    EXPECT_TRUE(ledger->ApplyBudget(budget).ok()) << "declared alike; what was promised stays";
  }
  EXPECT_EQ((*Open())->budget(), smaller);
}

TEST_F(LedgerTest, ASmallerBudgetAppliesAtOnceAndStays) {
  {
    const auto ledger = Create("10");
    EXPECT_TRUE(ledger->Spend(Ask("2")).ok());
    EXPECT_TRUE(ledger->ApplyBudget(*Budget::Pure(E("10"))).ok()) << "the same";
    EXPECT_TRUE(ledger->ApplyBudget(*Budget::Pure(E("3"))).ok());
    EXPECT_FALSE(ledger->Spend(Ask("2")).ok());
    EXPECT_EQ(ledger->Remaining().epsilon, E("1"));
  }
  const auto ledger = *Open();
  EXPECT_EQ(ledger->budget().epsilon(), E("3"));
  for (const char* larger : {"4", "10"}) {
    const Status refused = ledger->ApplyBudget(*Budget::Pure(E(larger)));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kBudget);
    EXPECT_NE(refused.error().hint.find("ledger raise"), std::string::npos);
  }
  const Budget other = *Budget::Approximate(E("1"), D("1e-9"), Rational(1, 2));
  EXPECT_EQ(ledger->ApplyBudget(other).error().code, Code::kBudget);
  EXPECT_EQ(ledger->budget().epsilon(), E("3"));
  EXPECT_TRUE(ledger->ApplyBudget(*Budget::Pure(E("1"))).ok()) << "below what was spent";
  EXPECT_TRUE(ledger->Remaining().epsilon.is_zero());
  EXPECT_EQ(ledger->Spent().epsilon, E("2"));
}

TEST_F(LedgerTest, NarrowingIsAnAddition) {
  const PersonSet some = PersonSet::FirstPeople(1000);
  {
    const auto ledger = Create("1");
    ASSERT_TRUE(ledger->People().ok());
    Charge first = *ledger->Spend(Ask("1/4"));
    EXPECT_EQ(*ledger->Touched(1), std::nullopt) << "everyone";
    EXPECT_TRUE(ledger->Narrow(first, some).ok());
    EXPECT_TRUE(**ledger->Touched(1) == some) << "not written yet";
    Charge second = *ledger->Spend(Ask("1/4"));
    EXPECT_TRUE(**ledger->Touched(1) == some) << "written with the second";
    EXPECT_TRUE(ledger->Narrow(second, some).ok());
    EXPECT_TRUE(ledger->Flush().ok());
    EXPECT_TRUE(ledger->Flush().ok()) << "with nothing to write";
    Charge third = *ledger->Spend(Ask("1/4"));
    EXPECT_TRUE(ledger->Narrow(third, PersonSet()).ok());
    EXPECT_DEATH(static_cast<void>(ledger->Narrow(third, some)), "narrowed_");
    EXPECT_EQ(ledger->Spent().epsilon, E("3/4")) << "narrowing gives nothing back";
  }
  const auto ledger = *Open();
  EXPECT_TRUE(**ledger->Touched(1) == some);
  EXPECT_TRUE(**ledger->Touched(2) == some);
  EXPECT_TRUE((*ledger->Touched(3))->empty());
  EXPECT_EQ(ledger->Spent().epsilon, E("3/4"));
  EXPECT_DEATH(static_cast<void>(ledger->Touched(4)), "charges");
}

TEST_F(LedgerTest, AChargePaysForItsOwnPlanOnce) {
  const auto ledger = Create("10");
  const auto spend = [&] { return *ledger->Spend(Ask("1", "this plan")); };
  spend().Consume("this plan");
  Charge charge = spend();
  EXPECT_DEATH(std::move(charge).Consume("that plan"), "plan_");
  std::move(charge).Consume("this plan");
  EXPECT_DEATH(std::move(charge).Consume("this plan"), "was_used");
  Charge moved = spend();
  Charge here = std::move(moved);
  EXPECT_DEATH(std::move(moved).Consume("this plan"), "was_used");
  std::move(here).Consume("this plan");
}

}  // namespace
}  // namespace tacet
