// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "tacet/testing/temporary_folder.h"

namespace tacet::duckdb {
namespace {

using testing::TemporaryFolder;

// What takes far longer than any test.
constexpr char kEndless[] =
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b "
    "WHERE hash(a.range + b.range) = 1";

TEST(Database, IsTheVersionThatIsPinned) { EXPECT_EQ(*Version(), "v1.5.6"); }

TEST(Database, ComputesInMemory) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok()) << database.error().detail;
  ASSERT_TRUE(database->Execute("CREATE TABLE t1 AS SELECT range AS c1 FROM range(10)").ok());
  const auto rows = database->QueryIntegers("SELECT sum(c1)::BIGINT, NULL::BIGINT FROM t1");
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0][0], 45);
  EXPECT_EQ((*rows)[0][1], std::nullopt);
}

TEST(Database, ReadsEveryTypeOfCell) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok()) << database.error().detail;
  const Result<Rows> rows = database->Query(
      "SELECT true, -1::TINYINT, -300::SMALLINT, -70000::INTEGER, (-9223372036854775808)::BIGINT,"
      " 255::UTINYINT, 65535::USMALLINT, 4294967295::UINTEGER, 9223372036854775807::UBIGINT,"
      " (-170141183460469231731687303715884105728)::HUGEINT, -1::HUGEINT, 0.5::DOUBLE, "
      "'nan'::DOUBLE,"
      " '', 'a text of more than twelve bytes, \u00fc', NULL::VARCHAR, NULL::INTEGER");
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  ASSERT_EQ(rows->size(), 1u);
  const std::vector<Cell>& row = rows->front();
  const std::vector<Cell> expected = {true,
                                      int64_t{-1},
                                      int64_t{-300},
                                      int64_t{-70000},
                                      std::numeric_limits<int64_t>::min(),
                                      int64_t{255},
                                      int64_t{65535},
                                      int64_t{4294967295},
                                      std::numeric_limits<int64_t>::max(),
                                      kInt128Min,
                                      Int128{-1},
                                      0.5};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(row[i] == expected[i]) << i;
  EXPECT_TRUE(std::isnan(std::get<double>(row[12])));
  EXPECT_EQ(std::get<std::string>(row[13]), "");
  EXPECT_EQ(std::get<std::string>(row[14]), "a text of more than twelve bytes, \u00fc");
  EXPECT_TRUE(IsNull(row[15]));
  EXPECT_TRUE(IsNull(row[16]));
}

TEST(Database, RefusesCellsThatItDoesNotKnow) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  for (const char* value : {"DATE '2026-01-01'", "NULL::DATE", "1.5::DECIMAL(3,1)", "[1]",
                            "18446744073709551615::UBIGINT"}) {
    const Result<Rows> rows = database->Query(std::string("SELECT ") + value);
    ASSERT_FALSE(rows.ok()) << value;
    EXPECT_EQ(rows.error().code, Code::kEngine);
    EXPECT_EQ(rows.error().message, "the query engine failed");
  }
  EXPECT_FALSE(database->QueryIntegers("SELECT 1::INTEGER").ok());
}

TEST(Database, ReadsManyRows) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  const Result<Rows> rows = database->Query("SELECT range FROM range(10000) ORDER BY range");
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 10000u);
  EXPECT_EQ(std::get<int64_t>(rows->back().front()), 9999);
}

TEST(Database, ReadsPeopleIntoASet) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  PersonSet people;
  ASSERT_TRUE(database->QueryPersons("SELECT range::INTEGER FROM range(5, 5005)", people).ok());
  EXPECT_EQ(people.size(), 5000u);
  EXPECT_TRUE(people.Contains(5004));
  EXPECT_FALSE(people.Contains(4));
  EXPECT_FALSE(database->QueryPersons("SELECT -1::INTEGER", people).ok());
  EXPECT_FALSE(database->QueryPersons("SELECT NULL::INTEGER", people).ok());
  EXPECT_FALSE(database->QueryPersons("SELECT 1::BIGINT", people).ok());
}

std::vector<std::string> Escapes(const std::string& folder) {
  const std::string file = "'" + folder + "/x'";
  return {"SET threads = 1",
          "SET enable_external_access = true",
          "SET lock_configuration = false",
          "RESET lock_configuration",
          "PRAGMA threads = 1",
          "SET temp_directory = " + file,
          "SET TimeZone = 'Asia/Tokyo'",
          "COPY (SELECT 1) TO " + file,
          "COPY (SELECT 1) TO '/dev/stdout' (FORMAT csv)",
          "CREATE TABLE leak AS SELECT * FROM read_csv('/etc/passwd')",
          "SELECT * FROM read_csv('/etc/passwd')",
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
          "LOAD '/tmp/x.duckdb_extension'"};
}

void ExpectRefused(Database& database, const std::string& statement) {
  const Status status = database.Execute(statement);
  ASSERT_FALSE(status.ok()) << statement;
  EXPECT_EQ(status.error().message, "the query engine failed") << statement;
  EXPECT_FALSE(status.error().detail.empty()) << statement;
}

TEST(Database, ReachesNothingOutside) {
  const TemporaryFolder folder;
  Result<Database> database = Database::Open({.temporary_folder = folder.path()});
  ASSERT_TRUE(database.ok()) << database.error().detail;
  for (const std::string& statement : Escapes(folder.path())) ExpectRefused(*database, statement);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Database, ReachesNothingOutsideAFileThatItReads) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/vault.duckdb";
  {
    Result<Database> writer = Database::Open({.path = path});
    ASSERT_TRUE(writer.ok()) << writer.error().detail;
    ASSERT_TRUE(writer->Execute("CREATE TABLE t1 AS SELECT 7::BIGINT AS c1").ok());
  }
  Result<Database> database = Database::Open({.path = path, .read_only = true});
  ASSERT_TRUE(database.ok()) << database.error().detail;
  EXPECT_EQ((*database->QueryIntegers("SELECT c1 FROM t1"))[0][0], 7);
  for (const std::string& statement : Escapes(folder.path())) ExpectRefused(*database, statement);
  for (const char* statement : {"INSERT INTO t1 VALUES (8)", "DROP TABLE t1", "DELETE FROM t1",
                                "CREATE TABLE t2 (c1 BIGINT)", "UPDATE t1 SET c1 = 8"}) {
    ExpectRefused(*database, statement);
  }
  EXPECT_EQ((*database->QueryIntegers("SELECT count(*) FROM t1"))[0][0], 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/x"));
}

TEST(Database, ReadOnlyMakesNoFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Database::Open({.path = folder.path() + "/none.duckdb", .read_only = true}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Database, ImportsFilesButNoExtensionsAndNoNetwork) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/a.csv") << "x\n1\n2\n";
  Result<Database> database = Database::Open({.access = Access::kImporting});
  ASSERT_TRUE(database.ok()) << database.error().detail;
  const auto rows = database->QueryIntegers("SELECT count(*) FROM read_csv('" + folder.path() +
                                            "/a.csv', all_varchar = true)");
  ASSERT_TRUE(rows.ok()) << rows.error().detail;
  EXPECT_EQ((*rows)[0][0], 2);
  for (const char* statement :
       {"LOAD httpfs", "LOAD postgres_scanner", "SET lock_configuration = false",
        "SET autoload_known_extensions = true", "SET extension_directory = '/tmp'",
        "SELECT * FROM read_csv('https"
        "://localhost/a.csv')",
        "SELECT * FROM read_parquet('s3"
        "://bucket/a.parquet')",
        "INSTALL httpfs"}) {
    ExpectRefused(*database, statement);
  }
}

TEST(Database, KeepsToItsMemory) {
  Result<Database> database = Database::Open({.memory_max = 20'000'000});
  ASSERT_TRUE(database.ok()) << database.error().detail;
  ExpectRefused(*database, "CREATE TABLE t1 AS SELECT hash(range) AS c1 FROM range(10000000)");
  EXPECT_TRUE(database->Execute("SELECT 1").ok());
}

TEST(Database, ErrorsKeepWhatTheEngineSaidFromTheAnalyst) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  const auto rows = database->QueryIntegers("SELECT CAST('secret' AS BIGINT)");
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().message.find("secret"), std::string::npos);
  EXPECT_NE(rows.error().detail.find("secret"), std::string::npos);
}

TEST(Database, IsInterruptedFromAnotherThread) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    database->Interrupt();
  });
  const Status status = database->Execute(kEndless);
  other.join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kInterrupted);
  EXPECT_EQ(status.error().message, "interrupted");
  EXPECT_EQ(database->Execute("SELECT 1").error().code, Code::kInterrupted);
}

TEST(InterruptWatch, PassesARequestOn) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  std::atomic<bool> requested = false;
  const InterruptWatch watch(*database, &requested);
  ASSERT_TRUE(database->Execute("SELECT 1").ok());
  requested = true;
  EXPECT_EQ(database->Execute(kEndless).error().code, Code::kInterrupted);
}

TEST(InterruptWatch, LeavesAloneWhatNobodyInterrupts) {
  Result<Database> database = Database::Open();
  ASSERT_TRUE(database.ok());
  std::atomic<bool> requested = false;
  { const InterruptWatch watch(*database, &requested); }
  requested = true;
  EXPECT_TRUE(database->Execute("SELECT 1").ok());
}

}  // namespace
}  // namespace tacet::duckdb
