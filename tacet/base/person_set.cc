// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/person_set.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace tacet {
namespace {

// CRoaring reports only that memory ran out, and nothing sensible can go on then.
roaring_bitmap_t* NotNull(roaring_bitmap_t* bitmap) {
  TACET_CHECK(bitmap != nullptr);
  return bitmap;
}

Error Malformed() {
  return {.code = Code::kData, .message = "a stored set of people is malformed"};
}

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr uint32_t kCookieNoRuns = 12346;
constexpr uint32_t kCookieRuns = 12347;
constexpr uint32_t kContainersMax = 1 << 16;
constexpr uint32_t kContainersWithoutOffsets = 3;  // At most so many, if some are runs.
constexpr uint32_t kArraySizeMax = 4096;
constexpr uint32_t kRange = 1 << 16;  // What one container covers.

// What the header says of a container.
struct Container {
  uint16_t key = 0;
  uint32_t size = 0;
  bool is_runs = false;
};
// The people of one container.
using Bits = std::array<uint64_t, kRange / 64>;

// Walks bytes. A read past the end gives 0 and is remembered.
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

 private:
  std::string_view rest_;
  bool ok_ = true;
};

template <typename T>
void Write(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Sets the bits from `first` to `last`, both included.
void SetRange(Bits& bits, uint32_t first, uint32_t last) {
  for (uint32_t word = first / 64; word <= last / 64; ++word) {
    uint64_t mask = ~uint64_t{0};
    if (word == first / 64) mask &= ~uint64_t{0} << first % 64;
    if (word == last / 64) mask &= ~uint64_t{0} >> (63 - last % 64);
    bits[word] |= mask;
  }
}

// The first place from `start` on where the bit is `wanted`, or kRange.
uint32_t Find(const Bits& bits, uint32_t start, bool wanted) {
  uint64_t ignored = ~(~uint64_t{0} << start % 64);
  for (uint32_t word = start / 64; word < bits.size(); ++word) {
    const uint64_t found = (wanted ? bits[word] : ~bits[word]) & ~ignored;
    if (found != 0) return word * 64 + static_cast<uint32_t>(std::countr_zero(found));
    ignored = 0;
  }
  return kRange;
}

Bits ReadContainer(Reader& in, const Container& container) {
  Bits bits = {};
  if (container.is_runs) {
    for (uint32_t runs = in.Read<uint16_t>(); runs > 0 && in.ok(); --runs) {
      const uint32_t first = in.Read<uint16_t>();
      const uint32_t last = first + in.Read<uint16_t>();
      SetRange(bits, first, std::min(last, kRange - 1));
    }
  } else if (container.size <= kArraySizeMax) {
    for (uint32_t i = 0; i < container.size && in.ok(); ++i) {
      const uint32_t person = in.Read<uint16_t>();
      SetRange(bits, person, person);
    }
  } else {
    for (uint64_t& word : bits) word = in.Read<uint64_t>();
  }
  return bits;
}

// Appends `bits` in the shortest of the three forms, runs only if they are shorter, and says in
// `container` which it was.
void WriteContainer(const Bits& bits, Container& container, std::string& out) {
  uint32_t size = 0;
  uint32_t runs = 0;
  uint64_t carry = 0;
  for (const uint64_t word : bits) {
    size += static_cast<uint32_t>(std::popcount(word));
    runs += static_cast<uint32_t>(std::popcount(word & ~(word << 1 | carry)));
    carry = word >> 63;
  }
  const bool is_array = size <= kArraySizeMax;
  container.size = size;
  container.is_runs = 2 + 4 * runs < (is_array ? 2 * size : kRange / 8);
  if (container.is_runs) {
    Write(out, static_cast<uint16_t>(runs));
    for (uint32_t first = Find(bits, 0, true); first < kRange;) {
      const uint32_t end = Find(bits, first, false);
      Write(out, static_cast<uint16_t>(first));
      Write(out, static_cast<uint16_t>(end - first - 1));
      first = end < kRange ? Find(bits, end, true) : kRange;
    }
  } else if (is_array) {
    for (uint32_t person = Find(bits, 0, true); person < kRange;) {
      Write(out, static_cast<uint16_t>(person));
      person = person + 1 < kRange ? Find(bits, person + 1, true) : kRange;
    }
  } else {
    for (const uint64_t word : bits) Write(out, word);
  }
}

// Reads the headers before the containers. Nothing if they make no sense.
std::optional<std::vector<Container>> ReadHeader(Reader& in) {
  const auto cookie = in.Read<uint32_t>();
  const bool has_runs = (cookie & 0xffff) == kCookieRuns;
  if (!has_runs && cookie != kCookieNoRuns) return std::nullopt;
  const uint32_t count = has_runs ? (cookie >> 16) + 1 : in.Read<uint32_t>();
  if (count > kContainersMax || !in.ok()) return std::nullopt;

  std::vector<Container> containers(count);
  for (uint32_t i = 0, flags = 0; has_runs && i < count; ++i) {
    if (i % 8 == 0) flags = in.Read<uint8_t>();
    containers[i].is_runs = (flags >> i % 8 & 1) != 0;
  }
  int32_t last_key = -1;
  for (Container& container : containers) {
    container.key = in.Read<uint16_t>();
    container.size = in.Read<uint16_t>() + uint32_t{1};
    if (container.key <= last_key) return std::nullopt;
    last_key = container.key;
  }
  if (!has_runs || count > kContainersWithoutOffsets) {
    for (uint32_t i = 0; i < count; ++i) in.Read<uint32_t>();
  }
  return containers;
}

// `starts` says where each container begins after the headers.
std::string WriteHeader(const std::vector<Container>& containers,
                        const std::vector<uint32_t>& starts) {
  const auto count = static_cast<uint32_t>(containers.size());
  const bool has_runs = std::any_of(containers.begin(), containers.end(),
                                    [](const Container& container) { return container.is_runs; });
  std::string out;
  if (has_runs) {
    Write(out, kCookieRuns | (count - 1) << 16);
    std::string flags((count + 7) / 8, '\0');
    for (uint32_t i = 0; i < count; ++i) {
      if (containers[i].is_runs) flags[i / 8] = static_cast<char>(flags[i / 8] | 1 << i % 8);
    }
    out += flags;
  } else {
    Write(out, kCookieNoRuns);
    Write(out, count);
  }
  for (const Container& container : containers) {
    Write(out, container.key);
    Write(out, static_cast<uint16_t>(container.size - 1));
  }
  if (!has_runs || count > kContainersWithoutOffsets) {
    const auto header_size = static_cast<uint32_t>(out.size() + size_t{4} * count);
    for (const uint32_t start : starts) Write(out, header_size + start);
  }
  return out;
}

// The one way to write the set that `bytes` hold in Roaring's portable format; nothing if they hold
// none. CRoaring writes a set in containers that depend on how it was built, its function to undo
// that (0.2.66) writes out of bounds on a run that ends a container, and it believes what it reads.
std::optional<std::string> Canonical(std::string_view bytes) {
  Reader in(bytes);
  std::optional<std::vector<Container>> containers = ReadHeader(in);
  if (!containers) return std::nullopt;
  std::string body;
  std::vector<uint32_t> starts;
  for (Container& container : *containers) {
    const Bits bits = ReadContainer(in, container);
    starts.push_back(static_cast<uint32_t>(body.size()));
    WriteContainer(bits, container, body);
    if (!in.ok() || container.size == 0) return std::nullopt;
  }
  return WriteHeader(*containers, starts) + body;
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

bool PersonSet::Contains(uint32_t person) const { return roaring_bitmap_contains(bitmap_, person); }

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
  std::string bytes(roaring_bitmap_portable_size_in_bytes(bitmap_), '\0');
  roaring_bitmap_portable_serialize(bitmap_, bytes.data());
  std::optional<std::string> canonical = Canonical(bytes);
  TACET_CHECK(canonical.has_value());
  return *std::move(canonical);
}

Result<PersonSet> PersonSet::Deserialize(std::string_view bytes) {
  // Bytes that Serialize would not write are refused before CRoaring sees them.
  if (Canonical(bytes) != bytes) return Malformed();
  return PersonSet(NotNull(roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size())));
}

}  // namespace tacet
