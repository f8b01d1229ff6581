// SPDX-License-Identifier: Apache-2.0
// Reads one table of the document key by key, and collects what is wrong. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/rational.h"
#include "tacet/catalog/document.h"
#include "tacet/catalog/problem.h"

namespace tacet {

using Names = std::span<const std::string_view>;
using Problems = std::vector<Problem>;

// What a node is, for "must be a text, not ...".
std::string_view KindName(const Node& node);

// An exact number: a text that Rational::Parse reads, or an integer. `what` begins the message:
// "[budget]: epsilon".
std::optional<Rational> ReadNumber(const Node& node, const std::string& what, Problems& problems);
// The same, greater than 0.
std::optional<Rational> ReadPositiveNumber(const Node& node, const std::string& what,
                                           Problems& problems);

// A section that is absent reads as empty. What is wrong is reported once and then reads as absent.
class Section {
 public:
  // Reports the keys of `node` that are not in `keys`, and a node that is no table. `name` begins
  // every message: "table visits". `keys` and `problems` must outlive the section.
  Section(const Node* node, std::string name, Names keys, Problems& problems);

  const std::string& name() const { return name_; }
  Problems& problems() const { return problems_; }
  // The node of `key`, which must be one of `keys`; nullptr if it is not given.
  const Node* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  std::optional<std::string> Text(std::string_view key) const;
  std::optional<bool> Boolean(std::string_view key) const;
  std::optional<Rational> Number(std::string_view key) const;
  std::optional<Rational> PositiveNumber(std::string_view key) const;
  // Strictly between 0 and 1.
  std::optional<Rational> Fraction(std::string_view key) const;
  // An integer of at least 1.
  std::optional<int64_t> Count(std::string_view key) const;
  // The index of a text in `choices`.
  std::optional<size_t> Choice(std::string_view key, Names choices) const;

  // "table visits: " + `key` + " " + `why`, at the value of `key`, or at the section if it is not
  // given.
  void Complain(std::string_view key, std::string_view why, std::string hint) const;
  void ComplainAt(Position position, std::string_view what, std::string hint) const;

 private:
  const Node* node_;
  std::string name_;
  Names keys_;
  Problems& problems_;
};

}  // namespace tacet
