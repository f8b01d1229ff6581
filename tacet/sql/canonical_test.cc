// SPDX-License-Identifier: Apache-2.0
// What is accepted, and its one canonical form.
#include "tacet/sql/canonical.h"

#include <gtest/gtest.h>

#include "tacet/sql/parser.h"

namespace tacet::sql {
namespace {

struct Golden {
  std::string_view written;
  std::string_view canonical;
};

// `canonical` must be its own canonical form.
void ExpectCanonical(std::string_view written, std::string_view canonical) {
  const Result<Select> select = Parse(written);
  ASSERT_TRUE(select.ok()) << written << "\n" << select.error().message;
  EXPECT_EQ(ToString(*select), canonical);
  const Result<Select> again = Parse(canonical);
  ASSERT_TRUE(again.ok()) << canonical << "\n" << again.error().message;
  EXPECT_EQ(*again, *select) << canonical;
}

TEST(Canonical, Statements) {
  for (const auto& [written, canonical] : std::vector<Golden>{
           {"select count(*) from visits", "SELECT count(*) FROM visits"},
           {"SELECT COUNT(*) FROM Visits;", "SELECT count(*) FROM visits"},
           {"select distinct a, b from t", "SELECT DISTINCT a, b FROM t"},
           // What ROLLUP and CUBE stand for.
           {"SELECT grouping(a) FROM t GROUP BY ROLLUP (a, b)",
            "SELECT grouping(a) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())"},
           {"SELECT 1 FROM t GROUP BY CUBE (a, b)",
            "SELECT 1 FROM t GROUP BY GROUPING SETS ((a, b), (a), (b), ())"},
           {"SELECT 1 FROM t GROUP BY b, ROLLUP ((a, b), c)",
            "SELECT 1 FROM t GROUP BY GROUPING SETS ((b, a, c), (b, a), (b))"},
           {"SELECT 1 FROM t GROUP BY GROUPING SETS ((b), CUBE (a), (), (a, b), (b))",
            "SELECT 1 FROM t GROUP BY GROUPING SETS ((b), (a), (), (), (b, a), (b))"},
           {"SELECT 1 FROM t GROUP BY ()", "SELECT 1 FROM t GROUP BY GROUPING SETS (())"},
           {"SELECT a FROM t GROUP BY GROUPING SETS (1, (a, (1)))",
            "SELECT a FROM t GROUP BY GROUPING SETS ((1), (1, a))"},
           {";; select count(*) from t ; ;", "SELECT count(*) FROM t"},
           {"/* a /* b */ */ select count(*) -- c\nfrom t -- d", "SELECT count(*) FROM t"},
           {"(select count(*) from t)", "SELECT count(*) FROM t"},
           {"select all count(all x) from t", "SELECT count(x) FROM t"},
           {"select a b, c as \"D\" from t u", "SELECT a AS b, c AS \"D\" FROM t AS u"},
           {"select u.a from t as u where u.b", "SELECT u.a FROM t AS u WHERE u.b"},
           {"select \"A b\"\"c\", \"select\", \"x\" from \"T 1\" as \"group\"",
            "SELECT \"A b\"\"c\", \"select\", x FROM \"T 1\" AS \"group\""},
           {"select h\xC3\xA9 from t", "SELECT \"h\xC3\xA9\" FROM t"},
           {"select ward, count(*) from t group by ward, 1",
            "SELECT ward, count(*) FROM t GROUP BY ward, 1"},
           {"select count(*) from t group by a + 1, u.b having count(*) > 10",
            "SELECT count(*) FROM t GROUP BY a + 1, u.b HAVING count(*) > 10"},
           {"select a from t order by a asc, 1 desc, a nulls first, a desc nulls last",
            "SELECT a FROM t ORDER BY a, 1 DESC, a NULLS FIRST, a DESC NULLS LAST"},
           {"select a from t order by a asc nulls last, a desc nulls first, - a",
            "SELECT a FROM t ORDER BY a, a DESC, -a"},
           {"select a from t limit 10 offset 5", "SELECT a FROM t LIMIT 10 OFFSET 5"},
           {"select a from t offset 0 limit 0", "SELECT a FROM t LIMIT 0"},
           {"select a from t offset 3 rows fetch first 2 rows only",
            "SELECT a FROM t LIMIT 2 OFFSET 3"},
           {"select a from t limit 9223372036854775807",
            "SELECT a FROM t LIMIT 9223372036854775807"},
       }) {
    ExpectCanonical(written, canonical);
  }
}

TEST(Canonical, Expressions) {
  for (const auto& [written, canonical] : std::vector<Golden>{
           // Windows.
           {"Sum(count(*)) over (), rank() over (partition by a, b order by c desc, d)",
            "sum(count(*)) OVER (), rank() OVER (PARTITION BY a, b ORDER BY c DESC, d)"},
           {"count(*) over (order by a nulls first range unbounded preceding)",
            "count(*) OVER (ORDER BY a NULLS FIRST)"},
           {"sum(a) over (order by b range between unbounded preceding and current row)",
            "sum(a) OVER (ORDER BY b)"},
           // Tests that know NULL.
           {"a is distinct from b + 1, not a is distinct from b, a is not distinct from (b = c)",
            "a IS DISTINCT FROM b + 1, a IS NOT DISTINCT FROM b, a IS NOT DISTINCT FROM (b = c)"},
           // Constants.
           {"0, -5, - -5, -0, 2147483648, -2147483648", "0, -5, 5, 0, 2147483648, -2147483648"},
           {"9223372036854775807, -9223372036854775808",
            "9223372036854775807, -9223372036854775808"},
           {"9223372036854775808, 1.50, .5, 5., 1e3, -1.5E-3, -0.0",
            "9223372036854775808, 1.50, .5, 5., 1e3, -1.5E-3, -0.0"},
           {"true, FALSE, null", "TRUE, FALSE, NULL"},
           {"'it''s', '', '\\', $q$a'b$q$, 'a' \n 'b'", "'it''s', '', '\\', 'a''b', 'ab'"},
           {"E'a\\nb\\\\', U&'\\0041\\2028', E'\\'\\x07'",
            "E'a\\u000ab\\\\', E'A\\u2028', E'''\\u0007'"},
           {"DATE '2026-01-31', '2026-01-31'::date, cast('0001-01-01' as date)",
            "DATE '2026-01-31', DATE '2026-01-31', DATE '0001-01-01'"},
           {"TIMESTAMP '2026-01-31', '2026-01-31T09:05'::timestamp",
            "TIMESTAMP '2026-01-31 00:00:00', TIMESTAMP '2026-01-31 09:05:00'"},
           {"timestamp without time zone '1969-12-31 23:59:59.5'",
            "TIMESTAMP '1969-12-31 23:59:59.500000'"},
           // Comparison and logic.
           {"a = 1, a <> 1, a != 1, a < 1, a <= 1, a > 1, a >= 1",
            "a = 1, a <> 1, a <> 1, a < 1, a <= 1, a > 1, a >= 1"},
           {"(a = b) = c, a = (b = c)", "(a = b) = c, a = (b = c)"},
           {"a and b and c, a and (b and c), (a and b) and c",
            "a AND b AND c, a AND b AND c, a AND b AND c"},
           {"a or b and c, (a or b) and c, a or (b or c)",
            "a OR b AND c, (a OR b) AND c, a OR b OR c"},
           {"not a, not not a, not (a and b), not a = b",
            "NOT a, NOT (NOT a), NOT (a AND b), "
            "NOT (a = b)"},
           {"a in (1, 2), a not in ('x'), not a in (1)",
            "a IN (1, 2), a NOT IN ('x'), a NOT IN (1)"},
           {"a + 1 in (b), (a in (1)) in (true)", "a + 1 IN (b), (a IN (1)) IN (TRUE)"},
           {"a between 1 and 2, a not between 1 and 2, not a between b + 1 and c",
            "a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2, a NOT BETWEEN b + 1 AND c"},
           {"a between (b and c) and (d or e)", "a BETWEEN (b AND c) AND (d OR e)"},
           {"a is null, a is not null, a isnull, a notnull, not (a is null)",
            "a IS NULL, a IS NOT NULL, a IS NULL, a IS NOT NULL, a IS NOT NULL"},
           {"a is true, a is not true, a is false, a is not false",
            "a IS TRUE, a IS NOT TRUE, a IS FALSE, a IS NOT FALSE"},
           {"a = b is null, (a is null) is true", "(a = b) IS NULL, (a IS NULL) IS TRUE"},
           // Arithmetic.
           {"a + b * c, (a + b) * c, a - b - c, a - (b - c)",
            "a + b * c, (a + b) * c, a - b - c, a - (b - c)"},
           {"a / b / c, a / (b / c), a % b * c, a * (b % c)",
            "a / b / c, a / (b / c), a % b * c, a * (b % c)"},
           {"- a, - - a, -(a + b), - a * b, -(a * b), a - -b, a - -1, -5 % 3",
            "-a, -(-a), -(a + b), -a * b, -(a * b), a - -b, a - -1, -5 % 3"},
           {"((((a))))", "a"},
           // Calls.
           {"COUNT(*), count(x), count(distinct x), SUM(x), \"AVG\"(x)",
            "count(*), count(x), count(DISTINCT x), sum(x), avg(x)"},
           {"count(*) filter (where a > 1), sum(a + 1) filter (where b)",
            "count(*) FILTER (WHERE a > 1), sum(a + 1) FILTER (WHERE b)"},
           {"sum(a) / count(*) * 100.0", "sum(a) / count(*) * 100.0"},
           {"GREATEST(a, 0), LEAST(a, b, c), COALESCE(a, 0), NULLIF(a, b)",
            "greatest(a, 0), least(a, b, c), coalesce(a, 0), nullif(a, b)"},
           {"Clamp(a, 0, 500), abs(-a), round(a, 2), f(), \"My F\"(a), \"left\"(a), "
            "date_trunc('month', d)",
            "clamp(a, 0, 500), abs(-a), round(a, 2), f(), \"my f\"(a), \"left\"(a), "
            "date_trunc('month', d)"},
           // CASE and CAST.
           {"case when a > 1 then 'x' when b then 'y' else 'z' end, case a when 1 then 2 end",
            "CASE WHEN a > 1 THEN 'x' WHEN b THEN 'y' ELSE 'z' END, CASE a WHEN 1 THEN 2 END"},
           {"a::int, a::int4, a::integer, a::bigint, a::int8",
            "CAST(a AS integer), CAST(a AS integer), CAST(a AS integer), CAST(a AS bigint), "
            "CAST(a AS bigint)"},
           {"a::numeric, a::decimal(10,2), a::dec(5)",
            "CAST(a AS decimal), CAST(a AS decimal(10, 2)), CAST(a AS decimal(5, 0))"},
           {"a::float8, a::double precision, a::double, a::float",
            "CAST(a AS double precision), CAST(a AS double precision), CAST(a AS double "
            "precision), CAST(a AS double precision)"},
           {"a::bool, a::text, a::varchar, a::date, a::timestamp",
            "CAST(a AS boolean), CAST(a AS text), CAST(a AS text), CAST(a AS date), CAST(a AS "
            "timestamp)"},
           {"-5::text, (-5)::text, '5'::int, null::date",
            "-CAST(5 AS text), CAST(-5 AS text), CAST('5' AS integer), CAST(NULL AS date)"},
       }) {
    ExpectCanonical("SELECT " + std::string(written) + " FROM t",
                    "SELECT " + std::string(canonical) + " FROM t");
  }
}

TEST(Canonical, PositionsAreWhereCaretsBelong) {
  const auto select =
      Parse("SELECT '\xC3\xA9', a + b, sum(x) FILTER (WHERE y) FROM t WHERE a IN (1)");
  ASSERT_TRUE(select.ok());
  EXPECT_EQ(select->items[0].expr.position, 7u);
  EXPECT_EQ(select->items[1].expr.position, 14u);  // the operator
  EXPECT_EQ(select->items[2].expr.position, 19u);
  EXPECT_EQ(std::get<Aggregate>(select->items[2].expr.node).filter->position, 40u);
  EXPECT_EQ(select->from.position, 48u);
  EXPECT_EQ(select->where->position, 58u);
}

}  // namespace
}  // namespace tacet::sql
