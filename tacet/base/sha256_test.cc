// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/sha256.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

TEST(Sha256, MatchesTheStandard) {
  EXPECT_EQ(ToHex(Sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, ReadsPastNul) { EXPECT_NE(Sha256(std::string("a\0b", 3)), Sha256("a")); }

}  // namespace
}  // namespace tacet
