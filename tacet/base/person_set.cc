// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/person_set.h"

#include <roaring/roaring.h>

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

namespace tacet {
namespace {

// CRoaring reports only that memory ran out, and nothing sensible can go on then.
roaring_bitmap_t* NotNull(roaring_bitmap_t* bitmap) {
  TACET_CHECK(bitmap != nullptr);
  return bitmap;
}

using OwnedBitmap = std::unique_ptr<roaring_bitmap_t, decltype(&roaring_bitmap_free)>;

Error Malformed() { return {.code = Code::kData, .message = "a stored set of people is malformed"}; }

// Walks bytes in Roaring's portable format. A read past the end gives 0 and is remembered.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Read() {
    T value = 0;
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct Container {
  int32_t key;
  uint32_t size;
  bool is_runs;
};

bool SoundRuns(Reader& in, uint32_t size) {
  const uint32_t runs = in.Read<uint16_t>();
  uint32_t total = 0;
  int32_t end = -2;  // Runs that touch would be one run.
  for (uint32_t i = 0; i < runs && in.ok(); ++i) {
    const int32_t start = in.Read<uint16_t>();
    const int32_t length = in.Read<uint16_t>();  // Without its first member.
    if (start <= end + 1 || start + length > UINT16_MAX) return false;
    end = start + length;
    total += static_cast<uint32_t>(length) + 1;
  }
  return total == size;
}

bool SoundBits(Reader& in, uint32_t size) {
  uint32_t total = 0;
  for (int i = 0; i < 1024; ++i) total += static_cast<uint32_t>(std::popcount(in.Read<uint64_t>()));
  return total == size;
}

bool SoundArray(Reader& in, uint32_t size) {
  int32_t last = -1;
  for (uint32_t i = 0; i < size && in.ok(); ++i) {
    const int32_t value = in.Read<uint16_t>();
    if (value <= last) return false;
    last = value;
  }
  return true;
}

// Whether `bytes` are a bitmap that holds what its headers claim. CRoaring compares lengths only,
// and then reads beyond containers that are empty inside.
bool Sound(std::string_view bytes) {
  constexpr uint32_t kCookieNoRuns = 12346;
  constexpr uint32_t kCookieRuns = 12347;
  constexpr uint32_t kContainersMax = 1 << 16;
  constexpr uint32_t kContainersWithoutOffsets = 3;
  constexpr uint32_t kArraySizeMax = 4096;
  Reader in(bytes);
  const auto cookie = in.Read<uint32_t>();
  const bool has_runs = (cookie & 0xffff) == kCookieRuns;
  if (!has_runs && cookie != kCookieNoRuns) return false;
  const uint32_t count = has_runs ? (cookie >> 16) + 1 : in.Read<uint32_t>();
  if (count > kContainersMax || !in.ok()) return false;

  std::vector<Container> containers(count);
  for (uint32_t i = 0; has_runs && i < count; i += 8) {
    const auto flags = in.Read<uint8_t>();
    for (uint32_t j = i; j < i + 8 && j < count; ++j) containers[j].is_runs = flags >> (j - i) & 1;
  }
  int32_t last_key = -1;
  for (Container& container : containers) {
    container.key = in.Read<uint16_t>();
    container.size = in.Read<uint16_t>() + uint32_t{1};
    if (container.key <= last_key) return false;
    last_key = container.key;
  }
  if (!has_runs || count > kContainersWithoutOffsets) {
    for (uint32_t i = 0; i < count; ++i) in.Read<uint32_t>();
  }
  for (const Container& container : containers) {
    const bool sound = container.is_runs                  ? SoundRuns(in, container.size)
                       : container.size <= kArraySizeMax ? SoundArray(in, container.size)
                                                         : SoundBits(in, container.size);
    if (!sound || !in.ok()) return false;
  }
  return in.at_end();
}

}  // namespace

PersonSet::PersonSet() : bitmap_(NotNull(roaring_bitmap_create())) {}

PersonSet::PersonSet(std::span<const uint32_t> people) : PersonSet() { AddAll(people); }

PersonSet::PersonSet(const PersonSet& other)
    : bitmap_(NotNull(roaring_bitmap_copy(other.bitmap_))) {}

PersonSet::PersonSet(PersonSet&& other) noexcept : PersonSet() {
  std::swap(bitmap_, other.bitmap_);
}

PersonSet& PersonSet::operator=(PersonSet other) noexcept {
  std::swap(bitmap_, other.bitmap_);
  return *this;
}

PersonSet::~PersonSet() { roaring_bitmap_free(bitmap_); }

PersonSet PersonSet::FirstPeople(uint64_t count) {
  constexpr uint64_t kPeopleMax = uint64_t{1} << 32;
  TACET_CHECK(count <= kPeopleMax);
  if (count == 0) return {};
  return PersonSet(NotNull(roaring_bitmap_from_range(0, count, 1)));
}

void PersonSet::Add(uint32_t person) { roaring_bitmap_add(bitmap_, person); }

void PersonSet::AddAll(std::span<const uint32_t> people) {
  roaring_bitmap_add_many(bitmap_, people.size(), people.data());
}

bool PersonSet::Contains(uint32_t person) const {
  return roaring_bitmap_contains(bitmap_, person);
}

uint64_t PersonSet::size() const { return roaring_bitmap_get_cardinality(bitmap_); }

std::vector<uint32_t> PersonSet::ToVector() const {
  std::vector<uint32_t> people(size());
  roaring_bitmap_to_uint32_array(bitmap_, people.data());
  return people;
}

PersonSet& PersonSet::operator|=(const PersonSet& other) {
  if (this != &other) roaring_bitmap_or_inplace(bitmap_, other.bitmap_);
  return *this;
}

PersonSet& PersonSet::operator&=(const PersonSet& other) {
  if (this != &other) roaring_bitmap_and_inplace(bitmap_, other.bitmap_);
  return *this;
}

PersonSet& PersonSet::operator-=(const PersonSet& other) {
  if (this == &other) return *this = PersonSet();
  roaring_bitmap_andnot_inplace(bitmap_, other.bitmap_);
  return *this;
}

bool operator==(const PersonSet& a, const PersonSet& b) {
  return roaring_bitmap_equals(a.bitmap_, b.bitmap_);
}

std::string PersonSet::Serialize() const {
  // Which containers a bitmap uses depends on how it was built; these two calls make it depend on
  // the set alone.
  const OwnedBitmap canonical(NotNull(roaring_bitmap_copy(bitmap_)), &roaring_bitmap_free);
  roaring_bitmap_remove_run_compression(canonical.get());
  roaring_bitmap_run_optimize(canonical.get());
  std::string bytes(roaring_bitmap_portable_size_in_bytes(canonical.get()), '\0');
  roaring_bitmap_portable_serialize(canonical.get(), bytes.data());
  return bytes;
}

Result<PersonSet> PersonSet::Deserialize(std::string_view bytes) {
  if (!Sound(bytes)) return Malformed();
  PersonSet people(
      NotNull(roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size())));
  // A sound bitmap in containers that Serialize would not choose is refused too.
  if (people.Serialize() != bytes) return Malformed();
  return people;
}

}  // namespace tacet
