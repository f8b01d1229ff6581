// SPDX-License-Identifier: Apache-2.0
// Sets of what the vault can store in one column: 64-bit integers, and NULL. Exact.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace tacet {

// A value. Two sets with the same elements are equal.
class ValueSet {
 public:
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  // All integers from `low` to `high`, ends included.
  struct Span {
    int64_t low = kLeast;
    int64_t high = kMost;
    auto operator<=>(const Span&) const = default;
  };

  // Empty.
  ValueSet() = default;
  static ValueSet Null();
  static ValueSet Integers();
  // NULL and all integers.
  static ValueSet Anything();
  // Empty if `low` is above `high`.
  static ValueSet Between(int64_t low, int64_t high);
  static ValueSet Of(const std::vector<int64_t>& integers);

  bool is_empty() const { return spans_.empty() && !has_null_; }
  bool has_null() const { return has_null_; }
  // Ascending, with at least one integer between any two.
  const std::vector<Span>& spans() const { return spans_; }

  bool Covers(const ValueSet& other) const;
  bool Meets(const ValueSet& other) const;
  // The integers that are not in it, without NULL.
  ValueSet OtherIntegers() const;
  // The least set of at most one span that covers this one.
  ValueSet Hull() const;

  friend ValueSet operator|(const ValueSet& a, const ValueSet& b);
  friend ValueSet operator&(const ValueSet& a, const ValueSet& b);
  friend std::strong_ordering operator<=>(const ValueSet& a, const ValueSet& b);
  friend bool operator==(const ValueSet& a, const ValueSet& b) = default;

 private:
  // Sorts, and joins what touches.
  explicit ValueSet(std::vector<Span> spans, bool has_null);

  std::vector<Span> spans_;
  bool has_null_ = false;
};

}  // namespace tacet
