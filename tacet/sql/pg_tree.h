// SPDX-License-Identifier: Apache-2.0
// libpg_query's tree, seen through its own description. Part of the parser; nothing else includes
// it.
//
// The tree comes as protobuf and not as JSON, because the JSON of 15-4.0.0 loses negative integers:
// it says of -5 what it says of 0.
//
// The default is closed: who copies a message names the fields that it understands, and
// UnknownField finds any other that is set, also one that was added to PostgreSQL after this was
// written.
#pragma once

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::sql::pg {

using Message = ProtobufCMessage;
using Node = PgQuery__Node;

// The name of a field of `message` that is set and is not in `known`; nothing if there is none.
// Zero, false, empty text and an empty list count as not set.
std::optional<std::string_view> UnknownField(const Message& message,
                                             std::initializer_list<std::string_view> known);

// The message that a node holds; null if it holds none.
const Message* Inner(const Node* node);

// `SelectStmt`, `FuncCall`, and so on.
std::string_view Kind(const Message& message);

// Where `message` stands in the text, in bytes: its own location or the first one below it.
std::optional<size_t> Location(const Message& message);

struct Token {
  size_t begin;  // in bytes
  size_t end;
  PgQuery__Token token;
};

// The tokens of a text, without its comments. None if it cannot be split into tokens.
std::vector<Token> Scan(const std::string& text);

}  // namespace tacet::sql::pg
