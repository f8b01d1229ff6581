// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/date_part.h"

#include <algorithm>
#include <map>
#include <optional>

#include "tacet/base/check.h"
#include "tacet/base/date.h"

namespace tacet {
namespace {

using sql::EngineExpr;
using sql::EngineOp;
using sql::EngineType;

constexpr Type kIntegerType{.kind = TypeKind::kInteger};

struct DayPart {
  EngineOp op;
  int64_t low;
  int64_t high;
};
// A year is between the ends of the date itself.
const std::map<std::string_view, DayPart>& DayParts() {
  static const std::map<std::string_view, DayPart> parts = {
      {"year", {EngineOp::kYear, 1, 9999}},    {"quarter", {EngineOp::kQuarter, 1, 4}},
      {"month", {EngineOp::kMonth, 1, 12}},    {"week", {EngineOp::kWeek, 1, 53}},
      {"day", {EngineOp::kDayOfMonth, 1, 31}}, {"dow", {EngineOp::kDayOfWeek, 0, 6}},
      {"doy", {EngineOp::kDayOfYear, 1, 366}},
  };
  return parts;
}

const std::map<std::string_view, EngineOp>& FirstDays() {
  static const std::map<std::string_view, EngineOp> parts = {
      {"year", EngineOp::kFirstOfYear},
      {"quarter", EngineOp::kFirstOfQuarter},
      {"month", EngineOp::kFirstOfMonth},
      {"week", EngineOp::kFirstOfWeek},
  };
  return parts;
}

struct ClockPart {
  int64_t unit;    // in microseconds
  int64_t within;  // how many there are until it begins again
};
const std::map<std::string_view, ClockPart>& ClockParts() {
  static const std::map<std::string_view, ClockPart> parts = {
      {"hour", {3'600'000'000, 24}}, {"minute", {60'000'000, 60}}, {"second", {1'000'000, 60}}};
  return parts;
}

Error UnknownPart(const std::string& part, const char* known) {
  return {.code = Code::kUnsupported,
          .message = "there is no part '" + part + "' of a date here",
          .hint = std::string("known are ") + known + "."};
}

// floor(x / unit) for whole numbers of either sign.
EngineExpr FloorDivide(const EngineExpr& x, int64_t unit) {
  const auto over = [&](EngineExpr expr) {
    return EngineExpr::Call(EngineOp::kIntegerDivide, {std::move(expr), EngineExpr::Integer(unit)});
  };
  return EngineExpr::Case(
      {{EngineExpr::Call(EngineOp::kLess, {x, EngineExpr::Integer(0)}),
        over(EngineExpr::Call(EngineOp::kSubtract, {x, EngineExpr::Integer(unit - 1)}))}},
      over(x));
}

int64_t FloorOf(Int128 value, Int128 unit) {
  const Int128 quotient = value / unit;
  return static_cast<int64_t>(value % unit < 0 ? quotient - 1 : quotient);
}

RowValue Part(EngineExpr expr, int64_t low, int64_t high, bool nullable) {
  return OfSteps(kIntegerType, Rational(1), low, high,
                 EngineExpr::Cast(std::move(expr), EngineType::kBigint), nullable);
}

RowValue Day(const RowValue& moment) {
  return moment.type.kind == TypeKind::kDate ? moment : DayOfTimestamp(moment);
}

// Held where the functions of engines are defined, whatever the vault holds.
EngineExpr HeldDay(const RowValue& day) { return Clamped(day.expr, kFirstDay, kLastDay); }

// In single days or microseconds.
RowValue InUnits(const RowValue& moment) {
  const std::optional<RowValue> units = OnGrid(moment, Rational(1));
  TACET_CHECK(units.has_value());  // 62 bits hold all microseconds of the years 0001 to 9999
  return Held(*units);
}

int64_t YearOf(Int128 day) {
  const auto held = static_cast<int32_t>(std::clamp<Int128>(day, kFirstDay, kLastDay));
  return std::stoll(DateToString(held).substr(0, 4));
}

// The first day of the year, quarter, month or week (from Monday) that a day lies in.
int64_t FirstDayOf(std::string_view part, int64_t day) {
  if (part == "week") return day - ((day + 3) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
  std::string text = DateToString(static_cast<int32_t>(day));
  const int month = std::stoi(text.substr(5, 2));
  const int first = part == "year" ? 1 : part == "quarter" ? (month - 1) / 3 * 3 + 1 : month;
  text.replace(5, 5, (first < 10 ? "0" : "") + std::to_string(first) + "-01");
  return *ParseDate(text);
}

}  // namespace

RowValue DayOfTimestamp(const RowValue& timestamp) {
  const RowValue moment = InUnits(timestamp);
  RowValue day = moment.Changed();
  day.type = {.kind = TypeKind::kDate};
  day.low = FloorOf(moment.low, kMicrosecondsPerDay);
  day.high = FloorOf(moment.high, kMicrosecondsPerDay);
  day.expr = FloorDivide(moment.expr, kMicrosecondsPerDay);
  // Only first moments of days are ever listed, so no day is twice.
  for (const int64_t one : moment.listed) day.listed.push_back(FloorOf(one, kMicrosecondsPerDay));
  return day;
}

RowValue TimestampOfDay(const RowValue& date) {
  RowValue moment = date.Changed();
  moment.type = {.kind = TypeKind::kTimestamp};
  moment.low = date.low * kMicrosecondsPerDay;
  moment.high = date.high * kMicrosecondsPerDay;
  moment.expr = EngineExpr::Call(EngineOp::kMultiply,
                                 {HeldDay(date), EngineExpr::Integer(kMicrosecondsPerDay)});
  return moment;
}

Result<RowValue> PartOf(const std::string& part, const RowValue& of) {
  const RowValue moment = InUnits(of);
  const bool is_timestamp = moment.type.kind == TypeKind::kTimestamp;
  if (const auto clock = ClockParts().find(part); is_timestamp && clock != ClockParts().end()) {
    const auto [unit, within] = clock->second;
    const EngineExpr units = FloorDivide(moment.expr, unit);
    const EngineExpr whole = FloorDivide(units, within);
    const EngineExpr rest = EngineExpr::Call(
        EngineOp::kSubtract,
        {units, EngineExpr::Call(EngineOp::kMultiply, {whole, EngineExpr::Integer(within)})});
    return Part(rest, 0, within - 1, moment.nullable);
  }
  const RowValue day = Day(moment);
  if (part == "isodow") {
    // Monday is 1: the days since a Monday, modulo 7.
    const EngineExpr sunday = EngineExpr::Call(EngineOp::kDayOfWeek, {HeldDay(day)});
    const EngineExpr iso =
        EngineExpr::Case({{EngineExpr::Call(EngineOp::kEqual, {sunday, EngineExpr::Integer(0)}),
                           EngineExpr::Integer(7)}},
                         sunday);
    return Part(iso, 1, 7, day.nullable);
  }
  const auto found = DayParts().find(part);
  if (found == DayParts().end()) {
    return UnknownPart(part, is_timestamp ? "year, quarter, month, week, day, dow, isodow, doy, "
                                            "hour, minute and second"
                                          : "year, quarter, month, week, day, dow, isodow and doy");
  }
  DayPart known = found->second;
  if (part == "year") {
    known.low = YearOf(day.low);
    known.high = YearOf(day.high);
  }
  return Part(EngineExpr::Call(known.op, {HeldDay(day)}), known.low, known.high, day.nullable);
}

Result<RowValue> TruncatedTo(const std::string& part, const RowValue& of) {
  const RowValue moment = InUnits(of);
  const bool is_timestamp = moment.type.kind == TypeKind::kTimestamp;
  if (const auto clock = ClockParts().find(part); is_timestamp && clock != ClockParts().end()) {
    const int64_t unit = clock->second.unit;
    RowValue begun = moment.Changed();
    begun.expr = FloorDivide(moment.expr, unit);
    begun.grid = Rational(unit);
    begun.low = FloorOf(moment.low, unit);
    begun.high = FloorOf(moment.high, unit);
    return begun;
  }
  const RowValue day = Day(moment);
  if (part == "day") {
    RowValue begun = day.Changed();
    begun.type = {.kind = TypeKind::kTimestamp};
    begun.grid = Rational(kMicrosecondsPerDay);
    return begun;
  }
  const auto found = FirstDays().find(part);
  if (found == FirstDays().end()) {
    return UnknownPart(
        part, "year, quarter, month, week, day, and of timestamps hour, minute and second");
  }
  RowValue first = day.Changed();
  first.expr = EngineExpr::Call(found->second, {HeldDay(day)});
  const auto low = static_cast<int64_t>(std::clamp<Int128>(day.low, kFirstDay, kLastDay));
  const auto high = static_cast<int64_t>(std::clamp<Int128>(day.high, kFirstDay, kLastDay));
  first.low = FirstDayOf(part, low);
  first.high = FirstDayOf(part, high);
  RowValue begun = TimestampOfDay(first);
  // All of them, if they are few enough to be keys.
  constexpr size_t kListedMax = 100'000;
  std::vector<int64_t> listed;
  for (auto at = static_cast<int64_t>(first.high); day.is_bounded && listed.size() < kListedMax;) {
    listed.push_back(at * kMicrosecondsPerDay);
    if (at <= first.low) {
      std::reverse(listed.begin(), listed.end());
      begun.listed = std::move(listed);
      break;
    }
    at = FirstDayOf(part, at - 1);
  }
  return begun;
}

}  // namespace tacet
