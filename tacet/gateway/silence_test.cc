// SPDX-License-Identifier: Apache-2.0
// Silence: what an analyst sees of two data sets that differ in one person is the same to the byte,
// but for released numbers and what is computed from them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacet/base/private_path.h"
#include "tacet/catalog/parse.h"
#include "tacet/gateway/analyst.h"
#include "tacet/gateway/owner.h"
#include "tacet/plan/explain.h"
#include "tacet/sql/caret.h"
#include "tacet/testing/fake_clock.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr char kPure[] = R"toml(
[budget]
epsilon = "11/2"
[query]
epsilon = "1/4"
)toml";
// So much is asked that everybody is used up on the way.
constexpr char kExcluding[] = R"toml(
[budget]
epsilon = "1"
exhausted = "exclude"
[query]
epsilon = "1/4"
)toml";
constexpr char kApproximate[] = R"toml(
[budget]
epsilon = "20"
delta = "1e-20"
selection_share = "1/10"
[query]
epsilon = "1/8"
delta = "5e-22"
)toml";
constexpr char kGenerous[] = R"toml(
[budget]
epsilon = "1000"
[query]
epsilon = "1/4"
)toml";
constexpr char kTables[] = R"toml(
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
age = { type = "integer", range = [0, 110] }
sex = { type = "text", values = ["F", "M"] }
income = { type = "double", range = [0, 1000] }
note = { type = "text" }
born = { type = "date" }
seen = { type = "timestamp" }
weight = { type = "double" }
[tables.visits]
source = "visits.csv"
person = "id"
bounds = { groups_per_person = 2, rows_per_group = 2 }
[tables.visits.columns]
ward = { type = "text", values = ["north", "south", "west"], nullable = false }
cost = { type = "decimal(10,2)", range = [0, 500] }
huge = { type = "bigint", range = [-1000000000000, 1000000000000] }
)toml";

// A person's lines in the two files.
struct Person {
  std::string people;
  std::string visits;
};

std::vector<Person> Crowd() {
  return {{"1,40,F,100.5,x,1980-02-29,2026-01-31 09:05:00,70.5\n",
           "1,north,10.00,5\n1,south,20.00,6\n1,west,30.00,7\n"},
          {"2,,M,NaN,,0001-01-01,0001-01-01 00:00:00,1e308\n", "2,north,10.00,-999999999999999\n"},
          {"3,200,F,-5,y,9999-12-31,9999-12-31 23:59:59.999999,-1e308\n", ""},
          {"4,17,,inf,'; DROP TABLE t1; --,,,0\n", "4,west,0.01,\n4,west,499.99,\n4,west,700,1\n"}};
}

class SilenceTest : public ::testing::Test {
 protected:
  // Everything that an analyst is shown over `people`, released numbers left out.
  std::string Transcript(const std::vector<Person>& people,
                         const std::vector<std::string>& statements = Statements(),
                         const std::string& budget = kPure) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder.path() + "/tacet.toml") << budget << kTables;
    std::ofstream people_file(folder.path() + "/people.csv");
    std::ofstream visits_file(folder.path() + "/visits.csv");
    people_file << "id,age,sex,income,note,born,seen,weight\n";
    visits_file << "id,ward,cost,huge\n";
    for (const Person& person : people) {
      people_file << person.people;
      visits_file << person.visits;
    }
    people_file.close();
    visits_file.close();
    SystemFileSystem files;
    const Project project = *OpenProject(files, folder.path() + "/tacet.toml");
    SystemEntropy entropy;
    const auto imported = RunImport(project, {.clock = clock_, .entropy = entropy}, {});
    EXPECT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
    std::string transcript;
    const auto ledger = *OpenLedger(project, clock_, {});
    for (const std::string& statement : statements) transcript += Ask(project, statement, *ledger);
    return transcript;
  }

  static std::vector<std::string> Statements() {
    return {
        "SELECT count(*) FROM people",
        "SELECT sex, count(*), sum(age), avg(income) FROM people GROUP BY sex",
        "SELECT age, count(*) FROM people WHERE note = 'y' GROUP BY age",
        "SELECT ward, count(*), sum(cost), count(DISTINCT id) FROM visits GROUP BY ward",
        "SELECT sum(huge), avg(huge), count(huge) FROM visits WHERE cost > 5 OR huge IS NULL",
        "SELECT count(*) FILTER (WHERE income > 1) / NULLIF(count(*), 0) FROM people",
        "SELECT ward, count(*) FROM visits WHERE ward = 'east' GROUP BY ward",
        "SELECT ward, median(cost), min(cost), mode(ward), count(DISTINCT huge) FROM visits GROUP "
        "BY ward",
        "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY income), percentile_cont(0.75) WITHIN "
        "GROUP (ORDER BY income), max(age) FILTER (WHERE note = 'y'), mode(sex) FROM people",
        "SELECT max(note) FROM people",
        "SELECT note FROM people",
        "SELECT count(*) FROM people WHERE 1 / age > 0",
        "SELECT count(*) FROM people WHERE id = '3'",
        "SELECT sum(note) FROM people",
        // The budget ends here, whoever is in the data.
        "SELECT count(*) FROM people WHERE age > 3",
        "SELECT count(*) FROM people WHERE age > 4",
    };
  }

  // Keys that nobody declared. Few people have each, and delta is so small that nobody's appears.
  static std::vector<std::string> StatementsWithPrivateKeys() {
    return {
        "SELECT note, count(*) FROM people GROUP BY note",
        "SELECT note, sex, sum(age), median(age), count(DISTINCT age) FROM people WHERE age > 3 "
        "GROUP BY note, sex ORDER BY note",
        "SELECT huge, count(DISTINCT id) FROM visits GROUP BY huge HAVING count(DISTINCT id) < 3",
        "SELECT huge, ward, count(*), avg(cost) FROM visits GROUP BY huge, ward LIMIT 1",
        "SELECT note, count(*) FROM people WHERE note = 'x' GROUP BY note",
        // The delta ends here, whoever is in the data.
        "SELECT note, count(*) FROM people GROUP BY 1",
        "SELECT note, count(*) FROM people GROUP BY 1 ORDER BY 2",
        "SELECT note, count(*) FROM people GROUP BY 1 ORDER BY 1",
        "SELECT sex, count(*) FROM people GROUP BY sex",
    };
  }

  // What fails, overflows or stands alone for somebody in other systems.
  static std::vector<std::string> Corpus() {
    return {
        // Divisions by zero, for all or for one.
        "SELECT count(*) FROM people WHERE 1 / (age - 17) > 0",
        "SELECT sum(clamp(1 / age, 0, 1)) FROM people",
        "SELECT avg(clamp(100 / (age - 40), -5, 5)) FROM people",
        "SELECT count(*) FROM people WHERE age % (age - 40) = 0",
        "SELECT count(*) FROM people WHERE 1 / 0 = 1",
        "SELECT count(*) / (count(*) - count(*)) FROM people",
        "SELECT sum(age) / nullif(count(*), count(*)) FROM people",
        "SELECT count(*) FILTER (WHERE 10 / (age - 17) IS NULL) FROM people",
        "SELECT count(CASE WHEN age = 17 THEN 1 / 0 END) FROM people",
        "SELECT sum(CASE WHEN sex = 'M' THEN 1 / (age - age) ELSE 1 END) FROM people",
        // Overflow and what is no number.
        "SELECT count(*) FROM visits WHERE huge * huge > 0",
        "SELECT count(*) FROM visits WHERE huge * huge * huge * huge * huge > 0",
        "SELECT sum(clamp(huge * 1000000, -1000, 1000)) FROM visits",
        "SELECT sum(huge + 9223372036854775807) FROM visits",
        "SELECT sum(clamp(power(age, 200), 0, 10)) FROM people",
        "SELECT sum(clamp(exp(age * 10), 0, 10)) FROM people",
        "SELECT count(*) FROM people WHERE sqrt(age - 40) > 0",
        "SELECT count(*) FROM people WHERE ln(age - 17) IS NULL",
        "SELECT avg(clamp(weight, -100, 100)) FROM people",
        "SELECT sum(clamp(weight * weight, 0, 1)) FROM people",
        "SELECT count(*) FROM people WHERE clamp(weight, 0, 500) > 1",
        "SELECT max(age) FROM people",
        "SELECT var_pop(income), stddev(age) FROM people",
        // Casts.
        "SELECT count(*) FROM people WHERE CAST(income AS integer) > 3",
        "SELECT sum(CAST(age AS decimal(10, 3))) FROM people",
        "SELECT count(*) FROM people WHERE CAST(note AS integer) = 1",
        "SELECT count(*) FROM people WHERE note::date = DATE '2026-01-01'",
        "SELECT count(*) FROM people WHERE CAST(born AS timestamp) < seen",
        "SELECT CAST(count(*) AS text) FROM people",
        "SELECT count(*) FROM people WHERE age = '17'",
        // Dates at the ends of time.
        "SELECT count(*) FROM people WHERE born + 1 > DATE '2026-01-01'",
        "SELECT count(*) FROM people WHERE born - 800000 IS NULL",
        "SELECT count(*) FROM people WHERE born + 2147483647 IS NULL",
        "SELECT count(*) FROM people WHERE extract(year FROM born) = 9999",
        "SELECT extract(month FROM seen), count(*) FROM people GROUP BY 1",
        "SELECT count(*) FROM people WHERE date_trunc('week', born) = DATE '0001-01-01'",
        "SELECT count(*) FROM people WHERE date_trunc('hour', seen) < TIMESTAMP '9999-12-31 23:00'",
        "SELECT sum(clamp(born - DATE '1970-01-01', 0, 100)) FROM people",
        "SELECT count(*) FROM people WHERE born = DATE '99999-01-01'",
        "SELECT count(*) FROM people WHERE born < DATE '2026-02-30'",
        // Patterns.
        "SELECT count(*) FROM people WHERE note LIKE '%%%%%%%%%%%%%%%%%%%%%%%%%%x'",
        "SELECT count(*) FROM people WHERE note LIKE '(a+)+$' OR note LIKE '[[:alpha:]]*'",
        "SELECT count(*) FROM people WHERE note ILIKE '_' AND note LIKE ''",
        "SELECT count(*) FROM people WHERE note LIKE '\\'",
        "SELECT count(*) FROM people WHERE note LIKE sex",
        "SELECT count(*) FROM people WHERE note ~ '^y$'",
        "SELECT count(*) FROM people WHERE substring(note, 1, 2147483647) = note",
        "SELECT count(*) FROM people WHERE length(note || note || note) > 5",
        "SELECT count(*) FROM people WHERE upper(note) = '''; DROP TABLE T1; --'",
        // The same for everybody but one.
        "SELECT count(*) FROM people WHERE age = 17",
        "SELECT sum(CASE WHEN note = 'y' THEN 1000000 ELSE 0 END) FROM people",
        "SELECT avg(CASE WHEN note = 'y' THEN age END) FROM people",
        "SELECT sex, count(*) FROM people WHERE note = 'y' GROUP BY sex",
        "SELECT age = 17, count(*) FROM people GROUP BY 1",
        "SELECT CASE WHEN age = 17 THEN 'him' WHEN age > 200 THEN 'nobody' ELSE 'others' END, "
        "count(*), avg(income) FROM people GROUP BY 1 ORDER BY 1",
        "SELECT age / 10, count(*) FROM people WHERE income > 999 GROUP BY 1 LIMIT 3",
        "SELECT ward, sum(cost) FROM visits WHERE huge IS NULL GROUP BY ward ORDER BY ward DESC",
        "SELECT ward, count(DISTINCT id) FROM visits WHERE cost > 499 GROUP BY ROLLUP (ward)",
        "SELECT sex, age > 100, count(*) FROM people GROUP BY CUBE (sex, age > 100)",
        "SELECT DISTINCT sex, count(*) > 100000 FROM people GROUP BY sex",
        "SELECT coalesce(sex, 'none'), count(*) FROM people GROUP BY 1",
        "SELECT least(age, 5), count(*) FROM people GROUP BY 1",
    };
  }

  std::string Ask(const Project& project, const std::string& statement, Ledger& ledger) {
    const Services services{.clock = clock_, .entropy = entropy_};
    const bool is_last = statement.ends_with("age > 3") || statement.ends_with("age > 4");
    Question question{.statement = statement, .analyst = "ann"};
    if (is_last) question.epsilon = Rational(3);
    const QueryOutcome outcome = Query(project, question, services, ledger);
    std::string shown = statement + "\n";
    if (!outcome.result.ok()) {
      shown += sql::RenderError(outcome.result.error(), statement);
      return shown + (outcome.spent ? "spent\n" : "nothing spent\n");
    }
    const QueryResult& result = *outcome.result;
    shown += ExplainJson(result.plan) + "\n";
    for (const AnswerColumn& column : result.answer.columns) {
      shown += column.name + " " + column.type.ToString() + "\n";
    }
    for (size_t i = 0; i < result.answer.rows.size(); ++i) {
      for (size_t j = 0; j < result.answer.columns.size(); ++j) {
        shown += ShowCell(result, i, j) + ";";
      }
      shown += "\n";
    }
    shown += result.cost.epsilon.ToString() + " " + result.remaining.epsilon.ToString() + " " +
             result.cost.delta.ToString() + " " + result.remaining.delta.ToString() +
             (result.complete ? " complete\n" : " incomplete\n");
    for (const Notice& notice : result.notices) shown += notice.code + notice.text + "\n";
    return shown;
  }

  // Keys as they are, and of numbers all that does not follow from the number itself.
  static std::string ShowCell(const QueryResult& result, size_t row, size_t column) {
    const PostExpr& expr = result.plan.outputs[column].expr;
    const Value& value = result.answer.rows[row][column];
    if (std::holds_alternative<PostKey>(expr.node)) {
      if (const auto* text = std::get_if<std::string>(&value)) return *text;
      if (const auto* number = std::get_if<Rational>(&value)) return number->ToString();
      return "NULL";
    }
    std::string shown = "a number of kind " + std::to_string(value.index());
    const auto* aggregate = std::get_if<PostAggregate>(&expr.node);
    if (aggregate == nullptr) return "computed from released numbers";
    const bool is_average = result.plan.aggregates[aggregate->index].count.has_value();
    const auto& margin = result.answer.margins[row][column];
    if (!is_average) shown += " within " + std::to_string(margin.value_or(-1));
    return shown;
  }

  testing::FakeClock clock_;
  SystemEntropy entropy_;
};

TEST_F(SilenceTest, NeighboursLookTheSame) {
  const std::string all = Transcript(Crowd());
  EXPECT_NE(all.find("NULL;a number"), std::string::npos) << all;
  EXPECT_NE(all.find("the budget"), std::string::npos) << all;
  for (size_t i = 0; i < Crowd().size(); ++i) {
    std::vector<Person> without = Crowd();
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(Transcript(without), all) << "without the person of line " << i + 2;
  }
}

TEST_F(SilenceTest, NeighboursLookTheSameBesidePrivateKeys) {
  const auto transcript = [&](const std::vector<Person>& people) {
    return Transcript(people, StatementsWithPrivateKeys(), kApproximate);
  };
  const std::string all = transcript(Crowd());
  EXPECT_NE(all.find("selected"), std::string::npos) << all;
  EXPECT_NE(all.find("the budget does not allow this: delta"), std::string::npos) << all;
  EXPECT_NE(all.find("NULL;a number"), std::string::npos) << all;
  EXPECT_EQ(all.find("x;a number"), std::string::npos) << all;
  for (size_t i = 0; i < Crowd().size(); ++i) {
    std::vector<Person> without = Crowd();
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(transcript(without), all) << "without the person of line " << i + 2;
  }
}

TEST_F(SilenceTest, NeighboursLookTheSameWhereExpressionsHaveNoValue) {
  EXPECT_GE(Corpus().size(), 60U);
  const auto transcript = [&](const std::vector<Person>& people) {
    return Transcript(people, Corpus(), kGenerous);
  };
  const std::string all = transcript(Crowd());
  for (size_t i = 0; i < Crowd().size(); ++i) {
    std::vector<Person> without = Crowd();
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(transcript(without), all) << "without the person of line " << i + 2;
  }
  EXPECT_EQ(transcript({}), all);
}

TEST_F(SilenceTest, NeighboursLookTheSameWhereSomeCannotPay) {
  const auto transcript = [&](const std::vector<Person>& people) {
    return Transcript(people, Statements(), kExcluding);
  };
  const std::string all = transcript(Crowd());
  EXPECT_NE(all.find(" incomplete"), std::string::npos) << all;
  for (size_t i = 0; i < Crowd().size(); ++i) {
    std::vector<Person> without = Crowd();
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(transcript(without), all) << "without the person of line " << i + 2;
  }
  EXPECT_EQ(transcript({}), all);
}

TEST_F(SilenceTest, NobodyLooksLikeSomebody) {
  const std::string nobody = Transcript({});
  for (const Person& person : Crowd()) EXPECT_EQ(Transcript({person}), nobody);
}

}  // namespace
}  // namespace tacet
