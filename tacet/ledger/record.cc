// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/record.h"

#include <algorithm>
#include <array>
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
    std::array<char, kNumberSize> bytes;
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
    bytes_.append(bytes.data(), bytes.size());
  }
  void Bytes(std::string_view value) {
    Number(value.size());
    bytes_ += value;
  }
  template <typename T, typename Write>
  void List(const std::vector<T>& values, const Write& write) {
    Number(values.size());
    for (const T& value : values) write(value);
  }
  void At(Time time) { Number(std::bit_cast<uint64_t>(int64_t{time.time_since_epoch().count()})); }
  void Hash(const Digest& digest) {
    bytes_.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  void Amount(const Rational& amount) {
    Bytes(amount.ToString());
    Count(Units::Up(amount));
  }
  void Count(const Units& units) { Bytes(units.ToString()); }
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
  // Each element takes at least the bytes of one number.
  template <typename Read>
  auto List(const Read& read) {
    const uint64_t count = Number();
    if (count > rest_.size() / kNumberSize) ok_ = false;
    std::vector<decltype(read())> values;
    for (uint64_t i = 0; ok_ && i < count; ++i) values.push_back(read());
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
  Units Count() {
    Result<Units> units = Units::Parse(Bytes());
    if (units.ok()) return *std::move(units);
    ok_ = false;
    return Units();
  }
  template <typename Kind>
  Kind AmountOf() {
    Result<Kind> amount = Kind::Create(Amount());
    if (amount.ok()) return *std::move(amount);
    ok_ = false;
    return Kind();
  }
  void Expect(bool is_so) { ok_ = ok_ && is_so; }
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

void Write(const Reach& reach, Writer& out) {
  out.Number(reach.data_version);
  out.Bytes(reach.region);
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
  Write(record.reach, out);
}

void Write(const NarrowingRecord& record, Writer& out) {
  out.Number(record.charge);
  out.Hash(record.people);
}

void Write(const SecretRecord& record, Writer& out) { out.Bytes(record.secret); }

void Write(const RaiseRecord& record, Writer& out) {
  out.Bytes(record.reason);
  Write(record.budget, out);
}

void Write(const PeopleRecord& record, Writer& out) {
  out.Number(record.first);
  out.Bytes(record.hashes);
}

void Write(const DeclarationRecord& record, Writer& out) {
  out.At(record.time);
  out.Bytes(record.table);
  out.Bytes(record.source);
  out.Bytes(record.person);
}

void Write(const ImportRecord& record, Writer& out) {
  out.Number(record.number);
  out.At(record.time);
}

void Write(const MarkRecord& record, Writer& out) {
  out.Number(static_cast<uint64_t>(record.kind));
  out.At(record.time);
  out.Bytes(record.reason);
}

void Write(const CheckpointRecord& record, Writer& out) {
  out.Number(record.others);
  out.Number(record.people);
  out.List(record.new_kinds, [&](const ChargeKind& kind) {
    out.Bytes(kind.analyst);
    Write(kind.reach, out);
    out.Count(kind.epsilon);
    out.Count(kind.delta);
    out.Count(kind.rho);
  });
  out.List(record.runs, [&](const ChargeRun& run) {
    out.Number(run.kind);
    out.Number(run.count);
  });
}

void Write(const ClassLimitsRecord& record, Writer& out) {
  out.At(record.time);
  out.Bytes(record.reason);
  out.List(record.limits, [&](const ClassLimit& limit) {
    out.Bytes(limit.name);
    out.Amount(limit.epsilon.value());
    out.Amount(limit.rho.value());
  });
}

void Write(const ClassesRecord& record, Writer& out) {
  out.Number(record.import);
  out.List(record.classes, [&](const ClassMembers& members) {
    out.Bytes(members.name);
    out.Hash(members.people);
  });
}

// In what follows, the order of the fields is that of the initializers: braces evaluate from left
// to right.
BudgetRecord ReadBudget(Reader& in) {
  return {.time = in.At(),
          .epsilon = in.AmountOf<Epsilon>(),
          .delta = in.AmountOf<Delta>(),
          .selection_share = in.Amount(),
          .rho = in.AmountOf<Rho>()};
}

Reach ReadReach(Reader& in) { return {.data_version = in.Number(), .region = in.Bytes()}; }

MarkRecord::Kind ReadMarkKind(Reader& in) {
  const auto kind = static_cast<MarkRecord::Kind>(in.Number());
  in.Expect(kind == MarkRecord::Kind::kAdopted || kind == MarkRecord::Kind::kRecovered);
  return kind;
}

CheckpointRecord ReadCheckpoint(Reader& in) {
  return {.others = in.Number(),
          .people = in.Number(),
          .new_kinds = in.List([&] {
            return ChargeKind{.analyst = in.Bytes(),
                              .reach = ReadReach(in),
                              .epsilon = in.Count(),
                              .delta = in.Count(),
                              .rho = in.Count()};
          }),
          .runs = in.List([&] { return ChargeRun{.kind = in.Number(), .count = in.Number()}; })};
}

std::optional<Record> Read(int64_t kind, Reader& in) {
  switch (kind) {
    case 1:
      return OpeningRecord{.time = in.At(), .dataset_id = in.Bytes()};
    case 2:
      return ReadBudget(in);
    case kChargeKind:
      return ChargeRecord{.number = in.Number(),
                          .time = in.At(),
                          .analyst = in.Bytes(),
                          .statement = in.Hash(),
                          .plan = in.Bytes(),
                          .cost = {.epsilon = in.AmountOf<Epsilon>(),
                                   .delta = in.AmountOf<Delta>(),
                                   .rho = in.AmountOf<Rho>()},
                          .reach = ReadReach(in)};
    case kNarrowingKind:
      return NarrowingRecord{.charge = in.Number(), .people = in.Hash()};
    case 5:
      return SecretRecord{.secret = in.Bytes()};
    case 6:
      return RaiseRecord{.reason = in.Bytes(), .budget = ReadBudget(in)};
    case kPeopleKind:
      return PeopleRecord{.first = in.Number(), .hashes = in.Bytes()};
    case 8:
      return DeclarationRecord{
          .time = in.At(), .table = in.Bytes(), .source = in.Bytes(), .person = in.Bytes()};
    case 9:
      return ImportRecord{.number = in.Number(), .time = in.At()};
    case 10:
      return MarkRecord{.kind = ReadMarkKind(in), .time = in.At(), .reason = in.Bytes()};
    case kCheckpointKind:
      return ReadCheckpoint(in);
    case 12:
      return ClassLimitsRecord{.time = in.At(), .reason = in.Bytes(), .limits = in.List([&] {
                                 return ClassLimit{.name = in.Bytes(),
                                                   .epsilon = in.AmountOf<Epsilon>(),
                                                   .rho = in.AmountOf<Rho>()};
                               })};
    case kClassesKind:
      return ClassesRecord{.import = in.Number(), .classes = in.List([&] {
                             return ClassMembers{.name = in.Bytes(), .people = in.Hash()};
                           })};
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
