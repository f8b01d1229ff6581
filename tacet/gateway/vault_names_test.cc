// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/vault_names.h"

#include <gtest/gtest.h>

#include "tacet/catalog/digest.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/vault_testing.h"
#include "tacet/gateway/write_vault.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

// The digest of a catalog does not change when tables or columns are moved within the file, so the
// vault's names must not either: one person's bound would be taken from another table.
TEST(VaultNames, PlansReadWhatTheyNameInWhateverOrderItStands) {
  duckdb::Database database =
      *duckdb::Database::Open({.access = duckdb::Access::kImporting, .threads_max = 1});
  const auto run = [&](const char* statement) { ASSERT_TRUE(database.Execute(statement).ok()); };
  run("CREATE TABLE s1 AS SELECT 'a' AS id, 7 AS zone, 3 AS age");
  run("CREATE TABLE s2 AS SELECT 9 AS zone, 4 AS age");
  const std::string visits = "[tables.visits]\nsource = \"s1.csv\"\nperson = \"id\"\n";
  const std::string patients = "[tables.Patients]\nsource = \"s2.csv\"\nperson = \"row\"\n";
  const std::string columns = "bounds = { rows_per_group = 2 }\n";
  const std::string zone = "zone = { type = \"integer\", range = [0, 10] }\n";
  const std::string age = "Age = { type = \"integer\", range = [0, 10], from = \"age\" }\n";
  const Catalog written = Parsed(std::string("[budget]\nepsilon = \"1\"\n") + visits + columns +
                                 "[tables.visits.columns]\n" + zone + age + patients +
                                 "[tables.Patients.columns]\n" + zone + age);
  const Catalog moved =
      Parsed(std::string("[budget]\nepsilon = \"1\"\n") + patients + "[tables.Patients.columns]\n" +
             age + zone + visits + columns + "[tables.visits.columns]\n" + age + zone);
  ASSERT_EQ(ImportDigest(written), ImportDigest(moved));
  PersonRegistry registry("secret");
  const Status status =
      WriteVault(database, written,
                 [](size_t table) -> Result<Relation> {
                   const std::string name = "s" + std::to_string(table + 1);
                   return Relation{.sql = name, .shown = name};
                 },
                 registry, {.dataset_id = "d", .import_number = 3, .ledger_head = {}}, {});
  ASSERT_TRUE(status.ok()) << status.error().message;
  Result<duckdb::Vault> vault = duckdb::Vault::Over(database);
  ASSERT_TRUE(vault.ok()) << vault.error().detail;
  for (const Catalog& catalog : {written, moved}) {
    const auto exact = [&](const std::string& statement) {
      const Price price{.epsilon = *Epsilon::Create(Rational(1))};
      const Result<Plan> plan = MakePlan(*sql::Parse(statement), catalog, {.price = price});
      EXPECT_TRUE(plan.ok()) << plan.error().message;
      const Result<Exact> answer = vault->Run(RequestOf(*plan, {}));
      EXPECT_TRUE(answer.ok()) << answer.error().detail;
      std::string text;
      for (const Int128 sum : answer->groups[0].sums) text += ToString(sum) + " ";
      return text;
    };
    EXPECT_EQ(exact("SELECT sum(zone), sum(age) FROM visits"), "7 3 ");
    EXPECT_EQ(exact("SELECT sum(age), sum(zone) FROM patients"), "4 9 ");
  }
}

}  // namespace
}  // namespace tacet
