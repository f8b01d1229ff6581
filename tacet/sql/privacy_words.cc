// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/privacy_words.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/suggest.h"
#include "tacet/sql/canonical.h"
#include "tacet/sql/pg_tree.h"
#include "tacet/sql/utf8.h"

namespace tacet::sql {
namespace {

constexpr std::string_view kNames[] = {"epsilon", "delta", "max_groups_contributed",
                                       "max_rows_contributed", "privacy_unit_column"};

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)), tokens_(pg::Scan(text_)) {}

  Result<PrivacyWords> Read() {
    const bool begins = Is(0, "select") && Is(1, "with") && Is(2, "differential_privacy");
    if (!begins) return PrivacyWords{.text = std::move(text_), .options = {}};
    PrivacyOptions options;
    size_t next = 3;
    if (Is(next, "options") && Is(next + 1, "(")) {
      TACET_TRY(next, ReadOptions(next + 2, options));
    }
    const size_t begin = tokens_[1].begin;
    const size_t end = tokens_[next - 1].end;
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(begin),
              text_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    return PrivacyWords{.text = std::move(text_), .options = std::move(options)};
  }

 private:
  std::string Word(size_t token) const {
    if (token >= tokens_.size()) return "";
    return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
  }
  bool Is(size_t token, std::string_view word) const { return Lower(Word(token)) == word; }

  Error Refuse(size_t token, std::string message, std::string hint) const {
    const size_t byte = token < tokens_.size() ? tokens_[token].begin : text_.size();
    return {.code = Code::kUnsupported,
            .message = std::move(message),
            .hint = std::move(hint),
            .position = CharacterCount(std::string_view(text_).substr(0, byte))};
  }

  // Behind the closing parenthesis.
  Result<size_t> ReadOptions(size_t next, PrivacyOptions& options) const {
    if (Is(next, ")")) return next + 1;
    for (;;) {
      const size_t name_at = next;
      const std::string name = Lower(Word(next++));
      if (!Is(next++, "=")) {
        return Refuse(name_at, "an option is written name = value", "write epsilon = 1/2.");
      }
      const size_t value_at = next;
      std::string value;
      while (next < tokens_.size() && !Is(next, ",") && !Is(next, ")")) value += Word(next++);
      TACET_RETURN_IF_ERROR(Set(name, value, name_at, value_at, options));
      if (next >= tokens_.size()) {
        return Refuse(next, "OPTIONS ( is not closed", "write OPTIONS (epsilon = 1/2).");
      }
      if (Is(next++, ")")) return next;
    }
  }

  Status Set(const std::string& name, const std::string& value, size_t name_at, size_t value_at,
             PrivacyOptions& options) const {
    const auto* known = std::find(std::begin(kNames), std::end(kNames), name);
    if (known == std::end(kNames)) {
      return Refuse(name_at, "there is no option '" + Printable(name) + "'",
                    SuggestionHint(name, {std::begin(kNames), std::end(kNames)}));
    }
    const auto twice = [&](bool is_set) -> Status {
      if (!is_set) return {};
      return Refuse(name_at, "the option " + name + " is given twice", "leave one out.");
    };
    if (name == "privacy_unit_column") {
      TACET_RETURN_IF_ERROR(twice(!options.person.empty()));
      const bool is_quoted = value.size() > 2 && value.front() == '"' && value.back() == '"';
      options.person = is_quoted ? value.substr(1, value.size() - 2) : value;
      if (!options.person.empty() && options.person == Printable(options.person)) return {};
      return Refuse(value_at, "privacy_unit_column needs the name of a column", "");
    }
    const Result<Rational> number = Rational::Parse(value);
    const bool is_amount = name == "epsilon" || name == "delta";
    const bool is_valid = number.ok() && (is_amount ? number->sign() >= 0
                                                    : number->is_integer() && number->sign() > 0 &&
                                                          *number <= Rational(int64_t{1} << 62));
    if (!is_valid) {
      return Refuse(
          value_at, "the option " + name + " has no such value",
          is_amount ? "write a number such as 1/2 or 1e-6." : "write a whole number, at least 1.");
    }
    if (is_amount) {
      std::optional<Rational>& amount = name == "epsilon" ? options.epsilon : options.delta;
      TACET_RETURN_IF_ERROR(twice(amount.has_value()));
      amount = *number;
    } else {
      std::optional<int64_t>& most =
          name == "max_groups_contributed" ? options.groups_max : options.rows_max;
      TACET_RETURN_IF_ERROR(twice(most.has_value()));
      most = number->numerator().get_si();
    }
    return {};
  }

  std::string text_;
  std::vector<pg::Token> tokens_;
};

}  // namespace

Result<PrivacyWords> TakePrivacyWords(std::string text) { return Reader(std::move(text)).Read(); }

std::string ToString(const PrivacyOptions& options) {
  std::string list;
  const auto add = [&](std::string_view name, const std::string& value) {
    list += (list.empty() ? "" : ", ") + std::string(name) + " = " + value;
  };
  if (options.epsilon) add("epsilon", options.epsilon->ToString());
  if (options.delta) add("delta", options.delta->ToString());
  if (options.groups_max) add("max_groups_contributed", std::to_string(*options.groups_max));
  if (options.rows_max) add("max_rows_contributed", std::to_string(*options.rows_max));
  if (!options.person.empty()) add("privacy_unit_column", "\"" + options.person + "\"");
  return "WITH DIFFERENTIAL_PRIVACY" + (list.empty() ? "" : " OPTIONS (" + list + ")");
}

}  // namespace tacet::sql
