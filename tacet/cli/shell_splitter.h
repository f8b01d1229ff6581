// SPDX-License-Identifier: Apache-2.0
// Cuts what is typed into a shell into statements, which end with ; and commands, which begin with
// a backslash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::cli {

// Something to run.
struct ShellPiece {
  bool is_command = false;  // `\d patients`: to the end of its line, without a ; after it
  std::string text;         // of a statement, with its semicolon if it has one
  // The same for the history: line breaks outside of quotes are spaces, `--` comments are left out.
  std::string entry;
};

// Knows as much of PostgreSQL's words as it takes to find the ; that ends a statement: '', E'', "",
// $tag$ quotes, and both kinds of comments, of which those in /* */ nest. Any text is safe to give.
//
// A command may stand wherever a statement may begin, and at the beginning of any line outside of
// quotes and comments: a backslash means nothing in SQL. A statement that it interrupts goes on
// after it.
class ShellSplitter {
 public:
  // What the next line continues.
  enum class Inside { kNothing, kStatement, kText, kName, kDollarText, kComment };

  // No statement may be as long; what comes after so many bytes is left out.
  static constexpr size_t kPendingBytesMax = size_t{1} << 20;

  // Takes a line, without its line break. Returns what is complete with it, in order.
  std::vector<ShellPiece> AddLine(std::string_view line);

  // The end of the input ends a statement too. Returns that one, or nothing.
  std::vector<ShellPiece> Finish();

  // Forgets what is not complete.
  void Clear() { *this = ShellSplitter(); }

  Inside inside() const;
  // What is not complete yet, for completion.
  const std::string& pending() const { return pending_; }

 private:
  enum class Mode { kPlain, kText, kEscapedText, kName, kDollarText, kComment };

  size_t TakePlain(std::string_view line, size_t at, std::vector<ShellPiece>& pieces);
  size_t TakeWord(std::string_view line, size_t at);
  size_t TakeQuoted(std::string_view line, size_t at);
  size_t TakeComment(std::string_view line, size_t at);
  size_t TakeDollar(std::string_view line, size_t at);
  size_t TakeCommand(std::string_view line, size_t at, std::vector<ShellPiece>& pieces);
  // Keeps `size` bytes from `at` and returns where they end.
  size_t Keep(std::string_view line, size_t at, size_t size);
  ShellPiece TakePending();

  Mode mode_ = Mode::kPlain;
  std::string pending_;
  std::string entry_;
  bool has_words_ = false;  // more than space and comments
  int comment_depth_ = 0;
  std::string dollar_tag_;  // with its $
};

}  // namespace tacet::cli
