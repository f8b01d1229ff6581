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
#include <map>
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
                   .import_number = ++imports_,
                   .ledger_head = {},
                   .registry = registry_,
                   .interrupted = &interrupted_});
  }

  std::string state() const { return folder_.path() + "/.tacet"; }

  PersonRegistry registry_{"secret"};
  uint64_t imports_ = 0;

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

// Letters with bytes from 0x80 to 0x9f among them, in names and values.
TEST_F(ImportTest, ReadsLettersOfEveryLanguage) {
  WriteFile("patients.csv", "id,Pr\xC3\xA9nom \xE2\x82\xAC\n1,\xC3\x89mile\n2,\xE6\x9D\x8E\n");
  const auto tables =
      Run("[tables.patients]\nsource = \"patients.csv\"\nperson = \"id\"\n"
          "[tables.patients.columns]\nname = { type = \"text\", "
          "from = \"Pr\xC3\xA9nom \xE2\x82\xAC\" }\n");
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(AskVault("SELECT c1 FROM t1 ORDER BY c1"), (Lines{"\xC3\x89mile", "\xE6\x9D\x8E"}));
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

TEST_F(ImportTest, ReadsParquetAndDuckDb) {
  Prepare(
      "COPY (SELECT * FROM (VALUES (1::BIGINT, 18, 'F'), (2, 30, 'M')) v(id, age, sex)) TO "
      "'{}/patients.parquet' (FORMAT parquet);"
      "ATTACH '{}/x.duckdb' AS x; CREATE TABLE x.visits AS SELECT 2::INTEGER AS id, 12.5::DOUBLE "
      "AS cost; CREATE VIEW x.v AS SELECT 1; DETACH x");
  const auto tables = Run(R"toml(
[tables.patients]
source = "patients.parquet"
person = "id"
[tables.patients.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["F", "M"] }
[tables.visits]
source = "x.duckdb"
person = "id"
[tables.visits.columns]
cost = { type = "decimal(10,2)", range = [0, 500] }
[tables.again]
source = "x.duckdb"
table = "VISITS"
public = true
[tables.again.columns]
cost = { type = "double" }
)toml");
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(*tables,
            (std::vector<ImportedTable>{{"patients", 2, 2}, {"visits", 1, 1}, {"again", 1, 0}}));
  EXPECT_EQ(AskVault("SELECT key, t2.c1, t3.c1 FROM people LEFT JOIN t2 USING (p) LEFT JOIN t3 "
                     "USING (p) ORDER BY key"),
            (Lines{"1,18,NULL", "2,30,1250"}));
}

TEST_F(ImportTest, ReadsCsvAsItIsDeclaredAndNeverGuesses) {
  WriteFile("patients.csv",
            "\xEF\xBB\xBF\"id\";\"Text \"\"x\"\"\";n\r\n"
            "1;\"a;b\nc\";NA\r\n"
            "2;01;\r\n"
            "3;\"\";5\r\n"
            "4;true;2026-01-01\r\n");
  const auto tables = Run(R"toml(
[tables.patients]
source = "patients.csv"
person = "id"
delimiter = ";"
null = "NA"
[tables.patients.columns]
a = { type = "text", from = 'Text "x"' }
n = { type = "text" }
)toml");
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(AskVault("SELECT key, c1, c2 FROM t1 JOIN people USING (p) ORDER BY key"),
            (Lines{"1,a;b\nc,NULL", "2,01,NULL", "3,NULL,5", "4,true,2026-01-01"}));
}

TEST_F(ImportTest, CountsLinesAsAnEditorDoes) {
  WriteFile("patients.csv", "id,age,sex\n1,1,\"F\n\n\"\n2,x,M\n");
  EXPECT_EQ(FailsAndLeavesTheOldVault(kPatients).message,
            "patients.age: 1 value that cannot be read as integer (patients.csv, line 5)");
}

TEST_F(ImportTest, ReadsManyFilesWithTheSameColumns) {
  const std::string tables =
      "[tables.t]\nsource = \"part-*.csv\"\nperson = \"id\"\n[tables.t.columns]\n"
      "x = { type = \"integer\", range = [0, 9] }\n";
  WriteFile("part-1.csv", "id,x\n1,1\n2,2\n");
  WriteFile("part-2.csv", "id,x\n1,3\n");
  WriteFile("part-[3].csv", "id,x\n7,4\n");
  const auto imported = Run(tables);
  ASSERT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
  EXPECT_EQ(*imported, (std::vector<ImportedTable>{{"t", 4, 3}}));
  WriteFile("part-2.csv", "id,x\n1,3\n2,y\n");
  const Error bad = FailsAndLeavesTheOldVault(tables);
  EXPECT_EQ(bad.message, "t.x: 1 value that cannot be read as integer (" + folder_.path() +
                             "/part-2.csv, line 3)");
  WriteFile("part-2.csv", "x,id\n1,3\n");
  EXPECT_EQ(FailsAndLeavesTheOldVault(tables).message,
            "the files of part-*.csv do not have the same columns: " + folder_.path() +
                "/part-1.csv and " + folder_.path() + "/part-2.csv");
}

TEST_F(ImportTest, ParquetFilesOfOneTableMustHaveTheSameTypes) {
  Prepare(
      "COPY (SELECT 1 AS id, 1 AS x) TO '{}/p1.parquet' (FORMAT parquet);"
      "COPY (SELECT 1 AS id, 1.5::DOUBLE AS x) TO '{}/p2.parquet' (FORMAT parquet)");
  const Error error = FailsAndLeavesTheOldVault(
      "[tables.t]\nsource = \"p?.parquet\"\nperson = \"id\"\n[tables.t.columns]\n"
      "x = { type = \"integer\", range = [0, 9] }\n");
  EXPECT_EQ(error.code, Code::kData);
  EXPECT_NE(error.message.find("do not have the same columns"), std::string::npos);
}

TEST_F(ImportTest, BrokenSourcesAreNamed) {
  const auto message = [&](const std::string& bytes) {
    WriteFile("patients.csv", bytes);
    const Error error = FailsAndLeavesTheOldVault(kPatients);
    EXPECT_EQ(error.code, Code::kData) << error.detail;
    return error.message;
  };
  EXPECT_EQ(message("id,age,sex\n1,2,F\n1,2\n"),
            "patients.csv, line 3: there are 2 fields instead of 3");
  EXPECT_EQ(message("id,age,sex\n1,2,F,9\n"),
            "patients.csv, line 2: there are 4 fields instead of 3");
  EXPECT_EQ(message("id,age,sex\n1,2,\"F\n"),
            "patients.csv, line 2: a quote is not closed, or text follows it");
  EXPECT_EQ(message("id,age,sex\n1,2,\xFF\n"), "patients.csv, line 2: the text is not UTF-8");
  EXPECT_EQ(message("id,age,\xFF\n1,2,3\n"),
            folder_.path() + "/patients.csv: the first line is not UTF-8");
  EXPECT_EQ(message(""), "patients.csv is empty");
  EXPECT_EQ(message("id,age\n1,2\n"), "table patients: patients.csv has no column 'sex'");
  EXPECT_EQ(
      message("id,\"age,sex\n1,2\n"),
      folder_.path() +
          "/patients.csv: the first line has a quote that is not closed in it, or text behind "
          "a closed one");
  std::filesystem::remove(folder_.path() + "/patients.csv");
  EXPECT_EQ(FailsAndLeavesTheOldVault(kPatients).message, "there is no file 'patients.csv'");
  std::filesystem::create_directory(folder_.path() + "/patients.csv");
  EXPECT_EQ(FailsAndLeavesTheOldVault(kPatients).message, "'patients.csv' is a folder");
}

TEST_F(ImportTest, FilesOfAnotherKindAreNamed) {
  WriteFile("x.parquet", "this is no Parquet");
  WriteFile("x.duckdb", "this is no database");
  const std::string columns = "[tables.t.columns]\nx = { type = \"text\" }\n";
  const Error parquet =
      FailsAndLeavesTheOldVault("[tables.t]\nsource = \"x.parquet\"\nperson = \"id\"\n" + columns);
  EXPECT_EQ(parquet.code, Code::kData);
  EXPECT_EQ(parquet.message, folder_.path() + "/x.parquet cannot be read as Parquet");
  const Error database =
      FailsAndLeavesTheOldVault("[tables.t]\nsource = \"x.duckdb\"\nperson = \"id\"\n" + columns);
  EXPECT_EQ(database.code, Code::kData);
  EXPECT_EQ(database.message, "x.duckdb cannot be read as a DuckDB database");
  Prepare("ATTACH '{}/y.duckdb' AS y; CREATE TABLE y.visits AS SELECT 1 AS id");
  const Error table =
      FailsAndLeavesTheOldVault("[tables.visit]\nsource = \"y.duckdb\"\nperson = \"id\"\n");
  EXPECT_EQ(table.message, "y.duckdb has no table 'visit'");
  EXPECT_EQ(table.hint, "did you mean 'visits'?");
  EXPECT_EQ(FailsAndLeavesTheOldVault("[tables.t]\nsource = \"z*.csv\"\nperson = \"id\"\n").message,
            "no file matches 'z*.csv'");
}

TEST_F(ImportTest, OneHeaderLineIsAnEmptyTable) {
  WriteFile("patients.csv", "id,age,sex");
  const auto tables = Run(kPatients);
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(*tables, (std::vector<ImportedTable>{{"patients", 0, 0}}));
}

TEST_F(ImportTest, FilesMayHaveNoHeader) {
  WriteFile("t.csv", "1,5\n2,6\n");
  const auto tables = Run(
      "[tables.t]\nsource = \"t.csv\"\nheader = false\nperson = \"column0\"\n[tables.t.columns]\n"
      "x = { type = \"integer\", range = [0, 9], from = \"column1\" }\n");
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(AskVault("SELECT key, c1 FROM t1 JOIN people USING (p) ORDER BY key"),
            (Lines{"1,5", "2,6"}));
}

TEST_F(ImportTest, NamesAndPathsOfTheOwnersAreNeverStatements) {
  const std::string folder = "it's \"; DROP TABLE people; -- \u00fc";
  std::filesystem::create_directory(folder_.path() + "/" + folder);
  WriteFile(folder + "/a.csv", "id,\"x'); DROP TABLE people; --\"\n1,5\n");
  const auto tables = Run("[tables.t]\nsource = '''" + folder +
                          "/a.csv'''\nperson = \"id\"\nnull = \"'\"\n[tables.t.columns]\n"
                          "x = { type = \"integer\", range = [0, 9], from = \"x'); DROP TABLE "
                          "people; --\" }\n");
  ASSERT_TRUE(tables.ok()) << tables.error().message << tables.error().detail;
  EXPECT_EQ(AskVault("SELECT key, c1 FROM t1 JOIN people USING (p)"), Lines{"1,5"});
}

TEST_F(ImportTest, TheStateIsForItsOwnerAlone) {
  WriteFile("patients.csv", "id,age,sex\n1,2,F\n");
  ASSERT_TRUE(Run(kPatients).ok());
  struct stat found;
  ASSERT_EQ(::stat((state() + "/vault.duckdb").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(state().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  EXPECT_FALSE(std::filesystem::exists(state() + "/vault.new"));
  ASSERT_EQ(::chmod(state().c_str(), 0755), 0);
  EXPECT_EQ(Run(kPatients).error().code, Code::kIo);
}

TEST_F(ImportTest, ClearsAwayWhatACrashLeft) {
  WriteFile("patients.csv", "id,age,sex\n1,2,F\n");
  ASSERT_TRUE(Run(kPatients).ok());
  WriteFile(".tacet/vault.new", "half a vault");
  WriteFile(".tacet/vault.new.wal", "and its log");
  ASSERT_TRUE(Run(kPatients).ok());
  EXPECT_FALSE(std::filesystem::exists(state() + "/vault.new"));
  EXPECT_FALSE(std::filesystem::exists(state() + "/vault.new.wal"));
  EXPECT_EQ(AskVault("SELECT value FROM meta WHERE key = 'import_number'"), Lines{"2"});
}

// Nobody gets the number of somebody else, whoever comes and goes.
TEST_F(ImportTest, PeopleKeepTheirNumbers) {
  const auto numbers = [&](const std::string& rows) {
    WriteFile("patients.csv", "id,age,sex\n" + rows);
    EXPECT_TRUE(Run(kPatients).ok());
    std::map<std::string, std::string> by_key;
    for (const std::string& line : AskVault("SELECT key, p FROM people")) {
      by_key[line.substr(0, line.find(','))] = line.substr(line.find(',') + 1);
    }
    return by_key;
  };
  const auto first = numbers("1,2,F\n2,3,M\n3,4,F\n");
  EXPECT_EQ(first.size(), 3u);
  const auto second = numbers("4,2,F\n3,3,M\n");
  EXPECT_EQ(second.at("3"), first.at("3"));
  EXPECT_EQ(second.at("4"), "3");
  auto third = numbers("2,3,M\n4,2,F\n1,2,F\n3,4,F\n");
  EXPECT_EQ(third.at("4"), "3");
  third.erase("4");
  EXPECT_EQ(third, first);
}

TEST_F(ImportTest, TheSameSourcesGiveTheSameTables) {
  std::string forwards = "id,age,sex\n";
  std::string backwards = forwards;
  for (int i = 0; i < 3000; ++i) {
    const auto line = [](int n) {
      return std::to_string(n) + "," + std::to_string(n % 99) + ",F\n";
    };
    forwards += line(i);
    backwards += line(2999 - i);
  }
  WriteFile("patients.csv", forwards);
  ASSERT_TRUE(Run(kPatients).ok());
  const Lines first = AskVault("SELECT * FROM t1");
  ASSERT_EQ(first.size(), 3000u);
  WriteFile("patients.csv", backwards);
  ASSERT_TRUE(Run(kPatients).ok());
  EXPECT_EQ(AskVault("SELECT * FROM t1"), first);
}

TEST_F(ImportTest, ProgressNamesEveryTable) {
  WriteFile("patients.csv", "id,age,sex\n1,2,F\n");
  const Catalog catalog = Parsed(std::string(kHead) + kPatients);
  Lines steps;
  ASSERT_TRUE(Import({.catalog = catalog,
                      .catalog_folder = folder_.path(),
                      .state_folder = state(),
                      .dataset_id = "dataset",
                      .ledger_head = {},
                      .registry = registry_,
                      .progress =
                          [&](const ProgressStep& step) {
                            steps.push_back(std::string(step.table) + ":" +
                                            std::string(step.stage));
                            EXPECT_LE(step.fraction.value_or(0), 1);
                          }})
                  .ok());
  EXPECT_EQ(steps, (Lines{"patients:reading", ":numbering people", "patients:writing", ":counting",
                          ":saving"}));
}

// Large enough to be read for a while.
std::string ManyRows() {
  std::string bytes = "id,age,sex\n";
  for (int i = 0; i < 400'000; ++i) bytes += std::to_string(i) + ",18,F\n";
  return bytes;
}

TEST_F(ImportTest, AnInterruptAtAnyTimeLeavesTheOldVault) {
  WriteFile("patients.csv", ManyRows());
  WriteFile("good.csv", "id,age\n1,2\n");
  for (const int milliseconds : {0, 1, 30, 100, 200}) {
    interrupted_ = false;
    ASSERT_TRUE(Run("[tables.good]\nsource = \"good.csv\"\nperson = \"id\"\n").ok());
    const std::string before = Snapshot();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      interrupted_ = true;
    });
    const auto imported = Run(kPatients);
    other.join();
    if (imported.ok()) break;  // a fast machine
    EXPECT_EQ(imported.error().code, Code::kInterrupted) << imported.error().detail;
    EXPECT_EQ(Snapshot(), before);
  }
}

// A disk that is full after so many bytes. In a child, because a limit cannot be taken back.
TEST_F(ImportTest, AFullDiskLeavesTheOldVault) {
  std::string bytes = "id,note\n";
  for (int i = 0; i < 60'000; ++i) {
    bytes += std::to_string(i) + ",note " + std::to_string(i * 7919) + "\n";
  }
  WriteFile("good.csv", "id\n1\n");
  WriteFile("notes.csv", bytes);
  ASSERT_TRUE(Run("[tables.good]\nsource = \"good.csv\"\nperson = \"id\"\n").ok());
  const std::string before = Snapshot();
  for (const rlim_t limit : {rlim_t{0}, rlim_t{4096}, rlim_t{20'000}, rlim_t{600'000}}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limits{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &limits);
      const auto imported =
          Run("[tables.notes]\nsource = \"notes.csv\"\nperson = \"id\"\n[tables.notes.columns]\n"
              "note = { type = \"text\" }\n");
      ::_exit(imported.ok() ? 1 : imported.error().code == Code::kIo ? 0 : 2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << limit;
    EXPECT_EQ(WEXITSTATUS(status), 0) << limit;
    EXPECT_EQ(Snapshot(), before) << limit;
  }
}

TEST_F(ImportTest, SaysWhoHasTooManyRowsAlsoThroughAnotherTable) {
  WriteFile("visits.csv", "visit_id,who\n10,1\n11,2\n12,1\n");
  WriteFile("tests.csv", "visit,kind\n10,a\n11,b\n12,b\n");
  const Result<std::vector<ImportedTable>> imported = Run(R"(
[tables.visits]
source = "visits.csv"
person = "who"
[tables.tests]
source = "tests.csv"
person = { through = "visit", table = "visits", key = "visit_id" }
rows_per_person = 1
[tables.tests.columns]
kind = { type = "text", values = ["a", "b"] }
)");
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.error().code, Code::kData) << imported.error().detail;
  EXPECT_NE(imported.error().message.find("1 person with more than rows_per_person = 1"),
            std::string::npos)
      << imported.error().message;
}

TEST_F(ImportTest, WhatIsUniqueIsVerified) {
  const std::string wards = R"(
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
ward = { type = "text", unique = true }
floor = { type = "integer", range = [0, 3], unique = UNIQUE }
)";
  const auto with = [&](const std::string& unique) {
    std::string text = wards;
    return text.replace(text.find("UNIQUE"), 6, unique);
  };
  WriteFile("wards.csv", "ward,floor\nnorth,1\nsouth,7\nwest,9\n,2\n,\n");
  EXPECT_TRUE(Run(with("false")).ok());
  // Two are brought to the end of the range, and joins see what is stored.
  const Result<std::vector<ImportedTable>> clamped = Run(with("true"));
  ASSERT_FALSE(clamped.ok());
  EXPECT_EQ(clamped.error().code, Code::kData);
  EXPECT_EQ(clamped.error().message,
            "wards.floor: 1 value in more than one row, and unique = true (wards.csv, line 4)");
  WriteFile("wards.csv", "ward,floor\nnorth,1\nsouth,2\nnorth,3\n");
  const Result<std::vector<ImportedTable>> twice = Run(with("false"));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message,
            "wards.ward: 1 value in more than one row, and unique = true (wards.csv, line 4)");
}

}  // namespace
}  // namespace tacet
