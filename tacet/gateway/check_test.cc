// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tacet/gateway/vault_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

class CheckTest : public ::testing::Test {
 protected:
  void WriteFile(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << bytes;
  }

  CheckReport Run(const std::string& catalog_text) {
    const Catalog catalog = Parsed(catalog_text);
    const Result<CheckReport> report =
        Check({.catalog = catalog, .catalog_folder = folder_.path(), .interrupted = &interrupted_});
    if (report.ok()) return *report;
    ADD_FAILURE() << report.error().message << report.error().detail;
    return {};
  }

  testing::TemporaryFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

constexpr char kGood[] = R"toml(
[budget]
epsilon = "10"
delta = "1e-9"
[query]
epsilon = "1/10"
[tables.visits]
source = "visits.csv"
person = "id"
bounds = { groups_per_person = 1, rows_per_group = 2 }
[tables.visits.columns]
cost = { type = "integer", range = [0, 500] }
ward = { type = "text", values = ["A", "B"] }
)toml";

TEST_F(CheckTest, SaysNothingWhereNothingIsWrong) {
  WriteFile("visits.csv", "id,cost,ward\n1,5,A\n1,500,B\n2,0,\n");
  const CheckReport report = Run(kGood);
  EXPECT_EQ(report.problems, Lines{});
  EXPECT_EQ(report.warnings, Lines{});
}

TEST_F(CheckTest, WarnsOfValuesThatAreClippedAndRowsThatAreCut) {
  WriteFile("visits.csv", "id,cost,ward\n1,5,A\n1,501,B\n1,-1,C\n2,9,A\n");
  const CheckReport report = Run(kGood);
  EXPECT_EQ(report.problems, Lines{});
  EXPECT_EQ(report.warnings,
            (Lines{"visits.cost: 2 of 4 rows (50%) outside what is declared will be clamped",
                   "visits.ward: 1 of 4 rows (25%) outside what is declared will be NULL",
                   "visits: 1 of 2 persons (50%) have more rows than the bounds allow, 2"}));
}

TEST_F(CheckTest, TellsEveryProblemInOneRun) {
  WriteFile("visits.csv", "id,cost,ward\n1,x,A\n,5,B\n");
  WriteFile("notes.csv", "id,n\n1,2\n1,3\n");
  const CheckReport report = Run(std::string(kGood) + R"toml(
[tables.notes]
source = "notes.csv"
person = "id"
rows_per_person = 1
[tables.notes.columns]
n = { type = "integer", range = [0, 9] }
[tables.gone]
source = "gone.csv"
person = "id"
[tables.wrong]
source = "notes.csv"
person = { through = "n", table = "gone" }
)toml");
  EXPECT_EQ(report.problems,
            (Lines{"visits.id: 1 row without a person (visits.csv, line 3)",
                   "visits.cost: 1 value that cannot be read as integer (visits.csv, line 2)",
                   "notes: 1 person with more than rows_per_person = 1 (notes.csv, line 3)",
                   "there is no file 'gone.csv'",
                   "table wrong: not checked, because a table that it needs has problems"}));
}

TEST_F(CheckTest, ReferencesAreCheckedAgainstThePublicTable) {
  WriteFile("visits.csv", "id,ward\n1,w1\n1,w9\n");
  WriteFile("wards.csv", "ward\nw1\nw2\n");
  const std::string text = R"toml(
[budget]
epsilon = "1"
delta = "1e-9"
[tables.visits]
source = "visits.csv"
person = "id"
rows_per_person = 9
[tables.visits.columns]
ward = { type = "text", values = "wards.ward" }
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
ward = { type = "text", nullable = false }
)toml";
  EXPECT_EQ(Run(text).warnings,
            Lines{"visits.ward: 1 of 2 rows (50%) outside what is declared will be NULL"});
  WriteFile("wards.csv", "ward,x\nw1,1\n,2\n");
  EXPECT_EQ(Run(text).problems,
            (Lines{"wards.ward: 1 row without a value, but nullable = false (wards.csv, line 3)",
                   "table visits: not checked, because a table that it needs has problems"}));
}

TEST_F(CheckTest, WarnsOfBudgetsThatPromiseLittleOrPayForFew) {
  WriteFile("visits.csv", "id,cost,ward\n1,5,A\n2,5,\n");
  std::string weak = kGood;
  weak.replace(weak.find("1e-9"), 4, "1/2");
  EXPECT_EQ(Run(weak).warnings,
            Lines{"budget: delta = 1/2 is not below 1 / 2, one over the number of people: it would "
                  "allow publishing somebody at random"});
  std::string pure = kGood;
  pure.erase(pure.find("delta"), std::string("delta = \"1e-9\"\n").size());
  const CheckReport report = Run(pure);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].find("budget: it is pure and pays for 100 queries of epsilon 1/10; "
                                    "with delta = 1e-9 it would pay for "),
            0u)
      << report.warnings[0];
}

TEST_F(CheckTest, WarnsOfColumnsThatAreOfLittleUse) {
  WriteFile("visits.csv", "id,a,b,c,d\n1,5,A,7,\n");
  const CheckReport report = Run(R"toml(
[budget]
epsilon = "1"
[tables.visits]
source = "visits.csv"
person = "id"
people = 1000
[tables.visits.columns]
a = { type = "integer" }
b = { type = "text" }
c = { type = "integer", range = [7, 7] }
d = { type = "integer", range = [0, 9] }
)toml");
  EXPECT_EQ(
      report.warnings,
      (Lines{"visits.d: there is no value at all",
             "visits: people = 1000 is declared, and there are 1",
             "visits: neither rows_per_person nor bounds say how many rows a person may add, "
             "so only people can be counted",
             "visits.a: it has no range, so analysts can use it only inside CLAMP",
             "visits.b: its values are not declared and the budget has no delta, so nobody can "
             "group by it",
             "visits.c: the range holds one value, so every value becomes that one"}));
}

TEST_F(CheckTest, CanBeInterrupted) {
  WriteFile("visits.csv", "id,cost,ward\n1,5,A\n");
  interrupted_ = true;
  const Catalog catalog = Parsed(kGood);
  const Result<CheckReport> report =
      Check({.catalog = catalog, .catalog_folder = folder_.path(), .interrupted = &interrupted_});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, Code::kInterrupted);
}

}  // namespace
}  // namespace tacet
