// SPDX-License-Identifier: Apache-2.0
// Whom a charge may concern, by facts about people: the columns of tables in which everybody has at
// most one row.
//
//   const Region women = Region::Where("t2.c5", ValueSet::Of({0}));
//   const Region men = Region::Where("t2.c5", ValueSet::Of({1}));
//   women.IsDisjointFrom(men);   // true: nobody is charged by both
//
// Proof: docs/proofs/disjoint_people.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/plan/value_set.h"

namespace tacet {

// A union of boxes. Somebody is in a box if for every column of it their row has one of the box's
// values there; somebody without that row is not. A value; columns are named as in the vault, so
// regions are compared only within one import.
//
// Operations may give more people than asked for, never fewer, so that a region stays small.
class Region {
 public:
  // More boxes become one that holds them all; of more values, spans and NULLs, in all boxes, only
  // the least and the greatest of each column are kept.
  static constexpr size_t kBoxesMax = 32;
  static constexpr size_t kPartsMax = 512;

  // Everyone.
  Region() : boxes_(1) {}
  static Region Nobody();
  // Who has one of `values` in `column`, such as "t1.c2".
  static Region Where(const std::string& column, const ValueSet& values);

  bool is_everyone() const { return boxes_.size() == 1 && boxes_[0].empty(); }
  bool is_nobody() const { return boxes_.empty(); }
  // The columns that say who is in it.
  std::set<std::string> columns() const;

  // Guarantee: if true, nobody with at most one row in each table is in both. Symmetric. Nobody is
  // disjoint from everybody, also from nobody.
  bool IsDisjointFrom(const Region& other) const;

  // At least who is in one of them, at least who is in both.
  friend Region operator|(const Region& a, const Region& b);
  friend Region operator&(const Region& a, const Region& b);
  friend bool operator==(const Region& a, const Region& b) = default;

  // The same bytes for equal regions, everywhere and for ever:
  //
  //   region = ""                          everyone
  //          | "nobody"
  //          | box { "|" box }
  //   box    = column { "&" column }       all of them
  //   column = name "=" part { "," part }  one of them
  //   part   = integer | [integer] ".." [integer] | "null"
  //
  // as in t2.c1=..17,65..&t2.c5=0,null. An end that is not written is that of the 64-bit integers.
  // Names ascend by their bytes, parts by their value, NULL last; there is at least one integer
  // between two parts. Boxes ascend as operator< on lists of columns, with a column by its name,
  // then without NULL before with NULL, then by its parts. No box holds another one, and no two
  // differ in the parts of one column only.
  std::string Bytes() const;
  // Exactly what Bytes wrote. Fails with Code::kData on everything else.
  static Result<Region> Parse(std::string_view bytes);

 private:
  // Never holds an empty set of values, nor one of all.
  using Box = std::map<std::string, ValueSet>;

  void Add(Box box);
  // Keeps the limits, and the order. Ends every operation.
  void Settle();
  size_t CountParts() const;
  Box Hull() const;

  std::vector<Box> boxes_;
};

}  // namespace tacet
