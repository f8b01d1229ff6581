// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/section.h"

#include <algorithm>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"

namespace tacet {

std::string_view KindName(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kString:
      return "a text";
    case Node::Kind::kInteger:
      return "an integer";
    case Node::Kind::kFloat:
      return "a floating-point number";
    case Node::Kind::kBoolean:
      return "true or false";
    case Node::Kind::kMoment:
      return "a date or time";
    case Node::Kind::kArray:
      return "a list";
    case Node::Kind::kTable:
      break;
  }
  return "a section";
}

std::optional<Rational> ReadNumber(const Node& node, const std::string& what, Problems& problems) {
  if (node.kind == Node::Kind::kInteger) return Rational(node.integer);
  if (node.kind == Node::Kind::kFloat) {
    problems.push_back({node.position, what + " is a floating-point number, which is not exact",
                        "put it in quotes: \"0.1\" or \"1/10\"."});
    return std::nullopt;
  }
  if (node.kind != Node::Kind::kString) {
    problems.push_back({node.position,
                        what + " must be a number, not " + std::string(KindName(node)),
                        "write an integer, or an exact number in quotes: \"1/10\"."});
    return std::nullopt;
  }
  Result<Rational> number = Rational::Parse(node.text);
  if (!number.ok()) {
    problems.push_back({node.position, what + ": " + number.error().message, number.error().hint});
    return std::nullopt;
  }
  return *std::move(number);
}

std::optional<Rational> ReadPositiveNumber(const Node& node, const std::string& what,
                                           Problems& problems) {
  std::optional<Rational> number = ReadNumber(node, what, problems);
  if (number && number->sign() <= 0) {
    problems.push_back({node.position, what + " must be greater than 0",
                        "write a positive number such as \"1/10\"."});
    return std::nullopt;
  }
  return number;
}

Section::Section(const Node* node, std::string name, Names keys, Problems& problems)
    : node_(node), name_(std::move(name)), keys_(keys), problems_(problems) {
  if (node_ == nullptr) return;
  if (node_->kind != Node::Kind::kTable) {
    problems_.push_back({node_->position,
                         name_ + " must be a section of keys, not " + std::string(KindName(*node_)),
                         "write " + std::string(keys_.front()) + " = ... in it."});
    node_ = nullptr;
    return;
  }
  for (const Entry& entry : node_->entries) {
    if (std::find(keys_.begin(), keys_.end(), entry.key) != keys_.end()) continue;
    problems_.push_back({entry.position, name_ + ": unknown key " + Quoted(entry.key),
                         SuggestionHint(entry.key, keys_)});
  }
}

const Node* Section::Find(std::string_view key) const {
  TACET_CHECK(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  return node_ == nullptr ? nullptr : node_->Find(key);
}

std::optional<std::string> Section::Text(std::string_view key) const {
  const Node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::kString) {
    Complain(key, "must be a text, not " + std::string(KindName(*node)), "put it in quotes.");
    return std::nullopt;
  }
  if (node->text.find('\0') != std::string::npos) {
    Complain(key, "has a NUL in it", "leave it out.");
    return std::nullopt;
  }
  return node->text;
}

std::optional<bool> Section::Boolean(std::string_view key) const {
  const Node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::kBoolean) {
    Complain(key, "must be true or false, not " + std::string(KindName(*node)),
             "write true or false, without quotes.");
    return std::nullopt;
  }
  return node->boolean;
}

std::optional<Rational> Section::Number(std::string_view key) const {
  const Node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  return ReadNumber(*node, name_ + ": " + std::string(key), problems_);
}

std::optional<Rational> Section::PositiveNumber(std::string_view key) const {
  const Node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  return ReadPositiveNumber(*node, name_ + ": " + std::string(key), problems_);
}

std::optional<Rational> Section::Fraction(std::string_view key) const {
  std::optional<Rational> number = Number(key);
  if (number && (number->sign() <= 0 || *number >= Rational(1))) {
    Complain(key, "must lie between 0 and 1, without the ends",
             "write a number such as \"1e-9\" or \"1/2\".");
    return std::nullopt;
  }
  return number;
}

std::optional<int64_t> Section::Count(std::string_view key) const {
  const Node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::kInteger || node->integer < 1) {
    const bool integer = node->kind == Node::Kind::kInteger;
    Complain(key,
             "must be an integer of at least 1, not " +
                 (integer ? std::to_string(node->integer) : std::string(KindName(*node))),
             "write " + std::string(key) + " = 1 or more, without quotes.");
    return std::nullopt;
  }
  return node->integer;
}

std::optional<size_t> Section::Choice(std::string_view key, Names choices) const {
  const std::optional<std::string> text = Text(key);
  if (!text) return std::nullopt;
  const auto found = std::find(choices.begin(), choices.end(), *text);
  if (found == choices.end()) {
    Complain(key, "cannot be " + Quoted(*text), SuggestionHint(*text, choices));
    return std::nullopt;
  }
  return static_cast<size_t>(found - choices.begin());
}

void Section::Complain(std::string_view key, std::string_view why, std::string hint) const {
  const Node* node = Find(key);
  const Position position = node != nullptr    ? node->position
                            : node_ != nullptr ? node_->position
                                               : Position{};
  ComplainAt(position, std::string(key) + " " + std::string(why), std::move(hint));
}

void Section::ComplainAt(Position position, std::string_view what, std::string hint) const {
  problems_.push_back({position, name_ + ": " + std::string(what), std::move(hint)});
}

}  // namespace tacet
