// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/write_vault.h"

#include <gtest/gtest.h>

#include <optional>

#include "tacet/gateway/vault_layout.h"
#include "tacet/gateway/vault_testing.h"

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

  // `rows` are SQL: "('1', 'a'), ('2', 'b')".
  void Fill(const std::string& table, const std::string& columns, const std::string& rows) {
    Run("CREATE OR REPLACE TABLE " + table + " AS SELECT * FROM (VALUES " + rows + ") AS v(" +
        columns + ")");
  }

  Status Write(const std::string& tables) { return WriteCatalog(Parsed(kHead + tables)); }

  Status WriteCatalog(const Catalog& catalog) {
    PersonRegistry registry("secret");
    return WriteVault(*database_, catalog,
                      [&](size_t table) -> Result<Relation> {
                        const std::string name = "s" + std::to_string(table + 1);
                        return Relation{.sql = name, .rereads = rereads_, .shown = name};
                      },
                      registry, {.dataset_id = "it's", .import_number = 3, .ledger_head = {}}, {});
  }

  std::string Message(const std::string& tables) {
    const Status status = Write(tables);
    return status.ok() ? "ok" : status.error().message;
  }

  // One column `x` of a table of rows, with these values as SQL: what is stored, and its type.
  Lines Column(const std::string& declared, const std::string& values) {
    Fill("s1", "x", values);
    const Status status =
        Write("[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n[tables.t.columns]\nx = { " +
              declared + " }\n");
    if (!status.ok()) return {status.error().message};
    Lines lines = Ask("SELECT c1 FROM t1 ORDER BY p");
    lines.push_back(Ask("SELECT typeof(c1) FROM t1")[0]);
    return lines;
  }

  Lines Ask(const std::string& statement) { return tacet::Ask(*database_, statement); }

  std::optional<duckdb::Database> database_;
  bool rereads_ = true;
};

TEST_F(WriteVaultTest, IntegersAreReadHoweverTheyAreWritten) {
  EXPECT_EQ(Column("type = \"integer\", range = [0, 110]",
                   "('18'), ('18.0'), ('-5'), ('999999999999'), (NULL), ('+7'), ('007'), ('1e2')"),
            (Lines{"18", "18", "0", "110", "NULL", "7", "7", "100", "INTEGER"}));
}

TEST_F(WriteVaultTest, IntegersComeFromEveryTypeThatHoldsThem) {
  const std::string declared = "type = \"integer\", range = [-5, 5]";
  const Lines expected = {"3", "NULL", "INTEGER"};
  for (const char* type :
       {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
        "UBIGINT", "UHUGEINT", "DECIMAL(5,2)", "DECIMAL(38,30)", "FLOAT", "DOUBLE", "VARCHAR"}) {
    EXPECT_EQ(Column(declared, "(3::" + std::string(type) + "), (NULL)"), expected) << type;
  }
  for (const char* value : {"3.5::DECIMAL(5,2)", "3.5::DOUBLE", "'3.5'", "'x'", "''", "'3_0'"}) {
    EXPECT_EQ(Column(declared, "(" + std::string(value) + ")"),
              Lines{"t.x: 1 value that cannot be read as integer (s1, row 1)"})
        << value;
  }
  EXPECT_EQ(Column(declared, "(true)"),
            Lines{"table t: column 'x' is BOOLEAN in the source, which cannot be read as integer"});
  EXPECT_EQ(
      Column(declared, "([1])"),
      Lines{"table t: column 'x' is INTEGER[] in the source, which cannot be read as integer"});
}

TEST_F(WriteVaultTest, ExtremesOf64BitsStayExact) {
  EXPECT_EQ(Column("type = \"bigint\", range = [-9223372036854775808, 9223372036854775807]",
                   "('9223372036854775807'), ('-9223372036854775808'), ('9223372036854775808'), "
                   "('-99999999999999999999'), ('9223372036854775806')"),
            (Lines{"9223372036854775807", "-9223372036854775808", "9223372036854775807",
                   "-9223372036854775808", "9223372036854775806", "BIGINT"}));
  EXPECT_EQ(Column("type = \"bigint\", range = [-9223372036854775808, 9223372036854775807]",
                   "(9223372036854775807), ((-9223372036854775808)::BIGINT)"),
            (Lines{"9223372036854775807", "-9223372036854775808", "BIGINT"}));
  EXPECT_EQ(Column("type = \"bigint\", range = [-9223372036854775808, 9223372036854775807]",
                   "(1e300::DOUBLE), (-1e300::DOUBLE), ('nan'::DOUBLE), ('inf'::DOUBLE)"),
            (Lines{"9223372036854775807", "-9223372036854775808", "NULL", "NULL", "BIGINT"}));
}

TEST_F(WriteVaultTest, DecimalsAreExactAndRoundToTheGrid) {
  const std::string declared = "type = \"decimal(10,2)\", range = [-10, 5000]";
  const Lines expected = {"1234", "1235", "-29", "500000", "-1000", "NULL", "INTEGER"};
  EXPECT_EQ(Column(declared, "('12.34'), ('12.345'), ('-0.285'), ('5000.01'), ('-1e9'), (NULL)"),
            expected);
  EXPECT_EQ(Column(declared,
                   "(12.34::DECIMAL(20,3)), (12.345), (-0.285), (5000.01), (-1000000000), (NULL)"),
            expected);
  EXPECT_EQ(Column("type = \"decimal(10,2)\", range = [-100, 100], grid = \"10\"",
                   "('14.99'), ('15'), ('-15'), ('-14.99'), ('99'), ('1000')"),
            (Lines{"1", "2", "-2", "-1", "10", "10", "INTEGER"}));
  EXPECT_EQ(Column("type = \"decimal(10,2)\", range = [-2, 2], grid = \"1/4\"",
                   "('0.37'), ('0.38'), ('-0.38'), ('2.00'), ('0.12'), ('0.13')"),
            (Lines{"1", "2", "-2", "8", "0", "1", "INTEGER"}));
  EXPECT_EQ(Column("type = \"decimal(38,30)\", range = [\"0\", \"0.000000000001\"]",
                   "('0.000000000000000000000000000001'), ('0.5')"),
            (Lines{"1", "1000000000000000000", "BIGINT"}));
}

TEST_F(WriteVaultTest, DoublesRoundAndNeverLeaveTheRange) {
  EXPECT_EQ(Column("type = \"double\", range = [0, 200000], grid = \"1\"",
                   "(0.4::DOUBLE), (0.6), (-3), (1e300), ('nan'), ('inf'), ('-inf'), (NULL)"),
            (Lines{"0", "1", "0", "200000", "NULL", "NULL", "NULL", "NULL", "INTEGER"}));
  EXPECT_EQ(Column("type = \"double\", range = [0, 200000], grid = \"1\"",
                   "('0.4'), ('0.6'), ('NaN'), ('inf'), ('1e999'), ('2e3')"),
            (Lines{"0", "1", "NULL", "NULL", "NULL", "2000", "INTEGER"}));
  // The range's end is no point of the grid, and lies nearer to one outside.
  EXPECT_EQ(
      Column("type = \"double\", range = [\"0.4\", \"110.6\"], grid = \"1\", outside = \"refuse\"",
             "(110.6::DOUBLE), (0.4), (0.45)"),
      (Lines{"110", "1", "1", "INTEGER"}));
  EXPECT_EQ(Column("type = \"double\", range = [0, 1]", "(0.5::DOUBLE), (1)"),
            (Lines{"536870912", "1073741824", "INTEGER"}));
  EXPECT_EQ(Column("type = \"double\", range = [\"0\", \"1e-320\"], grid = \"1/2\"", "(1::DOUBLE)"),
            (Lines{"0", "INTEGER"}));
}

TEST_F(WriteVaultTest, NumbersWithoutARangeAreDoubles) {
  EXPECT_EQ(Column("type = \"double\"", "('0.5'), ('nan'), (NULL)"),
            (Lines{"0.500000", "NULL", "NULL", "DOUBLE"}));
  EXPECT_EQ(Column("type = \"decimal(4,2)\"", "('12.345'), ('-99.99')"),
            (Lines{"12.350000", "-99.990000", "DOUBLE"}));
  EXPECT_EQ(Column("type = \"integer\"", "('2147483647'), ('-2147483648')"),
            (Lines{"2147483647.000000", "-2147483648.000000", "DOUBLE"}));
  EXPECT_EQ(Column("type = \"integer\"", "('2147483648')"),
            Lines{"t.x: 1 value that cannot be read as integer (s1, row 1)"});
  EXPECT_EQ(Column("type = \"decimal(4,2)\"", "('100')"),
            Lines{"t.x: 1 value that cannot be read as decimal(4,2) (s1, row 1)"});
  EXPECT_EQ(Column("type = \"integer\"", "(3e9::DOUBLE)"),
            Lines{"t.x: 1 value that cannot be read as integer (s1, row 1)"});
}

TEST_F(WriteVaultTest, ListedNumbersAreThemselves) {
  EXPECT_EQ(Column("type = \"integer\", values = [5, 1, 9]", "('1'), ('5'), ('7'), ('99'), (NULL)"),
            (Lines{"1", "5", "NULL", "NULL", "NULL", "INTEGER"}));
  EXPECT_EQ(Column("type = \"integer\", values = [5, 1, 9]", "(1::DOUBLE), (7), (99)"),
            (Lines{"1", "NULL", "NULL", "INTEGER"}));
  EXPECT_EQ(Column("type = \"decimal(3,1)\", values = [\"0.5\", \"1.5\"], nullable = false",
                   "('0.5'), ('2.5')"),
            Lines{"t.x: 1 value not among the declared values (s1, row 2)"});
}

TEST_F(WriteVaultTest, TextsBecomeCodesOrStay) {
  EXPECT_EQ(Column("type = \"text\", values = [\"F\", \"it's\", \"\", \"\\u00fc\"]",
                   "('F'), ('it''s'), (''), ('\u00fc'), ('f'), (NULL)"),
            (Lines{"0", "1", "2", "3", "NULL", "NULL", "INTEGER"}));
  EXPECT_EQ(Column("type = \"text\", values = [\"F\"], outside = \"refuse\"", "('F'), ('M'), ('')"),
            Lines{"t.x: 2 values not among the declared values (s1, rows 2 and 3)"});
  EXPECT_EQ(Column("type = \"text\"", "('a; DROP TABLE t1; --'), (' b '), (NULL)"),
            (Lines{"a; DROP TABLE t1; --", " b ", "NULL", "VARCHAR"}));
  EXPECT_EQ(Column("type = \"text\"", "(5::BIGINT)"), (Lines{"5", "VARCHAR"}));
}

TEST_F(WriteVaultTest, BooleansComeFromWordsAndDigits) {
  EXPECT_EQ(Column("type = \"boolean\"", "('true'), ('F'), ('1'), ('no'), (NULL)"),
            (Lines{"true", "false", "true", "false", "NULL", "BOOLEAN"}));
  EXPECT_EQ(Column("type = \"boolean\"", "(1), (0)"), (Lines{"true", "false", "BOOLEAN"}));
  EXPECT_EQ(Column("type = \"boolean\"", "(1), (2)"),
            Lines{"t.x: 1 value that cannot be read as boolean (s1, row 2)"});
}

TEST_F(WriteVaultTest, DatesAreDays) {
  const std::string declared = "type = \"date\", range = [\"2026-01-01\", \"2026-12-31\"]";
  EXPECT_EQ(
      Column(declared, "('2026-01-02'), ('1999-01-01'), ('9999-12-31'), ('infinity'), (NULL)"),
      (Lines{"20455", "20454", "20818", "NULL", "NULL", "INTEGER"}));
  EXPECT_EQ(Column(declared, "(DATE '2026-01-02'), (DATE 'infinity')"),
            (Lines{"20455", "NULL", "INTEGER"}));
  EXPECT_EQ(Column(declared, "(TIMESTAMP '2026-01-02 23:59:59')"), (Lines{"20455", "INTEGER"}));
  EXPECT_EQ(Column(declared, "(TIMESTAMPTZ '2026-01-03 01:00:00+02')"),
            (Lines{"20455", "INTEGER"}));
  EXPECT_EQ(Column("type = \"date\"", "('1970-01-02')"), (Lines{"1", "INTEGER"}));
  for (const char* value : {"2026-02-30", "2026-1-5", "02.01.2026", "epoch", "today", "20260102"}) {
    EXPECT_EQ(Column(declared, "('" + std::string(value) + "')"),
              Lines{"t.x: 1 value that cannot be read as date (s1, row 1)"})
        << value;
  }
}

TEST_F(WriteVaultTest, TimestampsAreMicrosecondsInUtc) {
  const std::string declared = "type = \"timestamp\"";
  EXPECT_EQ(Column(declared,
                   "('1970-01-01 00:00:01'), ('1970-01-01T00:00:00.000001'), "
                   "('1970-01-01 02:00:00+02:00'), ('1970-01-01T00:00:00Z'), (NULL)"),
            (Lines{"1000000", "1", "0", "0", "NULL", "BIGINT"}));
  EXPECT_EQ(Column(declared, "(TIMESTAMPTZ '1970-01-01 02:00:01+02')"),
            (Lines{"1000000", "BIGINT"}));
  EXPECT_EQ(Column(declared, "(TIMESTAMP_NS '1970-01-01 00:00:01')"), (Lines{"1000000", "BIGINT"}));
  EXPECT_EQ(Column(declared, "('epoch')"),
            Lines{"t.x: 1 value that cannot be read as timestamp (s1, row 1)"});
  EXPECT_EQ(Column("type = \"timestamp\", range = [\"2026-01-01\", \"2026-01-01 00:00:01\"]",
                   "(TIMESTAMP '2025-01-01'), ('2026-01-01 00:00:00.5'), ('infinity')"),
            (Lines{"1767225600000000", "1767225600500000", "NULL", "BIGINT"}));
}

TEST_F(WriteVaultTest, OutsideSaysWhatBecomesOfAValue) {
  const std::string declared = "type = \"integer\", range = [0, 10], outside = ";
  EXPECT_EQ(Column(declared + "\"clamp\"", "('11'), ('-1'), ('5')"),
            (Lines{"10", "0", "5", "INTEGER"}));
  EXPECT_EQ(Column(declared + "\"null\"", "('11'), ('-1'), ('5')"),
            (Lines{"NULL", "NULL", "5", "INTEGER"}));
  EXPECT_EQ(Column(declared + "\"refuse\"", "('11'), ('-1'), ('5')"),
            Lines{"t.x: 2 values outside the range from 0 to 10 (s1, rows 1 and 2)"});
  // The gridded value would be inside.
  EXPECT_EQ(Column("type = \"decimal(4,2)\", range = [0, 10], grid = \"1\", outside = \"refuse\"",
                   "('10.01')"),
            Lines{"t.x: 1 value outside the range from 0 to 10 (s1, row 1)"});
}

TEST_F(WriteVaultTest, NullIsRefusedWhereItIsDeclaredSo) {
  EXPECT_EQ(Column("type = \"integer\", range = [0, 9], nullable = false", "('1'), (NULL), (NULL)"),
            Lines{"t.x: 2 rows without a value, but nullable = false (s1, rows 2 and 3)"});
  EXPECT_EQ(Column("type = \"double\", range = [0, 9], nullable = false", "('1'), ('nan')"),
            Lines{"t.x: 1 row without a value, but nullable = false (s1, row 2)"});
  EXPECT_EQ(Column("type = \"integer\", range = [0, 9], nullable = false", "('x')"),
            Lines{"t.x: 1 value that cannot be read as integer (s1, row 1)"});
}

TEST_F(WriteVaultTest, RulesSpeakOfTheirOwnColumn) {
  const std::string tables =
      "[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n[tables.t.columns]\n"
      "z = { type = \"integer\", range = [0, 9], nullable = false }\n"
      "a = { type = \"integer\", range = [0, 9] }\n";
  Fill("s1", "z, a", "(1, NULL), (2, 3)");
  EXPECT_EQ(Message(tables), "ok");
  Fill("s1", "z, a", "(1, 4), (NULL, 3)");
  EXPECT_EQ(Message(tables), "t.z: 1 row without a value, but nullable = false (s1, row 2)");
}

TEST_F(WriteVaultTest, TellsTheFirstLinesOfMany) {
  Run("CREATE TABLE s1 AS SELECT 'x' AS x FROM range(5000)");
  EXPECT_EQ(Message("[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n[tables.t.columns]\n"
                    "x = { type = \"integer\", range = [0, 9] }\n"),
            "t.x: 5000 values that cannot be read as integer (s1, rows 1, 2, 3, 4, 5, ...)");
}

constexpr char kVisits[] = R"toml(
[person]
type = "integer"
[tables.patients]
source = "s.csv"
person = "id"
rows_per_person = 1
[tables.patients.columns]
age = { type = "integer", range = [0, 110] }
[tables.visits]
source = "s.csv"
person = "Patient"
[tables.visits.columns]
cost = { type = "integer", range = [0, 500] }
)toml";

TEST_F(WriteVaultTest, PeopleAreNumberedDenselyAndTablesAreInTheirOrder) {
  Fill("s1", "id, age", "('1', '18'), ('3', '55'), ('2', '30')");
  Fill("s2", "patient, cost", "('4', '1'), ('03', '9'), ('3.0', '7'), ('1', '5'), ('+3', '8')");
  for (const bool rereads : {true, false}) {
    rereads_ = rereads;
    ASSERT_EQ(Message(kVisits), "ok");
    EXPECT_EQ(Ask("SELECT p FROM people ORDER BY key"), (Lines{"2", "1", "3", "0"}));
    EXPECT_EQ(Ask("SELECT p, key FROM people"), (Lines{"0,4", "1,2", "2,1", "3,3"}));
    EXPECT_EQ(Ask("SELECT p, c1 FROM t1"), (Lines{"1,30", "2,18", "3,55"}));
    EXPECT_EQ(Ask("SELECT p, c1 FROM t2"), (Lines{"0,1", "2,5", "3,7", "3,8", "3,9"}));
    EXPECT_EQ(Ask("SELECT count(*) FROM t2 JOIN people USING (p, k)"), Lines{"5"});
    EXPECT_EQ(Ask("SELECT * FROM sizes ORDER BY ALL"), (Lines{"t1,3,3", "t2,5,3"}));
    EXPECT_EQ(Ask("SELECT typeof(p), typeof(k) FROM t1 LIMIT 1"), Lines{"INTEGER,BIGINT"});
    EXPECT_EQ(Ask("SELECT count(*) FROM duckdb_tables() WHERE temporary"), Lines{"0"});
  }
}

TEST_F(WriteVaultTest, TheDigestIsAFunctionOfTheKeyAlone) {
  Fill("s1", "id, age", "('1', '18'), ('2', '30'), ('3', '55')");
  Fill("s2", "patient, cost", "('1', '1')");
  ASSERT_EQ(Message(kVisits), "ok");
  const Lines before = Ask("SELECT k FROM people WHERE key IN ('1', '3') ORDER BY key");
  Fill("s1", "id, age", "(3::BIGINT, 55), (1, 19), (77, 1)");
  ASSERT_EQ(Message(kVisits), "ok");
  EXPECT_EQ(Ask("SELECT k FROM people WHERE key IN ('1', '3') ORDER BY key"), before);
}

TEST_F(WriteVaultTest, TheOrderOfRowsLeavesNoTrace) {
  Run("CREATE TABLE s1 AS SELECT range AS id, range % 90 AS age FROM range(3000)");
  Run("CREATE TABLE s2 AS SELECT range % 700 AS patient, range % 500 AS cost FROM range(9000)");
  ASSERT_EQ(Message(kVisits), "ok");
  const Lines people = Ask("SELECT * FROM people");
  const Lines patients = Ask("SELECT * FROM t1");
  const Lines visits = Ask("SELECT * FROM t2");
  Run("CREATE OR REPLACE TABLE s1 AS FROM s1 ORDER BY hash(id)");
  Run("CREATE OR REPLACE TABLE s2 AS FROM s2 ORDER BY hash(patient + cost)");
  ASSERT_EQ(Message(kVisits), "ok");
  EXPECT_EQ(Ask("SELECT * FROM people"), people);
  EXPECT_EQ(Ask("SELECT * FROM t1"), patients);
  EXPECT_EQ(Ask("SELECT * FROM t2"), visits);
}

TEST_F(WriteVaultTest, BadKeysFailTheImport) {
  Fill("s2", "patient, cost", "('1', '1')");
  Fill("s1", "id, age", "('1', '18'), ('1.5', '30'), ('x', '55'), (NULL, '3')");
  EXPECT_EQ(Message(kVisits),
            "the data breaks 2 rules\n"
            "  patients.id: 2 keys that cannot be read as a person of type integer (s1, rows 2 and "
            "3)\n"
            "  patients.id: 1 row without a person (s1, row 4)");
  Fill("s1", "id, age", "(1.5::DOUBLE, '18'), ('nan', '1'), (9007199254740993, '30'), (7, '3')");
  EXPECT_EQ(
      Message(kVisits),
      "patients.id: 3 keys that cannot be read as a person of type integer (s1, rows 1, 2 and "
      "3)");
  Fill("s1", "id, age", "(DATE '2026-01-01', '18')");
  EXPECT_EQ(Message(kVisits),
            "table patients: the person's column 'id' is DATE in the source, which cannot be a key "
            "of type integer");
}

TEST_F(WriteVaultTest, TextKeysAreExact) {
  const std::string tables =
      "[tables.t]\nsource = \"s.csv\"\nperson = \"id\"\n[tables.t.columns]\n"
      "x = { type = \"integer\", range = [0, 9] }\n";
  Fill("s1", "id, x", "('a', 1), ('A', 2), ('a ', 3), ('01', 4), ('1', 5), ('', 6), ('\u00fc', 7)");
  ASSERT_EQ(Message(tables), "ok");
  EXPECT_EQ(Ask("SELECT key FROM people ORDER BY key"),
            (Lines{"", "01", "1", "A", "a", "a ", "\u00fc"}));
  Fill("s1", "id, x", "(1.5::DOUBLE, 1)");
  EXPECT_EQ(Message(tables),
            "table t: the person's column 'id' is DOUBLE in the source, which cannot be a key of "
            "type text");
}

TEST_F(WriteVaultTest, RowsWithoutAPersonAreDroppedWhereTheOwnerSaysSo) {
  Fill("s1", "id, x", "('1', 1), (NULL, 2), ('2', 3)");
  ASSERT_EQ(Message("[tables.t]\nsource = \"s.csv\"\nperson = \"id\"\nnull_person = \"drop\"\n"
                    "[tables.t.columns]\nx = { type = \"integer\", range = [0, 9] }\n"),
            "ok");
  EXPECT_EQ(Ask("SELECT key, c1 FROM t1 JOIN people USING (p) ORDER BY key"),
            (Lines{"1,1", "2,3"}));
}

TEST_F(WriteVaultTest, RowsPerPersonIsVerified) {
  Fill("s1", "id, age", "('1', '18'), ('2', '30'), ('01', '55'), ('2', '30'), ('2', '1')");
  Fill("s2", "patient, cost", "('1', '1')");
  EXPECT_EQ(Message(kVisits),
            "patients: 2 persons with more than rows_per_person = 1 (s1, rows 3 and 4)");
}

constexpr char kThrough[] = R"toml(
[tables.visits]
source = "s.csv"
person = "id"
[tables.visits.columns]
cost = { type = "integer", range = [0, 500] }
[tables.tests]
source = "s.csv"
person = { through = "visit", table = "visits", key = "visit_id" }
[tables.tests.columns]
result = { type = "integer", range = [0, 9] }
[tables.notes]
source = "s.csv"
person = { through = "test", table = "tests", key = "number" }
[tables.notes.columns]
words = { type = "integer", range = [0, 99] }
)toml";

TEST_F(WriteVaultTest, ForeignKeysLeadToThePerson) {
  Fill("s1", "id, visit_id, cost", "('b', 'v1', 1), ('a', 'v2', 2), ('a', 'v3', 3)");
  Fill("s2", "visit, number, result", "('v1', 1, 5), ('v3', 2, 6), ('v3', 3, 7)");
  Fill("s3", "test, words", "('2', 10), ('1', 11), ('1', 12)");
  for (const bool rereads : {true, false}) {
    rereads_ = rereads;
    ASSERT_EQ(Message(kThrough), "ok");
    EXPECT_EQ(Ask("SELECT key, c1 FROM t2 JOIN people USING (p, k) ORDER BY ALL"),
              (Lines{"a,6", "a,7", "b,5"}));
    EXPECT_EQ(Ask("SELECT key, c1 FROM t1 JOIN people USING (p, k) ORDER BY ALL"),
              (Lines{"a,10", "b,11", "b,12"}));
  }
}

TEST_F(WriteVaultTest, ForeignKeysMustBeFoundExactlyOnce) {
  Fill("s1", "id, visit_id, cost", "('b', 'v1', 1), ('a', 'v2', 2), ('a', 'v2', 3)");
  Fill("s2", "visit, number, result", "('v1', 1, 5), ('v2', 2, 6), ('v9', 3, 7), (NULL, 4, 8)");
  Fill("s3", "test, words", "('1', 10)");
  for (const bool rereads : {true, false}) {
    rereads_ = rereads;
    EXPECT_EQ(Message(kThrough),
              "the data breaks 2 rules\n"
              "  tests.visit: 2 values that 'visit_id' of table visits does not have exactly once "
              "(s2, rows 2 and 3)\n"
              "  tests.visit: 1 row that leads to no person (s2, row 4)");
  }
}

TEST_F(WriteVaultTest, ReferencesStandInThePublicTable) {
  const std::string tables = R"toml(
[tables.t]
source = "s.csv"
person = "row"
[tables.t.columns]
ward = { type = "text", values = "wards.ward" }
floor = { type = "integer", values = "wards.floor" }
kind = { type = "text", values = "wards.kind", outside = "refuse" }
[tables.wards]
source = "s.csv"
public = true
[tables.wards.columns]
ward = { type = "text" }
floor = { type = "integer", range = [0, 9] }
kind = { type = "text", values = ["A", "B"] }
)toml";
  Fill("s1", "ward, floor, kind", "('w1', 1, 'A'), ('w9', 5, 'A'), (NULL, 3, NULL)");
  Fill("s2", "ward, floor, kind", "('w1', 1, 'A'), ('w2', 3, 'B'), (NULL, NULL, NULL)");
  ASSERT_EQ(Message(tables), "ok");
  EXPECT_EQ(Ask("SELECT c3, c1, c2 FROM t1"),
            (Lines{"w1,1.000000,A", "NULL,NULL,A", "NULL,3.000000,NULL"}));
  EXPECT_EQ(Ask("SELECT c3, c1, c2 FROM t2"), (Lines{"w1,1,0", "w2,3,1", "NULL,NULL,NULL"}));
  EXPECT_EQ(Ask("SELECT rows, persons FROM sizes WHERE table_id = 't2'"), Lines{"3,0"});
  Fill("s1", "ward, floor, kind", "('w1', 1, 'C')");
  EXPECT_EQ(Message(tables), "t.kind: 1 value not in the column that it refers to (s1, row 1)");
}

TEST_F(WriteVaultTest, EveryRowCanBeAPerson) {
  Fill("s1", "x", "('3'), ('1'), ('2')");
  ASSERT_EQ(Message("[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n[tables.t.columns]\n"
                    "x = { type = \"integer\", range = [0, 9] }\n"),
            "ok");
  EXPECT_EQ(Ask("SELECT p, k, c1 FROM t1"), (Lines{"0,0,3", "1,0,1", "2,0,2"}));
  EXPECT_EQ(Ask("SELECT count(*) FROM people"), Lines{"0"});
  EXPECT_EQ(Ask("SELECT * FROM sizes"), Lines{"t1,3,3"});
}

TEST_F(WriteVaultTest, TablesMayBeEmpty) {
  Run("CREATE TABLE s1 (id VARCHAR, age VARCHAR)");
  Run("CREATE TABLE s2 (patient VARCHAR, cost VARCHAR)");
  ASSERT_EQ(Message(kVisits), "ok");
  EXPECT_EQ(Ask("SELECT * FROM sizes ORDER BY ALL"), (Lines{"t1,0,0", "t2,0,0"}));
  ASSERT_EQ(Message(""), "ok");
}

TEST_F(WriteVaultTest, LayoutAndMetaSayWhatIsWhere) {
  Fill("s1", "id, age", "('1', '18')");
  Fill("s2", "patient, cost", "('1', '1')");
  ASSERT_EQ(Message(kVisits), "ok");
  const Catalog catalog = Parsed(std::string(kHead) + kVisits);
  const Result<VaultLayout> layout = ReadLayout(*database_);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->at("visits").id, "t2");
  EXPECT_EQ(layout->at("visits").columns.at("cost"), "c1");
  EXPECT_EQ(layout->size(), LayoutOf(catalog).size());
  const Result<VaultMeta> meta = ReadMeta(*database_);
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->dataset_id, "it's");
  EXPECT_EQ(meta->import_number, 3u);
  EXPECT_EQ(ReadSizes(*database_)->at("t1").rows, 1);
  Run("UPDATE meta SET value = '1' WHERE key = 'format'");
  EXPECT_EQ(ReadMeta(*database_).error().hint, "run tacet import.");
  Run("DROP TABLE meta");
  EXPECT_EQ(ReadMeta(*database_).error().code, Code::kData);
}

TEST_F(WriteVaultTest, MissingColumnsAreNamed) {
  Fill("s1", "id, agee", "('1', '18')");
  Fill("s2", "patient, cost", "('1', '1')");
  const Status status = Write(kVisits);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kData);
  EXPECT_EQ(status.error().message, "table patients: s1 has no column 'age'");
  EXPECT_EQ(status.error().hint, "did you mean 'agee'?");
}

TEST_F(WriteVaultTest, NamesOfTheOwnersAreNeverStatements) {
  Run("CREATE TABLE s1 AS SELECT 1 AS \"x\"\"; DROP TABLE s1; --\", 2 AS \"\u00fc \"\"\"");
  ASSERT_EQ(Message("[tables.t]\nsource = \"s.csv\"\nperson = \"row\"\n[tables.t.columns]\n"
                    "a = { type = \"integer\", range = [0, 9], from = 'x\"; DROP TABLE s1; --' }\n"
                    "b = { type = \"integer\", range = [0, 9], from = '\u00fc \"' }\n"),
            "ok");
  EXPECT_EQ(Ask("SELECT c1, c2 FROM t1"), Lines{"1,2"});
}

}  // namespace
}  // namespace tacet
