// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/person_registry.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return text;
}

TEST(PersonRegistry, NumbersNeverChange) {
  PersonRegistry registry("secret");
  EXPECT_EQ(registry.Find("ada"), std::nullopt);
  EXPECT_EQ(*registry.FindOrAdd("ada"), 0u);
  EXPECT_EQ(*registry.FindOrAdd("bob"), 1u);
  EXPECT_EQ(*registry.FindOrAdd("ada"), 0u);
  EXPECT_EQ(registry.Find("bob"), 1u);
  EXPECT_EQ(*registry.FindOrAdd(""), 2u);
  EXPECT_EQ(*registry.FindOrAdd(std::string_view("ada\0", 4)), 3u);
  EXPECT_EQ(registry.size(), 4u);

  PersonRegistry again("secret");
  ASSERT_TRUE(again.AddHashes(registry.HashesFrom(0)).ok());
  EXPECT_EQ(again.Find("bob"), 1u);
  EXPECT_EQ(again.HashesFrom(3), registry.HashesFrom(3));
  EXPECT_TRUE(again.HashesFrom(4).empty());
  EXPECT_FALSE(again.AddHashes(registry.HashesFrom(3)).ok()) << "twice";
  EXPECT_FALSE(again.AddHashes("short").ok());
}

// RFC 4231, test case 2, cut to 16 bytes.
TEST(PersonRegistry, HashesAreHmacSha256) {
  PersonRegistry registry("Jefe");
  ASSERT_TRUE(registry.FindOrAdd("what do ya want for nothing?").ok());
  EXPECT_EQ(Hex(registry.HashesFrom(0)), "5bdcc146bf60754e6a042426089575c7");
}

TEST(PersonRegistry, HashesDependOnTheSecret) {
  PersonRegistry one("one");
  PersonRegistry two("two");
  ASSERT_TRUE(one.FindOrAdd("ada").ok());
  ASSERT_TRUE(two.FindOrAdd("ada").ok());
  EXPECT_NE(one.HashesFrom(0), two.HashesFrom(0));
}

}  // namespace
}  // namespace tacet
