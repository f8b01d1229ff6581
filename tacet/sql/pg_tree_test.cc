// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/pg_tree.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tacet::sql::pg {
namespace {

// Every kind of message that the copier takes apart.
const std::vector<const ProtobufCMessageDescriptor*> kCopied = {
    &pg_query__select_stmt__descriptor,  &pg_query__res_target__descriptor,
    &pg_query__range_var__descriptor,    &pg_query__alias__descriptor,
    &pg_query__sort_by__descriptor,      &pg_query__column_ref__descriptor,
    &pg_query__a__const__descriptor,     &pg_query__a__expr__descriptor,
    &pg_query__bool_expr__descriptor,    &pg_query__null_test__descriptor,
    &pg_query__boolean_test__descriptor, &pg_query__case_expr__descriptor,
    &pg_query__case_when__descriptor,    &pg_query__coalesce_expr__descriptor,
    &pg_query__min_max_expr__descriptor, &pg_query__func_call__descriptor,
    &pg_query__type_cast__descriptor,    &pg_query__type_name__descriptor,
};

// A message of that kind with nothing set, and room to set things in.
struct Blank {
  explicit Blank(const ProtobufCMessageDescriptor& kind) : bytes(kind.sizeof_message) {
    kind.message_init(&message());
  }
  Message& message() { return *reinterpret_cast<Message*>(bytes.data()); }
  template <typename T>
  void Set(size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(bytes.data()) + offset, &value, sizeof(value));
  }
  std::vector<std::max_align_t> bytes;  // more than enough of them
};

void SetField(Blank& blank, const ProtobufCFieldDescriptor& field) {
  if (field.label == PROTOBUF_C_LABEL_REPEATED) {
    blank.Set<size_t>(field.quantifier_offset, 1);
  } else if ((field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
    blank.Set<uint32_t>(field.quantifier_offset, field.id);
  } else if (field.type == PROTOBUF_C_TYPE_STRING) {
    blank.Set<const char*>(field.offset, "x");
  } else if (field.type == PROTOBUF_C_TYPE_MESSAGE) {
    blank.Set<const void*>(field.offset, &blank);
  } else {
    blank.Set<uint32_t>(field.offset, 1);
  }
}

TEST(UnknownField, FindsEveryFieldOfEveryMessageThatIsCopied) {
  for (const auto* kind : kCopied) {
    Blank none(*kind);
    EXPECT_EQ(UnknownField(none.message(), {}), std::nullopt) << kind->short_name;
    for (size_t i = 0; i < kind->n_fields; ++i) {
      Blank blank(*kind);
      SetField(blank, kind->fields[i]);
      EXPECT_EQ(UnknownField(blank.message(), {}), kind->fields[i].name) << kind->short_name;
      EXPECT_EQ(UnknownField(blank.message(), {kind->fields[i].name}), std::nullopt);
      EXPECT_EQ(UnknownField(blank.message(), {"x"}), kind->fields[i].name) << kind->short_name;
    }
  }
}

TEST(UnknownField, FindsWhatANewerParserWouldSend) {
  Blank blank(pg_query__func_call__descriptor);
  blank.message().n_unknown_fields = 1;
  EXPECT_TRUE(UnknownField(blank.message(), {"funcname", "args"}).has_value());
}

TEST(UnknownField, NegativeNumbersAreSet) {
  Blank blank(pg_query__type_name__descriptor);
  reinterpret_cast<PgQuery__TypeName&>(blank.message()).typemod = -1;
  EXPECT_EQ(UnknownField(blank.message(), {}), "typemod");
}

TEST(Scan, GivesTokensWithoutComments) {
  const std::string text = "select /* x */ 'a b' -- y\n, \"c\"";
  std::vector<std::string> tokens;
  for (const Token& token : Scan(text)) {
    tokens.push_back(text.substr(token.begin, token.end - token.begin));
  }
  EXPECT_EQ(tokens, (std::vector<std::string>{"select", "'a b'", ",", "\"c\""}));
  EXPECT_TRUE(Scan("select 'unterminated").empty());
}

}  // namespace
}  // namespace tacet::sql::pg
