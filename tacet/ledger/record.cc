// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/record.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "tacet/ledger/units.h"

namespace tacet {
namespace {

constexpr std::string_view kChainLabel = "tacet ledger 1";
constexpr size_t kNumberSize = 8;

class Writer {
 public:
  void Number(uint64_t value) {
    for (size_t i = 0; i < kNumberSize; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void Bytes(std::string_view value) {
    Number(value.size());
    bytes_ += value;
  }
  void Numbers(const std::vector<uint64_t>& values) {
    Number(values.size());
    for (const uint64_t value : values) Number(value);
  }
  void At(Time time) { Number(std::bit_cast<uint64_t>(int64_t{time.time_since_epoch().count()})); }
  void Hash(const Digest& digest) {
    bytes_.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  void Amount(const Rational& amount) {
    Bytes(amount.ToString());
    Bytes(Units::Up(amount).ToString());
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// What does not make sense reads as nothing, and is remembered.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    const std::string_view bytes = Next(kNumberSize);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    return value;
  }
  std::string Bytes() { return std::string(Next(Number())); }
  std::vector<uint64_t> Numbers() {
    const uint64_t count = Number();
    if (count > rest_.size() / kNumberSize) ok_ = false;
    std::vector<uint64_t> values;
    for (uint64_t i = 0; ok_ && i < count; ++i) values.push_back(Number());
    return values;
  }
  Time At() { return Time(std::chrono::microseconds(std::bit_cast<int64_t>(Number()))); }
  Digest Hash() {
    Digest digest = {};
    const std::string_view bytes = Next(digest.size());
    std::copy(bytes.begin(), bytes.end(), digest.begin());
    return digest;
  }
  Rational Amount() {
    const Result<Rational> exact = Rational::Parse(Bytes());
    const Result<Units> units = Units::Parse(Bytes());
    if (!exact.ok() || !units.ok()) return Failed();
    // Rounded towards more cost, or not believed.
    if (units->Amount() < *exact) return Failed();
    return *exact;
  }
  template <typename Kind>
  Kind AmountOf() {
    Result<Kind> amount = Kind::Create(Amount());
    if (amount.ok()) return *std::move(amount);
    ok_ = false;
    return Kind();
  }
  bool ok() const { return ok_ && rest_.empty(); }

 private:
  std::string_view Next(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view next = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return next;
  }
  Rational Failed() {
    ok_ = false;
    return Rational();
  }

  std::string_view rest_;
  bool ok_ = true;
};

void Write(const OpeningRecord& record, Writer& out) {
  out.At(record.time);
  out.Bytes(record.dataset_id);
}

void Write(const BudgetRecord& record, Writer& out) {
  out.At(record.time);
  out.Amount(record.epsilon.value());
  out.Amount(record.delta.value());
  out.Amount(record.selection_share);
  out.Amount(record.rho.value());
}

void Write(const ChargeRecord& record, Writer& out) {
  out.Number(record.number);
  out.At(record.time);
  out.Bytes(record.analyst);
  out.Hash(record.statement);
  out.Bytes(record.plan);
  out.Amount(record.cost.epsilon.value());
  out.Amount(record.cost.delta.value());
  out.Amount(record.cost.rho.value());
  out.Number(record.reach.data_version);
  out.Numbers(record.reach.disjoint);
}

void Write(const NarrowingRecord& record, Writer& out) {
  out.Number(record.charge);
  out.Hash(record.people);
}

// The order of the fields is that of the initializers: braces evaluate from left to right.
std::optional<Record> Read(int64_t kind, Reader& in) {
  switch (kind) {
    case 1:
      return OpeningRecord{.time = in.At(), .dataset_id = in.Bytes()};
    case 2:
      return BudgetRecord{.time = in.At(),
                          .epsilon = in.AmountOf<Epsilon>(),
                          .delta = in.AmountOf<Delta>(),
                          .selection_share = in.Amount(),
                          .rho = in.AmountOf<Rho>()};
    case 3:
      return ChargeRecord{.number = in.Number(),
                          .time = in.At(),
                          .analyst = in.Bytes(),
                          .statement = in.Hash(),
                          .plan = in.Bytes(),
                          .cost = {.epsilon = in.AmountOf<Epsilon>(),
                                   .delta = in.AmountOf<Delta>(),
                                   .rho = in.AmountOf<Rho>()},
                          .reach = {.data_version = in.Number(), .disjoint = in.Numbers()}};
    case 4:
      return NarrowingRecord{.charge = in.Number(), .people = in.Hash()};
    default:
      return std::nullopt;
  }
}

}  // namespace

BudgetRecord ToRecord(Time time, const Budget& budget) {
  return {.time = time,
          .epsilon = budget.epsilon(),
          .delta = budget.delta(),
          .selection_share = budget.selection_share(),
          .rho = budget.filter().rho};
}

Result<Budget> ToBudget(const BudgetRecord& record) {
  if (record.delta.is_zero()) return Budget::Pure(record.epsilon);
  TACET_TRY(const Budget budget,
            Budget::Approximate(record.epsilon, record.delta, record.selection_share));
  return budget.AtMost(record.rho);
}

StoredRecord Encode(const Record& record) {
  Writer out;
  std::visit([&](const auto& alternative) { Write(alternative, out); }, record);
  return {.kind = static_cast<int64_t>(record.index()) + 1, .body = out.Take()};
}

Result<Record> Decode(const StoredRecord& stored) {
  Reader in(stored.body);
  std::optional<Record> record = Read(stored.kind, in);
  if (!record || !in.ok() || Encode(*record).body != stored.body) {
    return Error{.code = Code::kData, .message = "a record of the ledger is malformed"};
  }
  return *std::move(record);
}

Digest ChainHash(const Digest& previous, uint64_t sequence, const StoredRecord& stored) {
  Writer out;
  out.Bytes(kChainLabel);
  out.Hash(previous);
  out.Number(sequence);
  out.Number(static_cast<uint64_t>(stored.kind));
  out.Bytes(stored.body);
  return Sha256(out.Take());
}

}  // namespace tacet
