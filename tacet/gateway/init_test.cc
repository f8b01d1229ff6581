// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/init.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tacet/gateway/import.h"
#include "tacet/gateway/vault_testing.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

class InitTest : public ::testing::Test {
 protected:
  void WriteFile(const std::string& name, const std::string& bytes) {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  Result<std::string> Draft(const std::vector<std::string>& names) {
    InitRequest request{.sources = {}, .person = "id", .catalog_folder = folder_.path()};
    for (const std::string& name : names) request.sources.push_back(Path(name));
    return DraftFromSources(request);
  }

  testing::TemporaryFolder folder_;
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(InitTest, DraftsACatalogThatImports) {
  WriteFile("visits.csv", "ID,cost\n1,5\n2,6\n");
  const Result<std::string> draft = Draft({"visits.csv"});
  ASSERT_TRUE(draft.ok()) << draft.error().message << draft.error().detail;
  EXPECT_TRUE(Has(*draft, "[tables.visits]\nsource = \"visits.csv\"\nperson = \"ID\"\n")) << *draft;
  EXPECT_TRUE(Has(*draft, "#cost = { type = \"text\"")) << *draft;
  const Catalog catalog = Parsed(*draft);
  PersonRegistry registry("secret");
  const auto imported = Import({.catalog = catalog,
                                .catalog_folder = folder_.path(),
                                .state_folder = folder_.path() + "/.tacet",
                                .dataset_id = "d",
                                .ledger_head = {},
                                .registry = registry});
  ASSERT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
  EXPECT_EQ(*imported, (std::vector<ImportedTable>{{"visits", 2, 2}}));
}

TEST_F(InitTest, KnowsTheTypesOfParquetAndEveryTableOfADuckDbFile) {
  Result<duckdb::Database> database =
      duckdb::Database::Open({.access = duckdb::Access::kImporting});
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE(database
                  ->Execute("COPY (SELECT 1 AS id, 2.5::DECIMAL(5,2) AS cost) TO '" +
                            Path("a.parquet") + "' (FORMAT parquet); ATTACH '" + Path("b.duckdb") +
                            "' AS b; CREATE TABLE b.people AS SELECT 1 AS id; CREATE TABLE b.wards "
                            "AS SELECT 'x' AS ward; DETACH b")
                  .ok());
  const Result<std::string> draft = Draft({"a.parquet", "b.duckdb"});
  ASSERT_TRUE(draft.ok()) << draft.error().message << draft.error().detail;
  EXPECT_TRUE(Has(*draft, "type = \"integer\"\n")) << *draft;
  EXPECT_TRUE(Has(*draft, "#cost = { type = \"decimal(5,2)\"")) << *draft;
  EXPECT_TRUE(Has(*draft, "[tables.people]\nsource = \"b.duckdb\"\n")) << *draft;
  EXPECT_TRUE(Has(*draft, "#[tables.wards]\n#source = \"b.duckdb\"\n")) << *draft;
}

TEST_F(InitTest, LooksAtNoRow) {
  WriteFile("visits.csv", "id,cost\n1\n\xFF\n\"\n");
  EXPECT_TRUE(Draft({"visits.csv"}).ok());
}

TEST_F(InitTest, RefusesWhatItCannotDraft) {
  WriteFile("visits.csv", "idd,cost\n1,5\n");
  const Result<std::string> person = Draft({"visits.csv"});
  ASSERT_FALSE(person.ok());
  EXPECT_EQ(person.error().code, Code::kUsage);
  EXPECT_EQ(person.error().message, "no source has a column 'id'");
  EXPECT_EQ(person.error().hint, "did you mean 'idd'?");
  EXPECT_EQ(Draft({"visits.xlsx"}).error().code, Code::kUsage);
  EXPECT_EQ(Draft({"gone.csv"}).error().code, Code::kData);
}

}  // namespace
}  // namespace tacet
