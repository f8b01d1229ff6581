// SPDX-License-Identifier: Apache-2.0
// The ledger cannot forget: whatever a crash or a failing disk leaves behind, it opens with all
// that was ever returned, or it is refused and there is a way forward.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tacet/ledger/crash_testing.h"
#include "tacet/testing/faulty_vfs.h"

namespace tacet {
namespace {

using ::tacet::testing::FaultyVfs;

// What is done to a ledger that was copied to `start`, with a fault at each of its operations in
// turn, those of opening and closing it included.
class CrashStatesFault
    : public CrashStates,
      public ::testing::WithParamInterface<std::pair<const char*, void (FaultyVfs::*)(int)>> {
 protected:
  using Act = std::function<Status()>;
  // After each fault: `check`, told whether the act had returned.
  void AtEveryOperation(const Act& act, const std::function<void(bool)>& check) {
    const auto [name, plan] = GetParam();
    int failures = 0;
    for (int n = 1;; ++n) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(n));
      BringBack("start");
      FaultyVfs vfs;
      (vfs.*plan)(n);
      const Status acted = act();
      const bool was_reached = vfs.operations() >= n;
      if (!acted.ok()) ++failures;
      if (plan == &FaultyVfs::StopAt) vfs.LoseUnsynced(random_);
      vfs.Heal();
      check(acted.ok());
      if (HasFatalFailure()) return;
      if (!was_reached) {
        EXPECT_TRUE(acted.ok()) << acted.error().message << acted.error().detail;
        break;
      }
      ASSERT_LT(n, 1000);
    }
    EXPECT_GE(failures, 1);
  }
  // An act on an open ledger is there whole if it returned, and else whole or not at all.
  void WholeOrNotAtAll(const std::function<Status(Ledger&)>& act) {
    const Act open_and_act = [&]() -> Status {
      TACET_TRY(const std::unique_ptr<Ledger> ledger, Open());
      return act(*ledger);
    };
    BringBack("start");
    const View before = ViewOf(**Open());
    const auto kinds_before = CountKinds(**Open());
    ASSERT_TRUE(open_and_act().ok());
    const View after = ViewOf(**Open());
    const auto kinds_after = CountKinds(**Open());
    ASSERT_NE(kinds_before, kinds_after);
    AtEveryOperation(open_and_act, [&](bool was_returned) {
      const auto ledger = Open();
      ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
      const Status verified = (*ledger)->Verify();
      EXPECT_TRUE(verified.ok()) << verified.error().message << verified.error().detail;
      const bool is_there = CountKinds(**ledger) == kinds_after;
      EXPECT_TRUE(is_there || (!was_returned && CountKinds(**ledger) == kinds_before));
      EXPECT_TRUE(ViewOf(**ledger) == (is_there ? after : before));
      EXPECT_TRUE((*ledger)->Spend(Ask("1/1000")).ok()) << "it goes on";
    });
  }
  void Start() {
    const auto ledger = Create();
    ASSERT_TRUE(ledger.ok());
    LiveALittle(**ledger);
  }
  // Puts aside what was made so far and begins the test.
  void StartHere() { CopyTo("start"); }
};

TEST_P(CrashStatesFault, AtEveryOperationOfAChargeWithACheckpoint) {
  {
    const auto ledger = *Create("100");
    while (ledger->charges() + 1 < kChargesPerCheckpoint) {
      ASSERT_TRUE(ledger->Spend(Ask("1/100", "F")).ok());
    }
    EXPECT_EQ(CountKinds(*ledger)[kCheckpointKind - 1], 0);
  }
  StartHere();
  WholeOrNotAtAll([](Ledger& ledger) -> Status {
    TACET_TRY(const Charge charge, ledger.Spend(Ask("1/10", "M")));
    EXPECT_EQ(charge.number(), uint64_t{kChargesPerCheckpoint});
    EXPECT_EQ(CountKinds(ledger)[kCheckpointKind - 1], 1);
    return {};
  });
}

TEST_P(CrashStatesFault, AtEveryOperationOfAnImport) {
  Start();
  StartHere();
  WholeOrNotAtAll([this](Ledger& ledger) { return RecordNextImport(ledger, 500); });
}

TEST_P(CrashStatesFault, AtEveryOperationOfARaise) {
  Start();
  StartHere();
  WholeOrNotAtAll([](Ledger& ledger) { return ledger.Raise(Pure("5"), "more"); });
}

TEST_P(CrashStatesFault, AtEveryOperationOfASmallerBudget) {
  Start();
  StartHere();
  WholeOrNotAtAll([](Ledger& ledger) { return ledger.ApplyBudget(Pure("1")); });
}

TEST_P(CrashStatesFault, AtEveryOperationOfANarrowing) {
  Start();
  StartHere();
  const Rational before = ViewOf(**Open()).spent;
  AtEveryOperation(
      [this]() -> Status {
        TACET_TRY(const std::unique_ptr<Ledger> ledger, Open());
        TACET_TRY(Charge charge, ledger->Spend(Ask("1/10")));
        TACET_RETURN_IF_ERROR(ledger->Narrow(charge, PersonSet::FirstPeople(2000)));
        return ledger->Flush();
      },
      [&](bool was_returned) {
        const auto ledger = Open();
        ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
        EXPECT_TRUE((*ledger)->Verify().ok());
        const bool is_charged = (*ledger)->charges() == 4;
        EXPECT_TRUE(is_charged || !was_returned);
        EXPECT_EQ((*ledger)->Spent().epsilon.value(),
                  is_charged ? before + Rational(1, 10) : before);
        if (!is_charged) return;
        const auto touched = (*ledger)->Touched(4);
        ASSERT_TRUE(touched.ok());
        EXPECT_TRUE(touched->has_value() || !was_returned);
        if (touched->has_value()) {
          EXPECT_TRUE(**touched == PersonSet::FirstPeople(2000));
        }
      });
}

TEST_P(CrashStatesFault, AtEveryOperationOfAnAdoption) {
  Start();
  StartHere();
  const View before = ViewOf(**Open());
  std::filesystem::remove_all(parent_.path() + "/start/witnesses");
  std::filesystem::create_directory(parent_.path() + "/start/witnesses",
                                    parent_.path() + "/start/folder");
  const auto adopt = [this] { return Ledger::Adopt(place_, "lost", clock_, kNoWait); };
  AtEveryOperation(
      [&]() -> Status {
        TACET_TRY(const std::unique_ptr<Ledger> ledger, adopt());
        return {};
      },
      [&](bool was_returned) {
        auto ledger = Open();
        EXPECT_TRUE(ledger.ok() || !was_returned);
        if (!ledger.ok()) {
          EXPECT_EQ(ledger.error().code, Code::kLedger);
          ledger = adopt();
        }
        ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
        EXPECT_TRUE((*ledger)->Verify().ok());
        View now = ViewOf(**ledger);
        EXPECT_GE(now.marks.size(), 1u) << "not without a mark";
        now.marks.clear();
        EXPECT_TRUE(now == before);
      });
}

// Nobody has anything left after a recovery, and none that was stopped gives anything back.
class CrashStatesOfRecovery : public CrashStatesFault {
 protected:
  void RecoverAtEveryOperation(const std::string& dataset_id) {
    const auto recover = [&] {
      return Ledger::Recover(place_,
                             {.budget = Pure("1"), .dataset_id = dataset_id, .reason = "lost"},
                             clock_, kNoWait);
    };
    AtEveryOperation(
        [&]() -> Status {
          TACET_TRY(const std::unique_ptr<Ledger> ledger, recover());
          return {};
        },
        [&](bool was_returned) {
          auto ledger = Open();
          EXPECT_TRUE(ledger.ok() || !was_returned);
          if (!ledger.ok()) {
            EXPECT_EQ(ledger.error().code, Code::kLedger);
            ledger = recover();
          }
          ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
          EXPECT_TRUE((*ledger)->Verify().ok());
          EXPECT_GE(ViewOf(**ledger).marks.size(), 1u);
          EXPECT_TRUE((*ledger)->Remaining().epsilon.is_zero());
          EXPECT_FALSE((*ledger)->Spend(Ask("1/1000")).ok());
        });
  }
};

TEST_P(CrashStatesOfRecovery, AtEveryOperationAfterARollback) {
  Start();
  CopyTo("older");
  EXPECT_TRUE((*Open())->Spend(Ask("1/10")).ok());
  BringBackFolder("older");
  StartHere();
  RecoverAtEveryOperation({});
}

TEST_P(CrashStatesOfRecovery, AtEveryOperationAfterDamage) {
  Start();
  const std::string dataset_id = (*Open())->dataset_id();
  WriteAll(File(), ReadAll(File()).substr(0, 5000));
  StartHere();
  RecoverAtEveryOperation(dataset_id);
}

TEST_P(CrashStatesOfRecovery, AtEveryOperationAfterALoss) {
  Start();
  const std::string dataset_id = (*Open())->dataset_id();
  std::filesystem::remove(File());
  StartHere();
  RecoverAtEveryOperation(dataset_id);
}

constexpr auto kFails = std::pair("fails", &FaultyVfs::FailAt);
constexpr auto kIsShort = std::pair("is short", &FaultyVfs::ShortWriteAt);
constexpr auto kStops = std::pair("stops", &FaultyVfs::StopAt);
INSTANTIATE_TEST_SUITE_P(Each, CrashStatesFault, ::testing::Values(kFails, kIsShort, kStops));
INSTANTIATE_TEST_SUITE_P(Each, CrashStatesOfRecovery, ::testing::Values(kFails, kIsShort, kStops));

// After a recovery nobody has anything left, also where what was spent on all together is more than
// one person may be charged.
TEST_F(CrashStates, ARecoveryUsesUpThoseWhomNoChargeHadMet) {
  auto ledger = *Create();
  CopyTo("older");
  ASSERT_TRUE(ledger->Spend(Ask("1", "F")).ok());
  SpendRequest other = Ask("1", "M");
  other.disjoint = {1};
  ASSERT_TRUE(ledger->Spend(other).ok());
  ledger.reset();
  const Ledger::Recovery recovery{
      .budget = Pure("1"), .dataset_id = {}, .reason = "lost", .is_known_behind = true};
  ledger = *Ledger::Recover(place_, recovery, clock_, kNoWait);
  SpendRequest third = Ask("1/10", "X");
  third.disjoint = {1, 2};
  EXPECT_FALSE(ledger->Spend(third).ok());
}

// The copy that a recovery began but did not finish does not make an older one believable.
TEST_F(CrashStates, ARecoveryThatStopsDoesNotForgetHowFarTheLedgerHadCome) {
  auto ledger = *Create();
  const std::string dataset_id = ledger->dataset_id();
  ledger.reset();
  CopyTo("older");
  ASSERT_TRUE((*Open())->Spend(Ask("1/2")).ok());
  std::filesystem::remove(File());
  FaultyVfs vfs;
  for (int n = 1; n < 1000; ++n) {
    SCOPED_TRACE(n);
    vfs.StopAt(n);
    const auto recovered = Ledger::Recover(
        place_, {.budget = Pure("1"), .dataset_id = dataset_id, .reason = "lost"}, clock_, kNoWait);
    if (recovered.ok()) break;
    vfs.Heal();
    BringBackFolder("older");
    EXPECT_FALSE(Open().ok());
    std::filesystem::remove_all(place_.folder);
  }
  vfs.Heal();
}

// What the users of one ledger were told, and so may rely on for ever.
struct Told {
  Rational spent;  // what was there when it was last opened, and returned since then
  Rational asked;  // also what was asked for
  uint64_t last_import = 0;
  std::set<Rational> limits;    // one of these is in force
  std::set<std::string> plans;  // of the charges that were returned
};

class RandomLives : public CrashStates {
 protected:
  // Does something at random. What fails ends the life, and whoever asked knows nothing.
  Status DoSomething(Ledger& ledger) {
    switch (random_() % 10) {
      case 0:
        TACET_RETURN_IF_ERROR(RecordNextImport(ledger, static_cast<int>(random_() % 300)));
        told_.last_import = ledger.last_import();
        return {};
      case 1:
        return SetLimit(Rational(static_cast<int64_t>(500 + random_() % 500)), [&](Budget budget) {
          const bool is_smaller = budget.IsWithin(ledger.budget());
          return is_smaller ? ledger.ApplyBudget(budget) : ledger.Raise(budget, "more");
        });
      case 2:
        return ledger.Flush();
      default:
        return Spend(ledger);
    }
  }
  Status SetLimit(const Rational& epsilon, const std::function<Status(Budget)>& set) {
    if (told_.limits.contains(epsilon)) return {};
    told_.limits.insert(epsilon);
    TACET_RETURN_IF_ERROR(set(*Budget::Pure(*Epsilon::Create(epsilon))));
    told_.limits = {epsilon};
    return {};
  }
  Status Spend(Ledger& ledger) {
    SpendRequest request = Ask("1/7", std::string(1, static_cast<char>('A' + random_() % 4)));
    request.plan = std::to_string(++last_plan_) + std::string(random_() % 3 * 3000, 'p');
    request.cost.epsilon = *Epsilon::Create(Rational(static_cast<int64_t>(1 + random_() % 9), 100));
    told_.asked += request.cost.epsilon.value();
    TACET_TRY(Charge charge, ledger.Spend(request));
    told_.spent += request.cost.epsilon.value();
    told_.plans.insert(request.plan);
    if (random_() % 2 == 0) return {};
    return ledger.Narrow(charge, PersonSet::FirstPeople(static_cast<uint32_t>(random_() % 3000)));
  }
  // Whether `ledger` is one that does justice to what was told.
  void Check(Ledger& ledger) {
    const Status verified = ledger.Verify();
    EXPECT_TRUE(verified.ok()) << verified.error().message << verified.error().detail;
    const Rational spent = ledger.Spent().epsilon.value();
    EXPECT_GE(spent, told_.spent);
    EXPECT_LE(spent, told_.asked);
    EXPECT_GE(ledger.last_import(), told_.last_import);
    EXPECT_TRUE(told_.limits.contains(ledger.budget().epsilon().value()));
    const auto charges = ledger.Charges();
    ASSERT_TRUE(charges.ok());
    std::set<std::string> plans;
    Rational sum;
    std::map<std::string, Rational> sum_by_region;
    for (const ChargeRecord& charge : *charges) {
      plans.insert(charge.plan);
      sum += charge.cost.epsilon.value();
      sum_by_region[charge.reach.region] += charge.cost.epsilon.value();
    }
    EXPECT_TRUE(std::includes(plans.begin(), plans.end(), told_.plans.begin(), told_.plans.end()));
    EXPECT_EQ(sum, spent);
    for (const KnownRegion& region : ledger.RegionsOf(1)) {
      const Cost others = ledger.Spent({.data_version = 1, .disjoint = {region.number}});
      EXPECT_EQ(others.epsilon.value() + sum_by_region[region.reach.region], spent);
    }
    // Whoever looks now may rely on what is seen.
    told_ = {.spent = spent,
             .asked = spent,
             .last_import = ledger.last_import(),
             .limits = {ledger.budget().epsilon().value()},
             .plans = std::move(plans)};
  }

  Told told_;
  uint64_t last_plan_ = 0;
};

TEST_F(RandomLives, LoseNothingThatWasReturnedWhenThePowerGoes) {
  SCOPED_TRACE(seed_);
  const int states = testing::Soaking() ? 100'000 : 1'000;
  constexpr int kLivesOfALedger = 20;
  constexpr unsigned kOperationsMax = 80;
  std::optional<FaultyVfs> vfs;
  std::string witness_path;
  int adopted = 0;
  uint64_t returned = 0;
  for (int state = 0; state < states && !HasFailure(); ++state) {
    SCOPED_TRACE(state);
    if (state % kLivesOfALedger == 0) {
      StartAgain();
      vfs.reset();
      vfs.emplace();
      const auto begun = Create("400");
      ASSERT_TRUE(begun.ok());
      witness_path = (*begun)->witness_path();
      told_ = {};
      told_.limits = {Rational(400)};
    }
    const std::string witness = ReadAll(witness_path);
    {
      vfs->StopAt(static_cast<int>(1 + random_() % kOperationsMax));
      auto ledger = Open();
      for (int i = 0; ledger.ok() && i < 12; ++i) {
        if (!DoSomething(**ledger).ok()) break;
        if (random_() % 8 == 0) {
          ledger->reset();
          ledger = Open();
        }
      }
      returned += told_.plans.size();
    }
    vfs->LoseUnsynced(random_);
    vfs->Heal();
    // The witness is synced only now and then: an older one may be found, or half of a line.
    const std::string newest = ReadAll(witness_path);
    const uint64_t fate = random_() % 8;
    if (fate < 3) WriteAll(witness_path, witness);
    if (fate == 3) WriteAll(witness_path, newest.substr(0, random_() % newest.size()));
    auto ledger = Open();
    if (fate == 3 && !ledger.ok()) {
      EXPECT_EQ(ledger.error().code, Code::kLedger);
      ledger = Ledger::Adopt(place_, "half of the witness is lost", clock_, kNoWait);
      ++adopted;
    }
    ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    Check(**ledger);
  }
  EXPECT_GT(adopted, 0);
  EXPECT_GT(returned, static_cast<uint64_t>(states));
}

}  // namespace
}  // namespace tacet
