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

// Whom a query can touch, as far as the ledger needs to know: which earlier charges cannot have met
// any of them. All others count, also those that are made before the query's own charge and are not
// listed because nobody knew of them yet.
struct Reach {
  // The import that is read, by number. A charge of another import counts even if it is listed:
  // facts about people change.
  uint64_t data_version = 0;
  // Numbers of charges, ascending, that texts and catalog prove to touch other people only.
  std::vector<uint64_t> disjoint = {};
};

// A charge against everyone.
struct ChargeRecord {
  uint64_t number = 0;  // 1, 2, 3, ...
  Time time;
  std::string analyst;
  Digest statement;  // SHA-256 of its text
  std::string plan;  // canonical bytes
  Cost cost;
  Reach reach;
};

// Who was really touched by a charge.
struct NarrowingRecord {
  uint64_t charge = 0;
  Digest people;  // SHA-256 of a stored set
};

using Record = std::variant<OpeningRecord, BudgetRecord, ChargeRecord, NarrowingRecord>;

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
