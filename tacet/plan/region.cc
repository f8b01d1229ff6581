// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/region.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tacet {
namespace {

using Box = std::map<std::string, ValueSet>;

bool AreDisjoint(const Box& a, const Box& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& column) {
    const auto found = b.find(column.first);
    return found != b.end() && !column.second.Meets(found->second);
  });
}

// Nothing if nobody is in both.
std::optional<Box> Both(const Box& a, const Box& b) {
  Box both = a;
  for (const auto& [name, values] : b) {
    const auto [column, is_new] = both.emplace(name, values);
    if (is_new) continue;
    column->second = column->second & values;
    if (column->second.is_empty()) return std::nullopt;
  }
  return both;
}

bool Covers(const Box& a, const Box& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& column) {
    const auto found = b.find(column.first);
    return found != b.end() && column.second.Covers(found->second);
  });
}

// Exactly who is in one of them, if that is a box because only one column differs.
std::optional<Box> Joined(const Box& a, const Box& b) {
  if (a.size() != b.size()) return std::nullopt;
  const std::string* differs = nullptr;
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (left->first != right->first) return std::nullopt;
    if (left->second == right->second) continue;
    if (differs != nullptr) return std::nullopt;
    differs = &left->first;
  }
  Box joined = a;
  if (differs == nullptr) return joined;
  ValueSet& values = joined[*differs];
  values = values | b.at(*differs);
  if (values == ValueSet::Anything()) joined.erase(*differs);
  return joined;
}

std::string ToText(const ValueSet& values) {
  std::string text;
  for (const ValueSet::Span& span : values.spans()) {
    if (!text.empty()) text += ',';
    if (span.low == span.high) {
      text += std::to_string(span.low);
      continue;
    }
    if (span.low != ValueSet::kLeast) text += std::to_string(span.low);
    text += "..";
    if (span.high != ValueSet::kMost) text += std::to_string(span.high);
  }
  if (values.has_null()) text += text.empty() ? "null" : ",null";
  return text;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool ReadInteger(std::string_view text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<ValueSet> ReadPart(std::string_view text) {
  if (text == "null") return ValueSet::Null();
  ValueSet::Span span;
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (!ReadInteger(text, span.low)) return std::nullopt;
    return ValueSet::Between(span.low, span.low);
  }
  const std::string_view low = text.substr(0, dots);
  const std::string_view high = text.substr(dots + 2);
  if (!low.empty() && !ReadInteger(low, span.low)) return std::nullopt;
  if (!high.empty() && !ReadInteger(high, span.high)) return std::nullopt;
  return ValueSet::Between(span.low, span.high);
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

std::optional<Box> ReadBox(std::string_view text) {
  Box box;
  for (const std::string_view column : Split(text, '&')) {
    const size_t equals = column.find('=');
    if (equals == std::string_view::npos || !IsName(column.substr(0, equals))) return std::nullopt;
    const std::vector<std::string_view> parts = Split(column.substr(equals + 1), ',');
    if (parts.size() > Region::kPartsMax) return std::nullopt;
    ValueSet values;
    for (const std::string_view part : parts) {
      const std::optional<ValueSet> read = ReadPart(part);
      if (!read) return std::nullopt;
      values = values | *read;
    }
    if (values.is_empty() || values == ValueSet::Anything()) return std::nullopt;
    box.emplace(column.substr(0, equals), std::move(values));
  }
  return box;
}

}  // namespace

Region Region::Nobody() {
  Region nobody;
  nobody.boxes_.clear();
  return nobody;
}

Region Region::Where(const std::string& column, const ValueSet& values) {
  if (values == ValueSet::Anything()) return {};
  Region region = Nobody();
  if (values.is_empty()) return region;
  region.Add({{column, values}});
  region.Settle();
  return region;
}

std::set<std::string> Region::columns() const {
  std::set<std::string> names;
  for (const Box& box : boxes_) {
    for (const auto& [name, values] : box) names.insert(name);
  }
  return names;
}

bool Region::IsDisjointFrom(const Region& other) const {
  return std::all_of(boxes_.begin(), boxes_.end(), [&](const Box& a) {
    return std::all_of(other.boxes_.begin(), other.boxes_.end(),
                       [&](const Box& b) { return AreDisjoint(a, b); });
  });
}

void Region::Add(Box box) {
  for (size_t i = 0; i < boxes_.size();) {
    if (Covers(boxes_[i], box)) return;
    std::optional<Box> joined = Joined(boxes_[i], box);
    if (!joined && !Covers(box, boxes_[i])) {
      ++i;
      continue;
    }
    boxes_.erase(boxes_.begin() + static_cast<ptrdiff_t>(i));
    if (!joined) continue;
    // What is larger now may join with boxes that were passed already.
    box = *std::move(joined);
    i = 0;
  }
  boxes_.push_back(std::move(box));
}

size_t Region::CountParts() const {
  size_t parts = 0;
  for (const Box& box : boxes_) {
    for (const auto& [name, values] : box) {
      parts += values.spans().size() + (values.has_null() ? 1 : 0);
    }
  }
  return parts;
}

Region::Box Region::Hull() const {
  Box hull = boxes_[0];
  for (const Box& box : boxes_) {
    for (auto column = hull.begin(); column != hull.end();) {
      const auto found = box.find(column->first);
      if (found != box.end()) column->second = column->second | found->second;
      const bool says_nothing = found == box.end() || column->second == ValueSet::Anything();
      column = says_nothing ? hull.erase(column) : std::next(column);
    }
  }
  return hull;
}

void Region::Settle() {
  if (boxes_.size() > kBoxesMax) boxes_ = {Hull()};
  if (CountParts() > kPartsMax) {
    Box hull = Hull();
    for (auto column = hull.begin(); column != hull.end();) {
      column->second = column->second.Hull();
      const bool says_nothing = column->second == ValueSet::Anything();
      column = says_nothing ? hull.erase(column) : std::next(column);
    }
    boxes_ = {std::move(hull)};
  }
  if (CountParts() > kPartsMax) boxes_ = {Box()};
  std::sort(boxes_.begin(), boxes_.end());
}

Region operator|(const Region& a, const Region& b) {
  Region either = a;
  for (const Box& box : b.boxes_) either.Add(box);
  either.Settle();
  return either;
}

Region operator&(const Region& a, const Region& b) {
  if (a.is_everyone()) return b;
  if (b.is_everyone()) return a;
  Region both = Region::Nobody();
  for (const Box& left : a.boxes_) {
    for (const Box& right : b.boxes_) {
      if (std::optional<Box> box = Both(left, right)) both.Add(*std::move(box));
    }
    // Each of the two holds who is in both.
    if (both.boxes_.size() > Region::kBoxesMax) return a.boxes_.size() <= b.boxes_.size() ? a : b;
  }
  both.Settle();
  return both;
}

std::string Region::Bytes() const {
  if (is_nobody()) return "nobody";
  std::string bytes;
  for (const Box& box : boxes_) {
    if (!bytes.empty()) bytes += '|';
    bool first = true;
    for (const auto& [name, values] : box) {
      if (!std::exchange(first, false)) bytes += '&';
      bytes += name + "=" + ToText(values);
    }
  }
  return bytes;
}

Result<Region> Region::Parse(std::string_view bytes) {
  const Error error{.code = Code::kData, .message = "the bytes of a region are malformed"};
  if (bytes.empty()) return Region();
  Region region = Nobody();
  if (bytes == "nobody") return region;
  for (const std::string_view text : Split(bytes, '|')) {
    std::optional<Box> box = ReadBox(text);
    if (!box || region.boxes_.size() == kBoxesMax) return error;
    region.Add(*std::move(box));
  }
  region.Settle();
  // There is one way to write a region.
  if (region.Bytes() != bytes) return error;
  return region;
}

}  // namespace tacet
