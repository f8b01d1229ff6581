// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/person_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

namespace tacet {
namespace {

constexpr uint64_t kSeed = 20260131;
constexpr uint32_t kLast = UINT32_MAX;
constexpr uint64_t kEveryone = uint64_t{1} << 32;

using Model = std::set<uint32_t>;
using People = std::vector<uint32_t>;

People Sorted(const Model& model) { return People(model.begin(), model.end()); }
PersonSet Build(const Model& model) { return PersonSet(Sorted(model)); }

Model Range(uint32_t first, uint32_t count, uint32_t step = 1) {
  Model model;
  for (uint32_t i = 0; i < count; ++i) model.insert(first + i * step);
  return model;
}

// The shapes at which the bitmap changes its containers: at 4,096 people, and at the length where
// runs become as long as what they replace.
std::vector<Model> AdversarialShapes() {
  Model ends = {0, kLast};
  Model mixed = Range(0, 5000);
  for (uint32_t person : Range(65'536 * 3, 3000, 2)) mixed.insert(person);
  for (uint32_t person : Range(65'536 * 5, 9000, 7)) mixed.insert(person);
  Model runs_to_the_end = Range(65'500, 36);  // A run that ends its container.
  for (uint32_t first = 0; first < 65'000; first += 1000) runs_to_the_end.merge(Range(first, 50));
  return {{},
          {0},
          {kLast},
          ends,
          mixed,
          {65'535, 65'536},
          {1, 2, 3},
          {1, 2, 4},
          {7, 8, 9, 20, 21},
          Range(0, 4095, 2),
          Range(0, 4096, 2),
          Range(0, 4097, 2),
          Range(1, 4097, 16),
          Range(100, 4096),
          Range(100, 4097),
          Range(0, 65'535),
          Range(0, 65'536),
          Range(0, 65'537),
          Range(65'535, 65'538),
          Range(65'530, 6),
          Range(65'000, 600),
          Range(60'000, 5'536),
          runs_to_the_end,
          Range(0, 32'768, 2),
          Range(1, 32'768, 2),
          Range(kLast - 70'000, 70'001),
          Range(kLast - 70'000, 10'000, 7),
          Range(10, 40, 100'000)};
}

Model RandomModel(std::mt19937_64& random) {
  Model model;
  for (auto parts = 1 + random() % 4; parts > 0; --parts) {
    auto first = static_cast<uint32_t>(random() % 4 * 65'536 + random() % 65'536);
    const uint32_t steps[] = {1, 1, 2, 3, 17, 900};
    const auto count = static_cast<uint32_t>(random() % (random() % 3 == 0 ? 9000 : 300));
    if (random() % 4 == 0) first = 65'536 * static_cast<uint32_t>(1 + random() % 3) - count;
    model.merge(Range(first, count, steps[random() % std::size(steps)]));
  }
  return model;
}

// Whether `set` holds `people`, who are in order, and is written as they are, whatever led here.
void ExpectSame(const PersonSet& set, const People& people) {
  ASSERT_EQ(set.size(), people.size());
  ASSERT_EQ(set.empty(), people.empty());
  ASSERT_TRUE(set.ToVector() == people);
  const PersonSet fresh(people);
  ASSERT_TRUE(set == fresh);
  ASSERT_TRUE(set.Serialize() == fresh.Serialize());
}

void ExpectSame(const PersonSet& set, const Model& model) { ExpectSame(set, Sorted(model)); }

void ExpectAlgebra(const People& a, const People& b) {
  People either;
  People both;
  People only_a;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
  // Each side in two forms: as added, and as it comes from storage, where runs are runs.
  const PersonSet added_a(a);
  const PersonSet added_b(b);
  const PersonSet stored_a = *PersonSet::Deserialize(added_a.Serialize());
  const PersonSet stored_b = *PersonSet::Deserialize(added_b.Serialize());
  for (const PersonSet* left : {&added_a, &stored_a}) {
    for (const PersonSet* right : {&added_b, &stored_b}) {
      PersonSet result = *left;
      ExpectSame(result |= *right, either);
      result = *left;
      ExpectSame(result &= *right, both);
      result = *left;
      ExpectSame(result -= *right, only_a);
      ASSERT_EQ(*left == *right, a == b);
    }
  }
  ExpectSame(stored_a, a);
  ExpectSame(stored_b, b);
}

TEST(PersonSet, AlgebraAgreesWithStdSetOnAdversarialShapes) {
  std::vector<People> shapes;
  for (const Model& shape : AdversarialShapes()) shapes.push_back(Sorted(shape));
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = 0; j < shapes.size(); ++j) {
      SCOPED_TRACE(std::to_string(i) + " with " + std::to_string(j));
      ASSERT_NO_FATAL_FAILURE(ExpectAlgebra(shapes[i], shapes[j]));
    }
  }
}

TEST(PersonSet, AlgebraAgreesWithStdSetOnRandomShapes) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const People a = Sorted(RandomModel(random));
    ASSERT_NO_FATAL_FAILURE(ExpectAlgebra(a, Sorted(RandomModel(random))));
  }
}

TEST(PersonSet, LongChainsOfOperationsAgreeWithStdSet) {
  std::mt19937_64 random(kSeed);
  PersonSet set;
  Model model;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Model other = RandomModel(random);
    const auto operation = random() % 8;
    if (operation < 4) {
      set |= Build(other);
      model.insert(other.begin(), other.end());
    } else if (operation < 7) {
      set -= Build(other);
      for (uint32_t person : other) model.erase(person);
    } else {
      set &= Build(other);
      std::erase_if(model, [&](uint32_t person) { return !other.contains(person); });
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(set, model));
  }
}

TEST(PersonSet, OperatesOnItself) {
  for (const Model& shape : AdversarialShapes()) {
    PersonSet set = Build(shape);
    PersonSet& same = set;
    ExpectSame(set |= same, shape);
    ExpectSame(set &= same, shape);
    set = same;
    ExpectSame(set, shape);
    ExpectSame(set -= same, People());
  }
}

TEST(PersonSet, ContainsExactlyItsPeople) {
  for (const Model& shape : AdversarialShapes()) {
    const PersonSet set = Build(shape);
    for (uint32_t person : shape) {
      ASSERT_TRUE(set.Contains(person));
      ASSERT_EQ(set.Contains(person + 1), shape.contains(person + 1));
      ASSERT_EQ(set.Contains(person - 1), shape.contains(person - 1));
    }
  }
}

TEST(PersonSet, AddingTwiceIsAddingOnce) {
  PersonSet set;
  set.Add(5);
  set.Add(5);
  set.AddAll(People{5, 9, 5, 9, 0});
  set.AddAll({});
  ExpectSame(set, People{0, 5, 9});
}

TEST(PersonSet, ValuesAreIndependentOfTheirCopies) {
  PersonSet first = PersonSet::FirstPeople(10);
  PersonSet second = first;
  second.Add(100);
  EXPECT_EQ(first.size(), 10u);
  PersonSet third = std::move(second);
  EXPECT_EQ(third.size(), 11u);
  second = third;
  EXPECT_TRUE(second == third);
  first = std::move(third);
  EXPECT_EQ(first.size(), 11u);
}

TEST(PersonSet, AMovedFromSetIsUsable) {
  PersonSet set = PersonSet::FirstPeople(10);
  const PersonSet taken = std::move(set);
  set = PersonSet::FirstPeople(3);
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(taken.size(), 10u);
}

TEST(PersonSet, FirstPeopleHoldsExactlyTheFirst) {
  ExpectSame(PersonSet::FirstPeople(0), People());
  ExpectSame(PersonSet::FirstPeople(1), People{0});
  for (uint32_t count : {2u, 3u, 4096u, 65'535u, 65'536u, 65'537u, 200'000u}) {
    ExpectSame(PersonSet::FirstPeople(count), Range(0, count));
  }
}

TEST(PersonSet, HoldsEveryoneThatANumberCanName) {
  PersonSet everyone = PersonSet::FirstPeople(kEveryone);
  EXPECT_EQ(everyone.size(), kEveryone);
  EXPECT_TRUE(everyone.Contains(0));
  EXPECT_TRUE(everyone.Contains(kLast));
  PersonSet all_but_last = PersonSet::FirstPeople(kEveryone - 1);
  EXPECT_EQ(all_but_last.size(), kEveryone - 1);
  EXPECT_FALSE(all_but_last.Contains(kLast));
  all_but_last.Add(kLast);
  EXPECT_TRUE(all_but_last == everyone);
  everyone -= PersonSet::FirstPeople(kEveryone - 1);
  ExpectSame(everyone, People{kLast});
}

TEST(PersonSetDeathTest, MorePeopleThanNumbersStopTheProcess) {
  EXPECT_DEATH(PersonSet::FirstPeople(kEveryone + 1), "CHECK failed");
}

TEST(PersonSet, SerializesTheSameHoweverItWasBuilt) {
  std::mt19937_64 random(kSeed);
  std::vector<Model> shapes = AdversarialShapes();
  for (int i = 0; i < 30; ++i) shapes.push_back(RandomModel(random));
  for (const Model& shape : shapes) {
    const std::string bytes = Build(shape).Serialize();
    People people = Sorted(shape);
    std::shuffle(people.begin(), people.end(), random);

    PersonSet one_by_one;
    for (uint32_t person : people) one_by_one.Add(person);
    ASSERT_TRUE(one_by_one.Serialize() == bytes);

    PersonSet halves(People(people.begin(), people.begin() + static_cast<int>(people.size() / 2)));
    halves |= PersonSet(People(people.begin() + static_cast<int>(people.size() / 3), people.end()));
    ASSERT_TRUE(halves.Serialize() == bytes);

    if (!shape.empty() && *shape.rbegin() < 1'000'000) {
      // Carved out of a range, which is made of runs.
      const uint64_t count = uint64_t{*shape.rbegin()} + 1;
      PersonSet absent = PersonSet::FirstPeople(count);
      absent -= one_by_one;
      PersonSet carved = PersonSet::FirstPeople(count);
      carved -= absent;
      ASSERT_TRUE(carved.Serialize() == bytes);
      PersonSet common = PersonSet::FirstPeople(count + 70'000);
      common &= one_by_one;
      ASSERT_TRUE(common.Serialize() == bytes);
    }
    ASSERT_TRUE(PersonSet::Deserialize(bytes)->Serialize() == bytes);
  }
}

TEST(PersonSet, SerializingDoesNotChangeTheSet) {
  const PersonSet set = PersonSet::FirstPeople(100'000);
  const std::string bytes = set.Serialize();
  EXPECT_EQ(set.Serialize(), bytes);
  EXPECT_EQ(set.size(), 100'000u);
}

// The bytes are a format: sets stored by one version are found by content by the next.
TEST(PersonSet, WritesRoaringsPortableFormat) {
  using std::string_literals::operator""s;
  EXPECT_EQ(PersonSet().Serialize(), "\x3a\x30\0\0\0\0\0\0"s);
  EXPECT_EQ(PersonSet(People{5, 65'543}).Serialize(),
            "\x3a\x30\0\0\x02\0\0\0"s + "\0\0\0\0\x01\0\0\0"s + "\x18\0\0\0\x1a\0\0\0"s +
                "\x05\0\x07\0"s);
  // Three people in a row are as short one by one, and then written so.
  EXPECT_EQ(PersonSet(People{1, 2, 3}).Serialize(),
            "\x3a\x30\0\0\x01\0\0\0"s + "\0\0\x02\0"s + "\x10\0\0\0"s + "\x01\0\x02\0\x03\0"s);
  EXPECT_EQ(PersonSet::FirstPeople(300).Serialize(),
            "\x3b\x30\0\0\x01"s + "\0\0\x2b\x01"s + "\x01\0"s + "\0\0\x2b\x01"s);
}

TEST(PersonSet, DeserializeReadsWhatSerializeWrote) {
  for (const Model& shape : AdversarialShapes()) {
    const Result<PersonSet> read = PersonSet::Deserialize(Build(shape).Serialize());
    ASSERT_TRUE(read.ok());
    ExpectSame(*read, shape);
  }
}

TEST(PersonSet, DeserializeRefusesEveryTruncationAndEveryTrailingByte) {
  for (const Model& shape : AdversarialShapes()) {
    const std::string bytes = Build(shape).Serialize();
    // Every length near the ends; between them, every 7th.
    for (size_t length = 0; length < bytes.size();
         length += length < 200 || length + 200 > bytes.size() ? 1u : 7u) {
      // A copy of its own, so that a sanitizer sees a read beyond it.
      const std::vector<char> cut(bytes.begin(),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(length));
      ASSERT_FALSE(PersonSet::Deserialize({cut.data(), cut.size()}).ok()) << length;
    }
    for (char extra : {'\0', '\1', '\xff'})
      ASSERT_FALSE(PersonSet::Deserialize(bytes + extra).ok());
  }
}

// Whether `bytes` are refused, or read as a set that is written as just these bytes.
bool RefusedOrExact(const std::string& bytes) {
  const std::vector<char> copy(bytes.begin(), bytes.end());
  const Result<PersonSet> read = PersonSet::Deserialize({copy.data(), copy.size()});
  if (!read.ok()) return read.error().code == Code::kData;
  const People people = read->ToVector();
  return read->Serialize() == bytes && std::is_sorted(people.begin(), people.end()) &&
         PersonSet(people).Serialize() == bytes;
}

TEST(PersonSet, FlippedBytesAreRefusedOrAreAnotherSetsOwnBytes) {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> originals;
  for (const Model& shape : AdversarialShapes()) originals.push_back(Build(shape).Serialize());
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes = originals[random() % originals.size()];
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      // Headers are few of the bytes and most of the trouble.
      const size_t reach = random() % 2 == 0 ? std::min<size_t>(bytes.size(), 40) : bytes.size();
      bytes[random() % reach] ^= static_cast<char>(1 + random() % 255);
    }
    ASSERT_TRUE(RefusedOrExact(bytes)) << "seed " << kSeed << ", round " << i;
  }
}

TEST(PersonSet, RandomBytesBehindAValidCookieAreRefusedOrExact) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes =
        random() % 2 == 0 ? std::string("\x3a\x30\0\0", 4) : std::string("\x3b\x30\0\0", 4);
    for (auto length = random() % 40; length > 0; --length) {
      bytes += static_cast<char>(random() % 3 == 0 ? random() : random() % 2);
    }
    ASSERT_TRUE(RefusedOrExact(bytes)) << "seed " << kSeed << ", round " << i;
  }
}

// Bytes in the portable format, whatever they claim.
class Forgery {
 public:
  Forgery& Word(uint32_t value) { return Put(&value, sizeof value); }
  Forgery& Half(uint16_t value) { return Put(&value, sizeof value); }
  Forgery& Byte(uint8_t value) { return Put(&value, sizeof value); }
  Forgery& Fill(size_t count, char value) {
    bytes_.append(count, value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Forgery& Put(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string bytes_;
};

TEST(PersonSet, DeserializeRefusesContainersThatAreNotWhatTheyClaim) {
  constexpr uint32_t kNoRuns = 12346;
  constexpr uint32_t kRuns = 12347;
  const auto no_runs = [](uint16_t size_less_one) {
    return Forgery().Word(kNoRuns).Word(1).Half(0).Half(size_less_one).Word(16);
  };
  const auto runs = [](uint16_t size_less_one, uint16_t count) {
    return Forgery().Word(kRuns).Byte(1).Half(0).Half(size_less_one).Half(count);
  };
  const std::vector<std::pair<const char*, Forgery>> forgeries = {
      {"a bitset without a bit", no_runs(4999).Fill(8192, '\0')},
      {"a bitset with more bits than it says", no_runs(4999).Fill(8192, '\xff')},
      {"a bitset that should be an array", no_runs(4095).Fill(8192, '\x0f')},
      {"a bitset that should be one run", no_runs(65'535).Fill(8192, '\xff')},
      {"no runs", runs(4999, 0)},
      {"a run beyond the container", runs(10, 1).Half(65'530).Half(10)},
      {"runs that overlap", runs(11, 2).Half(0).Half(5).Half(3).Half(5)},
      {"runs that touch", runs(11, 2).Half(0).Half(5).Half(6).Half(5)},
      {"runs out of order", runs(11, 2).Half(100).Half(5).Half(6).Half(5)},
      {"a run of another length than the container", runs(8, 1).Half(0).Half(5)},
      {"a run that should be an array", runs(0, 1).Half(0).Half(0)},
      {"a repeated person", no_runs(1).Half(5).Half(5)},
      {"people out of order", no_runs(1).Half(6).Half(5)},
      {"an array that should be a run", no_runs(3).Half(5).Half(6).Half(7).Half(8)},
      {"a wrong offset", Forgery().Word(kNoRuns).Word(1).Half(0).Half(0).Word(17).Half(9)},
      {"a repeated key", Forgery()
                             .Word(kNoRuns)
                             .Word(2)
                             .Half(0)
                             .Half(0)
                             .Half(0)
                             .Half(0)
                             .Word(24)
                             .Word(26)
                             .Half(1)
                             .Half(2)},
      {"keys out of order", Forgery()
                                .Word(kNoRuns)
                                .Word(2)
                                .Half(1)
                                .Half(0)
                                .Half(0)
                                .Half(0)
                                .Word(24)
                                .Word(26)
                                .Half(1)
                                .Half(2)},
      {"a run flag for a container that is not there",
       Forgery().Word(kRuns).Byte(3).Half(0).Half(4999).Half(1).Half(0).Half(4999)},
      {"more containers than keys", Forgery().Word(kNoRuns).Word(65'537).Fill(800'000, '\0')},
      {"four billion containers", Forgery().Word(kNoRuns).Word(UINT32_MAX).Fill(64, '\0')},
      {"65,536 containers and nothing else", Forgery().Word(kRuns | 0xffff0000)},
      {"an unknown cookie", Forgery().Word(12345).Word(0)},
      {"a cookie with dirt above it", Forgery().Word(kNoRuns | 0x10000).Word(0)},
  };
  for (const auto& [claim, forgery] : forgeries) {
    const std::vector<char> copy(forgery.bytes().begin(), forgery.bytes().end());
    const Result<PersonSet> read = PersonSet::Deserialize({copy.data(), copy.size()});
    ASSERT_FALSE(read.ok()) << claim;
    EXPECT_EQ(read.error().code, Code::kData);
  }
  // The forger can also tell the truth.
  EXPECT_EQ(PersonSet::Deserialize(runs(4999, 1).Half(0).Half(4999).bytes())->size(), 5000u);
}

TEST(PersonSet, ReadsAHundredMillionPeopleFromAFewBytes) {
  const PersonSet many = PersonSet::FirstPeople(100'000'000);
  const std::string bytes = many.Serialize();
  EXPECT_LT(bytes.size(), 50'000u);
  const Result<PersonSet> read = PersonSet::Deserialize(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read == many);
}

}  // namespace
}  // namespace tacet
