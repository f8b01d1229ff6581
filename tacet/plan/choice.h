// SPDX-License-Identifier: Apache-2.0
// Values that are chosen of public ones, by the rows that have them, rather than noised: quantiles,
// minimum and maximum, mode. Which rule chooses, what that costs, and how far from the right rank
// it may be.
//
// Proof: docs/proofs/sql_choices.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/type.h"
#include "tacet/mechanism/mode.h"
#include "tacet/mechanism/quantile.h"
#include "tacet/plan/noise.h"
#include "tacet/plan/value.h"
#include "tacet/sql/engine_expr.h"

namespace tacet {

// One of at most so many values is chosen in a group; of several quantiles one of fewer, each of
// which is cut into slices.
inline constexpr int64_t kBucketsMax = 65'536;
inline constexpr int64_t kBucketsOfSeveralMax = 16'384;
inline constexpr int64_t kSlicesPerBucket = 32;
// At most so many buckets, or slices, of all groups together are looked at for one statement.
inline constexpr int64_t kBucketsInAllMax = 50'000'000;

enum class ChoiceKind { kQuantiles, kMinimum, kMaximum, kMode };

// What is chosen, and what one person may change about it. All of it is public.
struct ChoiceShape {
  ChoiceKind kind = ChoiceKind::kQuantiles;
  std::vector<Rational> quantiles = {};  // of kQuantiles: rising
  int64_t buckets = 1;
  int64_t rows = 1;  // of one person in a group that are counted at most
  // How many groups the rows of one person fill at most; a fraction where the last is not full.
  Rational groups = Rational(1);
};

// One answer for each quantile, else one. A value.
class ValueChoice {
 public:
  // For a share `part` of the price, in (0, 1]: permute-and-flip under a pure budget, else the
  // exponential mechanism. Fails with Code::kUnsupported if that buys no rate that can be used.
  static Result<ValueChoice> Choose(const Price& price, const Rational& part,
                                    const ChoiceShape& shape);
  // What is chosen in one group costs a person who fills it `epsilon`. Fails as Choose does.
  static Result<ValueChoice> Create(const Epsilon& epsilon, ChoiceRule rule,
                                    const ChoiceShape& shape);

  const Epsilon& epsilon() const { return epsilon_; }
  ChoiceRule rule() const { return rule_; }
  // Guarantee: choosing in every group costs at most that, for counts that differ by one person who
  // adds at most shape.rows to a group, and shape.groups times that to all of them.
  const PrivacyLoss& loss() const { return loss_; }

  // The chosen buckets. `counts` has one for each bucket, none negative; no other counts fail.
  Result<std::vector<size_t>> Release(std::span<const int64_t> counts, Entropy& entropy) const;

  // Of a minimum or maximum: how many rows are aimed to be before or behind it.
  int64_t rank() const;
  // 19 times in 20 the answer is so near to what is aimed at: of mode, by the number of its rows;
  // else by rank (QuantileChoice::RankMargin). A whole number.
  double Margin(size_t place) const;

 private:
  using Law = std::variant<QuantileChoice, ModeChoice>;
  ValueChoice(Law law, Epsilon epsilon, ChoiceRule rule, const ChoiceShape& shape,
              PrivacyLoss loss);

  Law law_;
  Epsilon epsilon_;
  ChoiceRule rule_;
  ChoiceShape shape_;
  PrivacyLoss loss_;
};

// The public values that one is chosen of, in their order. By what number the engine counts them:
// texts and truth values by their codes, listed steps as they are, others by the bucket's place.
struct ChoiceValues {
  std::vector<std::string> texts = {};  // of texts
  bool is_truth = false;                // false and true
  std::vector<int64_t> listed = {};     // of numbers and moments that are listed: rising steps
  int64_t low = 0;                      // of others: buckets of `width` steps, from here on
  int64_t high = 0;
  int64_t width = 1;
  Rational grid = Rational(1);  // what a step is worth

  int64_t size() const;
  // Where what the engine counted under `number` stands; nothing if it is no value.
  std::optional<size_t> Find(int64_t number) const;
  // As analysts see it: of a bucket of several steps the one in its middle.
  Value At(size_t place, const Type& type) const;
};

// Something that is chosen in every group.
struct Choice {
  std::string of;  // as `explain` calls it, without the function
  std::string filter = {};
  sql::EngineExpr value;  // the number of a row's value; NULL where the row does not count
  ChoiceValues values;
  ChoiceShape shape;
  std::optional<ValueChoice> chooser = {};  // none: the table is public

  // How many answers it has.
  size_t places() const { return shape.quantiles.empty() ? 1 : shape.quantiles.size(); }
  // `median(age)`, `percentile(0.9, age)`, `min(age) FILTER (WHERE smoker)`, ...
  std::string NameOf(size_t place) const;
  // `95% within 37 rows of its rank`: a function of public numbers. Only with a chooser.
  std::string MarginText(size_t place) const;
};

// As records call them.
std::string_view ChoiceKindName(ChoiceKind kind);
std::string_view ChoiceRuleName(ChoiceRule rule);

}  // namespace tacet
