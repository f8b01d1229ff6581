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
  // `groups_max` groups, and is a function of that person's rows and of the request alone. To the
  // counts of a value measure a person adds at most `kept_max` in all, 1 if they are of persons, in
  // the same groups.
  virtual Result<Exact> Run(const Request& request) = 0;

  // The keys of each group or row, and its sums, numbers of different values, least and greatest
  // values as Int128, the last two NULL where there is none.
  virtual Result<duckdb::Rows> Read(const PublicRequest& request) = 0;
};

}  // namespace tacet
