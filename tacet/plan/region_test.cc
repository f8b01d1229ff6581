// SPDX-License-Identifier: Apache-2.0
// Regions, and pairs of statements as tests/overlap/*.test says them. That no row passes two
// disjoint conditions is tried in tacet/execute/region_test.cc, which has an engine.
#include "tacet/plan/region.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tacet/catalog/parse.h"
#include "tacet/plan/explain.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

const std::string kFolder = std::string(TACET_SOURCE_DIR) + "/tests/overlap/";

Catalog ReadCatalog() {
  std::ifstream file(kFolder + "people.toml");
  const ParsedCatalog parsed = ParseCatalog(std::string(std::istreambuf_iterator<char>(file), {}));
  TACET_CHECK(parsed.catalog.has_value());
  return *parsed.catalog;
}

Result<Plan> PlanOf(const std::string& text) {
  static const Catalog catalog = ReadCatalog();
  const std::string statement =
      text.starts_with("SELECT ") ? text : "SELECT count(*) FROM patients WHERE " + text;
  TACET_TRY(const sql::Select select, sql::Parse(statement));
  return MakePlan(select, catalog,
                  {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1))}});
}

Region RegionOf(const std::string& text) {
  const Result<Plan> plan = PlanOf(text);
  EXPECT_TRUE(plan.ok()) << text << ": " << (plan.ok() ? "" : plan.error().message);
  return plan.ok() ? plan->region : Region();
}

TEST(Overlap, PairsAreAsWritten) {
  int pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    for (std::string word; std::getline(file, word);) {
      if (word.empty() || word.starts_with("#")) continue;
      ASSERT_TRUE(word == "disjoint" || word == "overlap") << word;
      std::string first;
      std::string second;
      std::getline(file, first);
      std::getline(file, second);
      const Region a = RegionOf(first);
      const Region b = RegionOf(second);
      EXPECT_EQ(a.IsDisjointFrom(b) ? "disjoint" : "overlap", word) << first << "\n" << second;
      EXPECT_EQ(a.IsDisjointFrom(b), b.IsDisjointFrom(a)) << first << "\n" << second;
      ++pairs;
    }
  }
  EXPECT_GE(pairs, 100);
}

TEST(Region, HasOneFormInBytes) {
  const std::pair<const char*, const char*> cases[] = {
      {"TRUE", ""},
      {"FALSE", "nobody"},
      {"age >= 0", ""},
      {"age > 200", "nobody"},
      {"sex = 'M'", "t4.c9=1"},
      {"sex = 'M' OR sex IS NULL", "t4.c9=1,null"},
      {"age > 5 AND sex = 'F'", "t4.c1=6..110&t4.c9=0"},
      {"sex = 'F' AND age > 5", "t4.c1=6..110&t4.c9=0"},
      {"age IN (1, 2, 4)", "t4.c1=1..2,4"},
      {"age < 10 OR smoker", "t4.c1=0..9|t4.c11=1"},
      {"died < DATE '1970-01-01'", "t4.c4=..-1"},
      {"died > DATE '1970-01-01'", "t4.c4=1.."},
      {"died IS NOT NULL", "t4.c4=.."},
      {"died IS NULL", "t4.c4=null"},
      {"city = 'Lyon'", "t4.c3=8778037816901938873"},
  };
  for (const auto& [condition, bytes] : cases) {
    const Region region = RegionOf(condition);
    EXPECT_EQ(region.Bytes(), bytes) << condition;
    const Result<Region> parsed = Region::Parse(bytes);
    ASSERT_TRUE(parsed.ok()) << bytes;
    EXPECT_EQ(*parsed, region) << bytes;
  }
}

TEST(Region, ParsesNothingElse) {
  for (const char* bytes : {" ",
                            "everyone",
                            "nobody|nobody",
                            "nobody|t1.c1=1",
                            "t1.c1",
                            "t1.c1=",
                            "=1",
                            "t1.c1=1,",
                            "t1.c1=,1",
                            "t1.c1=01",
                            "t1.c1=+1",
                            "t1.c1=-0",
                            "t1.c1=1 ",
                            "t1.c1= 1",
                            "t1.c1=1.5",
                            "t1.c1=2..1",
                            "t1.c1=1..1",
                            "t1.c1=1..2,3",
                            "t1.c1=3,1",
                            "t1.c1=1,1",
                            "t1.c1=null,1",
                            "t1.c1=1,null,null",
                            "t1.c1=..,null",
                            "t1.c1=1&t1.c1=2",
                            "t1.c2=1&t1.c1=2",
                            "t1.c1=1|t1.c1=3",
                            "t1.c1=1|t1.c1=1",
                            "t1.c2=1|t1.c1=1&t1.c2=1",
                            "t1.c2=1|t1.c1=1",
                            "t1.c1=1|",
                            "|t1.c1=1",
                            "t1.c1=1&",
                            "&t1.c1=1",
                            "T1.c1=1",
                            "t1 c1=1",
                            "t1.c1==1",
                            "t1.c1=9223372036854775808",
                            "t1.c1=-9223372036854775808..1",
                            "t1.c1=1..9223372036854775807",
                            "t1.c1=1\n",
                            "t1.c1=1...2"}) {
    const Result<Region> parsed = Region::Parse(bytes);
    ASSERT_FALSE(parsed.ok()) << bytes;
    EXPECT_EQ(parsed.error().code, Code::kData);
  }
  EXPECT_TRUE(Region::Parse("t1.c1=1|t1.c2=1").ok());
  EXPECT_TRUE(Region::Parse("t1.c1=-9223372036854775808,9223372036854775807").ok());
}

Region Point(int column, int64_t value) {
  return Region::Where("t1.c" + std::to_string(column), ValueSet::Of({value}));
}

// However much is asked for, what is kept is small, and nobody is lost.
TEST(Region, GrowsRatherThanLosesSomebody) {
  Region region = Region::Nobody();
  std::vector<Region> parts;
  for (int i = 0; i < 500; ++i) {
    parts.push_back(Point(i % 7, 3 * i) & Point(7 + i % 5, i));
    region = region | parts.back();
    EXPECT_EQ(*Region::Parse(region.Bytes()), region);
    ASSERT_LE(region.Bytes().size(), 30'000U);
    for (const Region& part : parts) ASSERT_FALSE(region.IsDisjointFrom(part)) << i;
  }
  // One column with many values: the least and the greatest are kept.
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 1000; ++i) many.push_back(2 * i);
  EXPECT_EQ(Region::Where("t1.c1", ValueSet::Of(many)).Bytes(), "t1.c1=0..1998");
  many.resize(Region::kPartsMax);
  EXPECT_TRUE(Region::Where("t1.c1", ValueSet::Of(many)).IsDisjointFrom(Point(1, 3)));
  // What both hold stays in what is kept of both.
  Region left = Region::Nobody();
  Region right = Region::Nobody();
  for (int i = 0; i < 30; ++i) {
    left = left | (Point(1, 3 * i) & Point(2, 2 * i));
    right = right | (Point(3, 5 * i) & Point(4, 7 * i));
  }
  const Region both = left & right;
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) {
      EXPECT_FALSE(both.IsDisjointFrom(Point(1, 3 * i) & Point(2, 2 * i) & Point(3, 5 * j) &
                                       Point(4, 7 * j)));
    }
  }
}

// Whoever asks is not trusted to ask for little.
TEST(Region, OfTheLongestConditionsIsFoundSoon) {
  const auto repeat = [](const std::string& joint, auto&& one) {
    std::string text = one(0);
    for (size_t i = 1; text.size() < 60'000; ++i) text += joint + one(i);
    return text;
  };
  const std::vector<std::string> names = {"age", "grade", "weight", "share"};
  const auto equal = [&](size_t i) { return names[i % 4] + "=" + std::to_string(i % 100); };
  const auto pair = [&](size_t i) { return "(" + equal(i) + " OR " + equal(7 * i + 3) + ")"; };
  const auto both = [&](size_t i) { return "(" + equal(i) + " AND NOT " + equal(7 * i + 3) + ")"; };
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text :
       {repeat(" OR ", equal), repeat(" AND ", equal), repeat(" AND ", pair), repeat(" OR ", both),
        "(" + repeat(" AND ", pair) + ") IS NULL", "(" + repeat(" OR ", both) + ") IS NOT TRUE",
        "age IN (0" + repeat("", [](size_t i) { return "," + std::to_string(2 * i); }) + ")"}) {
    EXPECT_LE(RegionOf(text).Bytes().size(), 30'000U);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 20);
}

TEST(Explain, SaysWhomAQueryCountsAgainst) {
  const auto people = [](const std::string& text) {
    const std::string lines = ExplainText(*PlanOf(text));
    return lines.substr(lines.find("people"));
  };
  EXPECT_EQ(people("TRUE"), "people everyone\n");
  EXPECT_EQ(people("sex = 'F' OR age > 5"), "people those whose age and sex can pass WHERE\n");
  EXPECT_EQ(people("age > 200"), "people nobody: no row can pass WHERE\n");
  EXPECT_NE(ExplainJson(*PlanOf("age > 5")).find(R"("people": "those whose age can pass WHERE")"),
            std::string::npos);
  EXPECT_EQ(PlanOf("age > 5")->Bytes().find("people"), std::string::npos);
}

}  // namespace
}  // namespace tacet
