// SPDX-License-Identifier: Apache-2.0
// A set of people, by their dense numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"

struct roaring_bitmap_s;

namespace tacet {

// People are numbered densely from 0, so a compressed bitmap holds millions of them in little
// space. A value; not safe for a writer beside other users.
class PersonSet {
 public:
  PersonSet();
  explicit PersonSet(std::span<const uint32_t> people);
  PersonSet(const PersonSet& other);
  PersonSet(PersonSet&& other) noexcept;
  PersonSet& operator=(PersonSet other) noexcept;
  ~PersonSet();

  // Everyone from 0 up to but not including `count`.
  static PersonSet FirstPeople(uint64_t count);

  void Add(uint32_t person);
  void AddAll(std::span<const uint32_t> people);
  bool Contains(uint32_t person) const;
  uint64_t size() const;
  bool empty() const { return size() == 0; }
  std::vector<uint32_t> ToVector() const;

  PersonSet& operator|=(const PersonSet& other);
  PersonSet& operator&=(const PersonSet& other);
  PersonSet& operator-=(const PersonSet& other);
  friend bool operator==(const PersonSet& a, const PersonSet& b);

  // The same bytes for the same set, however it was built and on every machine, so that sets can be
  // stored once by content. The layout is Roaring's portable format.
  std::string Serialize() const;
  // Fails on anything that Serialize did not write.
  static Result<PersonSet> Deserialize(std::string_view bytes);

 private:
  explicit PersonSet(roaring_bitmap_s* bitmap) : bitmap_(bitmap) {}

  roaring_bitmap_s* bitmap_;
};

}  // namespace tacet
