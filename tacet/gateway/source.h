// SPDX-License-Identifier: Apache-2.0
// The files that a catalog names, opened in the import's engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/engine/duckdb/database.h"
#include "tacet/gateway/relation.h"

namespace tacet {

// Opens sources in one importing database. Looks at names and types, never at data: of a CSV file
// the first line. Errors are Code::kData where the file is missing or not what it should be.
class Sources {
 public:
  // Paths are relative to `folder` unless absolute.
  Sources(duckdb::Database database, std::string folder)
      : database_(std::move(database)), folder_(std::move(folder)) {}

  // A path may be a glob; all of its files must have the same columns. Every column of a CSV file
  // is text; without a header line they are called column0, column1, ...
  Result<Relation> Open(const Source& source);

  // The tables and views of a DuckDB file, by name.
  Result<std::vector<std::string>> TablesOf(const std::string& path);

 private:
  Result<std::vector<std::string>> FindFiles(const std::string& path);
  Result<Relation> OpenCsv(const Source& source, const std::vector<std::string>& files);
  Result<Relation> OpenParquet(const Source& source, const std::vector<std::string>& files);
  Result<Relation> OpenDuckDb(const Source& source, const std::vector<std::string>& files);
  Result<std::vector<std::string>> CsvNames(const Source& source, const std::string& file);
  Result<std::string> Attach(const std::string& path, const std::string& file);

  duckdb::Database database_;
  std::string folder_;
  std::map<std::string, std::string> attached_;  // file -> the engine's name for it
};

}  // namespace tacet
