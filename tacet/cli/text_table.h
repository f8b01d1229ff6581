// SPDX-License-Identifier: Apache-2.0
// Aligned columns for people.
#pragma once

#include <string>
#include <vector>

#include "tacet/cli/terminal.h"

namespace tacet::cli {

// Text is shown without control characters; wide characters take two places. Rows are never broken,
// however narrow the terminal is: a row that wraps can still be read, and copied.
class TextTable {
 public:
  struct Column {
    std::string name;
    bool to_the_right = false;
  };
  // `512 ± 30` if there is a margin; the signs of a column stand below each other.
  struct Cell {
    std::string text;
    std::string margin = {};
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<Cell> cells);
  // A bold heading, a rule and the rows, each line behind `indent`. `where` may be nullptr, for a
  // file.
  std::string Render(std::string_view indent, const Terminal& terminal, std::FILE* where) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace tacet::cli
