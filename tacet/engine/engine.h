// SPDX-License-Identifier: Apache-2.0
// The interface of engines: they compute exact, bounded sums. They add no noise, and no randomness
// but the keyed hash that the request asks for.
#pragma once

#include "tacet/base/result.h"
#include "tacet/engine/duckdb/cell.h"
#include "tacet/engine/request.h"

namespace tacet {

// For one thread at a time. Errors are Code::kEngine or Code::kInterrupted with constant messages;
// what may hold data goes into `detail`.
class Engine {
 public:
  virtual ~Engine() = default;

  // Guarantee: what one person adds to each group is within the measure's [low, high], in at most
  // `groups_max` groups, and is a function of that person's rows and of the request alone.
  virtual Result<Exact> Run(const Request& request) = 0;

  // The keys of each group or row, and its sums as Int128.
  virtual Result<duckdb::Rows> Read(const PublicRequest& request) = 0;
};

}  // namespace tacet
