// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/channel_file.h"

#include <algorithm>
#include <map>
#include <set>

#include "tacet/base/suggest.h"
#include "tacet/cli/csv_text.h"

namespace tacet::cli {
namespace {

constexpr size_t kBytesMax = size_t{16} << 20;

struct Line {
  size_t number;  // from 1
  std::vector<std::string> cells;
};

Result<std::vector<Line>> SplitLines(std::string_view text, const std::string& name) {
  text = WithoutByteOrderMark(text);
  std::vector<Line> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(text);
    if (line.find('\0') != std::string_view::npos) {
      return WrongText(name, number, "there is a zero byte; this is no text");
    }
    if (line.empty()) continue;
    TACET_TRY(std::vector<std::string> cells, SplitCells(line, name, number));
    lines.push_back({number, std::move(cells)});
  }
  return lines;
}

bool IsNumber(const std::string& cell) { return Rational::Parse(cell).ok(); }

bool AreNumbers(const Line& line, size_t from) {
  return std::all_of(line.cells.begin() + static_cast<std::ptrdiff_t>(from), line.cells.end(),
                     IsNumber);
}

// Whether the cells from `from` on are probabilities that add up to 1.
bool IsLaw(const Line& line, size_t from) {
  if (line.cells.size() <= from || !AreNumbers(line, from)) return false;
  Rational sum;
  for (size_t i = from; i < line.cells.size(); ++i) {
    const Rational entry = *Rational::Parse(line.cells[i]);
    if (entry.sign() < 0) return false;
    sum += entry;
  }
  return sum == Rational(1);
}

// What stands above a column of names says so; an input would hardly be called like that.
bool IsCorner(const std::string& cell) {
  static const std::set<std::string> words = {"",       "input", "inputs", "in",   "x",
                                              "output", "o",     "name",   "data", "truth"};
  return words.contains(cell) || cell.find('\\') != std::string::npos;
}

bool IsHeader(const Line& line) {
  if (AreNumbers(line, 0)) return false;
  return !IsLaw(line, 1) || IsCorner(line.cells.front());
}

// Whether the first cells of `rows` are names of inputs.
bool HasNames(const std::vector<Line>& rows, const Line* header) {
  const auto all_laws = [&](size_t from) {
    return std::all_of(rows.begin(), rows.end(), [&](const Line& row) { return IsLaw(row, from); });
  };
  const auto named = std::count_if(rows.begin(), rows.end(),
                                   [](const Line& row) { return !IsNumber(row.cells.front()); });
  if (named == static_cast<std::ptrdiff_t>(rows.size())) return true;
  if (!all_laws(1)) return false;
  return named > 0 || !all_laws(0) || (header != nullptr && IsCorner(header->cells.front()));
}

Result<std::vector<Rational>> ParseRow(const Line& line, size_t from, size_t width,
                                       const std::string& name) {
  if (line.cells.size() != from + width) {
    return WrongText(name, line.number,
                     std::to_string(line.cells.size()) + " entries where there should be " +
                         std::to_string(from + width));
  }
  std::vector<Rational> row;
  Rational sum;
  for (size_t i = from; i < line.cells.size(); ++i) {
    const Result<Rational> entry = Rational::Parse(line.cells[i]);
    if (!entry.ok()) {
      return WrongText(name, line.number,
                       line.cells[i].empty() ? "an entry is empty"
                                             : ShownText(line.cells[i]) + " is not a number",
                       "probabilities are written 3/4, 0.75 or 1e-6.");
    }
    if (entry->sign() < 0) {
      return WrongText(name, line.number, "the probability " + line.cells[i] + " is negative");
    }
    sum += *entry;
    row.push_back(*entry);
  }
  if (sum != Rational(1)) {
    constexpr size_t kShownMax = 60;
    const std::string shown = sum.ToString().size() <= kShownMax
                                  ? sum.ToString()
                                  : "a number near " + std::to_string(sum.ToDouble());
    return WrongText(name, line.number, "the probabilities add up to " + shown + ", not to 1",
                     "write exact fractions such as 1/3; a rounded decimal is another number.");
  }
  return row;
}

std::vector<std::string> Numbered(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 1; i <= count; ++i) names.push_back(std::to_string(i));
  return names;
}

Result<size_t> FindInput(const std::string& cell, const std::string& file, size_t line,
                         const Channel& channel) {
  const std::vector<std::string>& inputs = channel.inputs();
  const auto found = std::find(inputs.begin(), inputs.end(), cell);
  if (found != inputs.end()) return static_cast<size_t>(found - inputs.begin());
  const Result<Rational> number = Rational::Parse(cell);
  const auto count = static_cast<int64_t>(inputs.size());
  if (number.ok() && number->is_integer() && *number >= Rational(1) && *number <= Rational(count)) {
    return static_cast<size_t>(number->numerator().get_ui() - 1);
  }
  const std::vector<std::string_view> names(inputs.begin(), inputs.end());
  return WrongText(file, line, ShownText(cell) + " is no input of the channel",
                   SuggestionHint(cell, names));
}

}  // namespace

Result<Channel> ParseChannel(std::string_view text, const std::string& name) {
  TACET_TRY(std::vector<Line> lines, SplitLines(text, name));
  if (lines.empty()) {
    return WrongText(name, 0, "is empty", "a channel has a line for each input: 3/4,1/4");
  }
  std::optional<Line> header;
  if (IsHeader(lines.front())) {
    header = lines.front();
    lines.erase(lines.begin());
  }
  if (lines.empty()) return WrongText(name, 0, "has names of outputs, but no row of probabilities");
  const size_t from = HasNames(lines, header ? &*header : nullptr) ? 1 : 0;
  const size_t columns = lines.front().cells.size();
  if (columns <= from) return WrongText(name, lines.front().number, "there are no probabilities");
  const size_t width = columns - from;

  std::vector<std::string> outputs = Numbered(width);
  if (header) {
    // The corner above the names of the inputs may be left out.
    const size_t skipped = header->cells.size() == width + from ? from : 0;
    if (header->cells.size() != width + skipped) {
      return WrongText(name, lines.front().number,
                       std::to_string(columns) + " entries where line " +
                           std::to_string(header->number) + " has " +
                           std::to_string(header->cells.size()));
    }
    outputs.assign(header->cells.begin() + static_cast<std::ptrdiff_t>(skipped),
                   header->cells.end());
    std::set<std::string> seen;
    for (const std::string& output : outputs) {
      if (!seen.insert(output).second) {
        return WrongText(name, header->number,
                         "the output " + ShownText(output) + " is named twice");
      }
    }
  }

  std::vector<std::string> inputs = Numbered(lines.size());
  std::vector<std::vector<Rational>> rows;
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    TACET_TRY(std::vector<Rational> row, ParseRow(line, from, width, name));
    rows.push_back(std::move(row));
    if (from == 0) continue;
    inputs[i] = line.cells.front();
    const auto [earlier, is_new] = seen.emplace(inputs[i], line.number);
    if (!is_new) {
      return WrongText(name, line.number,
                       "the input " + ShownText(inputs[i]) + " is named in line " +
                           std::to_string(earlier->second) + " already");
    }
  }
  return Channel::Create(std::move(inputs), std::move(outputs), std::move(rows));
}

Result<Channel> ReadChannel(const std::string& path) {
  TACET_TRY(const std::string text, ReadText(path, kBytesMax));
  return ParseChannel(text, path);
}

Result<InputPairs> ParseNeighbours(std::string_view text, const std::string& name,
                                   const Channel& channel) {
  TACET_TRY(const std::vector<Line> lines, SplitLines(text, name));
  if (lines.empty())
    return WrongText(name, 0, "is empty", "write two neighbouring inputs a line: a,b");
  InputPairs pairs;
  for (const Line& line : lines) {
    if (line.cells.size() != 2) {
      return WrongText(name, line.number,
                       "two inputs are needed, not " + std::to_string(line.cells.size()));
    }
    TACET_TRY(const size_t a, FindInput(line.cells[0], name, line.number, channel));
    TACET_TRY(const size_t b, FindInput(line.cells[1], name, line.number, channel));
    if (a == b) return WrongText(name, line.number, "an input is no neighbour of itself");
    pairs.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

Result<InputPairs> ReadNeighbours(const std::string& path, const Channel& channel) {
  TACET_TRY(const std::string text, ReadText(path, kBytesMax));
  return ParseNeighbours(text, path, channel);
}

}  // namespace tacet::cli
