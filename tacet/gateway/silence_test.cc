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
epsilon = "5"
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
  return {{"1,40,F,100.5,x\n", "1,north,10.00,5\n1,south,20.00,6\n1,west,30.00,7\n"},
          {"2,,M,NaN,\n", "2,north,10.00,-999999999999999\n"},
          {"3,200,F,-5,y\n", ""},
          {"4,17,,inf,'; DROP TABLE t1; --\n", "4,west,0.01,\n4,west,499.99,\n4,west,700,1\n"}};
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
    people_file << "id,age,sex,income,note\n";
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
    for (const std::string& statement : statements) transcript += Ask(project, statement);
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
        "SELECT note, sex, sum(age) FROM people WHERE age > 3 GROUP BY note, sex ORDER BY note",
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

  std::string Ask(const Project& project, const std::string& statement) {
    const Services services{.clock = clock_, .entropy = entropy_};
    const bool is_last = statement.ends_with("age > 3") || statement.ends_with("age > 4");
    Question question{.statement = statement, .analyst = "ann"};
    if (is_last) question.epsilon = Rational(3);
    const QueryOutcome outcome = Query(project, question, services);
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

TEST_F(SilenceTest, NobodyLooksLikeSomebody) {
  const std::string nobody = Transcript({});
  for (const Person& person : Crowd()) EXPECT_EQ(Transcript({person}), nobody);
}

}  // namespace
}  // namespace tacet
