// SPDX-License-Identifier: Apache-2.0
// Text that is no question: refused before a ledger is opened or an engine is asked.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacet/catalog/parse.h"
#include "tacet/execute/ask.h"
#include "tacet/gateway/disk_project_testing.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

std::string Repeat(std::string_view text, size_t count) {
  std::string repeated;
  for (size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

std::vector<std::string> OtherStatements() {
  std::ifstream file(TACET_SOURCE_DIR "/tests/sql/other_statements.sql");
  std::vector<std::string> statements;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("--")) statements.push_back(line);
  }
  return statements;
}

std::vector<std::string> HostileTexts() {
  using std::string_literals::operator""s;
  return {
      "",
      ";",
      std::string(1 << 20, 'x'),
      "SELECT count(*) FROM people WHERE age IN (" + Repeat("1,", 1 << 19) + "1)",
      "SELECT count(*) FROM people -- " + std::string(1 << 20, '-'),
      "SELECT count(*) FROM people WHERE " + Repeat("(", 10'000) + "age > 1" + Repeat(")", 10'000),
      "SELECT count(*) FROM people WHERE " + Repeat("NOT ", 10'000) + "age > 1",
      "SELECT " + Repeat("abs(", 10'000) + "count(*)" + Repeat(")", 10'000) + " FROM people",
      "SELECT count(*) FROM " + Repeat("(SELECT age FROM ", 3'000) + "people" +
          Repeat(") x", 3'000),
      "SELECT count(*) FROM people\0"s,
      "SELECT count(*)\0 FROM people"s,
      "SELECT count(*) FROM people WHERE age > 1 -- \0"s,
      "SELECT count(*) FROM people WHERE 'a\xff' = 'a'",
      "SELECT count(*) FROM people -- \xc3",
      "SELECT count(*) FROM people; SELECT count(*) FROM people",
      "SELECT count(*) FROM people; DROP TABLE people",
      "SELECT count(*) FROM people;;SELECT count(*) FROM people",
      "SELECT count(*) FROM people /* ; */ ; /* x */ SELECT 1",
      "SELECT count(*) FROM people /* not closed",
      "SELECT count(*) FROM people /* /* nested */ not closed",
      "-- SELECT count(*) FROM people",
      "/* SELECT count(*) FROM people */",
      "SELECT count(*) FROM people /*! , age */ WHERE age >",
      "SELECT count(*) # FROM people\n FROM people",
      "SELECT age FROM people -- count(*)",
      "SELECT /* count( */ age /* ) */ FROM people",
  };
}

// Comments that change nothing.
constexpr std::array kCommented = {
    "SELECT count(*) FROM people -- WHERE age > 1",
    "-- first\nSELECT count(*) FROM people",
    "SELECT count(*) /* FROM nowhere */ FROM people",
    "SELECT count(*) /* /* nested */ twice */ FROM people /**/;",
    "SELECT count(*)--\nFROM people;\n-- last",
};

class CountingEngine final : public Engine {
 public:
  Result<Exact> Run(const Request&) override {
    ++calls;
    return Exact{.groups = {{.keys = {}, .sums = {0}}}, .touched = {}};
  }
  Result<duckdb::Rows> Read(const PublicRequest&) override {
    ++calls;
    return duckdb::Rows();
  }
  int calls = 0;
};

class BadInputTest : public ::testing::Test {
 protected:
  BadInputTest() : project_("epsilon = \"100\"") { EXPECT_TRUE(project_.Import().ok()); }

  // The order of a query, over an engine that counts.
  bool Answers(const std::string& statement, Ledger& ledger) {
    const Result<sql::Select> select = sql::Parse(statement);
    if (!select.ok()) return false;
    const Result<Plan> plan =
        MakePlan(*select, project_.project().catalog,
                 {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1, 4))},
                  .referenced = [&](const ColumnReference&) -> Result<std::vector<Value>> {
                    ++engine_.calls;
                    return std::vector<Value>();
                  }});
    if (!plan.ok()) return false;
    const Attempt attempt = AnswerPrivately(*plan, {.analyst = "ann", .statement = statement},
                                            ledger, engine_, entropy_);
    return attempt.answer.ok();
  }

  DiskProject project_;
  CountingEngine engine_;
  testing::SeededEntropy entropy_{3};
};

TEST_F(BadInputTest, NoEngineIsAskedAndNothingIsSpent) {
  {
    const auto ledger =
        *OpenLedger(project_.project(), project_.clock(), project_.services().ledger_options());
    for (const std::vector<std::string>& texts : {OtherStatements(), HostileTexts()}) {
      for (const std::string& text : texts) {
        EXPECT_FALSE(Answers(text, *ledger)) << text.substr(0, 200);
      }
    }
    EXPECT_EQ(engine_.calls, 0);
    EXPECT_EQ(ledger->charges(), 0U);
    // What counts does count.
    for (const char* statement : kCommented) EXPECT_TRUE(Answers(statement, *ledger)) << statement;
    EXPECT_EQ(engine_.calls, static_cast<int>(kCommented.size()));
  }
  EXPECT_GE(OtherStatements().size(), 240U);
}

TEST_F(BadInputTest, IsRefusedForItsTextWhereThereIsNothingToAsk) {
  std::filesystem::remove(project_.path(".tacet/vault.duckdb"));
  const auto ledger =
      *OpenLedger(project_.project(), project_.clock(), project_.services().ledger_options());
  const auto ask = [&](const std::string& text) {
    return Query(project_.project(), {.statement = text}, project_.services(), *ledger);
  };
  EXPECT_EQ(ask(kCommented[0]).result.error().message, "nothing was imported yet");
  for (const std::vector<std::string>& texts : {OtherStatements(), HostileTexts()}) {
    for (const std::string& text : texts) {
      const QueryOutcome outcome = ask(text);
      ASSERT_FALSE(outcome.result.ok()) << text.substr(0, 200);
      const Code code = outcome.result.error().code;
      EXPECT_TRUE(code == Code::kUnsupported || code == Code::kForbidden)
          << text.substr(0, 200) << ": " << outcome.result.error().message;
      EXPECT_FALSE(outcome.spent.has_value());
    }
  }
  EXPECT_EQ(ledger->charges(), 0U);
}

}  // namespace
}  // namespace tacet
