// SPDX-License-Identifier: Apache-2.0
// What is refused, under which name, and where the caret stands.
#include "tacet/sql/refusal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/sql/parser.h"

namespace tacet::sql {
namespace {

// A backtick, which is nothing in SQL, marks where the caret belongs.
struct Refused {
  std::string statement;
  std::string_view construct;
};

void ExpectRefused(const std::vector<Refused>& table) {
  for (const auto& [marked, construct] : table) {
    SCOPED_TRACE(marked);
    const size_t position = marked.find('`');
    ASSERT_NE(position, std::string::npos);
    const Result<Select> select = Parse(std::string(marked).erase(position, 1));
    ASSERT_FALSE(select.ok());
    EXPECT_EQ(select.error().code, Code::kUnsupported);
    EXPECT_EQ(select.error().message, std::string(construct) + " is not supported");
    EXPECT_EQ(select.error().position, position);
    EXPECT_FALSE(select.error().hint.empty());
  }
}

TEST(Refusal, ClausesOfSelect) {
  ExpectRefused({
      {"SELECT `DISTINCT ON (ward) ward FROM visits", "DISTINCT ON"},
      {"SELECT `* FROM visits", "SELECT *"},
      {"SELECT count(*), `v.* FROM visits v", "SELECT *"},
      {"`TABLE visits", "SELECT *"},
      {"SELECT count(*) `INTO x FROM visits", "INTO"},
      {"SELECT count(*) `INTO TEMP x FROM visits", "INTO"},
      {"SELECT count(DISTINCT a) FROM t GROUP BY `DISTINCT a", "GROUP BY DISTINCT"},
      {"SELECT count(*) FROM t GROUP BY ROLLUP (`ROW(a, b))", "a row value"},
      {"SELECT count(*) FROM t GROUP BY `(a, b)", "a row value"},
      {"SELECT sum(a) OVER w FROM t `WINDOW w AS (PARTITION BY b)", "WINDOW"},
      {"SELECT count(*) FROM t `WINDOW w AS ()", "WINDOW"},
      {"SELECT count(*) FROM t `FOR UPDATE", "row locking"},
      {"SELECT count(*) FROM t `FOR SHARE OF t NOWAIT", "row locking"},
      {"SELECT count(*) FROM t `FOR NO KEY UPDATE SKIP LOCKED", "row locking"},
      {"WITH v AS (SELECT `1) SELECT count(*) FROM v", "SELECT without FROM"},
      {"`WITH RECURSIVE v AS (SELECT a FROM t) SELECT count(*) FROM v", "WITH RECURSIVE"},
      {"WITH v AS `MATERIALIZED (SELECT a FROM t) SELECT count(*) FROM v", "MATERIALIZED"},
      {"WITH `v (x) AS (SELECT a FROM t) SELECT count(*) FROM v", "a list of column aliases"},
      {"WITH `v AS (DELETE FROM t) SELECT count(*) FROM v", "this as a subquery"},
      {"SELECT count(*) FROM a `UNION SELECT count(*) FROM b", "UNION"},
      {"SELECT count(*) FROM a `INTERSECT SELECT 1", "INTERSECT"},
      {"SELECT count(*) FROM a `EXCEPT ALL SELECT 1", "EXCEPT"},
      {"`VALUES (1), (2)", "VALUES"},
      {"`SELECT 1", "SELECT without FROM"},
      {"`SELECT FROM t", "an empty select list"},
      {"SELECT count(*) FROM t ORDER BY a FETCH FIRST 3 ROWS WITH `TIES", "WITH TIES"},
      {"SELECT count(*) FROM t LIMIT `ALL", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT `NULL", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT `a", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT `-1", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT `1.5", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT 1 `+ 1", "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t LIMIT `9223372036854775808",
       "LIMIT with anything but a number of rows"},
      {"SELECT count(*) FROM t OFFSET `'3'", "OFFSET with anything but a number of rows"},
      {"SELECT count(*) FROM t ORDER BY a USING `<", "ORDER BY ... USING"},
  });
}

TEST(Refusal, WhatIsNoTableOrJoin) {
  ExpectRefused({
      {"SELECT count(*) FROM a RIGHT JOIN `b ON a.x = b.x", "RIGHT JOIN"},
      {"SELECT count(*) FROM a FULL JOIN `b USING (x)", "FULL JOIN"},
      {"SELECT count(*) FROM a CROSS JOIN `b", "CROSS JOIN"},
      {"SELECT count(*) FROM a NATURAL JOIN `b", "NATURAL JOIN"},
      {"SELECT count(*) FROM a JOIN (`b JOIN d ON e) ON c", "a join in parentheses"},
      {"SELECT count(*) FROM a JOIN `b USING (x) AS j", "an alias of USING"},
      {"SELECT count(*) FROM a, `b", "a comma between tables in FROM"},
      {"SELECT count(*) FROM (SELECT `1) s", "SELECT without FROM"},
      {"SELECT count(*) FROM `LATERAL (SELECT x FROM u) s", "LATERAL"},
      {"SELECT count(*) FROM (SELECT x FROM u LIMIT `3) s", "LIMIT or OFFSET in a subquery"},
      {"SELECT count(*) FROM (SELECT x FROM u OFFSET `3) s", "LIMIT or OFFSET in a subquery"},
      {"SELECT count(*) FROM (SELECT x FROM u `UNION SELECT x FROM v) s", "UNION"},
      {"SELECT count(*) FROM `generate_series(1, 3)", "a function in FROM"},
      {"SELECT count(*) FROM t TABLESAMPLE `SYSTEM (1)", "TABLESAMPLE"},
      {"SELECT count(*) FROM `ONLY t", "ONLY"},
      {"SELECT count(*) FROM `public.t", "a schema before a table's name"},
      {"SELECT count(*) FROM `db.public.t", "a database before a table's name"},
      {"SELECT count(*) FROM `t AS u (x, y)", "a list of column aliases"},
  });
}

TEST(Refusal, Expressions) {
  ExpectRefused({
      {"SELECT count(*) FROM t WHERE a `= ANY (SELECT b FROM u)", "ANY"},
      {"SELECT count(*) FROM t WHERE `(a, b) IN (SELECT c, d FROM u)", "a row value"},
      {"SELECT `(SELECT count(*) FROM u) + 1 FROM t", "a subquery as a value"},
      {"SELECT `ARRAY(SELECT 1) FROM t", "a subquery as a value"},
      {"SELECT count(*) FROM t WHERE a `> ALL (SELECT 1)", "ALL"},
      {"SELECT count(*) FROM t WHERE a `= ANY (ARRAY[1, 2])", "ANY"},
      {"SELECT count(*) FROM t WHERE a `<> ALL (ARRAY[1, 2])", "ALL"},
      {"SELECT count(*) FROM t WHERE a = `$1", "a parameter"},
      {"SELECT `a[1] FROM t", "a subscript or a field of a value"},
      {"SELECT (`a).b FROM t", "a subscript or a field of a value"},
      {"SELECT (`a).* FROM t", "a subscript or a field of a value"},
      {"SELECT `ARRAY[1] FROM t", "ARRAY"},
      {"SELECT `ROW(1, 2) FROM t", "a row value"},
      {"SELECT count(*) FROM t WHERE `(a, b) = (1, 2)", "a row value"},
      {"SELECT count(*) FROM t WHERE `(a, b) IN ((1, 2))", "a row value"},
      {"SELECT count(*) FROM t WHERE a `COLLATE \"C\" = 'b'", "COLLATE"},
      {"SELECT count(*) FROM t ORDER BY a `COLLATE \"C\"", "COLLATE"},
      {"SELECT count(*) FROM t WHERE a `NOT LIKE 'a%' ESCAPE 'x'", "LIKE with ESCAPE"},
      {"SELECT count(*) FROM t WHERE a `ILIKE 'a%' ESCAPE 'x'", "ILIKE with ESCAPE"},
      {"SELECT count(*) FROM t WHERE a `SIMILAR TO 'a'", "SIMILAR TO"},
      {"SELECT count(*) FROM t WHERE a `~ 'a'", "the operator ~"},
      {"SELECT count(*) FROM t WHERE a `BETWEEN SYMMETRIC 1 AND 2", "BETWEEN SYMMETRIC"},
      {"SELECT count(*) FROM t WHERE a `NOT BETWEEN SYMMETRIC 1 AND 2", "BETWEEN SYMMETRIC"},
      {"SELECT count(*) FROM t WHERE a `IS UNKNOWN", "IS UNKNOWN"},
      {"SELECT count(*) FROM t WHERE a `IS NOT UNKNOWN", "IS UNKNOWN"},
      {"SELECT count(*) FROM t WHERE a `IS DOCUMENT", "XML"},
      {"SELECT count(*) FROM t WHERE a `IS NFC NORMALIZED", "IS NORMALIZED"},
      {"SELECT a `^ 2 FROM t", "the operator ^"},
      {"SELECT `+ a FROM t", "the operator + before a value"},
      {"SELECT `@ a FROM t", "the operator @ before a value"},
      {"SELECT a `-> 'b' FROM t", "the operator ->"},
      {"SELECT a `OPERATOR(pg_catalog.+) b FROM t", "the operator OPERATOR()"},
      {"SELECT `a.b.c FROM t", "a column's name of more than two parts"},
      {"SELECT `B'101' FROM t", "a bit string"},
      {"SELECT `X'1F' FROM t", "a bit string"},
      {"SELECT `1e9999 FROM t", "a number this long or this large"},
      {"SELECT `DEFAULT FROM t", "DEFAULT"},
      {"SELECT `xmlelement(name foo) FROM t", "XML"},
  });
}

TEST(Refusal, Calls) {
  ExpectRefused({
      {"SELECT `sum(a) OVER w FROM t", "a named window"},
      {"SELECT `sum(a) OVER (w ORDER BY b) FROM t", "a named window"},
      {"SELECT `sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t", "a frame of a window"},
      {"SELECT `sum(a) OVER (ORDER BY b RANGE CURRENT ROW) FROM t", "a frame of a window"},
      {"SELECT `sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM t",
       "a frame of a window"},
      {"SELECT `sum(a) OVER (RANGE UNBOUNDED PRECEDING EXCLUDE TIES) FROM t",
       "a frame of a window"},
      {"SELECT `sum(a) OVER (ORDER BY b GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
       "a frame of a window"},
      {"SELECT `sum(DISTINCT a) OVER () FROM t", "DISTINCT in a window function"},
      {"SELECT `sum(a) FILTER (WHERE b) OVER () FROM t", "FILTER in a window function"},
      {"SELECT `rank(*) OVER () FROM t", "* in rank()"},
      {"SELECT `count() OVER () FROM t", "count() without an argument"},
      {"SELECT `sum(a ORDER BY b) FROM t", "ORDER BY inside a call"},
      {"SELECT `string_agg(a, ',' ORDER BY a) FROM t", "ORDER BY inside a call"},
      {"SELECT `sum(a) WITHIN GROUP (ORDER BY b) FROM t", "WITHIN GROUP after another function"},
      {"SELECT `f() WITHIN GROUP (ORDER BY b) FROM t", "WITHIN GROUP after another function"},
      {"SELECT `median(a) WITHIN GROUP (ORDER BY b) FROM t", "WITHIN GROUP after another function"},
      {"SELECT `percentile_cont(0.5) FROM t", "this form of percentile_cont"},
      {"SELECT `percentile_disc(0.5, a) FROM t", "this form of percentile_disc"},
      {"SELECT `mode(a) WITHIN GROUP (ORDER BY a) FROM t", "this form of mode"},
      {"SELECT `mode() FROM t", "mode() with other than one argument"},
      {"SELECT `mode() WITHIN GROUP (ORDER BY a, b) FROM t", "this form of mode"},
      {"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY `a DESC) FROM t",
       "DESC in WITHIN GROUP"},
      {"SELECT `percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY a) FROM t",
       "a list of fractions"},
      {"SELECT `median(DISTINCT a) FROM t", "DISTINCT in median()"},
      {"SELECT `min(a, b) FROM t", "min() with other than one argument"},
      {"SELECT `f(VARIADIC a) FROM t", "VARIADIC"},
      {"SELECT f(`a => 1) FROM t", "a named argument"},
      {"SELECT `sum(DISTINCT a) FROM t", "DISTINCT in sum()"},
      {"SELECT `avg(DISTINCT a) FROM t", "DISTINCT in avg()"},
      {"SELECT `f(DISTINCT a) FROM t", "DISTINCT in f()"},
      {"SELECT `f(a) FILTER (WHERE b) FROM t", "FILTER after f()"},
      {"SELECT `sum(*) FROM t", "* in sum()"},
      {"SELECT `f(*) FROM t", "* in f()"},
      {"SELECT `count(a, b) FROM t", "count() with other than one argument"},
      {"SELECT `count() FROM t", "count() with other than one argument"},
      {"SELECT `avg() FROM t", "avg() with other than one argument"},
      {"SELECT `pg_catalog.count(a) FROM t", "a schema before a function's name"},
      {"SELECT `public.f(a) FROM t", "a schema before a function's name"},
      {"SELECT `\"coalesce\"(a, b) FROM t", "a quoted coalesce"},
      {"SELECT `now() FROM t", "now()"},
      {"SELECT `NOW() FROM t", "now()"},
      {"SELECT `clock_timestamp() FROM t", "clock_timestamp()"},
      {"SELECT `random() FROM t", "random()"},
      {"SELECT `CURRENT_DATE FROM t", "CURRENT_DATE"},
      {"SELECT `current_timestamp(3) FROM t", "CURRENT_TIMESTAMP"},
      {"SELECT `LocalTime FROM t", "LOCALTIME"},
      {"SELECT `current_user FROM t", "CURRENT_USER"},
      {"SELECT `session_user FROM t", "SESSION_USER"},
      {"SELECT `position('a' IN b) FROM t", "POSITION"},
      {"SELECT `trim(both 'x' from a) FROM t", "TRIM"},
      {"SELECT `overlay(a placing 'b' from 1) FROM t", "OVERLAY"},
      {"SELECT a `AT TIME ZONE 'UTC' FROM t", "AT TIME ZONE"},
      {"SELECT `collation for (a) FROM t", "COLLATION FOR"},
  });
}

TEST(Refusal, TypesAndMovingDates) {
  ExpectRefused({
      {"SELECT `N'a' FROM t", "the type bpchar"},
      {"SELECT `INTERVAL '1 day' FROM t", "the type interval"},
      {"SELECT `TIME '10:00' FROM t", "the type time"},
      {"SELECT `TIMESTAMPTZ '2026-01-01' FROM t", "the type timestamptz"},
      {"SELECT `DATE 'today' FROM t", "the date 'today'"},
      {"SELECT `DATE 'infinity' FROM t", "the date 'infinity'"},
      {"SELECT `DATE '2026-02-30' FROM t", "the date '2026-02-30'"},
      {"SELECT 'yesterday'`::date FROM t", "the date 'yesterday'"},
      {"SELECT `TIMESTAMP 'now' FROM t", "the timestamp 'now'"},
      {"SELECT `TIMESTAMP '2026-01-01 10:00+02' FROM t", "the timestamp '2026-01-01 10:00+02'"},
      {"SELECT a::`real FROM t", "the type float4"},
      {"SELECT a::`smallint FROM t", "the type int2"},
      {"SELECT a::`char(3) FROM t", "the type bpchar"},
      {"SELECT a::`json FROM t", "the type json"},
      {"SELECT a::`public.foo FROM t", "the type foo"},
      {"SELECT a::`varchar(3) FROM t", "this precision of text"},
      {"SELECT a::`timestamp(3) FROM t", "this precision of timestamp"},
      {"SELECT a::`numeric(0) FROM t", "this precision of decimal"},
      {"SELECT a::`numeric(2, 3) FROM t", "this precision of decimal"},
      {"SELECT a::`numeric(2, -3) FROM t", "this precision of decimal"},
      {"SELECT a::`int[] FROM t", "an array type"},
      {"SELECT CAST(a AS SETOF `int) FROM t", "SETOF"},
  });
}

TEST(Refusal, EveryOtherStatementByItsFirstWord) {
  for (const std::string statement : {
           "INSERT INTO a VALUES (1)",
           "UPDATE a SET x = 1",
           "DELETE FROM a",
           "MERGE INTO a USING b ON a.x = b.x WHEN MATCHED THEN DELETE",
           "TRUNCATE a",
           "CREATE TABLE a (x int)",
           "CREATE TABLE a AS SELECT 1",
           "CREATE VIEW a AS SELECT 1",
           "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
           "CREATE EXTENSION x",
           "CREATE ROLE x",
           "DROP TABLE a",
           "ALTER TABLE a ADD COLUMN x int",
           "ALTER SYSTEM SET x = 1",
           "COPY a TO 'x.csv'",
           "COPY (SELECT 1) TO PROGRAM 'id'",
           "SET x = 1",
           "RESET ALL",
           "SHOW ALL",
           "EXPLAIN SELECT 1",
           "EXPLAIN ANALYZE SELECT count(*) FROM a",
           "BEGIN",
           "START TRANSACTION",
           "COMMIT",
           "ROLLBACK",
           "SAVEPOINT x",
           "DO $$ BEGIN END $$",
           "CALL f()",
           "PREPARE p AS SELECT 1",
           "EXECUTE p",
           "DEALLOCATE p",
           "DECLARE c CURSOR FOR SELECT 1",
           "FETCH c",
           "CLOSE c",
           "LISTEN x",
           "NOTIFY x",
           "UNLISTEN x",
           "LOAD 'x'",
           "VACUUM",
           "ANALYZE",
           "CLUSTER",
           "REINDEX TABLE a",
           "CHECKPOINT",
           "LOCK TABLE a",
           "GRANT SELECT ON a TO b",
           "REVOKE SELECT ON a FROM b",
           "COMMENT ON TABLE a IS 'x'",
           "SECURITY LABEL ON TABLE a IS 'x'",
           "DISCARD ALL",
           "REFRESH MATERIALIZED VIEW a",
           "IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c",
           "REASSIGN OWNED BY a TO b",
       }) {
    const std::string word = statement.substr(0, statement.find(' '));
    ExpectRefused(
        {{"`" + statement, word},
         {std::string("/* SELECT */ -- FROM\n  `").append(statement).append(" ;"), word}});
  }
}

TEST(Refusal, ConstantsInGroupByAndOrderByAreOrdinals) {
  for (const std::string clause : {"GROUP BY ", "ORDER BY "}) {
    for (const std::string constant : {"0", "2", "-1", "1.0", "'a'", "NULL", "TRUE"}) {
      const Result<Select> select =
          Parse(std::string("SELECT a FROM t ").append(clause).append(constant));
      ASSERT_FALSE(select.ok()) << clause << constant;
      EXPECT_EQ(select.error().message,
                "a constant in " + clause + "is the number of a column of the select list, 1 to 1");
      EXPECT_EQ(select.error().position, 25u);
    }
    EXPECT_TRUE(Parse("SELECT a FROM t " + clause + "1").ok());
  }
}

TEST(Refusal, MoreGroupingSetsThanAnybodyReads) {
  std::string columns = "c0";
  for (int i = 1; i < 64; ++i) columns += ", c" + std::to_string(i);
  for (const std::string groups :
       {"CUBE (a, b, c, d, e, f, g)", "CUBE (a, b, c), CUBE (d, e, f), ROLLUP (g)",
        "GROUPING SETS (CUBE (a, b, c, d, e, f), a)"}) {
    const Result<Select> select = Parse("SELECT count(*) FROM t GROUP BY " + groups);
    ASSERT_FALSE(select.ok()) << groups;
    EXPECT_EQ(select.error().message,
              "GROUP BY has more than 64 grouping sets, or columns in them");
    EXPECT_FALSE(select.error().hint.empty());
  }
  EXPECT_FALSE(Parse("SELECT count(*) FROM t GROUP BY ROLLUP (" + columns + ")").ok());
  EXPECT_TRUE(Parse("SELECT count(*) FROM t GROUP BY ((a)), CUBE (a, b, c, d, e, f)").ok());
  EXPECT_TRUE(Parse("SELECT count(*) FROM t GROUP BY GROUPING SETS ((" + columns + "))").ok());
  EXPECT_FALSE(Parse("SELECT count(*) FROM t GROUP BY GROUPING SETS ((a, " + columns + "))").ok());
}

TEST(Refusal, AnythingButOneStatement) {
  for (const std::string_view none : {"", " ", ";", " ; ; ", "-- SELECT 1", "/* SELECT 1 */"}) {
    EXPECT_EQ(Parse(none).error().message, "there is no statement") << none;
  }
  const Result<Select> two = Parse("SELECT count(*) FROM t; /* ; */ DROP TABLE t");
  EXPECT_EQ(two.error().message, "there is more than one statement");
  EXPECT_EQ(two.error().position, 32u);
  EXPECT_EQ(Parse("SELECT a FROM t;SELECT a FROM t;").error().position, 16u);
}

TEST(Refusal, SyntaxErrorsAreThoseOfPostgres) {
  struct Wrong {
    std::string_view statement;
    std::string_view message;
    size_t position;
  };
  for (const auto& [statement, message, position] : std::vector<Wrong>{
           {"SELEC 1", "syntax error at or near \"SELEC\"", 0},
           {"SELECT '\xC3\xA9' a b FROM t", "syntax error at or near \"b\"", 13},
           {"SELECT count(*) FROM t WHERE", "syntax error at end of input", 28},
           {"SELECT count(DISTINCT *) FROM t", "syntax error at or near \"*\"", 22},
           {"SELECT 'abc FROM t", "unterminated quoted string at or near \"'abc FROM t\"", 7},
           {"SELECT a /* FROM t", "unterminated /* comment at or near \"/* FROM t\"", 9},
           {"SELECT \"\" FROM t", "zero-length delimited identifier at or near \"\"\"\"", 7},
           {"SELECT 0x1F FROM t", "trailing junk after numeric literal at or near \"0x\"", 7},
           {"FROM t", "syntax error at or near \"FROM\"", 0},
           {"PRAGMA database_list", "syntax error at or near \"PRAGMA\"", 0},
           {"ATTACH 'x.db'", "syntax error at or near \"ATTACH\"", 0},
           {"INSTALL httpfs", "syntax error at or near \"INSTALL\"", 0},
           {"SELECT * FROM 'x.csv'", "syntax error at or near \"'x.csv'\"", 14},
           {"SELECT * EXCLUDE (a) FROM t", "syntax error at or near \"EXCLUDE\"", 9},
       }) {
    const Result<Select> select = Parse(statement);
    ASSERT_FALSE(select.ok()) << statement;
    EXPECT_EQ(select.error().code, Code::kUnsupported);
    EXPECT_EQ(select.error().message, message);
    EXPECT_EQ(select.error().position, position) << statement;
  }
}

}  // namespace
}  // namespace tacet::sql
