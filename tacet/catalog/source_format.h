// SPDX-License-Identifier: Apache-2.0
// Which kind of source a path names.
#pragma once

#include <optional>
#include <string_view>

#include "tacet/catalog/catalog.h"

namespace tacet {

// By the ending, in either case of letters: .csv and .tsv, also with .gz or .zst (.csv only),
// .parquet, .duckdb, .ddb and .db. Nothing for others, and for addresses.
std::optional<SourceFormat> FormatOfPath(std::string_view path);

// What separates the fields of the CSV file `path` unless the catalog says otherwise.
char DelimiterOfPath(std::string_view path);

}  // namespace tacet
