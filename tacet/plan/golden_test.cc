// SPDX-License-Identifier: Apache-2.0
// Plans, costs and refusals, as tests/sql/*.test says them. See tests/sql/README.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tacet/catalog/parse.h"
#include "tacet/plan/explain.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/caret.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

const std::string kFolder = std::string(TACET_SOURCE_DIR) + "/tests/sql/";

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Numbers and texts, with blanks between them.
std::vector<Value> Words(const std::string& text) {
  std::vector<Value> values;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const Result<Rational> number = Rational::Parse(word);
    values.push_back(number.ok() ? Value(*number) : Value(word));
  }
  return values;
}

// What a block of a file asks for: the settings that hold there.
struct Setting {
  Catalog catalog;
  Rational epsilon = Rational(1);
  Rational delta = Rational(0);
  std::vector<Value> referenced = {};
};

// The word that begins a block, and what came of the statement.
struct Outcome {
  std::string word;
  std::string text;
};

Outcome Try(const std::string& statement, const Setting& setting) {
  const auto refused = [&](const Error& error) {
    return Outcome{"refuse", sql::RenderError(error, statement)};
  };
  const Result<sql::Select> select = sql::Parse(statement);
  if (!select.ok()) return refused(select.error());
  const Result<Plan> plan =
      MakePlan(*select, setting.catalog,
               {.price = {.is_pure = !setting.catalog.budget.delta.has_value(),
                          .epsilon = *Epsilon::Create(setting.epsilon),
                          .delta = *Delta::Create(setting.delta)},
                .referenced = [&](const ColumnReference&) -> Result<std::vector<Value>> {
                  return setting.referenced;
                }});
  if (!plan.ok()) return refused(plan.error());
  return {"plan", ExplainText(*plan)};
}

// The file as it should be: the same statements with what comes of them now.
std::string Rewrite(const std::string& text, int& statements) {
  Setting setting;
  std::string result;
  const std::vector<std::string> lines = Lines(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("catalog ")) {
      const ParsedCatalog parsed = ParseCatalog(ReadText(kFolder + line.substr(8) + ".toml"));
      for (const Problem& problem : parsed.problems) ADD_FAILURE() << problem.Locate(line);
      if (!parsed.catalog) return "";
      setting.catalog = *parsed.catalog;
      setting.delta = setting.catalog.query.delta.value_or(Rational(0));
    } else if (line.starts_with("epsilon ")) {
      setting.epsilon = *Rational::Parse(line.substr(8));
    } else if (line.starts_with("delta ")) {
      setting.delta = *Rational::Parse(line.substr(6));
    } else if (line.starts_with("values ")) {
      setting.referenced = Words(line.substr(7));
    }
    if (line != "plan" && line != "refuse") {
      result += line + "\n";
      continue;
    }
    std::string statement;
    while (++i < lines.size() && lines[i] != "----") statement += lines[i] + "\n";
    while (i + 1 < lines.size() && !lines[i + 1].empty()) ++i;  // what was expected so far
    statement.resize(statement.empty() ? 0 : statement.size() - 1);
    const Outcome outcome = Try(statement, setting);
    result += outcome.word + "\n" + statement + "\n----\n" + outcome.text;
    ++statements;
  }
  return result;
}

TEST(Golden, PlansCostsAndRefusalsAreAsWritten) {
  int statements = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".test") continue;
    const std::string expected = ReadText(entry.path());
    const std::string actual = Rewrite(expected, statements);
    if (std::getenv("TACET_UPDATE_GOLDEN") != nullptr) std::ofstream(entry.path()) << actual;
    EXPECT_EQ(Lines(actual), Lines(expected)) << entry.path();
  }
  EXPECT_GE(statements, 100);
}

}  // namespace
}  // namespace tacet
