// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/person_balances.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tacet {
namespace {

constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kPeopleMax = uint64_t{1} << 31;

Error Malformed() { return {.code = Code::kData, .message = "these are no balances"}; }

void WriteNumber(std::string& out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    const std::string_view bytes = Next(8);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    return value;
  }
  std::string_view Next(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view next = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return next;
  }
  uint64_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

uint32_t PersonBalances::PlaceOf(const Units& amount) {
  const auto [found, is_new] = places_.emplace(amount, static_cast<uint32_t>(amounts_.size()));
  if (is_new) amounts_.push_back(amount);
  return found->second;
}

void PersonBalances::Charge(const PersonSet& people, const Units& amount) {
  narrowed_ += amount;
  const std::vector<uint32_t> numbers = people.ToVector();
  if (numbers.empty()) return;
  if (numbers.back() >= place_of_person_.size())
    place_of_person_.resize(numbers.back() + size_t{1});
  // Where those go who are at a place now.
  std::vector<uint32_t> next(amounts_.size(), kNowhere);
  for (const uint32_t person : numbers) {
    const uint32_t place = place_of_person_[person];
    if (next[place] == kNowhere) next[place] = PlaceOf(amounts_[place] + amount);
    place_of_person_[person] = next[place];
  }
  if (amounts_.size() > compact_at_) Compact();
}

void PersonBalances::Compact() {
  const std::vector<Units> old = std::move(amounts_);
  amounts_ = {Units()};
  places_ = {{Units(), 0}};
  std::vector<uint32_t> moved(old.size(), kNowhere);
  for (uint32_t& place : place_of_person_) {
    if (moved[place] == kNowhere) moved[place] = PlaceOf(old[place]);
    place = moved[place];
  }
  compact_at_ = std::max(compact_at_, 2 * amounts_.size());
}

Units PersonBalances::Of(uint32_t person) const {
  return person < place_of_person_.size() ? amounts_[place_of_person_[person]] : Units();
}

PersonSet PersonBalances::Above(uint64_t people, const Units& allowed) const {
  std::vector<uint8_t> is_above(amounts_.size());
  for (size_t i = 0; i < amounts_.size(); ++i) is_above[i] = amounts_[i] > allowed;
  std::vector<uint32_t> numbers;
  const size_t known = std::min<uint64_t>(people, place_of_person_.size());
  for (size_t person = 0; person < known; ++person) {
    if (is_above[place_of_person_[person]] != 0) numbers.push_back(static_cast<uint32_t>(person));
  }
  return PersonSet(numbers);
}

std::vector<std::pair<Units, uint64_t>> PersonBalances::Spread(const PersonSet& people) const {
  std::vector<uint64_t> counts(amounts_.size());
  for (const uint32_t person : people.ToVector()) {
    ++counts[person < place_of_person_.size() ? place_of_person_[person] : 0];
  }
  std::vector<std::pair<Units, uint64_t>> spread;
  for (const auto& [amount, place] : places_) {
    if (counts[place] > 0) spread.emplace_back(amount, counts[place]);
  }
  return spread;
}

std::vector<std::pair<uint32_t, Units>> PersonBalances::Largest(const PersonSet& people,
                                                                size_t count) const {
  std::vector<uint32_t> rank(amounts_.size());
  uint32_t next = 0;
  for (const auto& [amount, place] : places_) rank[place] = next++;
  const auto rank_of = [&](uint32_t person) {
    return person < place_of_person_.size() ? rank[place_of_person_[person]] : 0;
  };
  std::vector<uint32_t> numbers = people.ToVector();
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(count, numbers.size()));
  std::partial_sort(numbers.begin(), end, numbers.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(rank_of(b), a) < std::pair(rank_of(a), b);
  });
  std::vector<std::pair<uint32_t, Units>> largest;
  for (auto person = numbers.begin(); person != end; ++person) {
    largest.emplace_back(*person, Of(*person));
  }
  return largest;
}

std::string PersonBalances::Serialize() const {
  // In ascending order, and without those that nobody holds.
  std::vector<bool> is_held(amounts_.size());
  is_held[0] = true;
  for (const uint32_t place : place_of_person_) is_held[place] = true;
  std::vector<uint32_t> rank(amounts_.size());
  std::vector<const Units*> held;
  for (const auto& [amount, place] : places_) {
    if (!is_held[place]) continue;
    rank[place] = static_cast<uint32_t>(held.size());
    held.push_back(&amount);
  }
  std::string out;
  const auto write_amount = [&](const Units& amount) {
    const std::string text = amount.ToString();
    WriteNumber(out, text.size());
    out += text;
  };
  write_amount(narrowed_);
  WriteNumber(out, held.size());
  for (const Units* amount : held) write_amount(*amount);
  WriteNumber(out, place_of_person_.size());
  out.reserve(out.size() + 4 * place_of_person_.size());
  for (const uint32_t place : place_of_person_) {
    const uint32_t value = rank[place];
    const char bytes[4] = {static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff),
                           static_cast<char>(value >> 16 & 0xff), static_cast<char>(value >> 24)};
    out.append(bytes, sizeof bytes);
  }
  return out;
}

Result<PersonBalances> PersonBalances::Parse(std::string_view bytes) {
  Reader in(bytes);
  PersonBalances balances;
  const auto read_amount = [&] { return Units::Parse(in.Next(in.Number())); };
  TACET_TRY(balances.narrowed_, read_amount());
  const uint64_t amounts = in.Number();
  if (!in.ok() || amounts == 0 || amounts > in.left() / 8) return Malformed();
  balances.amounts_.clear();
  balances.places_.clear();
  for (uint64_t i = 0; i < amounts; ++i) {
    TACET_TRY(const Units amount, read_amount());
    if (i == 0 ? amount != Units() : amount <= balances.amounts_.back()) return Malformed();
    balances.places_.emplace_hint(balances.places_.end(), amount, static_cast<uint32_t>(i));
    balances.amounts_.push_back(amount);
  }
  const uint64_t people = in.Number();
  if (!in.ok() || people > kPeopleMax || in.left() != 4 * people) return Malformed();
  balances.place_of_person_.resize(people);
  for (uint32_t& place : balances.place_of_person_) {
    const std::string_view four = in.Next(4);
    for (size_t i = 0; i < four.size(); ++i) {
      place |= uint32_t{static_cast<uint8_t>(four[i])} << (8 * i);
    }
    if (place >= amounts) return Malformed();
  }
  balances.compact_at_ = std::max(balances.compact_at_, 2 * balances.amounts_.size());
  return balances;
}

bool operator==(const PersonBalances& a, const PersonBalances& b) {
  const size_t people = std::max(a.place_of_person_.size(), b.place_of_person_.size());
  for (size_t person = 0; person < people; ++person) {
    const auto number = static_cast<uint32_t>(person);
    if (a.Of(number) != b.Of(number)) return false;
  }
  return a.narrowed_ == b.narrowed_;
}

}  // namespace tacet
