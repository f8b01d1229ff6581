// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/window.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tacet {
namespace {

// COUNT, SUM, AVG, MIN and MAX of the rows so far. NULLs are left out.
class Running {
 public:
  explicit Running(const WindowExpr& window) : window_(window) {}

  void Add(const WindowRow& row) {
    leaves_ += row.leaves;
    if (row.args.empty()) {
      ++count_;
      return;
    }
    const Value& value = row.args[0];
    if (IsNull(value)) return;
    ++count_;
    if (const auto* exact = std::get_if<Rational>(&value)) exact_ += *exact;
    if (const auto* number = std::get_if<double>(&value)) double_ += *number;
    if (IsNull(least_) || Compare(value, least_) < 0) least_ = value;
    if (IsNull(most_) || Compare(value, most_) > 0) most_ = value;
  }

  WindowValue Get() const { return {Result(), leaves_}; }

 private:
  Value Result() const {
    if (window_.function == WindowFunction::kCount) return Rational(count_);
    if (count_ == 0) return NullValue{};
    if (window_.function == WindowFunction::kMin) return least_;
    if (window_.function == WindowFunction::kMax) return most_;
    const bool is_double = window_.args[0].type.kind == TypeKind::kDouble;
    const bool is_average = window_.function == WindowFunction::kAvg;
    if (!is_double) return InType(is_average ? exact_ / Rational(count_) : exact_, window_.type);
    const double sum = is_average ? double_ / static_cast<double>(count_) : double_;
    return std::isfinite(sum) ? Value(sum) : Value(NullValue{});
  }

  const WindowExpr& window_;
  int64_t count_ = 0;
  int64_t leaves_ = 0;
  Rational exact_;
  double double_ = 0;
  Value least_ = NullValue{};
  Value most_ = NullValue{};
};

// One partition, in its order.
class Partition {
 public:
  Partition(const WindowExpr& window, const std::vector<WindowRow>& rows,
            std::vector<size_t> places)
      : window_(window), rows_(rows), places_(std::move(places)) {
    std::stable_sort(places_.begin(), places_.end(), [&](size_t a, size_t b) {
      return CompareInOrder(window_.order_by, rows_[a].order, rows_[b].order) < 0;
    });
  }

  void Fill(std::vector<WindowValue>& values) const {
    const bool adds = window_.function >= WindowFunction::kCount;
    Running running(window_);
    int64_t peers = 0;
    for (size_t begin = 0, end = 0; begin < places_.size(); begin = end) {
      ++peers;
      for (end = begin; end < places_.size() && ArePeers(begin, end); ++end) {
        if (adds) running.Add(rows_[places_[end]]);
      }
      const WindowValue so_far = adds ? running.Get() : WindowValue{};
      for (size_t i = begin; i < end; ++i) values[places_[i]] = ValueAt(i, begin, peers, so_far);
    }
  }

 private:
  bool ArePeers(size_t a, size_t b) const {
    return CompareInOrder(window_.order_by, rows_[places_[a]].order, rows_[places_[b]].order) == 0;
  }

  WindowValue ValueAt(size_t i, size_t begin, int64_t peers, const WindowValue& so_far) const {
    switch (window_.function) {
      case WindowFunction::kRowNumber:
        return {Rational(static_cast<int64_t>(i) + 1)};
      case WindowFunction::kRank:
        return {Rational(static_cast<int64_t>(begin) + 1)};
      case WindowFunction::kDenseRank:
        return {Rational(peers)};
      case WindowFunction::kNtile:
        return {Rational(PartOf(static_cast<int64_t>(i)))};
      case WindowFunction::kLag:
        return {Shifted(i, -window_.number)};
      case WindowFunction::kLead:
        return {Shifted(i, window_.number)};
      default:
        return so_far;
    }
  }

  // The first parts have one row more where the rows cannot be split evenly.
  int64_t PartOf(int64_t i) const {
    const auto size = static_cast<int64_t>(places_.size());
    const int64_t few = size / window_.number;
    const int64_t larger = size % window_.number;
    if (i < larger * (few + 1)) return i / (few + 1) + 1;
    return larger + (i - larger * (few + 1)) / few + 1;
  }

  Value Shifted(size_t i, int64_t by) const {
    const int64_t at = static_cast<int64_t>(i) + by;
    if (at >= 0 && at < static_cast<int64_t>(places_.size())) {
      return InType(rows_[places_[static_cast<size_t>(at)]].args[0], window_.type);
    }
    const std::vector<Value>& own = rows_[places_[i]].args;
    return own.size() > 1 ? InType(own[1], window_.type) : Value(NullValue{});
  }

  const WindowExpr& window_;
  const std::vector<WindowRow>& rows_;
  std::vector<size_t> places_;
};

}  // namespace

std::vector<WindowValue> ComputeWindow(const WindowExpr& window,
                                       const std::vector<WindowRow>& rows) {
  std::map<std::vector<Value>, std::vector<size_t>, LessByValues> partitions;
  for (size_t i = 0; i < rows.size(); ++i) partitions[rows[i].partition].push_back(i);
  std::vector<WindowValue> values(rows.size());
  for (auto& [key, places] : partitions) {
    Partition(window, rows, std::move(places)).Fill(values);
  }
  return values;
}

}  // namespace tacet
