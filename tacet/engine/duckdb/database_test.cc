// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/database.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace tacet::duckdb {
namespace {

TEST(Database, IsTheVersionThatIsPinned) { EXPECT_EQ(*Version(), "v1.5.6"); }

TEST(Database, ComputesInMemory) {
  Result<Database> database = Database::OpenInMemory();
  ASSERT_TRUE(database.ok()) << database.error().detail;
  ASSERT_TRUE(database->Execute("CREATE TABLE t1 AS SELECT range AS c1 FROM range(10)").ok());
  const auto rows = database->QueryIntegers("SELECT sum(c1)::BIGINT, NULL::BIGINT FROM t1");
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0][0], 45);
  EXPECT_EQ((*rows)[0][1], std::nullopt);
}

TEST(Database, ReachesNothingOutside) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("tacet_engine_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  Result<Database> database = Database::OpenInMemory({.temporary_folder = folder});
  ASSERT_TRUE(database.ok()) << database.error().detail;
  const std::string file = "'" + folder + "/x'";
  for (const std::string& statement :
       std::vector<std::string>{"SET threads = 1",
                                "SET enable_external_access = true",
                                "SET lock_configuration = false",
                                "RESET lock_configuration",
                                "PRAGMA threads = 1",
                                "SET temp_directory = " + file,
                                "SET TimeZone = 'Asia/Tokyo'",
                                "COPY (SELECT 1) TO " + file,
                                "COPY (SELECT 1) TO '/dev/stdout' (FORMAT csv)",
                                "CREATE TABLE leak AS SELECT * FROM read_csv('/etc/passwd')",
                                "SELECT * FROM read_text('/etc/hostname')",
                                "SELECT * FROM read_blob('/etc/hostname')",
                                "SELECT * FROM read_parquet('/tmp/x.parquet')",
                                "SELECT * FROM '/etc/passwd'",
                                "SELECT * FROM glob('/etc/*')",
                                "ATTACH " + file,
                                "ATTACH ':memory:' AS other; ATTACH '/tmp/other.db'",
                                "EXPORT DATABASE " + file,
                                "IMPORT DATABASE " + file,
                                "INSTALL httpfs",
                                "LOAD httpfs",
                                "LOAD '/tmp/x.duckdb_extension'"}) {
    const Status status = database->Execute(statement);
    EXPECT_FALSE(status.ok()) << statement;
    if (status.ok()) continue;
    EXPECT_EQ(status.error().message, "the query engine failed") << statement;
    EXPECT_FALSE(status.error().detail.empty()) << statement;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(Database, ErrorsKeepWhatTheEngineSaidFromTheAnalyst) {
  Result<Database> database = Database::OpenInMemory();
  ASSERT_TRUE(database.ok());
  const auto rows = database->QueryIntegers("SELECT CAST('secret' AS BIGINT)");
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().message.find("secret"), std::string::npos);
  EXPECT_NE(rows.error().detail.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace tacet::duckdb
