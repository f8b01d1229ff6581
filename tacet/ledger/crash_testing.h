// SPDX-License-Identifier: Apache-2.0
// A ledger and its witness, to be copied, brought back and compared.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tacet/ledger/ledger.h"
#include "tacet/ledger/sync_testing.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {

inline constexpr int kChargesPerCheckpoint = 1024;

inline Epsilon E(const char* text) { return *Epsilon::Create(*Rational::Parse(text)); }
inline Budget Pure(const char* epsilon) { return *Budget::Pure(E(epsilon)); }

inline SpendRequest Ask(const char* epsilon, std::string region = {}) {
  return {.analyst = "ada",
          .statement = "SELECT 1",
          .plan = "plan",
          .cost = {.epsilon = E(epsilon)},
          .reach = {.data_version = 1, .region = std::move(region)}};
}

inline std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  std::filesystem::permissions(path, std::filesystem::perms(0600));
}

// Everything that decides about charges, and how many records of each kind there are.
struct View {
  Rational spent;
  Rational limit;
  uint64_t charges = 0;
  uint64_t last_import = 0;
  std::vector<std::pair<std::string, Rational>> spent_without;  // by region of the last import
  std::vector<DeclarationRecord> declarations;
  std::vector<std::string> marks;

  friend bool operator==(const View& a, const View& b) = default;
};

inline View ViewOf(const Ledger& ledger) {
  View view{.spent = ledger.Spent().epsilon.value(),
            .limit = ledger.budget().epsilon().value(),
            .charges = ledger.charges(),
            .last_import = ledger.last_import(),
            .spent_without = {},
            .declarations = ledger.declarations(),
            .marks = {}};
  for (const KnownRegion& region : ledger.RegionsOf(1)) {
    const Cost others = ledger.Spent({.data_version = 1, .disjoint = {region.number}});
    view.spent_without.emplace_back(region.reach.region, others.epsilon.value());
  }
  for (const MarkRecord& mark : ledger.marks()) view.marks.push_back(mark.reason);
  return view;
}

inline std::array<int, std::variant_size_v<Record>> CountKinds(const Ledger& ledger) {
  std::array<int, std::variant_size_v<Record>> counts = {};
  EXPECT_TRUE(ledger
                  .ForEach([&](uint64_t, const Record& record) -> Status {
                    ++counts[record.index()];
                    return {};
                  })
                  .ok());
  return counts;
}

class CrashStates : public ::testing::Test {
 protected:
  CrashStates() { syncs_do_nothing = true; }
  ~CrashStates() override { syncs_do_nothing = false; }

  Result<std::unique_ptr<Ledger>> Create(const char* epsilon = "1") {
    return Ledger::Create(place_, Pure(epsilon), clock_, kNoWait);
  }
  Result<std::unique_ptr<Ledger>> Open() { return Ledger::Open(place_, clock_, kNoWait); }
  std::string File() const { return place_.folder + "/ledger.db"; }

  void StartAgain() {
    std::filesystem::remove_all(place_.folder);
    std::filesystem::remove_all(place_.witness_folder);
  }
  // The folder and the witnesses, as they are now.
  void CopyTo(const std::string& name) const {
    const std::string copy = parent_.path() + "/" + name;
    std::filesystem::create_directory(copy);
    std::filesystem::copy(place_.folder, copy + "/folder");
    std::filesystem::copy(place_.witness_folder, copy + "/witnesses");
  }
  void BringBack(const std::string& name) {
    StartAgain();
    BringBackFolder(name);
    std::filesystem::copy(parent_.path() + "/" + name + "/witnesses", place_.witness_folder);
  }
  void BringBackFolder(const std::string& name) {
    std::filesystem::remove_all(place_.folder);
    std::filesystem::copy(parent_.path() + "/" + name + "/folder", place_.folder);
  }

  // A record of every kind but a checkpoint, and several regions.
  void LiveALittle(Ledger& ledger) {
    Charge first = *ledger.Spend(Ask("1/100", "F"));
    EXPECT_TRUE(ledger.Narrow(first, PersonSet::FirstPeople(40)).ok());
    EXPECT_TRUE(ledger.Spend(Ask("1/50", "M")).ok());
    EXPECT_TRUE(RecordNextImport(ledger, 30, {{"study", PersonSet::FirstPeople(9)}}).ok());
    EXPECT_TRUE(ledger
                    .ApplyClassLimits({{.name = "", .epsilon = E("1"), .rho = {}},
                                       {.name = "study", .epsilon = E("9/10"), .rho = {}}})
                    .ok());
    EXPECT_TRUE(ledger.ApplyBudget(Pure("9/10")).ok());
    EXPECT_TRUE(ledger.Raise(Pure("2"), "a larger study").ok());
    Charge last = *ledger.Spend(Ask("1/100"));
    EXPECT_TRUE(ledger.Narrow(last, PersonSet::FirstPeople(3)).ok());
    EXPECT_TRUE(ledger.Flush().ok());
  }
  Status RecordNextImport(Ledger& ledger, int new_people, const Ledger::Classes& classes = {}) {
    TACET_TRY(PersonRegistry people, ledger.People());
    for (int i = 0; i < new_people; ++i) {
      TACET_TRY(const uint32_t number, people.FindOrAdd(std::to_string(people.size())));
      static_cast<void>(number);
    }
    const uint64_t number = ledger.last_import() + 1;
    const std::string table = "table" + std::to_string(number);
    return ledger.RecordImport(
        number, {{.time = clock_.Now(), .table = table, .source = "csv", .person = "id"}}, people,
        classes);
  }

  static constexpr LedgerOptions kNoWait{.lock_wait = std::chrono::milliseconds(0)};
  testing::TemporaryFolder parent_;
  LedgerPlace place_{.folder = parent_.path() + "/.tacet",
                     .witness_folder = parent_.path() + "/state"};
  testing::FakeClock clock_;
  const uint64_t seed_ = testing::RotatingSeed();
  std::mt19937_64 random_{seed_};
};

}  // namespace tacet
