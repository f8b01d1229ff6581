// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/init.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/draft.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/source_format.h"
#include "tacet/gateway/source.h"

namespace tacet {
namespace {

// As the catalog should name it: relative if it stands in or under the catalog's folder.
std::string WrittenPath(const std::string& path, const std::string& catalog_folder) {
  const std::filesystem::path full = std::filesystem::absolute(path).lexically_normal();
  const std::filesystem::path folder =
      std::filesystem::absolute(catalog_folder.empty() ? "." : catalog_folder).lexically_normal();
  const std::string relative = full.lexically_relative(folder).string();
  return relative.empty() || relative.starts_with("..") ? full.string() : relative;
}

// "visits" of data/visits.csv.gz and of data/visits-*.csv.
std::string TableName(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::string name = file.substr(0, file.find_first_of(".*?["));
  while (!name.empty() && (name.back() == '-' || name.back() == '_')) name.pop_back();
  return name.empty() ? "data" : name;
}

DraftTable Drafted(const std::string& name, const std::string& path, const Source& source,
                   const Relation& relation) {
  DraftTable table{.name = name, .source = path, .source_table = source.table, .columns = {}};
  const bool typed = source.format != SourceFormat::kCsv;
  for (const RelationColumn& column : relation.columns) {
    table.columns.push_back({.name = column.name, .sql_type = typed ? column.type : ""});
  }
  return table;
}

class Drafter {
 public:
  Drafter(const InitRequest& request, duckdb::Database database)
      : request_(request), sources_(std::move(database), "") {}

  Status Add(const std::string& path) {
    const std::optional<SourceFormat> format = FormatOfPath(path);
    if (!format) {
      return Error{.code = Code::kUsage,
                   .message = Quoted(path) + " is of no known kind",
                   .hint = "name a file that ends in .csv, .tsv, .parquet, .duckdb or .db."};
    }
    Source source{.format = *format, .path = path, .table = "", .null = ""};
    source.delimiter = DelimiterOfPath(path);
    if (*format != SourceFormat::kDuckDb) return AddTable(TableName(path), source);
    TACET_TRY(const std::vector<std::string> tables, sources_.TablesOf(path));
    for (const std::string& table : tables) {
      source.table = table;
      TACET_RETURN_IF_ERROR(AddTable(table, source));
    }
    return {};
  }

  Result<std::string> Draft() const {
    std::vector<std::string_view> names;
    for (const DraftTable& table : tables_) {
      for (const DraftColumn& column : table.columns) {
        if (SameIdentifier(column.name, request_.person)) {
          return DraftCatalog(tables_, request_.person);
        }
        names.push_back(column.name);
      }
    }
    return Error{.code = Code::kUsage,
                 .message = "no source has a column " + Quoted(request_.person),
                 .hint = SuggestionHint(request_.person, names)};
  }

 private:
  Status AddTable(const std::string& name, const Source& source) {
    TACET_TRY(const Relation relation, sources_.Open(source));
    tables_.push_back(
        Drafted(name, WrittenPath(source.path, request_.catalog_folder), source, relation));
    return {};
  }

  const InitRequest& request_;
  Sources sources_;
  std::vector<DraftTable> tables_;
};

}  // namespace

Result<std::string> DraftFromSources(const InitRequest& request) {
  TACET_TRY(duckdb::Database database,
            duckdb::Database::Open({.access = duckdb::Access::kImporting}));
  Drafter drafter(request, std::move(database));
  for (const std::string& path : request.sources) TACET_RETURN_IF_ERROR(drafter.Add(path));
  return drafter.Draft();
}

}  // namespace tacet
