// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/column_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "tacet/base/date.h"
#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

constexpr std::array<std::string_view, 8> kKeys = {"type",    "range",    "values", "grid",
                                                   "outside", "nullable", "from",   "unique"};
constexpr std::array<std::string_view, 2> kPersonKeys = {"type", "from"};
constexpr std::array<std::string_view, 3> kOutside = {"clamp", "null", "refuse"};
constexpr std::array<std::string_view, 8> kTypes = {
    "integer", "bigint", "decimal(10,2)", "double", "boolean", "text", "date", "timestamp"};
// A double's range has at least this many steps of the default grid.
constexpr int kDoubleGridBits = 30;

// The power of two at or below `value`, which is positive.
Rational PowerOfTwoBelow(const Rational& value) {
  const auto bits = [](const mpz_class& integer) {
    return static_cast<int>(mpz_sizeinbase(integer.get_mpz_t(), 2));
  };
  // 2^(exponent-1) < value < 2^(exponent+1).
  const int exponent = bits(value.numerator()) - bits(value.denominator());
  const Rational power = Rational::PowerOfTwo(exponent);
  return power <= value ? power : Rational::PowerOfTwo(exponent - 1);
}

bool IsPowerOf(unsigned base, mpz_class integer) {
  while (integer > 1 && mpz_divisible_ui_p(integer.get_mpz_t(), base) != 0) integer /= base;
  return integer == 1;
}

bool IsPowerOfTwoOrTen(const Rational& value) {
  if (value.numerator() != 1 && value.denominator() != 1) return false;
  const mpz_class integer = value.numerator() * value.denominator();
  return IsPowerOf(2, integer) || IsPowerOf(10, integer);
}

// The greatest magnitude that the type holds, and one more below zero for integers.
std::pair<Rational, Rational> Limits(const Type& type) {
  switch (type.kind) {
    case TypeKind::kInteger:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeKind::kDecimal: {
      const Rational most = PowerOfTen(type.precision - type.scale) - PowerOfTen(-type.scale);
      return {-most, most};
    }
    case TypeKind::kDouble: {
      const Rational most = Rational::FromDouble(std::numeric_limits<double>::max());
      return {-most, most};
    }
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

class ColumnReader {
 public:
  ColumnReader(const Section& section, ReadColumn& read)
      : section_(section), read_(read), column_(read.column) {}

  void Read() {
    ReadType();
    column_.nullable = section_.Boolean("nullable").value_or(true);
    column_.is_unique = section_.Boolean("unique").value_or(false);
    if (read_.has_type) {
      ReadRange();
      ReadValues();
    }
    ReadOutside();
  }

 private:
  void ReadType() {
    if (!section_.Has("type")) {
      section_.Complain("type", "is missing", "write type = \"integer\" or another type.");
      return;
    }
    const std::optional<std::string> text = section_.Text("type");
    if (!text) return;
    const std::optional<Type> type = ParseType(*text);
    if (!type) {
      section_.Complain("type", "cannot be " + Quoted(*text), TypeHint(*text));
      return;
    }
    column_.type = *type;
    read_.has_type = true;
  }

  static std::string TypeHint(std::string_view text) {
    const std::string folded = FoldIdentifier(text);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kElsewhere = {{
        {"int", "integer"},
        {"smallint", "integer"},
        {"int4", "integer"},
        {"int8", "bigint"},
        {"long", "bigint"},
        {"float", "double"},
        {"real", "double"},
        {"number", "double"},
        {"string", "text"},
        {"varchar", "text"},
        {"char", "text"},
        {"bool", "boolean"},
        {"numeric", "decimal(10,2)"},
        {"datetime", "timestamp"},
    }};
    for (const auto& [name, ours] : kElsewhere) {
      if (folded == name) return "did you mean '" + std::string(ours) + "'?";
    }
    if (folded.starts_with("decimal") || folded.starts_with("numeric")) {
      return "write decimal(p,s): p digits, at most 38, of which s stand behind the point.";
    }
    return SuggestionHint(text, kTypes);
  }

  // A bound or a listed value, in the units of Range.
  std::optional<Rational> ReadValue(const Node& node, std::string_view key) {
    const std::string what = section_.name() + ": " + std::string(key);
    std::optional<Rational> value = column_.type.is_moment()
                                        ? ReadMoment(node, what)
                                        : ReadNumber(node, what, section_.problems());
    if (!value) return std::nullopt;
    const bool integer =
        column_.type.kind == TypeKind::kInteger || column_.type.kind == TypeKind::kBigint;
    const auto [least, most] = Limits(column_.type);
    if (integer && !value->is_integer()) {
      section_.ComplainAt(node.position, std::string(key) + " must have integers only",
                          "write an integer, or make the column a decimal(p,s) or a double.");
      return std::nullopt;
    }
    if (*value < least || *value > most) {
      section_.ComplainAt(
          node.position,
          std::string(key) + " goes beyond what " + column_.type.ToString() + " holds",
          "use a wider type or a narrower " + std::string(key) + ".");
      return std::nullopt;
    }
    return value;
  }

  std::optional<Rational> ReadMoment(const Node& node, const std::string& what) {
    const bool date = column_.type.kind == TypeKind::kDate;
    std::optional<int64_t> moment;
    if (node.kind == Node::Kind::kString || node.kind == Node::Kind::kMoment) {
      moment = date ? std::optional<int64_t>(ParseDate(node.text)) : ParseZonedTimestamp(node.text);
    }
    if (moment) return Rational(*moment);
    section_.problems().push_back(
        {node.position, what + " must have " + (date ? "dates" : "timestamps"),
         date ? "write \"2026-12-31\": year, month and day, in quotes."
              : "write \"2026-12-31 23:59:59\", with at most six digits behind the point."});
    return std::nullopt;
  }

  void ReadRange() {
    const Node* node = section_.Find("range");
    if (node == nullptr) {
      if (section_.Has("grid")) {
        section_.Complain("grid", "needs a range",
                          "add range = [lowest, highest], or remove grid.");
      }
      return;
    }
    if (!column_.type.is_number() && !column_.type.is_moment()) {
      section_.Complain(
          "range", "does not go with " + column_.type.ToString(),
          "a range is for numbers, dates and timestamps; a text may have values = [...].");
      return;
    }
    if (node->kind != Node::Kind::kArray || node->items.size() != 2) {
      section_.Complain("range", "must be a list of two", "write range = [lowest, highest].");
      return;
    }
    const std::optional<Rational> lo = ReadValue(node->items[0], "range");
    const std::optional<Rational> hi = ReadValue(node->items[1], "range");
    if (!lo || !hi) return;
    if (*lo > *hi) {
      section_.Complain("range", "begins above its end", "write the lower end first.");
      return;
    }
    const std::optional<Rational> grid = ReadGrid(*lo, *hi);
    if (grid) SetRange(*lo, *hi, *grid);
  }

  std::optional<Rational> ReadGrid(const Rational& lo, const Rational& hi) {
    if (!section_.Has("grid")) return DefaultGrid(lo, hi);
    if (!column_.type.is_number()) {
      section_.Complain("grid", "does not go with " + column_.type.ToString(),
                        "a grid is for numbers; remove it.");
      return std::nullopt;
    }
    std::optional<Rational> grid = section_.PositiveNumber("grid");
    if (!grid) return std::nullopt;
    if (!IsPowerOfTwoOrTen(*grid)) {
      section_.Complain("grid", "must be a power of two or of ten",
                        "write \"1\", \"1/1024\" or \"0.01\", for example.");
      return std::nullopt;
    }
    const std::optional<Rational> step = column_.type.step();
    if (step && !(*grid / *step).is_integer()) {
      section_.Complain("grid", "is finer than " + column_.type.ToString(),
                        "leave it out, or write a multiple of " + step->ToString() + ".");
      return std::nullopt;
    }
    return grid;
  }

  Rational DefaultGrid(const Rational& lo, const Rational& hi) const {
    if (const std::optional<Rational> step = column_.type.step()) return *step;
    if (lo == hi) return 1;
    return PowerOfTwoBelow((hi - lo) * Rational::PowerOfTwo(-kDoubleGridBits));
  }

  void SetRange(const Rational& lo, const Rational& hi, const Rational& grid) {
    // The least double above zero is 2^-1074 and the greatest power of two is 2^1023.
    if (grid < Rational::PowerOfTwo(-1074) || grid > Rational::PowerOfTwo(1023)) {
      section_.Complain("range", "has a grid that a double does not hold",
                        "use a range and a grid of ordinary size.");
      return;
    }
    const mpz_class grid_lo = (lo / grid).Ceil();
    const mpz_class grid_hi = (hi / grid).Floor();
    if (!grid_lo.fits_slong_p() || !grid_hi.fits_slong_p()) {
      section_.Complain("range", "needs more than 64 bits on a grid of " + grid.ToString(),
                        "set a coarser grid, or a narrower range.");
      return;
    }
    if (grid_lo > grid_hi) {
      section_.Complain("range", "has no point of the grid of " + grid.ToString() + " in it",
                        "widen the range, or set a finer grid.");
      return;
    }
    column_.range = Range{
        .lo = lo, .hi = hi, .grid = grid, .grid_lo = grid_lo.get_si(), .grid_hi = grid_hi.get_si()};
  }

  void ReadValues() {
    const Node* node = section_.Find("values");
    if (node == nullptr) return;
    if (column_.type.kind == TypeKind::kBoolean || column_.type.kind == TypeKind::kDouble) {
      section_.Complain("values", "do not go with " + column_.type.ToString(),
                        column_.type.kind == TypeKind::kBoolean
                            ? "a boolean has its two values already; remove them."
                            : "list the values of an integer, a decimal(p,s) or a text.");
      return;
    }
    if (section_.Has("range")) {
      section_.Complain("values", "do not go with a range", "keep one of the two.");
      return;
    }
    if (node->kind == Node::Kind::kString) {
      read_.values = node;
    } else if (node->kind != Node::Kind::kArray) {
      section_.Complain("values",
                        "must be a list or \"table.column\", not " + std::string(KindName(*node)),
                        "write values = [\"A\", \"B\"].");
    } else if (node->items.empty()) {
      section_.Complain("values", "are empty", "list the values, or remove the key.");
    } else if (column_.type.kind == TypeKind::kText) {
      ReadTexts(*node);
    } else {
      ReadNumbers(*node);
    }
  }

  void ReadTexts(const Node& list) {
    std::set<std::string_view> seen;
    for (const Node& item : list.items) {
      if (item.kind != Node::Kind::kString) {
        section_.ComplainAt(item.position,
                            "values must be texts, not " + std::string(KindName(item)),
                            "put each value in quotes.");
      } else if (item.text.find('\0') != std::string::npos) {
        section_.ComplainAt(item.position, "values have a NUL in them", "leave it out.");
      } else if (!seen.insert(item.text).second) {
        section_.ComplainAt(item.position, "values have " + Quoted(item.text) + " twice",
                            "list every value once.");
      } else {
        column_.texts.push_back(item.text);
      }
    }
  }

  void ReadNumbers(const Node& list) {
    std::set<int64_t> seen;
    const Rational step = *column_.type.step();
    for (const Node& item : list.items) {
      const std::optional<Rational> value = ReadValue(item, "values");
      if (!value) continue;
      const Rational units = *value / step;
      if (!units.is_integer() || !units.numerator().fits_slong_p()) {
        section_.ComplainAt(item.position, "values are not all of type " + column_.type.ToString(),
                            "at most " + std::to_string(column_.type.scale) +
                                " digits may stand behind the point, and 18 in all.");
      } else if (!seen.insert(units.numerator().get_si()).second) {
        section_.ComplainAt(item.position, "values have one twice", "list every value once.");
      } else {
        column_.numbers.push_back(units.numerator().get_si());
      }
    }
    if (!seen.empty()) SetRange(*seen.begin() * step, *seen.rbegin() * step, step);
  }

  void ReadOutside() {
    const bool list = section_.Has("values");
    if (!list && !section_.Has("range")) {
      if (section_.Has("outside")) {
        section_.Complain("outside", "needs a range or values",
                          "add one of them, or remove outside.");
      }
      return;
    }
    column_.outside = !list              ? Outside::kClamp
                      : column_.nullable ? Outside::kNull
                                         : Outside::kRefuse;
    const std::optional<size_t> choice = section_.Choice("outside", kOutside);
    if (!choice) return;
    column_.outside = static_cast<Outside>(*choice);
    if (list && column_.outside == Outside::kClamp) {
      section_.Complain("outside", "cannot be 'clamp' for a list of values",
                        "write \"null\" or \"refuse\".");
    }
    if (!column_.nullable && column_.outside == Outside::kNull) {
      section_.Complain("outside", "cannot be 'null' where nullable = false",
                        "write \"refuse\", or make the column nullable.");
    }
  }

  const Section& section_;
  ReadColumn& read_;
  Column& column_;
};

std::string ReadFrom(const Section& section, const std::string& name) {
  const std::optional<std::string> from = section.Text("from");
  if (!from) return name;
  if (from->empty()) {
    section.Complain("from", "is empty",
                     "write the column's name in the source, or remove the key.");
  }
  return *from;
}

}  // namespace

ReadColumn ReadColumnEntry(const Entry& entry, const std::string& table, Problems& problems) {
  const Section section(&entry.value, "column " + table + "." + Shown(entry.key), kKeys, problems);
  ReadColumn read;
  read.column.name = entry.key;
  read.column.position = entry.position;
  read.column.source = ReadFrom(section, entry.key);
  if (entry.value.kind == Node::Kind::kTable) ColumnReader(section, read).Read();
  return read;
}

std::string ReadPersonColumnEntry(const Entry& entry, const std::string& table, PersonKeyType key,
                                  Problems& problems) {
  const Section section(&entry.value, "column " + table + "." + Shown(entry.key) + ", the person",
                        kPersonKeys, problems);
  const std::string_view expected = key == PersonKeyType::kText ? "text" : "integer";
  const std::optional<std::string> type = section.Text("type");
  if (type && *type != expected) {
    section.Complain("type", "must be '" + std::string(expected) + "', as [person] says",
                     "change one of the two; the person's column needs no entry at all.");
  }
  return ReadFrom(section, entry.key);
}

}  // namespace tacet
