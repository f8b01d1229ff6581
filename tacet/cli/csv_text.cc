// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/csv_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

Error Unreadable(const std::string& name, int number) {
  Error error = WrongText(name, 0, std::string("cannot be read: ") + strerror(number));
  // The wrong file was named, or the right one gives trouble.
  const bool is_named_wrong = number == ENOENT || number == ENOTDIR || number == EISDIR;
  error.code = is_named_wrong ? Code::kData : Code::kIo;
  return error;
}

std::string_view Trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<std::string> ReadText(const std::string& path, size_t bytes_max) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return Unreadable(path, errno);
  return ReadText(file.get(), path, bytes_max);
}

Result<std::string> ReadText(std::FILE* file, const std::string& name, size_t bytes_max) {
  constexpr size_t kChunk = size_t{1} << 20;
  std::string text;
  size_t taken = 0;
  do {
    text.resize(text.size() + kChunk);
    errno = 0;
    taken = std::fread(text.data() + text.size() - kChunk, 1, kChunk, file);
    text.resize(text.size() - kChunk + taken);
    if (std::ferror(file) != 0) return Unreadable(name, errno);
    if (text.size() > bytes_max) {
      return WrongText(name, 0, "is larger than " + std::to_string(bytes_max >> 20) + " MiB");
    }
  } while (taken == kChunk);
  return text;
}

Error WrongText(const std::string& name, size_t line, std::string what, std::string hint) {
  const std::string where = line == 0 ? "" : ", line " + std::to_string(line);
  return {.code = Code::kData,
          .message = "'" + name + "'" + where + ": " + std::move(what),
          .hint = std::move(hint)};
}

std::string ShownText(std::string_view text) {
  constexpr size_t kShownMax = 40;
  if (sql::FindInvalidUtf8(text)) return "(bytes that are not UTF-8)";
  if (text.size() > kShownMax) return "'(" + std::to_string(text.size()) + " characters)'";
  return "'" + sql::Printable(text) + "'";
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

Result<std::vector<std::string>> SplitCells(std::string_view line, const std::string& name,
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
          return WrongText(name, number, "a quote is opened and not closed");
        }
        cell += line.substr(0, quote);
        line.remove_prefix(quote + 1);
        if (!line.starts_with('"')) break;
        cell += '"';
        line.remove_prefix(1);
      }
      line = Trim(line);
      if (!line.empty() && line.front() != ',') {
        return WrongText(name, number, "a comma is missing after a quote");
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

}  // namespace tacet::cli
