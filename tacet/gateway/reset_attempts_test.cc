// SPDX-License-Identifier: Apache-2.0
// Ways to make a ledger forget, by accident or not. After each, what was spent is what it was or
// more, or nothing is answered and the error names the way forward; and that way leads on.
#include <gtest/gtest.h>

#include "tacet/gateway/disk_project_testing.h"
#include "tacet/gateway/ledger_work.h"

namespace tacet {
namespace {

constexpr char kReason[] = "a test";

// Everything that could spend or begin anew is refused with exit status 4 and a hint at `way`.
void ExpectClosed(DiskProject& project, const std::string& way) {
  const Result<BudgetReport> budget = ReportBudget(project.project(), project.services());
  for (const Status& status :
       {project.Ask(), project.Import(), budget.ok() ? Status() : Status(budget.error())}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(Info(status.error().code).exit_status, 4) << status.error().message;
    EXPECT_NE(status.error().hint.find("tacet ledger " + way), std::string::npos)
        << status.error().message << "\n"
        << status.error().hint;
  }
}

// Recovers, which leaves nothing for anybody; then a larger budget opens what it adds, and no more.
void ExpectRecoveryLeadsForward(DiskProject& project) {
  const Result<ForwardReport> recovered =
      RecoverLedger(project.project(), project.services(), kReason);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_GE(recovered->spent.epsilon.value(), Rational(1));
  EXPECT_EQ(recovered->remaining.epsilon.value(), Rational(0));
  ASSERT_TRUE(project.Import().ok());
  const Status refused = project.Ask();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kBudget) << refused.error().message;
  ASSERT_EQ(project.Report().marks.size(), 1u);
  EXPECT_EQ(project.Report().marks[0].reason, kReason);

  // A query costs 1/4.
  const Rational larger = recovered->spent.epsilon.value() + Rational(1, 4);
  project.Declare("epsilon = \"" + larger.ToString() + "\"");
  EXPECT_FALSE(project.Ask().ok()) << "the larger budget waits";
  ASSERT_TRUE(RaiseBudget(project.project(), project.services(), "go on").ok());
  EXPECT_TRUE(project.Ask().ok());
  EXPECT_FALSE(project.Ask().ok());
}

void Spend(DiskProject& project, int queries = 1) {
  for (int i = 0; i < queries; ++i) {
    const Status status = project.Ask();
    ASSERT_TRUE(status.ok()) << status.error().message << status.error().detail;
  }
}

void Begin(DiskProject& project, int queries) {
  const Status imported = project.Import();
  ASSERT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
  Spend(project, queries);
}

TEST(ResetAttempts, TheLedgerIsDeleted) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove(project.ledger_path());
  ExpectClosed(project, "recover");
  ExpectRecoveryLeadsForward(project);
}

TEST(ResetAttempts, TheLedgerIsDeletedAndTheIndexToo) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove(project.ledger_path());
  DiskProject::LoseWitnesses();
  ExpectClosed(project, "recover");
  ExpectRecoveryLeadsForward(project);
}

TEST(ResetAttempts, AllStateOfTheProjectIsDeleted) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove_all(project.state_folder());
  ExpectClosed(project, "recover");
  ExpectRecoveryLeadsForward(project);
}

TEST(ResetAttempts, AllStateIsDeletedAndTheCatalogRenamed) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove_all(project.state_folder());
  std::filesystem::rename(project.path("tacet.toml"), project.path("other.toml"));
  SystemFileSystem files;
  const Result<Project> renamed = OpenProject(files, project.path("other.toml"));
  ASSERT_TRUE(renamed.ok());
  const Result<ImportReport> refused = RunImport(*renamed, project.services(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kLedger) << refused.error().message;
}

TEST(ResetAttempts, AllStateIsDeletedAndTheCatalogBecomesALink) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove_all(project.state_folder());
  const testing::TemporaryFolder elsewhere;
  std::filesystem::copy(project.path("tacet.toml"), elsewhere.path() + "/tacet.toml");
  std::filesystem::remove(project.path("tacet.toml"));
  std::filesystem::create_symlink(elsewhere.path() + "/tacet.toml", project.path("tacet.toml"));
  ExpectClosed(project, "recover");
}

TEST(ResetAttempts, TheLedgerIsOverwritten) {
  DiskProject project;
  Begin(project, 2);
  std::ofstream(project.ledger_path()) << "nothing to see here";
  ExpectClosed(project, "recover");
  ExpectRecoveryLeadsForward(project);
}

TEST(ResetAttempts, TheWitnessIsDeleted) {
  DiskProject project;
  Begin(project, 2);
  DiskProject::LoseWitnesses();
  ExpectClosed(project, "adopt");
  const Result<ForwardReport> adopted = AdoptLedger(project.project(), project.services(), kReason);
  ASSERT_TRUE(adopted.ok()) << adopted.error().message;
  EXPECT_EQ(project.Spent(), Rational(1, 2));
  ASSERT_EQ(project.Report().marks.size(), 1u);
  EXPECT_EQ(project.Report().marks[0].kind, MarkRecord::Kind::kAdopted);
  Spend(project);
  EXPECT_EQ(project.Spent(), Rational(3, 4));
}

TEST(ResetAttempts, AnotherPlaceForWitnessesIsNamed) {
  DiskProject project;
  Begin(project, 2);
  const std::string before = std::getenv("TACET_STATE_DIR");
  const testing::TemporaryFolder elsewhere;
  ::setenv("TACET_STATE_DIR", elsewhere.path().c_str(), 1);
  ExpectClosed(project, "adopt");
  ::setenv("TACET_STATE_DIR", before.c_str(), 1);
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, WitnessesAreToBeKeptWhereTheyAreNoHelp) {
  DiskProject project;
  Begin(project, 2);
  const std::string before = std::getenv("TACET_STATE_DIR");
  // Beside the ledger, under two names, and where nobody finds it from another folder.
  std::filesystem::create_symlink(project.path(""), project.path("link"));
  for (const std::string& place :
       {project.state_folder(), project.path("link/.tacet/w"), std::string("state")}) {
    ::setenv("TACET_STATE_DIR", place.c_str(), 1);
    for (const Status& status : {project.Ask(), project.Import()}) {
      ASSERT_FALSE(status.ok()) << place;
      EXPECT_EQ(status.error().code, Code::kLedger) << status.error().message;
      EXPECT_NE(status.error().message.find("the ledger's witness would be"), std::string::npos)
          << status.error().message;
    }
  }
  ::setenv("TACET_STATE_DIR", before.c_str(), 1);
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, YesterdaysStateIsBroughtBack) {
  DiskProject project;
  Begin(project, 1);
  project.KeepState("yesterday");
  Spend(project, 2);
  project.BringBackState("yesterday");
  ExpectClosed(project, "recover");
  EXPECT_FALSE(AdoptLedger(project.project(), project.services(), kReason).ok())
      << "there is a witness, and it says no";
  ExpectRecoveryLeadsForward(project);
}

// What the ledger still knows is of some people only; the others must not come out of it richer.
TEST(ResetAttempts, RecordsAreLostOfPeopleWhoHadSpentNothing) {
  DiskProject project;
  ASSERT_TRUE(project.Import().ok());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(project.Ask("owner", "people WHERE age < 50").ok());
  }
  project.KeepState("yesterday");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(project.Ask("owner", "people WHERE age >= 50").ok());
  }
  project.BringBackState("yesterday");
  ExpectClosed(project, "recover");
  ASSERT_TRUE(RecoverLedger(project.project(), project.services(), kReason).ok());
  const Status refused = project.Ask("owner", "people WHERE age >= 50");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kBudget) << refused.error().message;
}

TEST(ResetAttempts, TheLedgerLosesItsEnd) {
  DiskProject project;
  Begin(project, 1);
  DiskProject::Copy(project.state_folder(), project.path("kept"));
  Spend(project, 1);
  std::filesystem::remove(project.ledger_path() + "-wal");
  std::filesystem::copy(project.path("kept/ledger.db"), project.ledger_path(),
                        std::filesystem::copy_options::overwrite_existing);
  ExpectClosed(project, "recover");
  ExpectRecoveryLeadsForward(project);
}

// Two of three notice what happened to the third: here witness and ledger are gone or old, and the
// vault knows.
TEST(ResetAttempts, AnOlderLedgerIsNotAdoptedUnderANewerVault) {
  DiskProject project;
  Begin(project, 1);
  DiskProject::Copy(project.state_folder(), project.path("kept"));
  Spend(project, 1);
  ASSERT_TRUE(project.Import().ok());
  std::filesystem::remove(project.ledger_path() + "-wal");
  std::filesystem::copy(project.path("kept/ledger.db"), project.ledger_path(),
                        std::filesystem::copy_options::overwrite_existing);
  DiskProject::LoseWitnesses();
  const Result<ForwardReport> adopted = AdoptLedger(project.project(), project.services(), kReason);
  ASSERT_FALSE(adopted.ok());
  EXPECT_EQ(adopted.error().code, Code::kLedger);
  EXPECT_NE(adopted.error().hint.find("tacet ledger recover"), std::string::npos);
  ExpectClosed(project, "adopt");
  ExpectRecoveryLeadsForward(project);
}

TEST(ResetAttempts, AnOldWitnessIsBroughtWithAnOldLedger) {
  DiskProject project;
  Begin(project, 1);
  const Result<WitnessReport> old = ShowWitness(project.project(), project.services());
  ASSERT_TRUE(old.ok());
  Spend(project, 1);
  project.KeepState("monday");
  Spend(project, 1);
  project.BringBackState("monday");
  DiskProject::LoseWitnesses();
  const Result<WitnessReport> brought =
      ImportWitness(project.project(), project.services(), WitnessText(*old));
  ASSERT_FALSE(brought.ok()) << "it knows nothing of what came after it";
  EXPECT_EQ(brought.error().code, Code::kLedger);
  // Nor does one that stands before all records, which every ledger has.
  EXPECT_FALSE(ImportWitness(project.project(), project.services(),
                             WitnessText({.dataset_id = old->dataset_id, .path = "", .point = {}}))
                   .ok());
  ExpectClosed(project, "adopt");
}

TEST(ResetAttempts, TheProjectIsCopiedAndTheFirstToChargeWins) {
  DiskProject project;
  DiskProject copy;
  Begin(project, 1);
  DiskProject::Copy(project.state_folder(), copy.state_folder());
  Spend(copy, 1);
  EXPECT_EQ(copy.Spent(), Rational(1, 2));
  ExpectClosed(project, "recover");
}

TEST(ResetAttempts, AFreshLedgerIsPutInItsPlace) {
  DiskProject project;
  DiskProject fresh;
  Begin(project, 2);
  Begin(fresh, 0);
  std::filesystem::remove_all(project.state_folder());
  DiskProject::Copy(fresh.state_folder(), project.state_folder());
  ExpectClosed(project, "recover");
  const Result<ForwardReport> recovered =
      RecoverLedger(project.project(), project.services(), kReason);
  ASSERT_FALSE(recovered.ok()) << "it would close the other project";
  EXPECT_NE(recovered.error().hint.find("move "), std::string::npos);
  std::filesystem::remove(project.ledger_path());
  ExpectRecoveryLeadsForward(project);
  EXPECT_EQ(fresh.Spent(), Rational(0)) << "and the other project goes on";
}

TEST(ResetAttempts, TheVaultIsDeleted) {
  DiskProject project;
  Begin(project, 2);
  std::filesystem::remove(project.path(".tacet/vault.duckdb"));
  EXPECT_FALSE(project.Ask().ok());
  ASSERT_TRUE(project.Import().ok());
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, TheProjectMoves) {
  DiskProject project;
  DiskProject other;
  Begin(project, 2);
  std::filesystem::rename(project.state_folder(), other.state_folder());
  EXPECT_EQ(other.Spent(), Rational(1, 2));
  Spend(other);
  ExpectClosed(project, "recover");
}

TEST(ResetAttempts, ALargerBudgetIsDeclaredAndASmallerOne) {
  DiskProject project;
  Begin(project, 2);
  project.Declare("epsilon = \"100\"");
  EXPECT_EQ(project.Left(), Rational(1, 2));
  EXPECT_TRUE(project.Report().is_raise_waiting);
  project.Declare("epsilon = \"1/2\"");
  EXPECT_EQ(project.Left(), Rational(0));
  EXPECT_FALSE(project.Ask().ok());
  project.Declare("epsilon = \"1\"");
  EXPECT_EQ(project.Left(), Rational(0)) << "back to what it was is larger, too";
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, ABudgetOfAnotherKindIsDeclared) {
  DiskProject project;
  Begin(project, 2);
  project.Declare("epsilon = \"1\"\ndelta = \"1e-9\"");
  EXPECT_FALSE(project.Ask().ok());
  EXPECT_FALSE(RaiseBudget(project.project(), project.services(), kReason).ok());
  project.Declare("epsilon = \"1\"");
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, TheTableIsRenamed) {
  DiskProject project;
  Begin(project, 2);
  project.Declare("epsilon = \"1\"", "persons");
  ASSERT_TRUE(project.Import().ok());
  EXPECT_EQ(project.Spent(), Rational(1, 2));
  ASSERT_TRUE(project.Ask("owner", "persons").ok());
  EXPECT_EQ(project.Spent(), Rational(3, 4));
}

TEST(ResetAttempts, TheDataComesInAnotherOrder) {
  DiskProject project;
  Begin(project, 2);
  project.WritePeople({"3,60", "1,40", "2,50"});
  ASSERT_TRUE(project.Import().ok());
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, PeopleAreDeletedAndComeBack) {
  DiskProject project;
  Begin(project, 2);
  project.WritePeople({"4,70"});
  ASSERT_TRUE(project.Import().ok());
  EXPECT_EQ(project.Spent(), Rational(1, 2));
  project.WritePeople({"1,40", "2,50", "3,60"});
  ASSERT_TRUE(project.Import().ok());
  EXPECT_EQ(project.Spent(), Rational(1, 2));
  Spend(project, 2);
  EXPECT_FALSE(project.Ask().ok());
}

TEST(ResetAttempts, RowsTurnIntoPeopleOfTheirOwn) {
  DiskProject project;
  Begin(project, 2);
  project.Declare("epsilon = \"1\"", "people", "row");
  const Status refused = project.Import();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kCatalog);
  EXPECT_NE(refused.error().hint.find("declare it as it was"), std::string::npos);
  EXPECT_FALSE(project.Ask().ok()) << "the vault is of the old declaration";
  EXPECT_EQ(project.Spent(), Rational(1, 2));
}

TEST(ResetAttempts, TheClockIsMoved) {
  DiskProject project;
  Begin(project, 2);
  for (const int years : {-50, 500, 0}) {
    project.clock().Set(Time(std::chrono::hours(24 * 365 * years)));
    EXPECT_EQ(project.Spent(), Rational(1, 2));
  }
  project.clock().Set(Time(std::chrono::hours(-1)));
  Spend(project);
  EXPECT_EQ(project.Spent(), Rational(3, 4));
}

}  // namespace
}  // namespace tacet
