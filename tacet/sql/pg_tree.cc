// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/pg_tree.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace tacet::sql::pg {
namespace {

using Field = ProtobufCFieldDescriptor;

std::span<const Field> Fields(const Message& message) {
  return {message.descriptor->fields, message.descriptor->n_fields};
}

// The member of the C structure behind `message` that lies `offset` bytes into it.
template <typename T>
T Member(const Message& message, size_t offset) {
  struct {
    T value;
  } copy;
  std::memcpy(&copy, reinterpret_cast<const char*>(&message) + offset, sizeof(copy));
  return copy.value;
}

bool IsOneof(const Field& field) { return (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0; }

bool IsSet(const Message& message, const Field& field) {
  if (field.label == PROTOBUF_C_LABEL_REPEATED) {
    return Member<size_t>(message, field.quantifier_offset) != 0;
  }
  if (IsOneof(field)) return Member<uint32_t>(message, field.quantifier_offset) == field.id;
  switch (field.type) {
    case PROTOBUF_C_TYPE_MESSAGE:
      return Member<const void*>(message, field.offset) != nullptr;
    case PROTOBUF_C_TYPE_STRING: {
      const auto* text = Member<const char*>(message, field.offset);
      return text != nullptr && *text != '\0';
    }
    case PROTOBUF_C_TYPE_BOOL:
      return Member<protobuf_c_boolean>(message, field.offset) != 0;
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
      return Member<uint32_t>(message, field.offset) != 0;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
      return Member<uint64_t>(message, field.offset) != 0;
    default:
      return true;  // PostgreSQL's trees have no others; if they ever do, they are not understood.
  }
}

// What the message says of itself; libpg_query writes -1 where it does not know.
std::optional<size_t> OwnLocation(const Message& message) {
  const Field* field =
      protobuf_c_message_descriptor_get_field_by_name(message.descriptor, "location");
  if (field == nullptr || field->type != PROTOBUF_C_TYPE_INT32) return std::nullopt;
  const auto location = Member<int32_t>(message, field->offset);
  return location >= 0 ? std::optional(static_cast<size_t>(location)) : std::nullopt;
}

// The messages that a field holds: none, one, or a list.
std::span<const Message* const> Children(const Message& message, const Field& field,
                                         const Message*& single) {
  if (field.type != PROTOBUF_C_TYPE_MESSAGE || !IsSet(message, field)) return {};
  if (field.label == PROTOBUF_C_LABEL_REPEATED) {
    return {Member<const Message* const*>(message, field.offset),
            Member<size_t>(message, field.quantifier_offset)};
  }
  single = Member<const Message*>(message, field.offset);
  return {&single, 1};
}

}  // namespace

std::optional<std::string_view> UnknownField(const Message& message,
                                             std::initializer_list<std::string_view> known) {
  if (message.n_unknown_fields != 0) return "a field of a newer parser";
  for (const Field& field : Fields(message)) {
    if (IsSet(message, field) && std::find(known.begin(), known.end(), field.name) == known.end()) {
      return field.name;
    }
  }
  return std::nullopt;
}

const Message* Inner(const Node* node) {
  if (node == nullptr) return nullptr;
  const Field* field = protobuf_c_message_descriptor_get_field(
      node->base.descriptor, static_cast<unsigned>(node->node_case));
  return field == nullptr ? nullptr : Member<const Message*>(node->base, field->offset);
}

std::string_view Kind(const Message& message) { return message.descriptor->short_name; }

std::optional<size_t> Location(const Message& message) {
  if (const auto own = OwnLocation(message)) return own;
  std::optional<size_t> first;
  for (const Field& field : Fields(message)) {
    const Message* single = nullptr;
    for (const Message* child : Children(message, field, single)) {
      const auto below = Location(*child);
      if (below && (!first || *below < *first)) first = below;
    }
  }
  return first;
}

std::vector<Token> Scan(const std::string& text) {
  const PgQueryScanResult result = pg_query_scan(text.c_str());
  std::vector<Token> tokens;
  if (result.error == nullptr) {
    const std::unique_ptr<PgQuery__ScanResult, void (*)(PgQuery__ScanResult*)> scanned(
        pg_query__scan_result__unpack(nullptr, result.pbuf.len,
                                      reinterpret_cast<const uint8_t*>(result.pbuf.data)),
        [](PgQuery__ScanResult* tree) { pg_query__scan_result__free_unpacked(tree, nullptr); });
    for (size_t i = 0; scanned != nullptr && i < scanned->n_tokens; ++i) {
      const PgQuery__ScanToken& token = *scanned->tokens[i];
      if (token.token == PG_QUERY__TOKEN__SQL_COMMENT ||
          token.token == PG_QUERY__TOKEN__C_COMMENT) {
        continue;
      }
      tokens.push_back(
          {static_cast<size_t>(token.start), static_cast<size_t>(token.end), token.token});
    }
  }
  pg_query_free_scan_result(result);
  return tokens;
}

}  // namespace tacet::sql::pg
