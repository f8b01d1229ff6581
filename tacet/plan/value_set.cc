// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/value_set.h"

#include <algorithm>
#include <utility>

namespace tacet {

ValueSet::ValueSet(std::vector<Span> spans, bool has_null) : has_null_(has_null) {
  std::sort(spans.begin(), spans.end());
  for (const Span& span : spans) {
    const bool touches =
        !spans_.empty() && (spans_.back().high == kMost || span.low <= spans_.back().high + 1);
    if (touches) {
      spans_.back().high = std::max(spans_.back().high, span.high);
    } else {
      spans_.push_back(span);
    }
  }
}

ValueSet ValueSet::Null() { return ValueSet({}, true); }
ValueSet ValueSet::Integers() { return ValueSet({Span{}}, false); }
ValueSet ValueSet::Anything() { return ValueSet({Span{}}, true); }

ValueSet ValueSet::Between(int64_t low, int64_t high) {
  return low <= high ? ValueSet({{low, high}}, false) : ValueSet();
}

ValueSet ValueSet::Of(const std::vector<int64_t>& integers) {
  std::vector<Span> spans;
  spans.reserve(integers.size());
  for (const int64_t integer : integers) spans.push_back({integer, integer});
  return ValueSet(std::move(spans), false);
}

bool ValueSet::Covers(const ValueSet& other) const { return (*this & other) == other; }

bool ValueSet::Meets(const ValueSet& other) const { return !(*this & other).is_empty(); }

ValueSet ValueSet::OtherIntegers() const {
  std::vector<Span> gaps;
  Span gap;
  for (const Span& span : spans_) {
    if (span.low > gap.low) gaps.push_back({gap.low, span.low - 1});
    if (span.high == kMost) return ValueSet(std::move(gaps), false);
    gap.low = span.high + 1;
  }
  gaps.push_back(gap);
  return ValueSet(std::move(gaps), false);
}

ValueSet ValueSet::Hull() const {
  if (spans_.size() <= 1) return *this;
  return ValueSet({{spans_.front().low, spans_.back().high}}, has_null_);
}

ValueSet operator|(const ValueSet& a, const ValueSet& b) {
  std::vector<ValueSet::Span> spans = a.spans_;
  spans.insert(spans.end(), b.spans_.begin(), b.spans_.end());
  return ValueSet(std::move(spans), a.has_null_ || b.has_null_);
}

ValueSet operator&(const ValueSet& a, const ValueSet& b) {
  std::vector<ValueSet::Span> spans;
  auto left = a.spans_.begin();
  auto right = b.spans_.begin();
  while (left != a.spans_.end() && right != b.spans_.end()) {
    const int64_t low = std::max(left->low, right->low);
    const int64_t high = std::min(left->high, right->high);
    if (low <= high) spans.push_back({low, high});
    (left->high < right->high ? left : right)++;
  }
  return ValueSet(std::move(spans), a.has_null_ && b.has_null_);
}

std::strong_ordering operator<=>(const ValueSet& a, const ValueSet& b) {
  if (const auto by_null = a.has_null_ <=> b.has_null_; by_null != 0) return by_null;
  return std::lexicographical_compare_three_way(a.spans_.begin(), a.spans_.end(), b.spans_.begin(),
                                                b.spans_.end());
}

}  // namespace tacet
