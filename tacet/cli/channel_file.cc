// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/channel_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "tacet/base/suggest.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr size_t kBytesMax = size_t{16} << 20;

struct Line {
  size_t number;  // from 1
  std::vector<std::string> cells;
};

Error Wrong(const std::string& name, size_t line, std::string what, std::string hint = {}) {
  const std::string where = line == 0 ? "" : ", line " + std::to_string(line);
  return {.code = Code::kData,
          .message = "'" + name + "'" + where + ": " + std::move(what),
          .hint = std::move(hint)};
}

std::string Shown(std::string_view text) {
  constexpr size_t kShownMax = 40;
  if (sql::FindInvalidUtf8(text)) return "(bytes that are not UTF-8)";
  std::string shown = "'" + sql::Printable(text.substr(0, kShownMax));
  return text.size() > kShownMax
             ? "'" + std::string("(") + std::to_string(text.size()) + " characters)'"
             : shown + "'";
}

Result<std::string> ReadText(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::string text(kBytesMax + 1, '\0');
  if (file == nullptr) return Wrong(path, 0, std::string("cannot be read: ") + strerror(errno));
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return Wrong(path, 0, std::string("cannot be read: ") + strerror(errno));
  }
  if (text.size() > kBytesMax) return Wrong(path, 0, "is larger than 16 MiB");
  return text;
}

std::string_view Trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The cells of one line; quoted ones may hold commas, and a quote as two.
Result<std::vector<std::string>> Split(std::string_view line, const std::string& name,
                                       size_t number) {
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    line = Trim(line);
    std::string cell;
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      for (;;) {
        const size_t quote = line.find('"');
        if (quote == std::string_view::npos) {
          return Wrong(name, number, "a quote is opened and not closed");
        }
        cell += line.substr(0, quote);
        line.remove_prefix(quote + 1);
        if (!line.starts_with('"')) break;
        cell += '"';
        line.remove_prefix(1);
      }
      line = Trim(line);
      if (!line.empty() && line.front() != ',') {
        return Wrong(name, number, "a comma is missing after a quote");
      }
    } else {
      const size_t end = std::min(line.find(','), line.size());
      cell = Trim(line.substr(0, end));
      line.remove_prefix(end);
    }
    cells.push_back(std::move(cell));
    more = !line.empty();
    if (more) line.remove_prefix(1);
    if (more && line.empty()) {
      cells.emplace_back();
      more = false;
    }
  }
  return cells;
}

Result<std::vector<Line>> SplitLines(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Line> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find('\0') != std::string_view::npos) {
      return Wrong(name, number, "there is a zero byte; this is no text");
    }
    if (line.empty()) continue;
    TACET_TRY(std::vector<std::string> cells, Split(line, name, number));
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
    return Wrong(name, line.number,
                 std::to_string(line.cells.size()) + " entries where there should be " +
                     std::to_string(from + width));
  }
  std::vector<Rational> row;
  Rational sum;
  for (size_t i = from; i < line.cells.size(); ++i) {
    const Result<Rational> entry = Rational::Parse(line.cells[i]);
    if (!entry.ok()) {
      return Wrong(
          name, line.number,
          line.cells[i].empty() ? "an entry is empty" : Shown(line.cells[i]) + " is not a number",
          "probabilities are written 3/4, 0.75 or 1e-6.");
    }
    if (entry->sign() < 0) {
      return Wrong(name, line.number, "the probability " + line.cells[i] + " is negative");
    }
    sum += *entry;
    row.push_back(*entry);
  }
  if (sum != Rational(1)) {
    constexpr size_t kShownMax = 60;
    const std::string shown = sum.ToString().size() <= kShownMax
                                  ? sum.ToString()
                                  : "a number near " + std::to_string(sum.ToDouble());
    return Wrong(name, line.number, "the probabilities add up to " + shown + ", not to 1",
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
  return Wrong(file, line, Shown(cell) + " is no input of the channel",
               SuggestionHint(cell, names));
}

}  // namespace

Result<Channel> ParseChannel(std::string_view text, const std::string& name) {
  TACET_TRY(std::vector<Line> lines, SplitLines(text, name));
  if (lines.empty()) {
    return Wrong(name, 0, "is empty", "a channel has a line for each input: 3/4,1/4");
  }
  std::optional<Line> header;
  if (IsHeader(lines.front())) {
    header = lines.front();
    lines.erase(lines.begin());
  }
  if (lines.empty()) return Wrong(name, 0, "has names of outputs, but no row of probabilities");
  const size_t from = HasNames(lines, header ? &*header : nullptr) ? 1 : 0;
  const size_t columns = lines.front().cells.size();
  if (columns <= from) return Wrong(name, lines.front().number, "there are no probabilities");
  const size_t width = columns - from;

  std::vector<std::string> outputs = Numbered(width);
  if (header) {
    // The corner above the names of the inputs may be left out.
    const size_t skipped = header->cells.size() == width + from ? from : 0;
    if (header->cells.size() != width + skipped) {
      return Wrong(name, lines.front().number,
                   std::to_string(columns) + " entries where line " +
                       std::to_string(header->number) + " has " +
                       std::to_string(header->cells.size()));
    }
    outputs.assign(header->cells.begin() + static_cast<std::ptrdiff_t>(skipped),
                   header->cells.end());
    std::set<std::string> seen;
    for (const std::string& output : outputs) {
      if (!seen.insert(output).second) {
        return Wrong(name, header->number, "the output " + Shown(output) + " is named twice");
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
      return Wrong(name, line.number,
                   "the input " + Shown(inputs[i]) + " is named in line " +
                       std::to_string(earlier->second) + " already");
    }
  }
  return Channel::Create(std::move(inputs), std::move(outputs), std::move(rows));
}

Result<Channel> ReadChannel(const std::string& path) {
  TACET_TRY(const std::string text, ReadText(path));
  return ParseChannel(text, path);
}

Result<InputPairs> ParseNeighbours(std::string_view text, const std::string& name,
                                   const Channel& channel) {
  TACET_TRY(const std::vector<Line> lines, SplitLines(text, name));
  if (lines.empty()) return Wrong(name, 0, "is empty", "write two neighbouring inputs a line: a,b");
  InputPairs pairs;
  for (const Line& line : lines) {
    if (line.cells.size() != 2) {
      return Wrong(name, line.number,
                   "two inputs are needed, not " + std::to_string(line.cells.size()));
    }
    TACET_TRY(const size_t a, FindInput(line.cells[0], name, line.number, channel));
    TACET_TRY(const size_t b, FindInput(line.cells[1], name, line.number, channel));
    if (a == b) return Wrong(name, line.number, "an input is no neighbour of itself");
    pairs.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

Result<InputPairs> ReadNeighbours(const std::string& path, const Channel& channel) {
  TACET_TRY(const std::string text, ReadText(path));
  return ParseNeighbours(text, path, channel);
}

}  // namespace tacet::cli
