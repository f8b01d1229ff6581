// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/supposed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/execute/evaluate.h"
#include "tacet/execute/levels.h"
#include "tacet/execute/post_process.h"

namespace tacet {
namespace {

// More rows than anybody has, and few enough that their sums are far from overflowing.
const Rational& RowsMax() {
  static const Rational kRowsMax(int64_t{1} << 50);
  return kRowsMax;
}
const Rational& StepsMax() {
  static const Rational kStepsMax = Rational::PowerOfTwo(120);
  return kStepsMax;
}

struct SupposedGroup {
  std::vector<Value> keys;
  Rational share;
  size_t alike = 1;  // how many groups it stands for
};

struct SupposedRow {
  ReleasedRow released;
  Rational size;  // rows of the data
  size_t alike = 1;
};

Rational Middle(const Rational& low, const Rational& high) { return (low + high) / Rational(2); }

Int128 Rounded(const Rational& value) { return ToInt128((value + Rational(1, 2)).Floor()); }

bool HasNull(const std::vector<Value>& keys) {
  return std::any_of(keys.begin(), keys.end(), [](const Value& key) { return IsNull(key); });
}

Error Misfit(const Plan& plan, size_t groups, size_t shares) {
  return {.code = Code::kUsage,
          .message = "there are " + std::to_string(groups) + " groups, and " +
                     std::to_string(shares) + (shares == 1 ? " share" : " shares"),
          .hint = plan.keys.empty() ? "without GROUP BY there is one group."
                                    : "give one for each, in the order of the catalog's values."};
}

Status CheckShares(const std::vector<Rational>& shares) {
  Rational sum(0);
  for (const Rational& share : shares) {
    if (share.sign() < 0) {
      return Error{.code = Code::kUsage, .message = "a share is less than 0"};
    }
    sum += share;
  }
  if (sum <= Rational(1)) return {};
  return Error{.code = Code::kUsage,
               .message = "the shares add up to more than 1",
               .hint = "each is the part of all rows that is in a group, as 0.2 or 1/5."};
}

// In how many groups no key is NULL; nobody is supposed to be in others.
int64_t FilledGroups(const Plan& plan) {
  int64_t filled = 1;
  for (const Key& key : plan.keys) {
    filled *= static_cast<int64_t>(*key.column.key_count()) - (key.column.nullable ? 1 : 0);
  }
  return filled;
}

// In equal parts.
std::vector<SupposedGroup> EvenGroups(const Plan& plan, const Cells& cells) {
  const int64_t filled = FilledGroups(plan);
  if (cells.size() == 0 || filled == 0) return {};
  const Rational share(1, filled);
  // One stands for all, unless something adds them up. In the first no key is NULL.
  if (plan.levels.empty() && plan.windows.empty()) {
    return {{.keys = cells.ValuesAt(0), .share = share, .alike = static_cast<size_t>(filled)}};
  }
  std::vector<SupposedGroup> groups;
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    groups.push_back({.keys = cells.ValuesAt(cell), .share = share});
    if (HasNull(groups.back().keys)) groups.back().share = Rational(0);
  }
  return groups;
}

Result<std::vector<SupposedGroup>> GroupsOf(const Plan& plan, const std::vector<Rational>& shares) {
  TACET_RETURN_IF_ERROR(CheckShares(shares));
  std::vector<SupposedGroup> groups;
  if (plan.selection) {
    const std::vector<Value> keys(plan.keys.size(), NullValue{});
    const std::vector<Rational> even(kSupposedGroups, Rational(1, kSupposedGroups));
    for (const Rational& share : shares.empty() ? even : shares) groups.push_back({keys, share});
    return groups;
  }
  const Cells cells = plan.MakeCells();
  if (!shares.empty() && shares.size() != cells.size()) {
    return Misfit(plan, cells.size(), shares.size());
  }
  if ((!plan.levels.empty() || !plan.windows.empty()) && cells.size() > kSupposedGroupsMax) {
    return Error{.code = Code::kUnsupported,
                 .message = "there are too many groups to suppose what they add up to",
                 .hint = "ask without ROLLUP, CUBE, GROUPING SETS and window functions."};
  }
  if (shares.empty()) return EvenGroups(plan, cells);
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    groups.push_back({.keys = cells.ValuesAt(cell), .share = shares[cell]});
  }
  return groups;
}

// What is supposed of one SELECT.
class Supposer {
 public:
  Supposer(const Plan& plan, const Supposition& supposition)
      : plan_(plan), supposition_(supposition) {
    // Which rows appear, and in which order, is no part of how exact they are.
    plan_.having.reset();
    plan_.order_by.clear();
    plan_.limit.reset();
    plan_.offset = 0;
    plan_.is_distinct = false;
  }

  Result<std::vector<ExpectedMargin>> Run() {
    TACET_TRY(groups_, GroupsOf(plan_, supposition_.shares));
    TACET_RETURN_IF_ERROR(FindValues());
    if (supposition_.rows) return MarginsFor(*supposition_.rows);
    // What is the same for two sizes depends on none.
    constexpr int64_t kSize = 1'000'000;
    TACET_TRY(std::vector<ExpectedMargin> margins, MarginsFor(Rational(kSize)));
    TACET_TRY(const std::vector<ExpectedMargin> others, MarginsFor(Rational(3 * kSize)));
    for (size_t i = 0; i < margins.size() && i < others.size(); ++i) {
      if (margins[i].margin != others[i].margin) margins[i].margin.reset();
      margins[i].rows.reset();
      if (!IsGiven(margins[i].column)) margins[i].of.reset();
    }
    return margins;
  }

 private:
  const AggregateLeaf* PlainAggregate(size_t column) const {
    const auto* leaf = std::get_if<PostAggregate>(&plan_.outputs[column].expr.node);
    return leaf == nullptr ? nullptr : &plan_.aggregates[leaf->index];
  }
  bool IsGiven(size_t column) const { return given_.contains(column); }

  // Where the columns stand of which a value is given.
  Status FindValues() {
    for (const auto& [name, value] : supposition_.values) {
      std::vector<std::string_view> known;
      bool is_found = false;
      for (size_t column = 0; column < plan_.outputs.size(); ++column) {
        const AggregateLeaf* leaf = PlainAggregate(column);
        if (leaf == nullptr || leaf->chosen) continue;
        known.push_back(plan_.outputs[column].name);
        if (!SameIdentifier(name, known.back())) continue;
        if (value.Abs() / plan_.primitives[leaf->primitive].step > StepsMax()) {
          return Error{.code = Code::kUsage, .message = name + " cannot be as large as that"};
        }
        const auto other = std::find_if(given_.begin(), given_.end(), [&](const auto& one) {
          return PlainAggregate(one.first)->primitive == leaf->primitive;
        });
        if (other != given_.end()) {
          return Error{.code = Code::kUsage,
                       .message = Quoted(name) + " and " +
                                  Quoted(plan_.outputs[other->first].name) +
                                  " follow from each other",
                       .hint = "say what one of them is."};
        }
        given_[column] = value;
        is_found = true;
      }
      if (is_found) continue;
      return Error{.code = Code::kUsage,
                   .message =
                       "no column of the answer that is a count, a sum or an average is "
                       "called " +
                       Quoted(name),
                   .hint = SuggestionHint(name, known)};
    }
    return {};
  }

  // How many rows, or people, a count finds in a group of `size` rows.
  Rational CountIn(const Rational& size, const Primitive& primitive) const {
    if (primitive.kind != Primitive::Kind::kPersons || !supposition_.people) return size;
    return std::min(size, *supposition_.people);
  }

  // The supposed number of steps of every primitive, in a group of `size` rows.
  std::vector<Int128> StepsOf(const Rational& size) const {
    std::vector<Rational> steps;
    for (const Primitive& primitive : plan_.primitives) {
      const bool counts = primitive.is_count || primitive.kind != Primitive::Kind::kSum;
      steps.push_back(
          counts ? size : size * Middle(Rational(primitive.row.low), Rational(primitive.row.high)));
    }
    std::vector<bool> is_given(steps.size(), false);
    for (const auto& [column, value] : given_) {
      const AggregateLeaf& leaf = *PlainAggregate(column);
      if (leaf.count) continue;
      steps[leaf.primitive] = value / plan_.primitives[leaf.primitive].step;
      is_given[leaf.primitive] = true;
    }
    const auto set_average = [&](const AggregateLeaf& leaf, const Rational& average) {
      steps[leaf.primitive] =
          steps[*leaf.count] * (average - leaf.centre) / plan_.primitives[leaf.primitive].step;
    };
    for (const AggregateLeaf& leaf : plan_.aggregates) {
      if (!leaf.chosen && leaf.count && !is_given[leaf.primitive]) {
        set_average(leaf, Middle(leaf.low, leaf.high));
      }
    }
    for (const auto& [column, value] : given_) {
      const AggregateLeaf& leaf = *PlainAggregate(column);
      if (leaf.count) set_average(leaf, std::clamp(value, leaf.low, leaf.high));
    }
    std::vector<Int128> rounded;
    for (const Rational& number : steps) {
      rounded.push_back(Rounded(std::clamp(number, -StepsMax(), StepsMax())));
    }
    return rounded;
  }

  std::vector<ReleasedRow> ReleasedOf(const Rational& rows) const {
    std::vector<ReleasedRow> released;
    Rational before(0);
    for (const SupposedGroup& group : groups_) {
      // Whole rows, which add up to all of them whatever the number of groups.
      const Rational behind = before + group.share * rows;
      const Int128 size = Rounded(behind) - Rounded(before);
      before = behind;
      ReleasedRow row{.keys = group.keys, .steps = StepsOf(Rational::FromInt128(size))};
      for (const Choice& choice : plan_.choices) {
        row.chosen.emplace_back(choice.places(), Int128{0});
      }
      released.push_back(std::move(row));
    }
    return released;
  }

  // The rows of the answer and how many of the data each is about.
  std::vector<SupposedRow> RowsOf(const std::vector<ReleasedRow>& released,
                                  const Rational& rows) const {
    std::vector<SupposedRow> all;
    if (plan_.levels.empty()) {
      for (size_t i = 0; i < released.size(); ++i) {
        all.push_back({released[i], groups_[i].share * rows, groups_[i].alike});
      }
      return all;
    }
    using Keys = std::vector<Value>;
    std::vector<std::map<Keys, Rational, LessByValues>> sizes(plan_.levels.size());
    for (const SupposedGroup& group : groups_) {
      for (size_t level = 0; level < plan_.levels.size(); ++level) {
        Keys keys(group.keys.size(), NullValue{});
        for (const size_t key : plan_.levels[level]) keys[key] = group.keys[key];
        sizes[level].try_emplace(std::move(keys), Rational(0)).first->second += group.share * rows;
      }
    }
    for (ReleasedRow& sum : SumLevels(plan_, released)) {
      const auto& of_level = sizes[sum.level];
      const auto size = of_level.find(sum.keys);
      all.push_back({std::move(sum), size == of_level.end() ? Rational(0) : size->second});
    }
    return all;
  }

  bool IsNoisy(const PostExpr& expr) const {
    bool is_noisy = false;
    VisitLeaves(expr, [&](const PostExpr& leaf) {
      const auto* aggregate = std::get_if<PostAggregate>(&leaf.node);
      const auto* window = std::get_if<PostWindow>(&leaf.node);
      is_noisy = is_noisy || std::holds_alternative<PostInterval>(leaf.node) ||
                 (aggregate != nullptr && !plan_.aggregates[aggregate->index].chosen) ||
                 (window != nullptr && IsNoisy(plan_.windows[window->index]));
    });
    return is_noisy;
  }
  bool IsNoisy(const WindowExpr& window) const {
    const auto is_noisy = [&](const PostExpr& expr) { return IsNoisy(expr); };
    return std::any_of(window.args.begin(), window.args.end(), is_noisy) ||
           std::any_of(window.partition_by.begin(), window.partition_by.end(), is_noisy) ||
           std::any_of(window.order_by.begin(), window.order_by.end(),
                       [&](const OrderBy& order) { return IsNoisy(order.expr); });
  }
  bool IsShown(size_t column) const {
    const AggregateLeaf* leaf = PlainAggregate(column);
    if (leaf != nullptr && leaf->chosen) return true;
    return plan_.outputs[column].expr.type.is_number() && IsNoisy(plan_.outputs[column].expr);
  }

  // Whether rows of one size may differ in how exact they are.
  bool DependsOnKeys() const {
    bool depends = !plan_.windows.empty();
    for (size_t column = 0; column < plan_.outputs.size(); ++column) {
      if (!IsShown(column)) continue;
      VisitLeaves(plan_.outputs[column].expr, [&](const PostExpr& leaf) {
        depends = depends || std::holds_alternative<PostKey>(leaf.node) ||
                  std::holds_alternative<PostGrouping>(leaf.node);
      });
    }
    return depends;
  }

  ExpectedMargin MarginOf(size_t column, const SupposedRow& row, const std::vector<Value>& values,
                          const std::optional<double>& margin) const {
    ExpectedMargin expected{.column = column,
                            .level = row.released.level,
                            .groups = row.alike,
                            .keys = row.released.keys,
                            .rows = row.size.ToDouble(),
                            .margin = margin};
    const AggregateLeaf* leaf = PlainAggregate(column);
    if (leaf != nullptr && leaf->chosen) {
      expected.margin = plan_.choices[leaf->chosen->choice].chooser->Margin(leaf->chosen->place);
      expected.of = row.size.ToDouble();
      expected.is_rank = true;
      return expected;
    }
    const Primitive* primitive =
        leaf == nullptr || leaf->count ? nullptr : &plan_.primitives[leaf->primitive];
    if (primitive != nullptr && !IsGiven(column)) {
      // Not rounded to whole rows. How many different values there are, their number does not say.
      if (primitive->kind == Primitive::Kind::kDistinct) return expected;
      if (primitive->is_count) {
        expected.of = row.size.ToDouble();
        return expected;
      }
    }
    if (!IsNull(values[column])) expected.of = ToDouble(values[column]);
    return expected;
  }

  Result<std::vector<ExpectedMargin>> MarginsFor(const Rational& rows) const {
    if (rows.sign() < 0 || rows > RowsMax()) {
      return Error{.code = Code::kUsage, .message = "there cannot be so many rows"};
    }
    const std::vector<ReleasedRow> released = ReleasedOf(rows);
    const std::vector<SupposedRow> all = RowsOf(released, rows);
    const Answer answer = PostProcess(plan_, released);
    TACET_CHECK(answer.rows.size() == all.size());
    const bool tells_apart = DependsOnKeys();
    std::map<std::pair<size_t, Rational>, size_t> known;
    std::vector<std::vector<ExpectedMargin>> different;
    std::vector<Rational> sizes;
    for (size_t row = 0; row < all.size(); ++row) {
      if (all[row].size.sign() == 0 && rows.sign() > 0) continue;
      const auto [same, is_new] =
          known.try_emplace({all[row].released.level, all[row].size}, different.size());
      if (!is_new && !tells_apart) {
        for (ExpectedMargin& margin : different[same->second]) margin.groups += all[row].alike;
        continue;
      }
      std::vector<ExpectedMargin> margins;
      for (size_t column = 0; column < plan_.outputs.size(); ++column) {
        if (!IsShown(column)) continue;
        margins.push_back(
            MarginOf(column, all[row], answer.rows[row], answer.margins[row][column]));
      }
      different.push_back(std::move(margins));
      sizes.push_back(all[row].size);
    }
    return Chosen(std::move(different), sizes);
  }

  // All, or the largest, the middle and the smallest.
  static std::vector<ExpectedMargin> Chosen(std::vector<std::vector<ExpectedMargin>> different,
                                            const std::vector<Rational>& sizes) {
    std::vector<size_t> places(different.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    if (places.size() > kSupposedShown) {
      std::stable_sort(places.begin(), places.end(),
                       [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
      places = {places.front(), places[places.size() / 2], places.back()};
    }
    std::vector<ExpectedMargin> all;
    for (const size_t place : places) {
      for (ExpectedMargin& margin : different[place]) all.push_back(std::move(margin));
    }
    return all;
  }

  Plan plan_;
  const Supposition& supposition_;
  std::vector<SupposedGroup> groups_;
  std::map<size_t, Rational> given_;
};

}  // namespace

std::optional<double> ExpectedMargin::relative() const {
  if (!margin || !of || *of == 0) return std::nullopt;
  return *margin / std::abs(*of);
}

Result<std::vector<ExpectedMargin>> ExpectedMargins(const Plan& plan,
                                                    const Supposition& supposition) {
  std::vector<ExpectedMargin> all;
  if (plan.is_public) return all;
  const std::span<const Plan> parts = PartsOf(plan);
  for (size_t part = 0; part < parts.size(); ++part) {
    TACET_TRY(std::vector<ExpectedMargin> margins, Supposer(parts[part], supposition).Run());
    for (ExpectedMargin& margin : margins) {
      margin.part = part;
      all.push_back(std::move(margin));
    }
  }
  return all;
}

}  // namespace tacet
