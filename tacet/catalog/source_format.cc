// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/source_format.h"

#include <array>
#include <string>
#include <utility>

#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

constexpr std::array<std::pair<std::string_view, SourceFormat>, 9> kEndings = {{
    {".csv", SourceFormat::kCsv},
    {".csv.gz", SourceFormat::kCsv},
    {".csv.zst", SourceFormat::kCsv},
    {".tsv", SourceFormat::kCsv},
    {".tsv.gz", SourceFormat::kCsv},
    {".parquet", SourceFormat::kParquet},
    {".duckdb", SourceFormat::kDuckDb},
    {".ddb", SourceFormat::kDuckDb},
    {".db", SourceFormat::kDuckDb},
}};

}  // namespace

std::optional<SourceFormat> FormatOfPath(std::string_view path) {
  const std::string folded = FoldIdentifier(path);
  if (folded.find("://") != std::string::npos) return std::nullopt;
  for (const auto& [ending, format] : kEndings) {
    if (folded.ends_with(ending) && folded.size() > ending.size()) return format;
  }
  return std::nullopt;
}

char DelimiterOfPath(std::string_view path) {
  return FoldIdentifier(path).find(".tsv") != std::string::npos ? '\t' : ',';
}

}  // namespace tacet
