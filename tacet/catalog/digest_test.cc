// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/digest.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tacet/catalog/parse.h"

namespace tacet {
namespace {

constexpr std::string_view kText = R"toml([budget]
epsilon = 10
delta = "1e-9"
classes = { staff = 5 }
[person]
type = "integer"
[tables.patients]
source = "patients.csv"
person = "patient_id"
rows_per_person = 1
people = 1000
budget_class = "role"
[tables.patients.columns]
patient_id = { from = "Patient" }
age = { type = "integer", range = [0, 110] }
role = { type = "text", values = ["staff", "guest"] }
income = { type = "double", range = [0, 1000], grid = "1" }
grade = { type = "integer", values = [1, 2, 3] }
[tables.visits]
source = "clinic.db"
person = { through = "patient", table = "patients", key = "number" }
bounds = { groups_per_person = 5 }
columns.ward = { type = "text", values = "wards.ward" }
[tables.wards]
source = "wards.csv"
public = true
columns.ward = { type = "text" }
columns.name = { type = "text" }
[analysts.research]
epsilon = 2
)toml";

// `text` with the first `from`, which must be there, replaced by `to`.
std::string Edited(std::string_view text, std::string_view from, std::string_view to) {
  std::string edited(text);
  const size_t at = edited.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? edited : edited.replace(at, from.size(), to);
}

std::string DigestOf(const std::string& text) {
  const ParsedCatalog parsed = ParseCatalog(text);
  EXPECT_TRUE(parsed.catalog.has_value())
      << (parsed.problems.empty() ? "" : CatalogError("tacet.toml", parsed.problems).message);
  return parsed.catalog ? ImportDigest(*parsed.catalog) : "";
}

TEST(ImportDigest, IsASha256InHexadecimal) {
  const std::string digest = DigestOf(std::string(kText));
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos);
}

// A vault on disk holds this. If this test fails, give the canonical text another number.
TEST(ImportDigest, StaysTheSameFromVersionToVersion) {
  EXPECT_EQ(DigestOf(std::string(kText)),
            "6b5238dfa1a8f595ee7e7995a4347dec3185d6b2232b6cead8d12d5329f34c3d");
}

TEST(ImportDigest, ChangesWithEverythingThatAnImportBakesIn) {
  const std::vector<std::pair<std::string_view, std::string_view>> edits = {
      {"type = \"integer\"\n[tables.patients]", "type = \"text\"\n[tables.patients]"},
      {"source = \"patients.csv\"", "source = \"people.csv\""},
      {"source = \"patients.csv\"", "source = \"patients.csv\"\ndelimiter = \";\""},
      {"source = \"patients.csv\"", "source = \"patients.csv\"\nheader = false"},
      {"source = \"patients.csv\"", "source = \"patients.csv\"\nnull = \"NA\""},
      {"source = \"patients.csv\"", "source = \"patients.csv\"\nnull_person = \"drop\""},
      {"source = \"clinic.db\"", "source = \"clinic.db\"\ntable = \"v\""},
      {"from = \"Patient\"", "from = \"Patients\""},
      {"budget_class = \"role\"\n[tables.patients.columns]",
       "budget_class = \"role2\"\n[tables.patients.columns]\n"
       "role2 = { type = \"text\", values = [\"staff\"] }"},
      {"through = \"patient\"", "through = \"pat\""},
      {"key = \"number\"", "key = \"numbers\""},
      {"person = { through = \"patient\", table = \"patients\", key = \"number\" }",
       "person = \"row\""},
      {"person = { through = \"patient\", table = \"patients\", key = \"number\" }",
       "person = \"patient\""},
      {"person = { through = \"patient\", table = \"patients\", key = \"number\" }\nbounds = { "
       "groups_per_person = 5 }",
       "public = true"},
      {"bounds = { groups_per_person = 5 }", "rows_per_person = 5"},
      {"age = { type = \"integer\"", "years = { type = \"integer\""},
      {"age = { type = \"integer\"", "age = { type = \"bigint\""},
      {"age = { type = \"integer\"", "age = { from = \"Age\", type = \"integer\""},
      {"age = { type = \"integer\"", "age = { nullable = false, type = \"integer\""},
      {"age = { type = \"integer\"", "age = { outside = \"refuse\", type = \"integer\""},
      {"age = { type = \"integer\"", "age = { grid = 2, type = \"integer\""},
      {"age = { type = \"integer\", range = [0, 110] }\n", ""},
      {"columns.name = { type = \"text\"", "columns.name = { unique = true, type = \"text\""},
      {"range = [0, 110]", "range = [1, 110]"},
      {"range = [0, 110]", "range = [0, 111]"},
      {", range = [0, 110]", ""},
      {"grid = \"1\"", "grid = \"1/2\""},
      {"values = [\"staff\", \"guest\"]", "values = [\"staff\", \"guests\"]"},
      {"values = [\"staff\", \"guest\"]", "values = [\"guest\", \"staff\"]"},
      {"values = [\"staff\", \"guest\"]", "values = [\"staff\", \"guest\", \"\"]"},
      {"values = [1, 2, 3]", "values = [1, 3]"},
      {"values = [1, 2, 3]", "values = [1, 3, 2]"},
      {"values = [1, 2, 3]", "range = [1, 3], outside = \"null\""},
      {"values = \"wards.ward\"", "values = \"wards.name\""},
      {", values = \"wards.ward\"", ""},
      {"columns.name = { type = \"text\" }\n", ""},
      {"[tables.wards]", "[tables.extra]\nsource = \"extra.csv\"\npublic = true\n[tables.wards]"},
  };
  std::map<std::string, std::string> seen = {{DigestOf(std::string(kText)), "the original"}};
  for (const auto& [from, to] : edits) {
    const std::string text = Edited(kText, from, to);
    const auto [first, is_new] = seen.emplace(DigestOf(text), to);
    EXPECT_TRUE(is_new) << to << " has the digest of " << first->second;
  }
}

TEST(ImportDigest, StaysWithWhatAnImportDoesNotBakeIn) {
  const std::vector<std::pair<std::string_view, std::string_view>> edits = {
      {"epsilon = 10", "epsilon = \"9.5\"  # less"},
      {"delta = \"1e-9\"", "exhausted = \"exclude\""},
      {"delta = \"1e-9\"", "delta = \"1e-9\"\nselection_share = \"1/3\""},
      {"staff = 5", "staff = 4"},
      {"[person]", "[query]\nepsilon = \"1/10\"\n[person]"},
      {"people = 1000", "people = 2000"},
      {"people = 1000", "null_person = \"refuse\""},
      {"groups_per_person = 5", "rows_per_group = 3"},
      {"[analysts.research]", "[analysts.press]"},
      {"[tables.patients]", "# comment\n[tables.patients]"},
      {"range = [0, 110]", "range = [\"0\", \"110.0\"]"},
      {"range = [0, 110]", "range = [0, 110], grid = 1, outside = \"clamp\", nullable = true"},
      {"age = {", "AGE = { from = \"age\","},
      {"values = \"wards.ward\"", "values = \"Wards.Ward\""},
      {"columns.ward = { type = \"text\" }\ncolumns.name = { type = \"text\" }",
       "columns.name = { type = \"text\" }\ncolumns.ward = { type = \"text\" }"},
  };
  const std::string original = DigestOf(std::string(kText));
  for (const auto& [from, to] : edits) {
    EXPECT_EQ(DigestOf(Edited(kText, from, to)), original) << to;
  }
  const size_t wards = kText.find("[tables.wards]");
  const size_t analysts = kText.find("[analysts");
  const std::string moved = std::string(kText.substr(wards, analysts - wards)) +
                            std::string(kText.substr(0, wards)) +
                            std::string(kText.substr(analysts));
  EXPECT_EQ(DigestOf(moved), original);
}

}  // namespace
}  // namespace tacet
