// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/write_vault.h"

#include <gtest/gtest.h>

#include "tacet/catalog/digest.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/vault_layout.h"
#include "tacet/gateway/vault_testing.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

constexpr char kHead[] = "[budget]\nepsilon = \"1\"\n";

// A vault in memory, over tables s1, s2, ... of the same database.
class WriteVaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<duckdb::Database> database =
        duckdb::Database::Open({.access = duckdb::Access::kImporting, .threads_max = 1});
    ASSERT_TRUE(database.ok()) << database.error().detail;
    database_.emplace(*database);
  }

  void Run(const std::string& statements) {
    const Status status = database_->Execute(statements);
    ASSERT_TRUE(status.ok()) << status.error().detail;
  }

  Status Write(const Catalog& catalog, bool rereads = true) {
    return WriteVault(*database_, catalog,
                      [&](size_t table) -> Result<Relation> {
                        const std::string name = "s" + std::to_string(table + 1);
                        return Relation{.sql = name, .rereads = rereads, .shown = name};
                      },
                      {.dataset_id = "d", .import_number = 3}, {});
  }

  // One column `x` of table t, person "row", with these values, as SQL literals.
  Lines Column(const std::string& declared, const std::string& values) {
    Run("CREATE OR REPLACE TABLE s1 AS SELECT * FROM (VALUES " + values + ") AS v(x)");
    const Status status = Write(Parsed(std::string(kHead) +
                                       "[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n"
                                       "[tables.t.columns]\nx = { " +
                                       declared + " }\n"));
    if (!status.ok()) return {status.error().message};
    Lines lines = Ask("SELECT c1 FROM t1 ORDER BY p");
    lines.push_back(Ask("SELECT typeof(c1) FROM t1 UNION ALL SELECT '' LIMIT 1")[0]);
    return lines;
  }

  Lines Ask(const std::string& statement) { return tacet::Ask(*database_, statement); }

  std::optional<duckdb::Database> database_;
};

// The digest of a catalog does not change when tables or columns are moved within the file, so the
// vault's names must not either: one person's bound would be taken from another table.
TEST_F(WriteVaultTest, PlansReadWhatTheyNameInWhateverOrderItStands) {
  Run("CREATE TABLE s1 AS SELECT 'a' AS id, 7 AS zone, 3 AS age");
  Run("CREATE TABLE s2 AS SELECT 9 AS zone, 4 AS age");
  const std::string visits = "[tables.visits]\nsource = \"s1.csv\"\nperson = \"id\"\n";
  const std::string patients = "[tables.Patients]\nsource = \"s2.csv\"\nperson = \"row\"\n";
  const std::string columns = "bounds = { rows_per_group = 2 }\n";
  const std::string zone = "zone = { type = \"integer\", range = [0, 10] }\n";
  const std::string age = "Age = { type = \"integer\", range = [0, 10], from = \"age\" }\n";
  const Catalog written = Parsed(kHead + visits + columns + "[tables.visits.columns]\n" + zone +
                                 age + patients + "[tables.Patients.columns]\n" + zone + age);
  const Catalog moved = Parsed(kHead + patients + "[tables.Patients.columns]\n" + age + zone +
                               visits + columns + "[tables.visits.columns]\n" + age + zone);
  ASSERT_EQ(ImportDigest(written), ImportDigest(moved));
  const Status status = Write(written);
  ASSERT_TRUE(status.ok()) << status.error().message;
  Result<duckdb::Vault> vault = duckdb::Vault::Over(*database_);
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

TEST_F(WriteVaultTest, NumbersBecomeStepsOfTheirGrid) {
  EXPECT_EQ(Column("type = \"integer\", range = [0, 110]",
                   "('18'), ('18.0'), ('-5'), ('999999999999'), (NULL), ('+7'), ('007'), ('1e2')"),
            (Lines{"18", "18", "0", "110", "NULL", "7", "7", "100", "INTEGER"}));
}

TEST_F(WriteVaultTest, Tiny) {
  Run("CREATE TABLE s1 AS SELECT * FROM (VALUES ('1','18','F'),('2','30','M'),('3','55','F')) "
      "t(id,age,sex)");
  Run("CREATE TABLE s2 AS SELECT * FROM (VALUES ('1','18.25','F'),('2','30','M'),('3','55','F')) "
      "t(id,cost,ward)");
  const Catalog catalog = Parsed(std::string(kHead) + R"toml(
[person]
type = "integer"
[tables.people_]
source = "s.csv"
person = "id"
rows_per_person = 1
[tables.people_.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["F", "M"] }
[tables.visits]
source = "s.csv"
person = "id"
[tables.visits.columns]
cost = { type = "decimal(10,2)", range = [0, 5000] }
ward = { type = "text" }
)toml");
  const Status status = Write(catalog);
  ASSERT_TRUE(status.ok()) << status.error().message << status.error().detail;
  for (const char* q : {"SELECT * FROM people", "SELECT * FROM t1", "SELECT * FROM t2",
                        "SELECT * FROM sizes", "SELECT * FROM layout", "SELECT * FROM meta"}) {
    for (const auto& line : Ask(q)) printf("%s\n", line.c_str());
  }
}

}  // namespace
}  // namespace tacet
