// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tacet::sql {
namespace {

TEST(Utf8, EveryScalarValueIsWellFormedAndComesBack) {
  for (char32_t character = 0; character <= 0x10FFFF; ++character) {
    if (character >= 0xD800 && character <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(character, text);
    ASSERT_EQ(FindInvalidUtf8(text), std::nullopt) << static_cast<uint32_t>(character);
    ASSERT_EQ(CharacterCount(text), 1u);
    std::string_view rest = text;
    ASSERT_EQ(TakeCharacter(rest), character);
    ASSERT_TRUE(rest.empty());
  }
}

TEST(Utf8, SurrogatesAreIllFormed) {
  for (char32_t character = 0xD800; character <= 0xDFFF; ++character) {
    std::string text = "ab";
    AppendUtf8(character, text);
    ASSERT_EQ(FindInvalidUtf8(text), 2u) << static_cast<uint32_t>(character);
  }
}

TEST(Utf8, FindsEachKindOfIllFormedSequence) {
  for (const std::string_view bad : {
           "\x80",
           "\xBF",  // a continuation without a lead
           "\xC0\x80",
           "\xC1\xBF",  // overlong, two bytes
           "\xE0\x80\x80",
           "\xE0\x9F\xBF",  // overlong, three
           "\xF0\x80\x80\x80",
           "\xF0\x8F\xBF\xBF",  // overlong, four
           "\xC3",
           "\xE2\x82",
           "\xF0\x9F\x98",  // cut off
           "\xC3x",
           "\xE2\x82x",
           "\xF0\x9F\x98x",  // a continuation is missing
           "\xF4\x90\x80\x80",
           "\xF5\x80\x80\x80",  // beyond U+10FFFF
           "\xF8\x88\x80\x80\x80",
           "\xFE",
           "\xFF",  // never a lead
       }) {
    EXPECT_EQ(FindInvalidUtf8("\xC3\xA9" + std::string(bad)), 2u) << testing::PrintToString(bad);
  }
}

TEST(Utf8, PrintableTextHasNothingThatATerminalObeys) {
  EXPECT_EQ(Printable("a\x1b[31mb\n\tc\x7f"), "a [31mb  c ");
  EXPECT_EQ(Printable("\xC2\x85\xE2\x80\xAE\xE2\x80\xA8\xE2\x81\xA6"), "    ");
  EXPECT_EQ(Printable("h\xC3\xA9 \xE4\xB8\xAD"), "h\xC3\xA9 \xE4\xB8\xAD");
}

TEST(Utf8, WidthsAreThoseOfTerminals) {
  EXPECT_EQ(Width(U'a'), 1);
  EXPECT_EQ(Width(U'\u00E9'), 1);
  EXPECT_EQ(Width(U'\u0301'), 0);  // a combining accent
  EXPECT_EQ(Width(U'\u4E2D'), 2);
  EXPECT_EQ(Width(U'\uAC00'), 2);
  EXPECT_EQ(Width(U'\U0001F600'), 2);
}

}  // namespace
}  // namespace tacet::sql
