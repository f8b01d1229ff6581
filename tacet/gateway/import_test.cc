// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/import.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tacet/gateway/vault_layout.h"
#include "tacet/gateway/vault_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kHead[] = R"toml(
[budget]
epsilon = "1"
[person]
type = "integer"
)toml";

constexpr char kPatients[] = R"toml(
[tables.patients]
source = "patients.csv"
person = "id"
rows_per_person = 1
[tables.patients.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["F", "M"] }
)toml";

class ImportTest : public ::testing::Test {
 protected:
  void WriteFile(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << bytes;
  }

  // Lets DuckDB write a file; {} in the statements is the folder.
  void Prepare(std::string statements) {
    for (size_t at; (at = statements.find("{}")) != std::string::npos;) {
      statements.replace(at, 2, folder_.path());
    }
    Result<duckdb::Database> database =
        duckdb::Database::Open({.access = duckdb::Access::kImporting});
    ASSERT_TRUE(database.ok());
    const Status status = database->Execute(statements);
    ASSERT_TRUE(status.ok()) << status.error().detail;
  }

  Result<std::vector<ImportedTable>> Run(const std::string& tables) {
    const Catalog catalog = Parsed(kHead + tables);
    return Import({.catalog = catalog,
                   .catalog_folder = folder_.path(),
                   .state_folder = state(),
                   .dataset_id = "dataset",
                   .interrupted = &interrupted_});
  }

  std::string state() const { return folder_.path() + "/.tacet"; }

  // Expects success and answers from the vault.
  Lines AskVault(const std::string& statement) {
    Result<duckdb::Database> vault =
        duckdb::Database::Open({.path = state() + "/vault.duckdb", .read_only = true});
    if (!vault.ok()) return {vault.error().detail};
    return Ask(*vault, statement);
  }

  // Everything in the state folder, as one text.
  std::string Snapshot() {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state())) {
      if (!entry.is_regular_file()) {
        text += entry.path().string() + "\n";
        continue;
      }
      std::ifstream file(entry.path(), std::ios::binary);
      text += entry.path().string() + "\n" +
              std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()) +
              "\n";
    }
    return text;
  }

  // Imports something good, then `tables`, which must fail and leave no trace.
  Error FailsAndLeavesTheOldVault(const std::string& tables) {
    WriteFile("good.csv", "id,age\n1,2\n");
    const auto good =
        Run("[tables.good]\nsource = \"good.csv\"\nperson = \"id\"\n[tables.good.columns]\n"
            "age = { type = \"integer\", range = [0, 9] }\n");
    EXPECT_TRUE(good.ok()) << good.error().message;
    const std::string before = Snapshot();
    const auto bad = Run(tables);
    EXPECT_EQ(Snapshot(), before);
    if (!bad.ok()) return bad.error();
    ADD_FAILURE() << "the import succeeded";
    return {};
  }

  testing::TemporaryFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(ImportTest, ReadsCsv) {
  WriteFile("patients.csv", "id,age,sex\n3,200,F\n1,,M\n2,30,\"F\"\n");
  const auto tables = Run(kPatients);
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(*tables, (std::vector<ImportedTable>{{"patients", 3, 3}}));
  EXPECT_EQ(AskVault("SELECT key, c1, c2 FROM t1 JOIN people USING (p, k) ORDER BY key"),
            (Lines{"1,NULL,1", "2,30,0", "3,110,0"}));
  EXPECT_EQ(AskVault("SELECT value FROM meta WHERE key = 'import_number'"), Lines{"1"});
  ASSERT_TRUE(Run(kPatients).ok());
  EXPECT_EQ(AskVault("SELECT value FROM meta WHERE key = 'import_number'"), Lines{"2"});
}

TEST_F(ImportTest, TellsTheLinesOfWhatCannotBeRead) {
  WriteFile("patients.csv", "id,age,sex\n3,200,F\n1,18.5,M\n\"2\",x,\"F\"\n,1,M\n");
  const Error error = FailsAndLeavesTheOldVault(kPatients);
  EXPECT_EQ(error.code, Code::kData);
  EXPECT_EQ(
      error.message,
      "the data breaks 2 rules\n"
      "  patients.id: 1 row without a person (patients.csv, line 5)\n"
      "  patients.age: 2 values that cannot be read as integer (patients.csv, lines 3 and 4)");
  EXPECT_EQ(error.detail,
            "patients.id: 1 row without a person: NULL\n"
            "patients.age: 2 values that cannot be read as integer: '18.5', 'x'");
}

}  // namespace
}  // namespace tacet
