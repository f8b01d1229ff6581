// SPDX-License-Identifier: Apache-2.0
// A TOML text as a tree that remembers where everything stood. Private to this folder: the only
// place that knows the TOML library, and where its exceptions end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/catalog/catalog.h"
#include "tacet/catalog/problem.h"

namespace tacet {

struct Entry;

struct Node {
  enum class Kind { kString, kInteger, kFloat, kBoolean, kMoment, kArray, kTable };
  Kind kind = Kind::kTable;
  Position position;
  std::string text;  // of a string; of a date or a time: as ISO 8601 writes it
  int64_t integer = 0;
  bool boolean = false;
  std::vector<Node> items;     // of an array
  std::vector<Entry> entries;  // of a table, in the order of the text

  const Node* Find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Position position;  // of the key
  Node value;
};

// The table at the root, or the first breach of TOML's grammar: behind that nothing can be trusted
// to mean what it says.
std::variant<Node, Problem> ReadDocument(std::string_view text);

}  // namespace tacet
