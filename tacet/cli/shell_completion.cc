// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_completion.h"

#include <algorithm>
#include <array>
#include <set>

#include "tacet/catalog/identifier.h"
#include "tacet/sql/reference.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr std::array kWords = std::to_array<std::string_view>(
    {"ALL",    "AND",       "AS",        "ASC",     "BETWEEN",  "BIGINT", "BY",     "CASE",
     "CAST",   "CUBE",      "DATE",      "DESC",    "DISTINCT", "DOUBLE", "ELSE",   "END",
     "EXISTS", "FALSE",     "FILTER",    "FIRST",   "FROM",     "GROUP",  "HAVING", "ILIKE",
     "IN",     "INTEGER",   "IS",        "JOIN",    "LAST",     "LEFT",   "LIKE",   "LIMIT",
     "NOT",    "NULL",      "NULLS",     "NUMERIC", "OFFSET",   "ON",     "OR",     "ORDER",
     "OVER",   "PARTITION", "PRECISION", "ROLLUP",  "SELECT",   "THEN",   "TRUE",   "UNION",
     "USING",  "WHEN",      "WHERE",     "WITH",    "WITHIN"});

// What may be called, as people write it.
std::set<std::string> FunctionWords() {
  std::set<std::string> words;
  const auto add = [&](std::string_view written) {
    const std::string name(written.substr(0, written.find('(')));
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos) {
      words.insert(name);
    }
  };
  for (const sql::Place place : {sql::Place::kRow, sql::Place::kAfter, sql::Place::kWindow}) {
    for (const sql::FunctionRow& row : sql::Functions(place)) add(row.written);
  }
  for (const sql::AggregateRow& row : sql::Aggregates()) add(row.written);
  return words;
}

bool IsOfWord(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '"' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

size_t WordBegin(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsOfWord(text[begin - 1])) --begin;
  return begin;
}

std::string_view WithoutSpaceAfter(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view LastWord(std::string_view text) { return text.substr(WordBegin(text)); }

std::string Unquoted(std::string_view word) {
  std::string name(word);
  std::erase(name, '"');
  return name;
}

// Whether `typed` is the beginning of `word`, in either case.
bool Begins(std::string_view typed, std::string_view word) {
  return typed.size() <= word.size() && SameIdentifier(typed, word.substr(0, typed.size()));
}

std::string Lowered(std::string_view word) { return FoldIdentifier(word); }

// Collects what begins as what was typed.
class Candidates {
 public:
  explicit Candidates(std::string_view typed)
      : typed_(Unquoted(typed)), is_quoted_(typed.starts_with('"')) {}

  // In quotes where it could not be written without them.
  void AddName(const std::string& name) {
    if (!Begins(typed_, name)) return;
    const auto same = [&](std::string_view word) { return SameIdentifier(word, name); };
    const bool is_word = std::any_of(kWords.begin(), kWords.end(), same);
    const bool needs_quotes = is_quoted_ || is_word || (name[0] >= '0' && name[0] <= '9');
    found_.insert(needs_quotes ? "\"" + name + "\"" : name);
  }
  void AddTables(const Catalog& catalog) {
    for (const Table& table : catalog.tables) AddName(table.name);
  }
  void AddColumns(const Table& table) {
    if (const auto* person = std::get_if<PersonColumn>(&table.person)) AddName(person->name);
    for (const Column& column : table.columns) AddName(column.name);
  }
  // Nobody wants all of them where nothing was typed.
  void AddWords() {
    if (is_quoted_ || typed_.empty()) return;
    const bool is_lower = typed_.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    for (const std::string_view word : kWords) {
      if (Begins(typed_, word)) found_.insert(is_lower ? Lowered(word) : std::string(word));
    }
    for (const std::string& word : FunctionWords()) {
      if (Begins(typed_, word)) found_.insert(is_lower ? word : sql::Capitals(word));
    }
  }

  std::vector<std::string> Take() const { return {found_.begin(), found_.end()}; }

 private:
  std::string typed_;
  bool is_quoted_;
  std::set<std::string> found_;
};

// `\exp`, `\d pat`; nothing for `\explain SELECT ...`, which is completed as SQL.
bool CompleteCommand(const Catalog& catalog, const std::vector<std::string_view>& commands,
                     std::string_view before, Completion& completion) {
  const size_t begin = before.find_first_not_of(" \t");
  if (begin == std::string_view::npos || before[begin] != '\\') return false;
  const std::string_view line = before.substr(begin);
  const size_t space = line.find_first_of(" \t");
  if (space == std::string_view::npos) {
    completion.word_bytes = line.size();
    for (const std::string_view command : commands) {
      if (Begins(line, command)) completion.words.emplace_back(command);
    }
    std::sort(completion.words.begin(), completion.words.end());
    return true;
  }
  if (line.substr(0, space) == "\\explain") return false;
  if (line.substr(0, space) == "\\d") {
    Candidates candidates(LastWord(before));
    candidates.AddTables(catalog);
    completion = {.word_bytes = LastWord(before).size(), .words = candidates.Take()};
  }
  return true;
}

}  // namespace

Completion Complete(const Catalog& catalog, const std::vector<std::string_view>& commands,
                    std::string_view pending, std::string_view before) {
  Completion completion;
  if (CompleteCommand(catalog, commands, before, completion)) return completion;
  const std::string text = std::string(pending) + std::string(before);
  const std::string_view typed = LastWord(before);
  const std::string_view rest = std::string_view(text).substr(0, text.size() - typed.size());
  Candidates candidates(typed);
  if (rest.ends_with('.')) {
    const std::string_view table_name = LastWord(rest.substr(0, rest.size() - 1));
    const Table* table = catalog.FindTable(Unquoted(table_name));
    if (table != nullptr) candidates.AddColumns(*table);
  } else if (SameIdentifier(LastWord(WithoutSpaceAfter(rest)), "FROM")) {
    candidates.AddTables(catalog);
  } else {
    candidates.AddTables(catalog);
    for (const Table& table : catalog.tables) candidates.AddColumns(table);
    candidates.AddWords();
  }
  return {.word_bytes = typed.size(), .words = candidates.Take()};
}

std::string CommonBeginning(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(end, common.end());
  }
  // Not in the middle of a character.
  const std::string& first = words.front();
  size_t end = common.size();
  while (end > 0 && end < first.size() && (static_cast<unsigned char>(first[end]) & 0xC0) == 0x80) {
    --end;
  }
  return common.substr(0, end);
}

}  // namespace tacet::cli
