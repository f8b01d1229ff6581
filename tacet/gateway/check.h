// SPDX-License-Identifier: Apache-2.0
// `tacet check`: the catalog against the data, for the owner.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/gateway/write_vault.h"

namespace tacet {

struct CheckRequest {
  const Catalog& catalog;
  std::string catalog_folder;         // sources are relative to it
  std::string temporary_folder = {};  // for what does not fit into memory
  Progress progress = {};
  const std::atomic<bool>* interrupted = nullptr;
};

// Plain sentences. They are computed from the data, so they are for the owner alone.
struct CheckReport {
  std::vector<std::string> problems;  // what would fail an import
  std::vector<std::string> warnings;  // what makes answers worse, or promises weaker, than need be
};

// Reads the sources and writes nothing. Goes on after a problem, so that one run tells all of them.
// Fails only if the engine does, or with Code::kInterrupted.
Result<CheckReport> Check(const CheckRequest& request);

// The warnings that the declarations alone give, and the number of people: delta against it, a pure
// budget that would allow more queries with a delta, columns that are of little use.
std::vector<std::string> DeclarationWarnings(const Catalog& catalog, int64_t people);

}  // namespace tacet
