// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/source.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/gateway/breach.h"
#include "tacet/gateway/csv_header.h"
#include "tacet/gateway/sql_text.h"

namespace tacet {
namespace {

using duckdb::Rows;

constexpr std::string_view kGlobCharacters = "*?[";
// The column with the file's name, where there are several files.
constexpr char kFileColumn[] = "tacet_source_file";

Error DataError(std::string message, std::string hint = {}) {
  return {.code = Code::kData, .message = std::move(message), .hint = std::move(hint)};
}

// An engine's failure to read a file at all.
Error Unreadable(const Error& error, const std::string& shown, const std::string& what) {
  if (error.code != Code::kEngine) return error;
  Error data = DataError(Shown(shown) + " cannot be read as " + what);
  data.detail = error.detail;
  return data;
}

// A pattern that only this path matches.
std::string Literally(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (kGlobCharacters.find(c) != std::string_view::npos) {
      pattern.append("[").append(1, c).append("]");
    } else {
      pattern += c;
    }
  }
  return pattern;
}

// The bytes that were read as Latin-1, one character each, and are here in UTF-8.
std::string BytesOfLatin1(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      const auto low = static_cast<unsigned char>(text[++i]);
      bytes += static_cast<char>((byte & 0x03) << 6 | (low & 0x3F));
    }
  }
  return bytes;
}

std::string FileList(const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files) {
    list += (list.empty() ? "[" : ", ") + QuoteText(Literally(file));
  }
  return list + "]";
}

// Everything is said: what is left out would be guessed from the data.
std::string CsvOptions(const Source& source) {
  std::string nulls = "['']";
  if (!source.null.empty()) nulls = "['', " + QuoteText(source.null) + "]";
  return "auto_detect = false, all_varchar = true, delim = " +
         QuoteText(std::string(1, source.delimiter)) +
         ", quote = '\"', escape = '\"', comment = '', skip = 0, header = " +
         (source.header ? "true" : "false") + ", nullstr = " + nulls +
         ", allow_quoted_nulls = true, null_padding = false, ignore_errors = false, "
         "strict_mode = true, encoding = 'utf-8', hive_partitioning = false, "
         "union_by_name = false";
}

std::string FileOption(const std::vector<std::string>& files) {
  return files.size() > 1 ? ", filename = '" + std::string(kFileColumn) + "'" : "";
}

Error Differ(const Source& source, const std::string& first, const std::string& other) {
  return DataError("the files of " + Shown(source.path) +
                       " do not have the same columns: " + Shown(first) + " and " + Shown(other),
                   "make them alike, or declare them as several tables.");
}

bool SameColumns(const Relation& a, const Relation& b) {
  if (a.columns.size() != b.columns.size()) return false;
  for (size_t i = 0; i < a.columns.size(); ++i) {
    if (a.columns[i].name != b.columns[i].name || a.columns[i].type != b.columns[i].type) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> Sources::FindFiles(const std::string& path) {
  const bool absolute = path.starts_with('/') || folder_.empty();
  const std::string full = absolute ? path : folder_ + "/" + path;
  std::error_code ignored;
  if (std::filesystem::is_directory(full, ignored)) {
    return DataError(Quoted(path) + " is a folder",
                     "name a file, or a pattern such as data/*.csv.");
  }
  if (std::filesystem::exists(full, ignored)) {
    if (::access(full.c_str(), R_OK) == 0) return std::vector<std::string>{full};
    return Error{.code = Code::kIo,
                 .message = "cannot read " + Quoted(path) + ": " + std::strerror(errno)};
  }
  if (path.find_first_of(kGlobCharacters) == std::string::npos) {
    return DataError("there is no file " + Quoted(path), "sources are relative to the catalog.");
  }
  TACET_TRY(const Rows rows,
            database_.Query("SELECT file FROM glob(" + QuoteText(full) + ") ORDER BY file"));
  std::vector<std::string> files;
  for (const auto& row : rows) files.push_back(std::get<std::string>(row[0]));
  if (files.empty()) {
    return DataError("no file matches " + Quoted(path), "sources are relative to the catalog.");
  }
  return files;
}

Result<Relation> Sources::Open(const Source& source) {
  TACET_TRY(const std::vector<std::string> files, FindFiles(source.path));
  switch (source.format) {
    case SourceFormat::kCsv:
      return OpenCsv(source, files);
    case SourceFormat::kParquet:
      return OpenParquet(source, files);
    case SourceFormat::kDuckDb:
      return OpenDuckDb(source, files);
  }
  TACET_CHECK(false);
  return DataError("");
}

Result<std::vector<std::string>> Sources::CsvNames(const Source& source, const std::string& file) {
  // The whole line as one field: no header has the character 1 in it. More lines than this one are
  // looked at, so whatever is wrong with them must not matter yet: as Latin-1 any bytes are text,
  // but for those from 0x80 to 0x9f, which this engine does not take. UTF-8 has them.
  const auto read = [&](const char* encoding) {
    return database_.Query("SELECT line FROM read_csv(" + QuoteText(Literally(file)) +
                           ", auto_detect = false, header = false, delim = '\x01', quote = '', "
                           "escape = '', comment = '', skip = 0, columns = {'line': 'VARCHAR'}, "
                           "strict_mode = false, encoding = '" +
                           encoding + "') LIMIT 1");
  };
  Result<Rows> rows = read("latin-1");
  const bool is_latin = rows.ok();
  if (!is_latin) rows = read("utf-8");
  if (!rows.ok()) return Unreadable(rows.error(), file, "CSV");
  if (rows->empty()) return std::vector<std::string>();
  const auto* line = std::get_if<std::string>(&rows->front()[0]);
  const std::string bytes = line == nullptr ? "" : is_latin ? BytesOfLatin1(*line) : *line;
  if (!IsUtf8(bytes)) return DataError(Shown(file) + ": the first line is not UTF-8");
  std::optional<std::vector<std::string>> names = SplitCsvLine(bytes, source.delimiter);
  if (!names) {
    return DataError(Shown(file) +
                     ": the first line has a quote that is not closed in it, or text " +
                     "behind a closed one");
  }
  for (size_t i = 0; i < names->size() && !source.header; ++i) {
    (*names)[i] = "column" + std::to_string(i);
  }
  return *std::move(names);
}

Result<Relation> Sources::OpenCsv(const Source& source, const std::vector<std::string>& files) {
  TACET_TRY(const std::vector<std::string> names, CsvNames(source, files.front()));
  if (names.empty()) {
    return DataError(Shown(source.path) + " is empty",
                     source.header ? "the first line must name the columns." : "");
  }
  for (const std::string& file : files) {
    TACET_TRY(const std::vector<std::string> others, CsvNames(source, file));
    if (others != names) return Differ(source, files.front(), file);
  }
  Relation relation{.sql = "",
                    .rereads = false,
                    .shown = source.path,
                    .counts_lines = true,
                    .first_line = source.header ? 2 : 1,
                    .file_sql = files.size() > 1 ? kFileColumn : ""};
  std::string columns;
  for (size_t i = 0; i < names.size(); ++i) {
    // Names of ours, so that no two can be equal but for their case.
    const std::string id = "x" + std::to_string(i);
    relation.columns.push_back({.name = names[i], .sql = id, .type = "VARCHAR"});
    columns += (columns.empty() ? "'" : ", '") + id + "': 'VARCHAR'";
  }
  relation.sql = "read_csv(" + FileList(files) + ", " + CsvOptions(source) + ", columns = {" +
                 columns + "}" + FileOption(files) + ")";
  return relation;
}

Result<Relation> Sources::OpenParquet(const Source& source, const std::vector<std::string>& files) {
  const auto scan = [](const std::vector<std::string>& some, const std::string& option) {
    return "read_parquet(" + FileList(some) + ", hive_partitioning = false, union_by_name = false" +
           option + ")";
  };
  std::optional<Relation> relation;
  for (const std::string& file : files) {
    Result<Relation> one = DescribeRelation(database_, scan({file}, ""), source.path);
    if (!one.ok()) return Unreadable(one.error(), file, "Parquet");
    if (!relation)
      relation = *std::move(one);
    else if (!SameColumns(*relation, *one))
      return Differ(source, files.front(), file);
  }
  relation->sql = scan(files, FileOption(files));
  if (files.size() > 1) relation->file_sql = kFileColumn;
  return *std::move(relation);
}

Result<std::string> Sources::Attach(const std::string& path, const std::string& file) {
  std::string& name = attached_[file];
  if (!name.empty()) return name;
  const std::string made = "tacet_source" + std::to_string(attached_.size());
  const Status status =
      database_.Execute("ATTACH " + QuoteText(file) + " AS " + made + " (READ_ONLY, TYPE duckdb)");
  if (!status.ok()) {
    Error error = Unreadable(status.error(), path, "a DuckDB database");
    if (error.code == Code::kData) error.hint = "another program may be writing to it.";
    return error;
  }
  name = made;
  return name;
}

Result<std::vector<std::string>> Sources::TablesOf(const std::string& path) {
  TACET_TRY(const std::vector<std::string> files, FindFiles(path));
  if (files.size() > 1) return DataError(Quoted(path) + " names more than one DuckDB file");
  TACET_TRY(const std::string database, Attach(path, files.front()));
  TACET_TRY(
      const Rows rows,
      database_.Query("SELECT table_name FROM information_schema.tables WHERE table_catalog "
                      "= " +
                      QuoteText(database) + " AND table_schema = 'main' ORDER BY table_name"));
  std::vector<std::string> tables;
  for (const auto& row : rows) tables.push_back(std::get<std::string>(row[0]));
  return tables;
}

Result<Relation> Sources::OpenDuckDb(const Source& source, const std::vector<std::string>& files) {
  TACET_TRY(const std::vector<std::string> tables, TablesOf(source.path));
  bool found = false;
  for (const std::string& table : tables) found = found || SameIdentifier(table, source.table);
  if (!found) {
    const std::vector<std::string_view> names(tables.begin(), tables.end());
    return DataError(Shown(source.path) + " has no table " + Quoted(source.table),
                     SuggestionHint(source.table, names));
  }
  TACET_TRY(const std::string database, Attach(source.path, files.front()));
  Result<Relation> relation =
      DescribeRelation(database_, database + ".main." + QuoteIdentifier(source.table),
                       source.path + ", table " + source.table);
  if (!relation.ok()) return Unreadable(relation.error(), source.path, "a DuckDB table");
  return relation;
}

}  // namespace tacet
