// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/declarations.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>

#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

std::string SourceText(const Source& source) {
  return source.table.empty() ? source.path : source.path + "#" + source.table;
}

// However its path is spelled: "./a.csv" is "a.csv".
bool IsSameSource(const DeclarationRecord& a, const DeclarationRecord& b) {
  return std::filesystem::path(a.source).lexically_normal() ==
         std::filesystem::path(b.source).lexically_normal();
}

std::string PersonText(const Catalog& catalog, const Person& person) {
  struct Visitor {
    const Catalog& catalog;
    std::string operator()(const NoPerson&) const { return "public"; }
    std::string operator()(const RowPerson&) const { return "row"; }
    std::string operator()(const PersonColumn& column) const { return "column " + column.source; }
    std::string operator()(const PersonThrough& through) const {
      // By its source: tables may be renamed.
      return "through " + through.source + " to " + through.key + " of " +
             SourceText(catalog.tables[through.table].source);
    }
  };
  return std::visit(Visitor{catalog}, person);
}

std::vector<DeclarationRecord> DeclarationsOf(const Catalog& catalog, Time now) {
  std::vector<DeclarationRecord> declarations = {
      {.time = now,
       .table = "",
       .source = "",
       .person = catalog.person_key == PersonKeyType::kInteger ? "integer" : "text"}};
  for (const Table& table : catalog.tables) {
    declarations.push_back({.time = now,
                            .table = FoldIdentifier(table.name),
                            .source = SourceText(table.source),
                            .person = PersonText(catalog, table.person)});
  }
  return declarations;
}

Error Changed(const DeclarationRecord& before, const DeclarationRecord& now) {
  if (now.table.empty()) {
    return {.code = Code::kCatalog,
            .message = "[person] type was " + before.person + " and cannot become " + now.person +
                       ": people would no longer be known by their keys",
            .hint = "write type = \"" + before.person + "\" under [person]."};
  }
  return {.code = Code::kCatalog,
          .message = "table " + Quoted(now.table) + ": its person was '" + before.person +
                     "' when " + (before.table == now.table ? "it" : "its source") +
                     " was first imported, and cannot become '" + now.person + "'",
          .hint = "what was spent on these people would be shed; declare it as it was."};
}

Error AtOdds(const DeclarationRecord& a, const DeclarationRecord& b) {
  return {
      .code = Code::kCatalog,
      .message = "tables " + Quoted(a.table) + " and " + Quoted(b.table) +
                 " have the same source, and its person cannot be both '" + a.person + "' and '" +
                 b.person + "'",
      .hint = "declare the same person for both, or give one a source without the others' rows."};
}

// Later imports would find the one declaration at odds with the other.
Status CheckAgree(const std::vector<DeclarationRecord>& declarations) {
  for (auto a = declarations.begin(); a != declarations.end(); ++a) {
    const auto b = std::find_if(declarations.begin(), a, [&](const DeclarationRecord& other) {
      return IsSameSource(*a, other) && a->person != other.person;
    });
    if (b != a) return AtOdds(*b, *a);
  }
  return {};
}

}  // namespace

Result<std::vector<DeclarationRecord>> NewDeclarations(const Catalog& catalog,
                                                       const std::vector<DeclarationRecord>& known,
                                                       Time now) {
  std::vector<DeclarationRecord> declarations = DeclarationsOf(catalog, now);
  TACET_RETURN_IF_ERROR(CheckAgree(declarations));
  std::vector<DeclarationRecord> fresh;
  for (DeclarationRecord& declaration : declarations) {
    bool is_known = false;
    for (const DeclarationRecord& before : known) {
      const bool is_same_table = before.table == declaration.table;
      const bool is_same_source = IsSameSource(before, declaration);
      if (!is_same_table && !is_same_source) continue;
      if (before.person != declaration.person) return Changed(before, declaration);
      is_known = is_known || (is_same_table && is_same_source);
    }
    if (!is_known) fresh.push_back(std::move(declaration));
  }
  return fresh;
}

}  // namespace tacet
