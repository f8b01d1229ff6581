// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/text_table.h"

#include <algorithm>

#include "tacet/cli/fit_text.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kPlusMinus = " ± ";
constexpr std::string_view kRule = "─";

std::string Clean(std::string_view text) {
  if (sql::FindInvalidUtf8(text)) return "?";
  return sql::Printable(text);
}

std::string Padded(const std::string& text, size_t width, bool to_the_right) {
  const size_t own = ColumnsOf(text);
  const std::string space(width > own ? width - own : 0, ' ');
  return to_the_right ? space + text : text + space;
}

struct Widths {
  size_t text = 0;
  size_t margin = 0;
  size_t all = 0;
};

std::string Without(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void TextTable::AddRow(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = Clean(cell.text);
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(std::string_view indent, const Terminal& terminal,
                              std::FILE* where) const {
  std::vector<std::vector<Cell>> rows = rows_;
  for (std::vector<Cell>& row : rows) {
    for (Cell& cell : row) {
      cell = {terminal.Signs(cell.text, where), terminal.Signs(cell.margin, where)};
    }
  }
  const std::string plus_minus = terminal.Signs(kPlusMinus, where);
  const std::string no_margin(ColumnsOf(plus_minus), ' ');
  std::vector<Widths> widths(columns_.size());
  std::string heading;
  std::string rule;
  for (size_t i = 0; i < columns_.size(); ++i) {
    Widths& width = widths[i];
    for (const std::vector<Cell>& row : rows) {
      width.text = std::max(width.text, ColumnsOf(row[i].text));
      width.margin = std::max(width.margin, ColumnsOf(row[i].margin));
    }
    const std::string name = terminal.Signs(Clean(columns_[i].name), where);
    const size_t inside = width.text + (width.margin > 0 ? no_margin.size() + width.margin : 0);
    width.all = std::max(ColumnsOf(name), inside);
    if (i > 0) {
      heading += kGap;
      rule += kGap;
    }
    heading += Padded(name, width.all, columns_[i].to_the_right);
    for (size_t letter = 0; letter < width.all; ++letter) rule += kRule;
  }
  std::string text(indent);
  text += terminal.Strong(Without(std::move(heading)), where) + "\n";
  text += std::string(indent) + terminal.Signs(rule, where) + "\n";
  for (const std::vector<Cell>& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool to_the_right = columns_[i].to_the_right;
      std::string cell = Padded(row[i].text, widths[i].text, to_the_right);
      if (widths[i].margin > 0) {
        cell += row[i].margin.empty() ? no_margin : plus_minus;
        cell += Padded(row[i].margin, widths[i].margin, /*to_the_right=*/true);
      }
      if (i > 0) line += kGap;
      line += Padded(cell, widths[i].all, to_the_right);
    }
    text += Without(std::move(line)) + "\n";
  }
  return text;
}

}  // namespace tacet::cli
