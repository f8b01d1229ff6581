// SPDX-License-Identifier: Apache-2.0
// From aggregate functions to the primitives that are noised, each once however often it is used.
// Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tacet/plan/plan.h"
#include "tacet/plan/row_value.h"
#include "tacet/plan/scope.h"

namespace tacet {

// Collects the aggregates of a statement first, so that an AVG can use the SUM that stands
// elsewhere.
class AggregateBinder {
 public:
  explicit AggregateBinder(const Scope& scope) : scope_(scope) {}

  // A leaf for the aggregate. Fails on what is not supported.
  Result<PostExpr> Bind(const sql::Aggregate& aggregate, size_t position);
  bool empty() const { return wanted_.empty(); }
  // Where the first aggregate stands that counts or sums rows, if there is one.
  std::optional<size_t> counts_rows_at() const { return counts_rows_at_; }

  // Where the first aggregate stands that counts persons, if there is one.
  std::optional<size_t> counts_persons_at() const { return counts_persons_at_; }

  // Whether the aggregate is chosen rather than noised.
  bool IsChosen(size_t aggregate) const { return wanted_[aggregate].kind == Kind::kChosen; }

  // Refuses what is no sum over groups where levels of `plan` are.
  Status CheckLevels(const Plan& plan) const;
  // Refuses too many buckets in `cells` groups.
  Status CheckBuckets(const Plan& plan, int64_t cells) const;

  // Fills `plan.primitives` and `plan.choices`, without noise and choosers, and `plan.aggregates`,
  // from `plan.contribution`.
  Status Finish(Plan& plan) const;

 private:
  enum class Kind { kRows, kSum, kAverage, kPersons, kDistinct, kChosen };
  struct Wanted {
    Kind kind;
    std::optional<RowValue> value = {};  // none: COUNT(*)
    std::string value_text = {};
    // Of a function of another value: that one, which is NULL where this is. Counts are shared.
    std::optional<RowValue> counted = {};
    std::string counted_text = {};
    std::optional<sql::EngineExpr> filter = {};
    std::string filter_text = {};
    size_t position = 0;
    // What is computed, whatever it is called: two columns may be written alike.
    std::string identity = {};
    // Of kChosen: what, of which quantile, shown as what; `listed` are all steps that there are.
    ChoiceKind choice = ChoiceKind::kQuantiles;
    Rational quantile = {};
    Type type = {};
    std::vector<int64_t> listed = {};

    bool SameChoice(const Wanted& other) const {
      return kind == Kind::kChosen && other.kind == Kind::kChosen && choice == other.choice &&
             identity == other.identity;
    }
    bool SameAs(const Wanted& other) const {
      if (kind == Kind::kChosen) {
        return SameChoice(other) && quantile == other.quantile && type == other.type;
      }
      return kind == other.kind && identity == other.identity;
    }
    bool is_extreme() const {
      return kind == Kind::kChosen &&
             (choice == ChoiceKind::kMinimum || choice == ChoiceKind::kMaximum);
    }
  };

  // Variances and standard deviations, made of averages and a count.
  //
  // Proof: docs/proofs/variance.md.
  Result<PostExpr> BindSpread(const sql::Aggregate& aggregate, size_t position);
  static std::string IdentityOf(const Wanted& wanted);
  PostExpr Leaf(Wanted wanted);
  Result<Wanted> Understand(const sql::Aggregate& aggregate, size_t position);
  Status FindNumber(const sql::Aggregate& aggregate, Wanted& wanted) const;
  // aggregate_choices.cc: what is chosen, and counted by its values.
  Status FindChoice(const sql::Aggregate& aggregate, Wanted& wanted) const;
  Status FindOrdered(const sql::Aggregate& aggregate, Wanted& wanted) const;
  Status FindMode(const sql::Aggregate& aggregate, Wanted& wanted) const;
  Primitive DistinctOf(const Wanted& wanted) const;
  Choice ChoiceOf(const Wanted& wanted, const Plan& plan) const;
  ChosenLeaf ShareChoice(const Wanted& wanted, std::vector<const Wanted*>& known, Plan& plan) const;

  bool Has(Kind kind, const Wanted& like) const;
  static Type TypeOf(const Wanted& wanted);

  // What a row that passes the filter adds.
  sql::EngineExpr Filtered(const Wanted& wanted, sql::EngineExpr value) const;
  Primitive CountOf(const Wanted& wanted) const;
  Primitive PersonsOf(const Wanted& wanted) const;
  Result<Primitive> SumOf(const Wanted& wanted, int64_t centre) const;
  // Where each primitive of the plan stands, by its kind, its value as SQL, and what a step is
  // worth: a constant factor changes that alone.
  using Known = std::map<std::tuple<Primitive::Kind, std::string, std::string>, size_t>;
  static size_t Share(Primitive primitive, Known& known, Plan& plan);

  const Scope& scope_;
  std::vector<Wanted> wanted_;
  std::optional<size_t> counts_rows_at_;
  std::optional<size_t> counts_persons_at_;
};

}  // namespace tacet
