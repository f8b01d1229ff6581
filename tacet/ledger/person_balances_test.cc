// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/person_balances.h"

#include <gtest/gtest.h>

#include <random>

#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

Units U(const char* amount) { return Units::Up(*Rational::Parse(amount)); }

PersonSet People(std::initializer_list<uint32_t> numbers) {
  return PersonSet(std::vector<uint32_t>(numbers));
}

TEST(PersonBalances, AddUpExactlyForEachPerson) {
  PersonBalances balances;
  for (int i = 0; i < 3; ++i) balances.Charge(People({1, 4}), U("1/3"));
  balances.Charge(People({4}), U("1/10"));
  EXPECT_EQ(balances.Of(0), U("0"));
  EXPECT_EQ(balances.Of(1), U("1"));
  EXPECT_EQ(balances.Of(4), U("11/10"));
  EXPECT_EQ(balances.Of(1000), U("0"));
  EXPECT_EQ(balances.narrowed(), U("11/10"));
  EXPECT_EQ(balances.Above(10, U("1")), People({4}));
  EXPECT_EQ(balances.Above(10, U("99/100")), People({1, 4}));
  EXPECT_EQ(balances.Above(4, U("0")), People({1}));
  const std::vector<std::pair<Units, uint64_t>> spread = {
      {U("0"), 98}, {U("1"), 1}, {U("11/10"), 1}};
  EXPECT_EQ(balances.Spread(PersonSet::FirstPeople(100)), spread);
}

TEST(PersonBalances, AreThoseOfAPlainSumHoweverManyAmountsThereAre) {
  const uint64_t seed = testing::RotatingSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  PersonBalances balances;
  std::vector<Units> plain(40);
  Units all;
  const int charges = testing::Soaking() ? 20'000 : 2'000;
  for (int i = 0; i < charges; ++i) {
    // Hardly any two sums of these are the same, so lists of amounts are made anew.
    const Units amount = Units::Up(Rational(1, static_cast<int64_t>(random() % 1'000'000'007) + 1));
    PersonSet people;
    for (uint32_t person = 0; person < plain.size(); ++person) {
      if (random() % 3 != 0) continue;
      people.Add(person);
      plain[person] += amount;
    }
    balances.Charge(people, amount);
    all += amount;
  }
  for (uint32_t person = 0; person < plain.size(); ++person) {
    EXPECT_EQ(balances.Of(person), plain[person]);
  }
  EXPECT_EQ(balances.narrowed(), all);
  const Result<PersonBalances> read = PersonBalances::Parse(balances.Serialize());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, balances);
  EXPECT_EQ(read->Serialize(), balances.Serialize());
}

TEST(PersonBalances, BytesThatWereNotWrittenAreRefused) {
  PersonBalances balances;
  balances.Charge(People({0, 2}), U("1/2"));
  const std::string bytes = balances.Serialize();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(PersonBalances::Parse(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(PersonBalances::Parse(bytes + "x").ok());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 0x80);
    const Result<PersonBalances> read = PersonBalances::Parse(other);
    EXPECT_FALSE(read.ok() && *read == balances) << i;
  }
}

}  // namespace
}  // namespace tacet
