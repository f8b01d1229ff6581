// SPDX-License-Identifier: Apache-2.0
// What the tests of losses share: a small project on disk, with a clock and a coin of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/owner.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {

// One table, `people`, with a row a person. Every query costs epsilon 1/4.
class DiskProject {
 public:
  explicit DiskProject(const std::string& budget = "epsilon = \"1\"") {
    Declare(budget);
    WritePeople({"1,40", "2,50", "3,60"});
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string state_folder() const { return path(".tacet"); }
  std::string ledger_path() const { return path(".tacet/ledger.db"); }
  testing::FakeClock& clock() { return clock_; }

  void Declare(const std::string& budget, const std::string& table = "people",
               const std::string& person = "id") const {
    std::ofstream(path("tacet.toml"))
        << "[budget]\n"
        << budget << "\n[query]\nepsilon = \"1/4\"\n[tables." << table
        << "]\nsource = \"people.csv\"\nperson = \"" << person
        << "\"\nrows_per_person = 1\n[tables." << table
        << ".columns]\nage = { type = \"integer\", range = [0, 99] }\n";
  }
  void WritePeople(const std::vector<std::string>& lines) const {
    std::ofstream file(path("people.csv"));
    file << "id,age\n";
    for (const std::string& line : lines) file << line << "\n";
  }

  // As the catalog is now.
  Project project() const {
    SystemFileSystem files;
    const Result<Project> opened = OpenProject(files, path("tacet.toml"));
    TACET_CHECK(opened.ok());
    return *opened;
  }
  Services services() {
    return {.clock = clock_, .entropy = entropy_, .lock_wait = std::chrono::milliseconds(0)};
  }

  Status Import() {
    const Result<ImportReport> report = RunImport(project(), services(), {});
    return report.ok() ? Status() : Status(report.error());
  }
  Status Ask(const std::string& analyst = "owner", const std::string& from = "people") {
    const QueryOutcome outcome = Query(
        project(), {.statement = "SELECT count(*) FROM " + from, .analyst = analyst}, services());
    return outcome.result.ok() ? Status() : Status(outcome.result.error());
  }
  // What was spent, and what is left. Fails the test and returns nothing spent if that is refused.
  Rational Spent() { return Report().spent.epsilon.value(); }
  Rational Left() { return Report().remaining.epsilon.value(); }
  BudgetReport Report() {
    const Result<BudgetReport> report = ReportBudget(project(), services());
    EXPECT_TRUE(report.ok()) << report.error().message;
    if (report.ok()) return *report;
    return {.limit = *BudgetOf(project().catalog),
            .spent = {},
            .remaining = {},
            .counting = {},
            .marks = {}};
  }

  // Copies of all that is in .tacet, as a backup would have it.
  void KeepState(const std::string& name) const { Copy(state_folder(), path(name)); }
  void BringBackState(const std::string& name) const {
    std::filesystem::remove_all(state_folder());
    Copy(path(name), state_folder());
  }
  static void Copy(const std::string& from, const std::string& to) {
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
    // Copies have the user's usual modes.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(to)) {
      std::filesystem::permissions(entry.path(), entry.is_directory()
                                                     ? std::filesystem::perms::owner_all
                                                     : std::filesystem::perms(0600));
    }
    std::filesystem::permissions(to, std::filesystem::perms::owner_all);
  }

  // What is kept outside of projects on this machine: witnesses and the index of catalogs.
  static void LoseWitnesses() {
    for (const auto& entry : std::filesystem::directory_iterator(std::getenv("TACET_STATE_DIR"))) {
      std::filesystem::remove_all(entry.path());
    }
  }

 private:
  testing::TemporaryFolder folder_;
  testing::FakeClock clock_{Time(std::chrono::hours(24 * 365 * 50))};
  testing::SeededEntropy entropy_{1};
};

}  // namespace tacet
