// SPDX-License-Identifier: Apache-2.0
// The SQL that people write: tests/sql/corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tacet/catalog/parse.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

const std::string kTests = std::string(TACET_SOURCE_DIR) + "/tests/sql/";

// Of the statements that can be private, at least so many of a hundred are planned.
constexpr size_t kPlannedPercentMin = 90;

struct Statement {
  std::string file;
  std::string catalog = {};
  bool can_be_private = false;
  std::string names = {};  // what a refusal has to say
  std::string text = {};
};

// In small letters.
std::string Folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<Statement> ReadFile(const std::filesystem::path& path) {
  constexpr std::string_view kCatalog = "-- catalog ";
  constexpr std::string_view kNo = "-- no, ";
  std::vector<Statement> statements;
  Statement next{.file = path.filename().string()};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kCatalog)) {
      next.catalog = line.substr(kCatalog.size());
    } else if (line.starts_with("-- yes: ")) {
      next.can_be_private = true;
    } else if (line.starts_with(kNo)) {
      next.can_be_private = false;
      next.names = line.substr(kNo.size(), line.find(": ") - kNo.size());
    } else if (!line.starts_with("--")) {
      next.text += line + "\n";
      if (!line.ends_with(";")) continue;
      statements.push_back(next);
      next.text.clear();
    }
  }
  return statements;
}

std::vector<Statement> Corpus() {
  std::vector<Statement> all;
  for (const auto& entry : std::filesystem::directory_iterator(kTests + "corpus")) {
    if (entry.path().extension() != ".sql") continue;
    for (Statement& statement : ReadFile(entry.path())) all.push_back(std::move(statement));
  }
  return all;
}

Catalog ReadCatalog(const std::string& name) {
  for (const std::string& path : {kTests + "corpus/" + name + ".toml", kTests + name + ".toml",
                                  std::string(TACET_SOURCE_DIR) + "/" + name + "/tacet.toml"}) {
    if (!std::filesystem::exists(path)) continue;
    std::ifstream file(path);
    const ParsedCatalog parsed =
        ParseCatalog(std::string{std::istreambuf_iterator<char>(file), {}});
    for (const Problem& problem : parsed.problems) ADD_FAILURE() << problem.Locate(path);
    return parsed.catalog.value_or(Catalog());
  }
  ADD_FAILURE() << "no catalog " << name;
  return {};
}

class CorpusTest : public ::testing::Test {
 protected:
  // What stands in public columns does not matter, but that something does.
  static Result<std::vector<Value>> Referenced(const ColumnReference&) {
    return std::vector<Value>{Value("a"), Value("b"), Value(Rational(1)), Value(Rational(2))};
  }
  Status Plans(const Statement& statement) {
    if (catalogs_.count(statement.catalog) == 0) {
      catalogs_[statement.catalog] = ReadCatalog(statement.catalog);
    }
    TACET_TRY(const sql::Select select, sql::Parse(statement.text));
    const Price price{.is_pure = false,
                      .epsilon = *Epsilon::Create(Rational(1)),
                      .delta = *Delta::Create(*Rational::Parse("1e-10"))};
    TACET_TRY(const Plan plan, MakePlan(select, catalogs_[statement.catalog],
                                        {.price = price, .referenced = Referenced}));
    return {};
  }

  std::map<std::string, Catalog> catalogs_;
};

TEST_F(CorpusTest, MostOfWhatCanBePrivateIsPlanned) {
  size_t planned = 0;
  size_t possible = 0;
  std::string refused;
  for (const Statement& statement : Corpus()) {
    if (!statement.can_be_private) continue;
    ++possible;
    const Status status = Plans(statement);
    if (status.ok()) {
      ++planned;
    } else {
      refused += statement.file + ": " + status.error().message + "\n  " + statement.text;
    }
  }
  RecordProperty("planned", std::to_string(planned) + " of " + std::to_string(possible));
  EXPECT_GE(possible, 120U);
  EXPECT_GE(planned * 100, kPlannedPercentMin * possible)
      << planned << " of " << possible << " are planned; not these:\n"
      << refused;
}

TEST_F(CorpusTest, WhatCannotBePrivateIsRefusedByName) {
  size_t count = 0;
  for (const Statement& statement : Corpus()) {
    if (statement.can_be_private) continue;
    ++count;
    const Status status = Plans(statement);
    ASSERT_FALSE(status.ok()) << statement.text;
    EXPECT_NE(Folded(status.error().message).find(Folded(statement.names)), std::string::npos)
        << statement.file << ": " << statement.text << status.error().message;
    EXPECT_FALSE(status.error().message.empty());
  }
  EXPECT_GE(count, 40U);
}

}  // namespace
}  // namespace tacet
