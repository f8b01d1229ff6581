// SPDX-License-Identifier: Apache-2.0
// The keys of a GROUP BY: every one that the catalog makes public, whether anybody has it or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tacet/catalog/catalog.h"
#include "tacet/plan/value.h"
#include "tacet/sql/stored_key.h"

namespace tacet {

// The public values of one column, in the catalog's order, NULL last where there may be one.
class Domain {
 public:
  // `column` must have a known number of keys: a list, a range, a boolean, a reference whose values
  // were listed.
  explicit Domain(const Column& column);

  size_t size() const { return size_; }
  // Where `key` stands; nothing if it is not public.
  std::optional<size_t> Find(const StoredKey& key) const;
  // The value that analysts see.
  Value ValueAt(size_t index) const;

 private:
  const Column column_;
  std::map<StoredKey, size_t> places_;  // of what is stored, unless that says where it stands
  size_t values_ = 0;                   // without NULL
  size_t size_ = 0;
};

// The value of a stored number or moment of `column`.
Value ValueOfSteps(const Column& column, int64_t steps);

// A key of a column whose keys are not all shown, as analysts see it; nothing if the catalog says
// that there is no such key, and for a date that has no four digits for its year.
std::optional<Value> KeyValue(const Column& column, const StoredKey& key);

// All combinations of some columns' keys; the last column changes fastest.
class Cells {
 public:
  explicit Cells(std::vector<Domain> domains) : domains_(std::move(domains)) {}

  // One where there is no column.
  size_t size() const;
  std::optional<size_t> Find(std::span<const StoredKey> keys) const;
  std::vector<Value> ValuesAt(size_t cell) const;

 private:
  std::vector<Domain> domains_;
};

}  // namespace tacet
