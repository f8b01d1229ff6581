// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_splitter.h"

#include <algorithm>
#include <utility>

namespace tacet::cli {
namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";

bool IsSpace(char letter) { return kSpace.find(letter) != std::string_view::npos; }

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

// As PostgreSQL has it: bytes beyond ASCII are letters.
bool BeginsWord(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

std::string_view Trimmed(std::string_view text, std::string_view also = "") {
  const std::string unwanted = std::string(kSpace) + std::string(also);
  const size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  const size_t end = text.find_last_not_of(unwanted);
  return end == std::string_view::npos || end < begin ? "" : text.substr(begin, end + 1 - begin);
}

bool StartsWith(std::string_view text, size_t at, std::string_view prefix) {
  return text.substr(at, prefix.size()) == prefix;
}

// `$tag$` at `at`, or nothing: `$1` is a parameter.
std::string_view DollarTag(std::string_view line, size_t at) {
  size_t end = at + 1;
  while (end < line.size() && (BeginsWord(line[end]) || (end > at + 1 && IsDigit(line[end]))))
    ++end;
  if (end == line.size() || line[end] != '$') return "";
  return line.substr(at, end + 1 - at);
}

}  // namespace

std::vector<ShellPiece> ShellSplitter::AddLine(std::string_view line) {
  std::vector<ShellPiece> pieces;
  const std::string text = std::string(line) + "\n";
  for (size_t at = 0; at < text.size();) {
    switch (mode_) {
      case Mode::kPlain:
        at = TakePlain(text, at, pieces);
        break;
      case Mode::kComment:
        at = TakeComment(text, at);
        break;
      case Mode::kDollarText:
        at = TakeDollar(text, at);
        break;
      default:
        at = TakeQuoted(text, at);
    }
  }
  if (pending_.size() > kPendingBytesMax) pending_.resize(kPendingBytesMax);
  if (entry_.size() > kPendingBytesMax) entry_.resize(kPendingBytesMax);
  return pieces;
}

std::vector<ShellPiece> ShellSplitter::Finish() {
  std::vector<ShellPiece> pieces;
  if (has_words_) pieces.push_back(TakePending());
  Clear();
  return pieces;
}

ShellSplitter::Inside ShellSplitter::inside() const {
  switch (mode_) {
    case Mode::kPlain:
      return has_words_ ? Inside::kStatement : Inside::kNothing;
    case Mode::kText:
    case Mode::kEscapedText:
      return Inside::kText;
    case Mode::kName:
      return Inside::kName;
    case Mode::kDollarText:
      return Inside::kDollarText;
    case Mode::kComment:
      break;
  }
  return Inside::kComment;
}

size_t ShellSplitter::TakePlain(std::string_view line, size_t at, std::vector<ShellPiece>& pieces) {
  const char letter = line[at];
  if (IsSpace(letter)) {
    // Nothing before the first word, so that the first line of a statement is its first line.
    return pending_.empty() ? at + 1 : Keep(line, at, 1);
  }
  if (letter == '\\' && (!has_words_ || Trimmed(line.substr(0, at)).empty())) {
    return TakeCommand(line, at, pieces);
  }
  if (StartsWith(line, at, "--")) {
    pending_ += line.substr(at);
    entry_ += ' ';
    return line.size();
  }
  if (StartsWith(line, at, "/*")) {
    mode_ = Mode::kComment;
    return TakeComment(line, at);
  }
  if (letter == ';') {
    Keep(line, at, 1);
    if (has_words_) pieces.push_back(TakePending());
    Clear();
    return at + 1;
  }
  has_words_ = true;
  if (BeginsWord(letter)) return TakeWord(line, at);
  if (letter == '\'' || letter == '"') mode_ = letter == '"' ? Mode::kName : Mode::kText;
  const std::string_view tag = letter == '$' ? DollarTag(line, at) : "";
  if (tag.empty()) return Keep(line, at, 1);
  mode_ = Mode::kDollarText;
  dollar_tag_ = tag;
  return Keep(line, at, tag.size());
}

size_t ShellSplitter::TakeWord(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && (BeginsWord(line[end]) || IsDigit(line[end]) || line[end] == '$')) {
    ++end;
  }
  const bool is_escape = end == at + 1 && (line[at] == 'e' || line[at] == 'E');
  if (is_escape && StartsWith(line, end, "'")) {
    mode_ = Mode::kEscapedText;
    ++end;
  }
  return Keep(line, at, end - at);
}

// A doubled quote ends the text and begins it again, which comes to the same.
size_t ShellSplitter::TakeQuoted(std::string_view line, size_t at) {
  const char quote = mode_ == Mode::kName ? '"' : '\'';
  if (mode_ == Mode::kEscapedText && line[at] == '\\') {
    return Keep(line, at, std::min<size_t>(2, line.size() - at));
  }
  // In E'' a doubled quote must not end it: what follows has escapes too.
  if (mode_ == Mode::kEscapedText && StartsWith(line, at, "''")) return Keep(line, at, 2);
  if (line[at] == quote) mode_ = Mode::kPlain;
  return Keep(line, at, 1);
}

size_t ShellSplitter::TakeComment(std::string_view line, size_t at) {
  const bool begins = StartsWith(line, at, "/*");
  const bool ends = StartsWith(line, at, "*/");
  comment_depth_ += begins ? 1 : ends ? -1 : 0;
  const size_t after = Keep(line, at, begins || ends ? 2 : 1);
  if (comment_depth_ == 0) mode_ = Mode::kPlain;
  return after;
}

size_t ShellSplitter::TakeDollar(std::string_view line, size_t at) {
  const bool ends = StartsWith(line, at, dollar_tag_);
  const size_t after = Keep(line, at, ends ? dollar_tag_.size() : 1);
  if (ends) mode_ = Mode::kPlain;
  return after;
}

size_t ShellSplitter::TakeCommand(std::string_view line, size_t at,
                                  std::vector<ShellPiece>& pieces) {
  const std::string text(Trimmed(line.substr(at), ";"));
  pieces.push_back({.is_command = true, .text = text, .entry = text});
  if (!has_words_) Clear();
  return line.size();
}

size_t ShellSplitter::Keep(std::string_view line, size_t at, size_t size) {
  const std::string_view part = line.substr(at, size);
  const bool is_quoted = mode_ != Mode::kPlain && mode_ != Mode::kComment;
  pending_ += part;
  for (const char letter : part) entry_ += letter == '\n' && !is_quoted ? ' ' : letter;
  return at + size;
}

ShellPiece ShellSplitter::TakePending() {
  return {.is_command = false,
          .text = std::string(Trimmed(pending_)),
          .entry = std::string(Trimmed(entry_))};
}

}  // namespace tacet::cli
