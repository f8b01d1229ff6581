// SPDX-License-Identifier: Apache-2.0
// The records of the ledger, their bytes, and the chain of hashes over them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/clock.h"
#include "tacet/base/sha256.h"
#include "tacet/ledger/units.h"
#include "tacet/measure/budget.h"
#include "tacet/measure/cost.h"

namespace tacet {

// The first record, and only that: which dataset this is the ledger of.
struct OpeningRecord {
  Time time;
  std::string dataset_id;  // 32 hexadecimal digits, drawn at random
};

// The limit from here on.
struct BudgetRecord {
  Time time;
  Epsilon epsilon;
  Delta delta;  // 0: a pure budget
  Rational selection_share;
  Rho rho;  // what epsilon was converted to; 0 in a pure budget
};

// Whom a query can touch, as far as the log needs to know.
struct Reach {
  // The import that is read, by number.
  uint64_t data_version = 0;
  // Which people of that import, as its maker writes it: bytes without meaning here. Empty: all.
  std::string region = {};

  friend auto operator<=>(const Reach& a, const Reach& b) = default;
  friend bool operator==(const Reach& a, const Reach& b) = default;
};

// A charge against everyone.
struct ChargeRecord {
  uint64_t number = 0;  // 1, 2, 3, ...
  Time time;
  std::string analyst;  // empty: the ledger itself, when it was recovered
  Digest statement;     // SHA-256 of its text
  std::string plan;     // canonical bytes
  Cost cost;
  Reach reach;
};

// The plan of a recovery's charge.
inline constexpr std::string_view kRecoveryPlan = "recovery";

// Who was really touched by a charge.
struct NarrowingRecord {
  uint64_t charge = 0;
  Digest people;  // SHA-256 of a stored set
};

// The key of the hashes in PeopleRecord.
struct SecretRecord {
  std::string secret;  // 32 bytes, drawn at random
};

// A larger limit from here on, and why.
struct RaiseRecord {
  std::string reason;
  BudgetRecord budget;
};

// People who were seen for the first time, in the order of their numbers.
struct PeopleRecord {
  uint64_t first = 0;
  std::string hashes;  // 16 bytes each
};

// How a table's rows belong to people, for good. With an empty table: the type of everybody's key.
struct DeclarationRecord {
  Time time;
  std::string table;   // its folded name
  std::string source;  // where its rows come from
  std::string person;

  friend bool operator==(const DeclarationRecord& a, const DeclarationRecord& b) = default;
};

// The data was read, or was about to be.
struct ImportRecord {
  uint64_t number = 0;  // 1, 2, 3, ...; older ledgers may begin later
  Time time;
};

// Something that an owner had to vouch for.
struct MarkRecord {
  enum class Kind : uint64_t {
    kAdopted = 1,    // a witness was written for a ledger that had none
    kRecovered = 2,  // records were missing; everyone was charged a whole limit
  };
  Kind kind = Kind::kAdopted;
  Time time;
  std::string reason;
};

// All about a charge that sums and refusals need; in a ledger of many charges few are different.
struct ChargeKind {
  std::string analyst;
  Reach reach;
  Units epsilon;
  Units delta;
  Units rho;

  friend auto operator<=>(const ChargeKind& a, const ChargeKind& b) = default;
  friend bool operator==(const ChargeKind& a, const ChargeKind& b) = default;
};

// So many charges of one kind in a row.
struct ChargeRun {
  uint64_t kind = 0;  // counted from 0 over the whole log
  uint64_t count = 0;

  friend bool operator==(const ChargeRun& a, const ChargeRun& b) = default;
};

// What the records since the checkpoint before this one come to, so that a ledger opens without
// reading them.
struct CheckpointRecord {
  uint64_t others = 0;  // how many records before this one are no charge, narrowing or people
  uint64_t people = 0;  // how many were registered, in all
  std::vector<ChargeKind> new_kinds;
  std::vector<ChargeRun> runs;
};

// The limit of a class of people; of the empty name, that of people without a class.
struct ClassLimit {
  std::string name;
  Epsilon epsilon;
  Rho rho;  // what epsilon was converted to; 0 in a pure budget

  friend bool operator==(const ClassLimit& a, const ClassLimit& b) = default;
};

// The limits of all classes from here on. Without a reason none is larger or missing that was there
// before; with one, it is a raise, and what people held before it is forgotten.
struct ClassLimitsRecord {
  Time time;
  std::string reason;
  std::vector<ClassLimit> limits;
};

// Who was in which class at an import. Those who are in none of the sets stay where they were.
struct ClassMembers {
  std::string name;
  Digest people;  // SHA-256 of a stored set

  friend bool operator==(const ClassMembers& a, const ClassMembers& b) = default;
};
struct ClassesRecord {
  uint64_t import = 0;
  std::vector<ClassMembers> classes;
};

// A kind of record is its place in this list, from 1; new ones come at the end.
using Record =
    std::variant<OpeningRecord, BudgetRecord, ChargeRecord, NarrowingRecord, SecretRecord,
                 RaiseRecord, PeopleRecord, DeclarationRecord, ImportRecord, MarkRecord,
                 CheckpointRecord, ClassLimitsRecord, ClassesRecord>;

// Of which there can be many; the others are few, and are all read when a ledger is opened.
inline constexpr int64_t kChargeKind = 3;
inline constexpr int64_t kNarrowingKind = 4;
inline constexpr int64_t kPeopleKind = 7;
inline constexpr int64_t kCheckpointKind = 11;
inline constexpr int64_t kClassesKind = 13;
constexpr bool IsOneOfMany(int64_t kind) {
  return kind == kChargeKind || kind == kNarrowingKind || kind == kPeopleKind;
}

BudgetRecord ToRecord(Time time, const Budget& budget);
// The budget that a record set: today's conversion, or that of then where it was smaller.
Result<Budget> ToBudget(const BudgetRecord& record);

// What is stored of a record: a number for its kind, and bytes that are the same for the same
// record on every machine. Numbers take 8 bytes, the lowest first; texts and bytes follow their
// length; an amount is its exact text (`1/10`) and its units (see Units), rounded up.
struct StoredRecord {
  int64_t kind = 0;
  std::string body;
};
StoredRecord Encode(const Record& record);
// Fails on anything that Encode does not write.
Result<Record> Decode(const StoredRecord& stored);

// The hash of the `sequence`-th record, counted from 1, given the hash of the one before it. Before
// the first, that is all zero.
Digest ChainHash(const Digest& previous, uint64_t sequence, const StoredRecord& stored);

}  // namespace tacet
