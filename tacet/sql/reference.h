// SPDX-License-Identifier: Apache-2.0
// The functions that a statement may call, place by place, and what is supported of the other
// parts. Binders look names and numbers of arguments up here, so that what is not in a table cannot
// be called, and docs/sql.md prints it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/sql/ast.h"

namespace tacet::sql {

enum class Place {
  kRow,     // over the columns of a row
  kAfter,   // over the released table
  kWindow,  // over its rows
};

struct FunctionRow {
  std::string_view name;  // as the parser gives it
  size_t args_min;
  size_t args_max;
  std::string_view written;  // how people write it
  std::string_view meaning;
  // Over the columns age (integer), born (date) and notes (text) of patients (tests/sql/pure.toml).
  std::string_view example;
};

// In alphabetical order.
std::span<const FunctionRow> Functions(Place place);
// nullptr if there is none.
const FunctionRow* FindFunction(Place place, std::string_view name);
std::vector<std::string_view> FunctionNames(Place place);

struct AggregateRow {
  AggregateFunction function;
  std::string_view written;
  std::string_view meaning;
  std::string_view example;
};

std::span<const AggregateRow> Aggregates();

// What is supported of a part of a statement that is no function.
struct ClauseRow {
  std::string_view part;
  std::string_view supported;
};

std::span<const ClauseRow> Clauses();

// `text`, a page, with its tables as they are here: between a line <!-- table NAME --> and the next
// line <!-- end -->, for NAME one of clauses, aggregates, rows, after and windows.
std::string WithReferenceTables(std::string_view text);

}  // namespace tacet::sql
