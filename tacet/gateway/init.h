// SPDX-License-Identifier: Apache-2.0
// `tacet init`: the first draft of a catalog, from schemas alone.
#pragma once

#include <string>
#include <vector>

#include "tacet/base/result.h"

namespace tacet {

struct InitRequest {
  std::vector<std::string> sources;  // files or globs, relative to the working folder
  std::string person;                // the column that tells people apart
  std::string catalog_folder;        // where the draft will stand; paths are written relative to it
};

// The text of a commented tacet.toml. Reads names and types of columns, never a row of data: bounds
// and values must come from the owner. Of a DuckDB file every table is drafted. Fails with
// Code::kUsage if a source is of no known kind or no source has the person's column, and as
// Sources::Open does.
Result<std::string> DraftFromSources(const InitRequest& request);

}  // namespace tacet
