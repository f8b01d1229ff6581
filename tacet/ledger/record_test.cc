// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/record.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }
Epsilon E(const char* text) { return *Epsilon::Create(Exactly(text)); }
Delta D(const char* text) { return *Delta::Create(Exactly(text)); }
Rho R(const char* text) { return *Rho::Create(Exactly(text)); }
constexpr Time kTime = Time(std::chrono::microseconds(-5));

std::vector<Record> SomeOfEach() {
  return {OpeningRecord{.time = kTime, .dataset_id = "0123456789abcdef0123456789abcdef"},
          ToRecord(kTime, *Budget::Pure(E("10"))),
          ToRecord(kTime, *Budget::Approximate(E("10"), D("1e-9"), Rational(1, 2))),
          ChargeRecord{.number = 7,
                       .time = kTime,
                       .analyst = "Zo\xc3\xab",
                       .statement = Sha256("SELECT 1"),
                       .plan = std::string("plan\0\xff", 6),
                       .cost = {.epsilon = E("1/3"), .delta = D("1e-12"), .rho = R("1/18")},
                       .reach = {.data_version = 3, .region = "t1.c1"}},
          ChargeRecord{},
          NarrowingRecord{.charge = 7, .people = Sha256("set")},
          SecretRecord{.secret = std::string(32, 's')},
          RaiseRecord{.reason = "more", .budget = ToRecord(kTime, *Budget::Pure(E("20")))},
          PeopleRecord{.first = 3, .hashes = std::string(32, 'h')},
          DeclarationRecord{.time = kTime, .table = "t", .source = "t.csv", .person = "column id"},
          ImportRecord{.number = 4, .time = kTime},
          MarkRecord{.kind = MarkRecord::Kind::kRecovered, .time = kTime, .reason = "lost"},
          CheckpointRecord{.others = 9,
                           .people = 5,
                           .new_kinds = {{.analyst = "ada",
                                          .reach = {.data_version = 2, .region = "r"},
                                          .epsilon = Units::Up(Rational(1, 3)),
                                          .delta = {},
                                          .rho = {}}},
                           .runs = {{.kind = 0, .count = 3}, {.kind = 1, .count = 1}}},
          ClassLimitsRecord{.time = kTime,
                            .reason = "more",
                            .limits = {{.name = "", .epsilon = E("2"), .rho = R("1/18")},
                                       {.name = "study", .epsilon = E("1"), .rho = R("1/20")}}},
          ClassesRecord{.import = 3, .classes = {{.name = "study", .people = Sha256("set")}}}};
}

TEST(Record, ReadsWhatItWrote) {
  for (const Record& record : SomeOfEach()) {
    const StoredRecord stored = Encode(record);
    const Result<Record> read = Decode(stored);
    ASSERT_TRUE(read.ok()) << record.index();
    EXPECT_EQ(read->index(), record.index());
    EXPECT_EQ(Encode(*read).body, stored.body);
  }
  const auto charge = std::get<ChargeRecord>(*Decode(Encode(SomeOfEach()[3])));
  EXPECT_EQ(charge.number, 7u);
  EXPECT_EQ(charge.time, kTime);
  EXPECT_EQ(charge.plan.size(), 6u);
  EXPECT_EQ(charge.cost.epsilon, E("1/3"));
  EXPECT_EQ(charge.cost.rho, R("1/18"));
  EXPECT_EQ(charge.reach.region, "t1.c1");
}

TEST(Record, ReadsNothingElse) {
  for (const Record& record : SomeOfEach()) {
    const StoredRecord stored = Encode(record);
    EXPECT_FALSE(Decode({.kind = stored.kind, .body = stored.body + '\0'}).ok());
    for (size_t size = 0; size < stored.body.size(); ++size) {
      EXPECT_FALSE(Decode({.kind = stored.kind, .body = stored.body.substr(0, size)}).ok());
    }
    for (const int64_t kind : {-1, 0, 14, 99}) {
      EXPECT_FALSE(Decode({.kind = kind, .body = stored.body}).ok());
    }
  }
}

// Whatever still reads after a change is another record, which the chain then notices.
TEST(Record, EveryByteCounts) {
  for (const Record& record : SomeOfEach()) {
    const StoredRecord stored = Encode(record);
    const Digest hash = ChainHash({}, 1, stored);
    for (size_t i = 0; i < stored.body.size(); ++i) {
      for (const int flip : {1, 4, 0x80, 0xff}) {
        StoredRecord changed = stored;
        changed.body[i] = static_cast<char>(changed.body[i] ^ flip);
        const Result<Record> read = Decode(changed);
        EXPECT_TRUE(!read.ok() || Encode(*read).body == changed.body);
        EXPECT_NE(ChainHash({}, 1, changed), hash);
      }
    }
  }
}

TEST(Record, UnitsBelowTheAmountAreNotBelieved) {
  StoredRecord stored = Encode(ToRecord(kTime, *Budget::Pure(E("3"))));
  const size_t units = stored.body.find("20916");  // 3 times 69720...
  ASSERT_NE(units, std::string::npos);
  stored.body[units] = '1';
  EXPECT_FALSE(Decode(stored).ok());
}

TEST(ChainHash, DependsOnPlaceAndPast) {
  const StoredRecord stored = Encode(SomeOfEach()[0]);
  const Digest hash = ChainHash({}, 1, stored);
  EXPECT_EQ(ChainHash({}, 1, stored), hash);
  EXPECT_NE(ChainHash({}, 2, stored), hash);
  EXPECT_NE(ChainHash(hash, 1, stored), hash);
  EXPECT_NE(ChainHash({}, 1, {.kind = 2, .body = stored.body}), hash);
}

// Format 1 for ever: every later program reads what this one wrote.
TEST(ChainHash, IsThatOfTheFormat) {
  const Record opening = OpeningRecord{.time = Time(std::chrono::microseconds(1)),
                                       .dataset_id = "0123456789abcdef0123456789abcdef"};
  EXPECT_EQ(ToHex(ChainHash({}, 1, Encode(opening))),
            "d8affcabd930f423d2be7f8594b714b7697365ba8c2d966f8bfe025f28943ada");
}

TEST(ToBudget, KeepsWhatWasPromisedThen) {
  const Budget today = *Budget::Approximate(E("10"), D("1e-9"), Rational(1, 2));
  BudgetRecord record = ToRecord(kTime, today);
  EXPECT_EQ(*ToBudget(record), today);
  record.rho = R("1/10");
  EXPECT_EQ(ToBudget(record)->filter().rho, R("1/10"));
  record.rho = R("100");
  EXPECT_EQ(*ToBudget(record), today) << "not more than is true";
}

}  // namespace
}  // namespace tacet
