// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/witness.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

using std::chrono::milliseconds;

constexpr char kId[] = "0123456789abcdef0123456789abcdef";

ChainPoint Point(uint64_t sequence) {
  return {.sequence = sequence, .hash = Sha256(std::to_string(sequence))};
}

class WitnessTest : public ::testing::Test {
 protected:
  Result<Witness> Open() { return Witness::Open(folder_, kId, milliseconds(0), nullptr); }
  std::string File() const { return folder_ + "/" + kId; }
  std::string Bytes() const {
    std::ostringstream text;
    text << std::ifstream(File(), std::ios::binary).rdbuf();
    return text.str();
  }
  void Write(const std::string& bytes) {
    std::ofstream(File(), std::ios::binary | std::ios::trunc) << bytes;
  }

  testing::TemporaryFolder parent_;
  std::string folder_ = parent_.path() + "/state/tacet";
};

TEST_F(WitnessTest, SaysWhatWasWrittenLast) {
  for (uint64_t i = 1; i <= 5; ++i) {
    Result<Witness> witness = Open();
    ASSERT_TRUE(witness.ok()) << witness.error().message;
    if (i == 1) {
      EXPECT_EQ(witness->point(), std::nullopt);
    } else {
      EXPECT_EQ(witness->point(), Point(10 * (i - 1) + 3));
    }
    for (uint64_t j = 1; j <= 3; ++j) ASSERT_TRUE(witness->Write(Point(10 * i + j)).ok());
    EXPECT_TRUE(witness->Sync().ok());
  }
  // Also after it went back, which only a recovery makes it do.
  ASSERT_TRUE(Open()->Write(Point(1)).ok());
  EXPECT_EQ(Open()->point(), Point(1));
}

TEST_F(WitnessTest, IsForItsOwnerAlone) {
  ASSERT_TRUE(Open()->Write(Point(1)).ok());
  EXPECT_EQ(std::filesystem::status(folder_).permissions(), std::filesystem::perms(0700));
  EXPECT_EQ(std::filesystem::status(File()).permissions(), std::filesystem::perms(0600));
  std::filesystem::permissions(File(), std::filesystem::perms(0640));
  EXPECT_EQ(Open().error().code, Code::kIo);
}

TEST_F(WitnessTest, IsHeldByOneAtATime) {
  const Result<Witness> witness = Open();
  ASSERT_TRUE(witness.ok());
  EXPECT_EQ(Open().error().code, Code::kLocked);
}

// Of two lines one is always whole, and no change makes a line say something else.
TEST_F(WitnessTest, AFlippedBitLosesALineAtMost) {
  {
    Result<Witness> witness = Open();
    ASSERT_TRUE(witness->Write(Point(41)).ok());
    ASSERT_TRUE(witness->Write(Point(42)).ok());
  }
  const std::string whole = Bytes();
  for (size_t place = 0; place < whole.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
      const std::optional<ChainPoint> point = ReadWitness(changed);
      EXPECT_TRUE(point == Point(41) || point == Point(42)) << place;
    }
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::optional<ChainPoint> point = ReadWitness(whole.substr(0, size));
    EXPECT_EQ(point.has_value(), size >= whole.size() / 2) << size;
  }
  Write("something else");
  EXPECT_EQ(Open()->point(), std::nullopt);
}

// For ever: every later program reads what this one wrote.
TEST_F(WitnessTest, LinesAreThoseOfTheFormat) {
  EXPECT_EQ(WitnessLine({.sequence = 7, .hash = Sha256("7")}),
            "tacet witness 1 00000000000000000007 "
            "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451 "
            "9b356eaa98d75bcb\n");
}

}  // namespace
}  // namespace tacet
