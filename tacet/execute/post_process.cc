// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/post_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/enclose.h"
#include "tacet/execute/evaluate.h"
#include "tacet/execute/levels.h"
#include "tacet/execute/window.h"
#include "tacet/plan/margin.h"

namespace tacet {
namespace {

// A row that passed HAVING.
struct ShownRow {
  const ReleasedRow* row;
  std::vector<WindowValue> windows = {};
  std::vector<Value> order = {};
};

// A row of the answer, and what it is shown for: several of DISTINCT.
struct AnswerRow {
  std::vector<Value> values;
  std::vector<const ShownRow*> of;
};

class PostProcessor {
 public:
  explicit PostProcessor(const Plan& plan) : plan_(plan), aggregate_margins_(plan) {}

  Answer Run(const std::vector<ReleasedRow>& rows) {
    const std::vector<ReleasedRow> levels =
        plan_.levels.empty() ? std::vector<ReleasedRow>() : SumLevels(plan_, rows);
    std::vector<ShownRow> shown = Having(plan_.levels.empty() ? rows : levels);
    ComputeWindows(shown);
    Order(shown);
    const std::vector<AnswerRow> all = Merged(shown);
    const ShownPart part = ShownOf(plan_, all.size());
    Answer answer = WithoutRows(plan_);
    for (size_t i = part.begin; i < part.end; ++i) {
      answer.rows.push_back(all[i].values);
      answer.margins.push_back(MarginsOf(all[i]));
    }
    return answer;
  }

 private:
  LeafValue LeavesOf(const ShownRow& shown) {
    return [this, &shown](const PostExpr& leaf) {
      if (const auto* window = std::get_if<PostWindow>(&leaf.node)) {
        return shown.windows[window->index].value;
      }
      const auto* interval = std::get_if<PostInterval>(&leaf.node);
      return interval != nullptr ? EndOf(*interval, leaf.type, shown)
                                 : ValueOf(leaf, plan_, *shown.row);
    };
  }

  Value EndOf(const PostInterval& interval, const Type& type, const ShownRow& shown) {
    const PostExpr& expr = interval.of.front();
    const Value middle = Evaluate(expr, LeavesOf(shown));
    if (IsNull(middle)) return middle;
    const double margin = MarginOf(expr, shown).value_or(0);
    if (std::isinf(margin)) return NullValue{};
    const double sign = interval.is_high ? 1 : -1;
    if (type.kind == TypeKind::kDouble) {
      const double end = ToDouble(middle) + sign * margin;
      return std::isinf(end) ? Value(NullValue{}) : Value(end);
    }
    return InType(std::get<Rational>(middle) + Rational::FromDouble(sign * margin), type);
  }

  std::vector<ShownRow> Having(const std::vector<ReleasedRow>& rows) {
    std::vector<ShownRow> shown;
    for (const ReleasedRow& row : rows) {
      ShownRow one{.row = &row};
      if (plan_.having && Evaluate(*plan_.having, LeavesOf(one)) != Value(true)) continue;
      shown.push_back(std::move(one));
    }
    return shown;
  }

  void ComputeWindows(std::vector<ShownRow>& shown) {
    for (const WindowExpr& window : plan_.windows) {
      std::vector<WindowRow> rows;
      for (const ShownRow& one : shown) {
        const LeafValue leaf = LeavesOf(one);
        WindowRow row{.args = {}, .partition = {}, .order = {}, .leaves = one.row->leaves};
        for (const PostExpr& expr : window.args) row.args.push_back(Evaluate(expr, leaf));
        for (const PostExpr& expr : window.partition_by) {
          row.partition.push_back(Evaluate(expr, leaf));
        }
        for (const OrderBy& order : window.order_by)
          row.order.push_back(Evaluate(order.expr, leaf));
        rows.push_back(std::move(row));
      }
      const std::vector<WindowValue> values = ComputeWindow(window, rows);
      for (size_t i = 0; i < shown.size(); ++i) shown[i].windows.push_back(values[i]);
    }
  }

  void Order(std::vector<ShownRow>& shown) {
    for (ShownRow& one : shown) {
      const LeafValue leaf = LeavesOf(one);
      for (const OrderBy& order : plan_.order_by) one.order.push_back(Evaluate(order.expr, leaf));
    }
    std::stable_sort(shown.begin(), shown.end(), [&](const ShownRow& a, const ShownRow& b) {
      return CompareInOrder(plan_.order_by, a.order, b.order) < 0;
    });
  }

  std::vector<Value> ValuesOf(const ShownRow& shown) {
    const LeafValue leaf = LeavesOf(shown);
    std::vector<Value> values;
    for (const Output& output : plan_.outputs) values.push_back(Evaluate(output.expr, leaf));
    return values;
  }

  // In the order of `shown`; of DISTINCT, where the first of its kind stands.
  std::vector<AnswerRow> Merged(const std::vector<ShownRow>& shown) {
    std::vector<AnswerRow> all;
    std::map<std::vector<Value>, size_t, LessByValues> known;
    for (const ShownRow& one : shown) {
      all.push_back({.values = ValuesOf(one), .of = {&one}});
      if (!plan_.is_distinct) continue;
      const auto [same, is_new] = known.try_emplace(all.back().values, all.size() - 1);
      if (is_new) continue;
      all[same->second].of.push_back(&one);
      all.pop_back();
    }
    return all;
  }

  // The widest of the rows that one is shown for.
  std::vector<std::optional<double>> MarginsOf(const AnswerRow& answer) {
    std::vector<std::optional<double>> margins;
    for (const Output& output : plan_.outputs) {
      std::optional<double> widest;
      for (const ShownRow* shown : answer.of) {
        widest = std::max(widest, MarginOf(output.expr, *shown));
      }
      margins.push_back(widest);
    }
    return margins;
  }

  static bool DependsOnNoise(const PostExpr& expr) {
    bool depends = false;
    VisitLeaves(expr, [&](const PostExpr& leaf) {
      depends = depends || std::holds_alternative<PostAggregate>(leaf.node) ||
                std::holds_alternative<PostInterval>(leaf.node);
    });
    return depends;
  }

  // Whether noise decides which rows a window is about, or in which order.
  bool HasNoisyFrame(const WindowExpr& window) const {
    if (plan_.selection) return true;  // noise chose the rows
    if (TACET_FAULT(noisy_frame_taken_for_exact)) return false;
    return (plan_.having && DependsOnNoise(*plan_.having)) ||
           std::any_of(window.partition_by.begin(), window.partition_by.end(), DependsOnNoise) ||
           std::any_of(window.order_by.begin(), window.order_by.end(),
                       [](const OrderBy& order) { return DependsOnNoise(order.expr); });
  }

  bool IsExact(const WindowExpr& window) const {
    return !HasNoisyFrame(window) &&
           std::none_of(window.args.begin(), window.args.end(), DependsOnNoise);
  }

  // The margin of a sum of counts or sums over rows that do not overlap; infinite of others.
  double MarginOf(const WindowExpr& window, const WindowValue& value, double level) {
    const auto* plain = window.function == WindowFunction::kSum
                            ? std::get_if<PostAggregate>(&window.args[0].node)
                            : nullptr;
    const bool is_sum = plain != nullptr && !plan_.aggregates[plain->index].count &&
                        !plan_.aggregates[plain->index].chosen && plan_.levels.size() <= 1 &&
                        !HasNoisyFrame(window);
    if (!is_sum) return std::numeric_limits<double>::infinity();
    const ReleasedRow sum{.keys = {}, .steps = {}, .level = 0, .leaves = value.leaves};
    return aggregate_margins_.Of(plan_.aggregates[plain->index], sum, level);
  }

  // How many noisy numbers an expression depends on.
  size_t NoisyLeaves(const PostExpr& expr) const {
    std::set<size_t> aggregates;
    std::set<size_t> windows;
    VisitLeaves(expr, [&](const PostExpr& leaf) {
      if (const auto* aggregate = std::get_if<PostAggregate>(&leaf.node)) {
        aggregates.insert(aggregate->index);
      }
      const auto* window = std::get_if<PostWindow>(&leaf.node);
      if (window != nullptr && !IsExact(plan_.windows[window->index])) {
        windows.insert(window->index);
      }
    });
    return aggregates.size() + windows.size();
  }

  bool IsChosen(const PostExpr& leaf) const {
    const auto* aggregate = std::get_if<PostAggregate>(&leaf.node);
    return aggregate != nullptr && plan_.aggregates[aggregate->index].chosen;
  }

  // Whether all that is not exact in an expression was chosen: that has margins in rank only.
  bool IsOnlyChosen(const PostExpr& expr) const {
    bool only_chosen = true;
    VisitLeaves(expr, [&](const PostExpr& leaf) {
      const auto* window = std::get_if<PostWindow>(&leaf.node);
      const bool is_noisy = std::holds_alternative<PostAggregate>(leaf.node) ||
                            (window != nullptr && !IsExact(plan_.windows[window->index]));
      only_chosen = only_chosen && (!is_noisy || IsChosen(leaf));
    });
    return only_chosen;
  }

  std::optional<double> MarginOf(const PostExpr& expr, const ShownRow& shown) {
    if (plan_.is_public || IsOnlyChosen(expr)) return std::nullopt;
    if (const auto* plain = std::get_if<PostAggregate>(&expr.node)) {
      return aggregate_margins_.Of(plan_.aggregates[plain->index], *shown.row, kMarginLevel);
    }
    const size_t noisy = NoisyLeaves(expr);
    if (noisy == 0) return std::nullopt;
    // Each leaf leaves its span so rarely that all of them together keep the level.
    const double level = 1 - (1 - kMarginLevel) / static_cast<double>(noisy);
    const LeafValue value = LeavesOf(shown);
    const LeafSpan span = [&](const PostExpr& leaf) { return SpanOf(leaf, shown, level); };
    const std::optional<Span> all = Enclose(expr, span, value);
    if (!all) return std::nullopt;
    const double number = ToDouble(Evaluate(expr, value));
    return std::max(all->high - number, number - all->low);
  }

  std::optional<Span> SpanOf(const PostExpr& leaf, const ShownRow& shown, double level) {
    double margin = 0;
    if (IsChosen(leaf)) return std::nullopt;
    if (const auto* aggregate = std::get_if<PostAggregate>(&leaf.node)) {
      margin = aggregate_margins_.Of(plan_.aggregates[aggregate->index], *shown.row, level);
    } else if (const auto* window = std::get_if<PostWindow>(&leaf.node)) {
      if (IsExact(plan_.windows[window->index])) return Span{};
      margin = MarginOf(plan_.windows[window->index], shown.windows[window->index], level);
      if (std::isinf(margin)) return std::nullopt;
    } else {
      // Keys are exact, and the end of an interval is the number that it is.
      return Span{};
    }
    const double middle = ToDouble(LeavesOf(shown)(leaf));
    return Span{middle - margin, middle + margin};
  }

  const Plan& plan_;
  AggregateMargins aggregate_margins_;
};

}  // namespace

Answer PostProcess(const Plan& plan, const std::vector<ReleasedRow>& rows) {
  return PostProcessor(plan).Run(rows);
}

Answer WithoutRows(const Plan& plan) {
  Answer answer;
  for (const Output& output : plan.outputs) {
    answer.columns.push_back({output.name, output.expr.type});
  }
  return answer;
}

ShownPart ShownOf(const Plan& plan, size_t count) {
  const size_t begin = std::min(count, static_cast<size_t>(plan.offset));
  const size_t left = count - begin;
  return {begin, begin + (plan.limit ? std::min(left, static_cast<size_t>(*plan.limit)) : left)};
}

}  // namespace tacet
