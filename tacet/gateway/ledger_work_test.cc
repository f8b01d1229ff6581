// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/ledger_work.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tacet/gateway/disk_project_testing.h"
#include "tacet/gateway/ledger_export.h"
#include "tacet/gateway/ledger_report.h"

namespace tacet {
namespace {

constexpr char kReason[] = "a test";

Result<Cost> CostsNothing(std::string_view) { return Cost{}; }
Result<Cost> CostsAQuarter(std::string_view) {
  return Cost{.epsilon = *Epsilon::Create(Rational(1, 4)), .delta = {}, .rho = {}};
}
Result<Cost> CostsMore(std::string_view) {
  return Cost{.epsilon = *Epsilon::Create(Rational(1, 3)), .delta = {}, .rho = {}};
}
Result<Cost> CannotBeTold(std::string_view) {
  return Error{.code = Code::kData, .message = "no plan"};
}

class LedgerWork : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(project_.Import().ok());
    ASSERT_TRUE(project_.Ask("ann").ok());
    ASSERT_TRUE(project_.Ask("bob").ok());
  }

  LedgerCheck Verify(const Recost& recost) {
    const Result<LedgerCheck> check = VerifyLedger(project_.project(), project_.services(), recost);
    EXPECT_TRUE(check.ok()) << check.error().message;
    return check.ok() ? *check : LedgerCheck{};
  }

  std::vector<nlohmann::json> Export(const ExportOptions& options) {
    std::vector<nlohmann::json> lines;
    const Result<uint64_t> records = ExportLedger(project_.project(), project_.services(), options,
                                                  [&](std::string_view line) -> Status {
                                                    EXPECT_TRUE(line.ends_with("\n"));
                                                    lines.push_back(nlohmann::json::parse(line));
                                                    return {};
                                                  });
    EXPECT_TRUE(records.ok()) << records.error().message;
    EXPECT_EQ(*records, lines.size());
    return lines;
  }

  DiskProject project_;
};

TEST_F(LedgerWork, ListShowsTheOwnerEverything) {
  const auto list = ListLedger(project_.project(), project_.services());
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->charges.size(), 2u);
  const ListedCharge& first = list->charges[0];
  EXPECT_EQ(first.number, 1u);
  EXPECT_EQ(first.cost.epsilon.value(), Rational(1, 4));
  ASSERT_TRUE(first.details.has_value());
  EXPECT_EQ(first.details->analyst, "ann");
  EXPECT_EQ(first.details->statement, "SELECT count(*) FROM people");
  EXPECT_EQ(first.details->digest, Sha256("SELECT count(*) FROM people"));
  EXPECT_EQ(first.details->import, 1u);
  EXPECT_EQ(first.details->time, project_.clock().Now());
  EXPECT_EQ(list->limits.size(), 1u);
  EXPECT_EQ(list->imports.size(), 1u);
  EXPECT_TRUE(list->marks.empty());
}

TEST_F(LedgerWork, ListShowsAnalystsOthersByNumberAndCostOnly) {
  const auto list = ListLedger(project_.project(), project_.services(), "bob");
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->charges.size(), 2u);
  EXPECT_FALSE(list->charges[0].details.has_value());
  EXPECT_EQ(list->charges[0].cost.epsilon.value(), Rational(1, 4));
  ASSERT_TRUE(list->charges[1].details.has_value());
  EXPECT_EQ(list->charges[1].details->analyst, "bob");
}

TEST_F(LedgerWork, VerifyFindsNothingInAWholeLedger) {
  const LedgerCheck check = Verify(CostsAQuarter);
  EXPECT_TRUE(check.is_ok());
  EXPECT_EQ(check.charges, 2u);
  EXPECT_EQ(check.witness, check.head);
  ASSERT_TRUE(check.vault.has_value());
  EXPECT_EQ(check.vault->dataset_id, check.dataset_id);
  EXPECT_TRUE(Verify(CostsNothing).is_ok()) << "to charge more than a plan costs is no harm";
}

TEST_F(LedgerWork, VerifyFindsChargesBelowWhatTheirPlansCost) {
  const LedgerCheck check = Verify(CostsMore);
  ASSERT_EQ(check.findings.size(), 2u);
  EXPECT_EQ(check.findings[1].charge, 2u);
  EXPECT_NE(check.findings[1].text.find("epsilon 1/3, and only 1/4"), std::string::npos)
      << check.findings[1].text;
  EXPECT_EQ(Verify(CannotBeTold).findings.size(), 2u);
}

TEST_F(LedgerWork, VerifyComparesWhatTheBudgetCounts) {
  DiskProject other("epsilon = \"10\"\ndelta = \"1e-9\"");
  ASSERT_TRUE(other.Import().ok());
  ASSERT_TRUE(other.Ask().ok());
  const auto with = [&](const Cost& least) {
    const auto check = VerifyLedger(other.project(), other.services(),
                                    [&](std::string_view) -> Result<Cost> { return least; });
    return check.ok() ? check->findings.size() : 99;
  };
  EXPECT_EQ(with({.epsilon = *Epsilon::Create(Rational(9))}), 0u) << "a price is not counted";
  EXPECT_EQ(with({.rho = *Rho::Create(Rational(1))}), 1u);
  EXPECT_EQ(with({.delta = *Delta::Create(Rational(1, 1000))}), 1u);
}

TEST_F(LedgerWork, VerifyKnowsRecoveriesFromOtherCharges) {
  std::filesystem::remove(project_.ledger_path());
  ASSERT_TRUE(RecoverLedger(project_.project(), project_.services(), kReason).ok());
  const LedgerCheck check = Verify(CannotBeTold);
  EXPECT_TRUE(check.is_ok()) << check.findings[0].text;
  EXPECT_EQ(check.charges, 1u);
  ASSERT_EQ(check.marks.size(), 1u);
  EXPECT_EQ(check.marks[0].kind, MarkRecord::Kind::kRecovered);

  const auto list = ListLedger(project_.project(), project_.services());
  ASSERT_TRUE(list.ok());
  ASSERT_TRUE(list->charges[0].details.has_value());
  EXPECT_TRUE(list->charges[0].details->is_recovery());
  EXPECT_EQ(list->charges[0].details->statement, "");
}

TEST_F(LedgerWork, VerifySaysWhatOthersKnowOfALedgerThatIsGone) {
  std::filesystem::remove(project_.ledger_path());
  const LedgerCheck check = Verify(CostsNothing);
  ASSERT_EQ(check.findings.size(), 1u);
  EXPECT_NE(check.findings[0].hint.find("tacet ledger recover"), std::string::npos);
  ASSERT_TRUE(check.witness.has_value());
  EXPECT_GT(check.witness->sequence, 2u);
  ASSERT_TRUE(check.vault.has_value());
  EXPECT_EQ(check.vault->import_number, 1u);
}

TEST_F(LedgerWork, VerifyFindsAVaultThatIsNewer) {
  project_.KeepState("kept");
  ASSERT_TRUE(project_.Import().ok());
  const std::string vault = project_.path(".tacet/vault.duckdb");
  std::filesystem::copy(vault, project_.path("newer.duckdb"));
  project_.BringBackState("kept");
  std::filesystem::copy(project_.path("newer.duckdb"), vault,
                        std::filesystem::copy_options::overwrite_existing);
  DiskProject::LoseWitnesses();
  // Only an adoption gets this far, and the vault speaks against that, too.
  const auto adopted = AdoptLedger(project_.project(), project_.services(), kReason);
  ASSERT_FALSE(adopted.ok());
  EXPECT_NE(adopted.error().message.find("older than the vault"), std::string::npos);
  const LedgerCheck check = Verify(CostsNothing);
  EXPECT_FALSE(check.is_ok());
}

TEST_F(LedgerWork, VerifyFailsWhereThereIsNothing) {
  DiskProject fresh;
  const auto check = VerifyLedger(fresh.project(), fresh.services(), CostsNothing);
  ASSERT_FALSE(check.ok());
  EXPECT_EQ(check.error().code, Code::kCatalog);
}

TEST_F(LedgerWork, ExportLeavesOutSecretHashesAndPeople) {
  const std::vector<nlohmann::json> lines = Export({});
  std::map<std::string, nlohmann::json> by_kind;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["sequence"], i + 1);
    by_kind[lines[i]["kind"]] = lines[i];
  }
  const auto ledger = OpenLedgerAsItIs(project_.project(), project_.clock(), {});
  ASSERT_TRUE(ledger.ok());
  EXPECT_EQ(lines.back()["hash"], ToHex((*ledger)->head().hash));
  EXPECT_EQ(by_kind["secret"].size(), 3u) << by_kind["secret"];
  EXPECT_EQ(by_kind["people"].size(), 5u) << by_kind["people"];
  EXPECT_EQ(by_kind["people"]["count"], 3);
  EXPECT_EQ(by_kind["narrowing"].size(), 4u) << by_kind["narrowing"];
  EXPECT_EQ(by_kind["charge"]["cost"]["epsilon"], "1/4");
  EXPECT_EQ(by_kind["charge"]["analyst"], "bob");
  EXPECT_EQ(nlohmann::json::parse(by_kind["charge"]["plan"].get<std::string>())["statement"],
            "SELECT count(*) FROM people");
  EXPECT_EQ(by_kind["budget"]["epsilon"], "1");
  EXPECT_EQ(by_kind["declaration"]["person"], "column id");
}

TEST_F(LedgerWork, ExportNamesPeopleWhereTheOwnerAsks) {
  const std::vector<nlohmann::json> lines = Export({.with_people = true});
  int narrowings = 0;
  for (const nlohmann::json& line : lines) {
    if (line["kind"] != "narrowing") continue;
    ++narrowings;
    EXPECT_EQ(line["people"], (std::vector<int>{0, 1, 2})) << line;
  }
  EXPECT_EQ(narrowings, 2);
}

TEST_F(LedgerWork, ExportStopsWhereItCannotBeWritten) {
  int lines = 0;
  const auto records =
      ExportLedger(project_.project(), project_.services(), {}, [&](std::string_view) -> Status {
        ++lines;
        return Error{.code = Code::kIo, .message = "full"};
      });
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().message, "full");
  EXPECT_EQ(lines, 1);
}

TEST_F(LedgerWork, RaiseNeedsALargerBudgetInTheCatalog) {
  const auto same = RaiseBudget(project_.project(), project_.services(), kReason);
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.error().code, Code::kUsage);
  EXPECT_NE(same.error().hint.find("[budget]"), std::string::npos);
  project_.Declare("epsilon = \"2\"");
  EXPECT_FALSE(RaiseBudget(project_.project(), project_.services(), "").ok()) << "a reason, please";
  const auto raised = RaiseBudget(project_.project(), project_.services(), kReason);
  ASSERT_TRUE(raised.ok());
  EXPECT_EQ(raised->before.epsilon().value(), Rational(1));
  EXPECT_EQ(raised->limit.epsilon().value(), Rational(2));
  EXPECT_EQ(raised->remaining.epsilon.value(), Rational(3, 2));
  const auto list = ListLedger(project_.project(), project_.services());
  ASSERT_EQ(list->limits.size(), 2u);
  EXPECT_EQ(list->limits[1].reason, kReason);
}

TEST_F(LedgerWork, NothingIsRecoveredWhereNothingWasLost) {
  const auto whole = RecoverLedger(project_.project(), project_.services(), kReason);
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(whole.error().code, Code::kUsage);
  EXPECT_EQ(project_.Left(), Rational(1, 2));
  DiskProject fresh;
  const auto nothing = RecoverLedger(fresh.project(), fresh.services(), kReason);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, Code::kUsage);
  EXPECT_NE(nothing.error().message.find("there is nothing to recover"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(fresh.state_folder()));
}

TEST_F(LedgerWork, ARecoveredLedgerKeepsItsDataset) {
  const std::string before = ShowWitness(project_.project(), project_.services())->dataset_id;
  std::filesystem::remove(project_.ledger_path());
  DiskProject::LoseWitnesses();
  const auto by_vault = RecoverLedger(project_.project(), project_.services(), kReason);
  ASSERT_TRUE(by_vault.ok()) << by_vault.error().message;
  EXPECT_EQ(by_vault->dataset_id, before);
  EXPECT_TRUE(by_vault->is_import_needed);
  EXPECT_FALSE(std::filesystem::exists(project_.path(".tacet/vault.duckdb")));
  std::filesystem::remove_all(project_.state_folder());
  const auto by_index = RecoverLedger(project_.project(), project_.services(), kReason);
  ASSERT_TRUE(by_index.ok()) << by_index.error().message;
  EXPECT_EQ(by_index->dataset_id, before);
  EXPECT_FALSE(by_index->is_import_needed);
}

TEST_F(LedgerWork, AdoptRefusesWhereThereIsAWitness) {
  const auto adopted = AdoptLedger(project_.project(), project_.services(), kReason);
  ASSERT_FALSE(adopted.ok());
  EXPECT_EQ(adopted.error().code, Code::kUsage);
  EXPECT_TRUE(project_.Report().marks.empty());
}

TEST_F(LedgerWork, AWitnessGoesAlongWithItsProject) {
  const auto exported = ShowWitness(project_.project(), project_.services());
  ASSERT_TRUE(exported.ok());
  const std::string text = WitnessText(*exported);
  std::string of_another = text;
  char& digit = of_another[std::string("dataset ").size()];
  digit = digit == '0' ? '1' : '0';
  DiskProject::LoseWitnesses();
  for (const std::string& wrong : {std::string("hello"), std::string("dataset x\n"),
                                   text.substr(0, text.size() - 5), of_another}) {
    EXPECT_FALSE(ImportWitness(project_.project(), project_.services(), wrong).ok()) << wrong;
  }
  EXPECT_FALSE(project_.Ask().ok());
  const auto imported = ImportWitness(project_.project(), project_.services(), text);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->point, exported->point);
  EXPECT_TRUE(project_.Ask().ok());
  EXPECT_TRUE(project_.Report().marks.empty()) << "nothing had to be vouched for";
}

TEST_F(LedgerWork, AWitnessOfAnotherProjectIsRefused) {
  DiskProject other;
  ASSERT_TRUE(other.Import().ok());
  const std::string text = WitnessText(*ShowWitness(other.project(), other.services()));
  const auto imported = ImportWitness(project_.project(), project_.services(), text);
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.error().code, Code::kLedger);
}

TEST_F(LedgerWork, MarksAreNoneBeforeTheFirstImport) {
  DiskProject fresh;
  const auto none = ReadMarks(fresh.project(), fresh.services());
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  DiskProject::LoseWitnesses();
  EXPECT_FALSE(ReadMarks(project_.project(), project_.services()).ok());
  ASSERT_TRUE(AdoptLedger(project_.project(), project_.services(), kReason).ok());
  EXPECT_EQ(ReadMarks(project_.project(), project_.services())->size(), 1u);
}

// Whose people they are is not known, and a whole ledger may not pay for it.
TEST_F(LedgerWork, AVaultOfAnotherProjectIsNoReasonToRecover) {
  DiskProject other;
  ASSERT_TRUE(other.Import().ok());
  std::filesystem::copy_file(other.path(".tacet/vault.duckdb"),
                             project_.path(".tacet/vault.duckdb"),
                             std::filesystem::copy_options::overwrite_existing);
  const auto recovered = RecoverLedger(project_.project(), project_.services(), kReason);
  ASSERT_FALSE(recovered.ok());
  EXPECT_EQ(recovered.error().code, Code::kLedger);
  EXPECT_NE(recovered.error().hint.find("tacet import"), std::string::npos);
  std::filesystem::remove(project_.path(".tacet/vault.duckdb"));
  ASSERT_TRUE(project_.Import().ok());
  EXPECT_TRUE(project_.Report().marks.empty());
}

}  // namespace
}  // namespace tacet
