// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/declarations.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/catalog/parse.h"

namespace tacet {
namespace {

std::string TableText(const std::string& name, const std::string& source,
                      const std::string& belongs) {
  return "[tables." + name + "]\nsource = \"" + source + "\"\n" + belongs + "\n[tables." + name +
         ".columns]\nage = { type = \"integer\", range = [0, 99] }\n";
}

Catalog CatalogOf(const std::string& tables) {
  const ParsedCatalog parsed = ParseCatalog("[budget]\nepsilon = \"1\"\n" + tables);
  TACET_CHECK(parsed.catalog.has_value());
  return *parsed.catalog;
}

constexpr char kPerson[] = "person = \"id\"";
constexpr char kPublic[] = "public = true";

TEST(Declarations, ATableUnderAnotherNameAndASourceSpelledOtherwiseAreKnown) {
  const Result<std::vector<DeclarationRecord>> known =
      NewDeclarations(CatalogOf(TableText("people", "data/a.csv", kPerson)), {}, Time());
  ASSERT_TRUE(known.ok());
  for (const char* spelled : {"./data/a.csv", "data//a.csv", "data/old/../a.csv"}) {
    const Result<std::vector<DeclarationRecord>> again =
        NewDeclarations(CatalogOf(TableText("others", spelled, kPublic)), *known, Time());
    ASSERT_FALSE(again.ok()) << spelled;
    EXPECT_EQ(again.error().code, Code::kCatalog);
  }
}

TEST(Declarations, OneSourceDoesNotBelongToPeopleInTwoWays) {
  const Result<std::vector<DeclarationRecord>> declared = NewDeclarations(
      CatalogOf(TableText("people", "a.csv", kPerson) + TableText("ages", "./a.csv", kPublic)), {},
      Time());
  ASSERT_FALSE(declared.ok());
  EXPECT_NE(declared.error().message.find("the same source"), std::string::npos)
      << declared.error().message;
}

TEST(Declarations, OneSourceMayBeTwoTables) {
  const Catalog catalog =
      CatalogOf(TableText("people", "a.csv", kPerson) + TableText("ages", "a.csv", kPerson));
  const Result<std::vector<DeclarationRecord>> declared = NewDeclarations(catalog, {}, Time());
  ASSERT_TRUE(declared.ok()) << declared.error().message;
  EXPECT_EQ(declared->size(), 3u);
  const Result<std::vector<DeclarationRecord>> again = NewDeclarations(catalog, *declared, Time());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(again->empty());
}

}  // namespace
}  // namespace tacet
