// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/score_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "tacet/cli/csv_text.h"

namespace tacet::cli {
namespace {

constexpr size_t kScoreBytesMax = size_t{256} << 20;
constexpr size_t kColumnsMax = 3;
constexpr char kScoreForms[] = "a line is a score, or name,score, or name,score,weight.";

template <typename Integer>
std::optional<Integer> ReadInteger(std::string_view cell) {
  Integer value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::string Lowered(std::string_view cell) {
  std::string lowered(cell);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lowered;
}

// Whether it can head a column. What programs write for a missing number cannot: it would vanish.
bool IsHeading(const std::string& cell) {
  static const std::set<std::string> no_numbers = {"nan", "inf",  "infinity", "null",
                                                   "na",  "none", "nil",      "missing"};
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  const auto is_inside = [&](unsigned char c) {
    return is_letter(c) || std::isdigit(c) != 0 || c == ' ' || c == '-';
  };
  return !cell.empty() && is_letter(static_cast<unsigned char>(cell.front())) &&
         std::all_of(cell.begin(), cell.end(), is_inside) && !no_numbers.contains(Lowered(cell));
}

// Collects the lines of one file.
class ScoreReader {
 public:
  explicit ScoreReader(const std::string& name) : name_(name) {}

  // A line that is not blank.
  Status Add(std::string_view line, size_t number) {
    const bool is_plain = line.find_first_of(",\"") == std::string_view::npos;
    if (is_plain && columns_ == 1) return AddScore(line, number);
    TACET_TRY(const std::vector<std::string> cells, SplitCells(line, name_, number));
    if (columns_ == 0) {
      if (cells.size() > kColumnsMax) {
        return WrongText(name_, number, std::to_string(cells.size()) + " columns", kScoreForms);
      }
      columns_ = cells.size();
      first_line_ = number;
      if (std::all_of(cells.begin() + ScoreColumn(), cells.end(), IsHeading)) {
        return CheckHeader(cells, number);
      }
    }
    if (cells.size() != columns_) {
      return WrongText(name_, number,
                       std::to_string(cells.size()) + " columns where line " +
                           std::to_string(first_line_) + " has " + std::to_string(columns_),
                       kScoreForms);
    }
    TACET_RETURN_IF_ERROR(AddScore(cells[static_cast<size_t>(ScoreColumn())], number));
    if (columns_ > 1) names_.push_back(cells.front());
    return columns_ == kColumnsMax ? AddWeight(cells.back(), number) : Status();
  }

  Result<ScoreFile> Finish() && {
    if (whole_.empty() && exact_.empty()) {
      return WrongText(name_, 0, columns_ == 0 ? "is empty" : "has a heading, but no scores",
                       kScoreForms);
    }
    const Rational best = exact_.empty() ? Rational(*std::max_element(whole_.begin(), whole_.end()))
                                         : *std::max_element(exact_.begin(), exact_.end());
    Result<Candidates> candidates =
        exact_.empty() ? Candidates::Of(std::move(whole_)) : Candidates::Of(std::move(exact_));
    if (candidates.ok() && !weights_.empty()) {
      candidates = (*std::move(candidates)).Weighted(std::move(weights_));
    }
    if (!candidates.ok()) return WrongText(name_, 0, candidates.error().message);
    return ScoreFile{*std::move(candidates), best, std::move(names_)};
  }

 private:
  std::ptrdiff_t ScoreColumn() const { return columns_ == 1 ? 0 : 1; }

  Status CheckHeader(const std::vector<std::string>& cells, size_t number) const {
    if (columns_ == 2 && Lowered(cells.back()) == "weight") {
      return WrongText(name_, number, "a weight needs a name before the score", kScoreForms);
    }
    return {};
  }

  Status AddScore(std::string_view cell, size_t number) {
    if (exact_.empty()) {
      if (const auto whole = ReadInteger<int64_t>(cell)) {
        whole_.push_back(*whole);
        return {};
      }
    }
    const Result<Rational> score = Rational::Parse(cell);
    if (!score.ok()) {
      return WrongText(name_, number, cell.empty() ? "a score is missing" : score.error().message,
                       "scores are written 10, 8.5, 1/3 or 1e300.");
    }
    exact_.insert(exact_.end(), whole_.begin(), whole_.end());
    whole_.clear();
    exact_.push_back(*score);
    return {};
  }

  Status AddWeight(const std::string& cell, size_t number) {
    const auto weight = ReadInteger<uint64_t>(cell);
    if (!weight) {
      return WrongText(name_, number,
                       cell.empty() ? "a weight is missing"
                                    : "the weight " + ShownText(cell) + " is no whole number",
                       "a weight says for how many candidates one stands: from 0 to 2^64 - 1.");
    }
    weights_.push_back(*weight);
    return {};
  }

  const std::string& name_;
  size_t columns_ = 0;
  size_t first_line_ = 0;
  std::vector<int64_t> whole_;   // as long as all of them are
  std::vector<Rational> exact_;  // then
  std::vector<std::string> names_;
  std::vector<uint64_t> weights_;
};

}  // namespace

Result<ScoreFile> ParseScores(std::string_view text, const std::string& name) {
  text = WithoutByteOrderMark(text);
  ScoreReader reader(name);
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(text);
    if (line.find('\0') != std::string_view::npos) {
      return WrongText(name, number, "there is a zero byte; this is no text");
    }
    if (!line.empty()) TACET_RETURN_IF_ERROR(reader.Add(line, number));
  }
  return std::move(reader).Finish();
}

Result<ScoreFile> ReadScores(const std::string& path, const Terminal& terminal) {
  if (path == "-") {
    const std::string name = "standard input";
    TACET_TRY(const std::string text, ReadText(terminal.in, name, kScoreBytesMax));
    return ParseScores(text, name);
  }
  TACET_TRY(const std::string text, ReadText(path, kScoreBytesMax));
  return ParseScores(text, path);
}

}  // namespace tacet::cli
