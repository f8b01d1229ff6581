// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/recost.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/mechanism/discrete_gaussian.h"
#include "tacet/mechanism/discrete_laplace.h"
#include "tacet/mechanism/group_selection.h"
#include "tacet/plan/explain.h"
#include "tacet/plan/plan.h"
#include "tacet/plan/sensitivity.h"

namespace tacet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatWithoutRows = 1;
constexpr int kFormatWithoutSelection = 2;
constexpr int kFormatWithoutChoices = 3;
// More than are ever summed.
constexpr int64_t kRowsOfAnybody = std::numeric_limits<int64_t>::max();
// A fraction of privacy has at most 1,000 characters in the ledger; its square has twice as many.
constexpr size_t kFractionLengthMax = 10'000;

Error Wrong(const std::string& what) {
  return {.code = Code::kData, .message = "the recorded plan is wrong: " + what};
}

// An object of the record, with the name that errors call it by.
class Object {
 public:
  // Fails unless it has exactly these fields, in this order.
  static Result<Object> Create(const Json& json, std::string name,
                               const std::vector<std::string>& fields) {
    std::vector<std::string> found;
    if (json.is_object()) {
      for (const auto& item : json.items()) found.push_back(item.key());
    }
    if (found == fields) return Object(json, std::move(name));
    const auto [wanted, has] =
        std::mismatch(fields.begin(), fields.end(), found.begin(), found.end());
    return Wrong(wanted == fields.end() ? name + " has more fields than it should"
                                        : name + " lacks " + *wanted + ", or it is misplaced");
  }

  const std::string& name() const { return name_; }
  const Json& At(const char* field) const { return *json_->find(field); }

  Result<std::string> Text(const char* field) const {
    if (At(field).is_string()) return At(field).get<std::string>();
    return Wrong(field + (" of " + name_) + " is no text");
  }

  Result<bool> Truth(const char* field) const {
    if (At(field).is_boolean()) return At(field).get<bool>();
    return Wrong(field + (" of " + name_) + " is neither true nor false");
  }

  Result<int64_t> Integer(const char* field, int64_t least, int64_t most) const {
    return ToInteger(At(field), field + (" of " + name_), least, most);
  }

  static Result<int64_t> ToInteger(const Json& json, const std::string& name, int64_t least,
                                   int64_t most) {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    const bool is_integer =
        json.is_number_unsigned() ? json.get<uint64_t>() <= kMost : json.is_number_integer();
    if (!is_integer) return Wrong(name + " is no integer");
    const auto value = json.get<int64_t>();
    if (value < least || value > most) return Wrong(name + " is out of range");
    return value;
  }

  // In lowest terms, as Rational::ToString writes it.
  Result<Rational> Fraction(const char* field) const {
    return ToFraction(At(field), field + (" of " + name_));
  }

  static Result<Rational> ToFraction(const Json& json, const std::string& name) {
    const Error error = Wrong(name + " is no fraction");
    if (!json.is_string()) return error;
    const auto text = json.get<std::string>();
    if (text.size() > kFractionLengthMax ||
        text.find_first_not_of("-0123456789/") != std::string::npos) {
      return error;
    }
    mpq_class value;
    if (value.set_str(text, 10) != 0 || sgn(value.get_den()) <= 0) return error;
    Rational fraction{std::move(value)};
    if (fraction.ToString() != text) return error;
    return fraction;
  }

 private:
  Object(const Json& json, std::string name) : json_(&json), name_(std::move(name)) {}

  const Json* json_;
  std::string name_;
};

class Recost {
 public:
  Result<Cost> Run(std::string_view record) {
    const Json json = Json::parse(record, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("format") || !json.contains("public")) {
      return Wrong("it is no JSON object with a format");
    }
    TACET_TRY(const int64_t format,
              Object::ToInteger(json["format"], "its format", kFormatWithoutRows, kRecordFormat));
    has_rows_ = format > kFormatWithoutRows;
    has_selection_ = format > kFormatWithoutSelection;
    has_choices_ = format > kFormatWithoutChoices;
    is_selected_ = has_selection_ && json.contains("selection") && !json["selection"].is_null();
    is_public_ = json["public"] == true;
    if (has_choices_ && json.contains("parts")) return RunParts(json, record);
    TACET_TRY(const Object plan, Object::Create(json, "the plan", PlanFields()));
    TACET_RETURN_IF_ERROR(ReadNames(plan));
    TACET_RETURN_IF_ERROR(ReadKeys(plan.At("keys")));
    TACET_TRY(const Object cost,
              Object::Create(plan.At("cost"), "the cost", {"epsilon", "delta", "rho"}));
    TACET_RETURN_IF_ERROR(ReadCost(cost));
    if (!is_public_) {
      TACET_RETURN_IF_ERROR(ReadMeasure(plan));
      TACET_RETURN_IF_ERROR(ReadBounds(plan));
      if (is_selected_) TACET_RETURN_IF_ERROR(ReadSelection(plan.At("selection")));
      TACET_RETURN_IF_ERROR(ReadNoise(plan.At("noise")));
      if (has_choices_) TACET_RETURN_IF_ERROR(ReadChoices(plan.At("choices")));
      if (!releases_) return Wrong("it releases nothing");
      TACET_RETURN_IF_ERROR(CheckCaps());
    }
    TACET_RETURN_IF_ERROR(CheckCost());
    // Fields that stand twice, numbers in another form, white space.
    if (json.dump() != record) return Wrong("it is not written as the planner writes it");
    return cost_;
  }

 private:
  // Of UNION ALL: each part is a record of its own, and their costs add up.
  Result<Cost> RunParts(const Json& json, std::string_view record) {
    TACET_TRY(const Object plan,
              Object::Create(json, "the plan",
                             {"format", "statement", "table", "public", "parts", "cost"}));
    TACET_RETURN_IF_ERROR(ReadNames(plan));
    TACET_TRY(const Object cost,
              Object::Create(plan.At("cost"), "the cost", {"epsilon", "delta", "rho"}));
    TACET_RETURN_IF_ERROR(ReadCost(cost));
    adds_rho_ = rho_.sign() > 0;
    const Json& parts = plan.At("parts");
    if (!parts.is_array() || parts.empty()) return Wrong("the parts are no list");
    Rational delta;
    for (const Json& part : parts) {
      // A part has no parts, whatever it says.
      if (part.is_object() && part.contains("parts")) return Wrong("a part has parts");
      TACET_TRY(const Cost own, Recost().Run(part.dump()));
      if (part["public"] != json["public"]) return Wrong("a part is public, and not all are");
      sum_ += adds_rho_ ? own.rho.value() : own.epsilon.value();
      delta += own.delta.value();
    }
    TACET_TRY(cost_.delta, Delta::Create(delta));
    TACET_RETURN_IF_ERROR(CheckCost());
    if (json.dump() != record) return Wrong("it is not written as the planner writes it");
    return cost_;
  }

  std::vector<std::string> PlanFields() const {
    if (is_public_) return {"format", "statement", "table", "public", "keys", "cost"};
    std::vector<std::string> fields = {"format", "statement", "table", "public", "keys", "bounds"};
    if (has_selection_) fields.emplace_back("selection");
    fields.emplace_back("noise");
    if (has_choices_) fields.emplace_back("choices");
    if (has_rows_) fields.emplace_back("measure");
    fields.emplace_back("cost");
    return fields;
  }

  std::vector<std::string> NoiseFields(bool is_laplace) const {
    std::vector<std::string> fields = {"of"};
    if (has_rows_) fields.insert(fields.end(), {"kind", "row"});
    fields.insert(fields.end(), {"step", "l0", "l_infinity", "l1", "l2_squared", "law"});
    fields.emplace_back(is_laplace ? "scale" : "variance");
    return fields;
  }

  Status ReadNames(const Object& plan) const {
    TACET_RETURN_IF_ERROR(plan.Truth("public"));
    TACET_RETURN_IF_ERROR(plan.Text("statement"));
    TACET_RETURN_IF_ERROR(plan.Text("table"));
    return {};
  }

  Status ReadKeys(const Json& keys) {
    if (!keys.is_array()) return Wrong("the keys are no list");
    for (const Json& key : keys) {
      std::vector<std::string> fields = {"column"};
      if (!is_public_) fields.insert(fields.end(), {"domain", "size"});
      TACET_TRY(const Object one, Object::Create(key, "a key", fields));
      TACET_RETURN_IF_ERROR(one.Text("column"));
      if (is_public_) continue;
      TACET_RETURN_IF_ERROR(one.Text("domain"));
      if (is_selected_) {
        if (!one.At("size").is_null()) return Wrong("a key has a size, and keys are selected");
        continue;
      }
      TACET_TRY(const int64_t size, one.Integer("size", 1, kCellsMax));
      cells_ *= size;
      if (cells_ > kCellsMax) return Wrong("there are more groups than a plan may have");
    }
    return {};
  }

  Status ReadCost(const Object& cost) {
    TACET_TRY(const Rational epsilon, cost.Fraction("epsilon"));
    TACET_TRY(delta_, cost.Fraction("delta"));
    TACET_TRY(rho_, cost.Fraction("rho"));
    if (epsilon.sign() < 0 || rho_.sign() < 0) return Wrong("the cost is negative");
    TACET_TRY(cost_.epsilon, Epsilon::Create(epsilon));
    return {};
  }

  Status ReadMeasure(const Object& plan) {
    adds_rho_ = rho_.sign() > 0;
    if (!has_rows_) return {};
    TACET_TRY(const std::string measure, plan.Text("measure"));
    if (measure == (adds_rho_ ? "rho" : "epsilon")) return {};
    return Wrong("its measure does not fit to its cost");
  }

  Status ReadBounds(const Object& plan) {
    std::vector<std::string> fields = {"groups", "rows", "rows_in_all", "caps_groups", "caps_rows"};
    keys_are_facts_ = plan.At("bounds").contains("facts");
    if (keys_are_facts_) fields.emplace_back("facts");
    TACET_TRY(const Object bounds, Object::Create(plan.At("bounds"), "the bounds", fields));
    if (keys_are_facts_ && plan.At("bounds")["facts"] != true) return Wrong("facts are no facts");
    TACET_TRY(bounds_.groups, bounds.Integer("groups", 1, GroupsMax()));
    TACET_TRY(bounds_.rows, bounds.Integer("rows", 1, kRowsPerGroupMax));
    if (!bounds.At("rows_in_all").is_null()) {
      TACET_TRY(bounds_.rows_in_all, bounds.Integer("rows_in_all", 1, kRowsOfAnybody));
    }
    TACET_TRY(caps_groups_, bounds.Truth("caps_groups"));
    TACET_TRY(caps_rows_, bounds.Truth("caps_rows"));
    return {};
  }

  int64_t GroupsMax() const { return is_selected_ ? kGroupsPerPersonMax : kCellsMax; }

  Status ReadSelection(const Json& json) {
    if (!adds_rho_) return Wrong("keys are selected, and epsilon adds up");
    const bool is_gaussian = json.is_object() && json.contains("variance");
    const std::vector<std::string> fields =
        is_gaussian ? std::vector<std::string>{"rule", "variance", "threshold", "delta", "shared"}
                    : std::vector<std::string>{"rule", "epsilon", "delta", "shared"};
    TACET_TRY(const Object selection, Object::Create(json, "the selection", fields));
    TACET_TRY(const std::string rule, selection.Text("rule"));
    if (rule != (is_gaussian ? "gaussian" : "optimal")) return Wrong("its rule is unknown");
    TACET_TRY(const Rational fraction, selection.Fraction("delta"));
    const Result<Delta> delta = Delta::Create(fraction);
    if (!delta.ok()) return Wrong("the delta of the selection is no probability");
    const Result<SelectionLoss> loss =
        is_gaussian ? GaussianRule(selection, *delta) : OptimalRule(selection, *delta);
    if (!loss.ok()) return Wrong("the selection cannot be: " + loss.error().message);
    sum_ += loss->rho.value();
    cost_.delta = loss->delta;
    if (selection.At("shared").is_null()) return {};
    if (!is_gaussian) return Wrong("a number shares the noise of a rule that has none");
    TACET_TRY(const int64_t shared, selection.Integer("shared", 0, kReleasedMax));
    shared_ = static_cast<size_t>(shared);
    return {};
  }

  // The threshold and the delta have to be those of the noise.
  Result<SelectionLoss> GaussianRule(const Object& selection, const Delta& delta) {
    TACET_TRY(shared_variance_, selection.Fraction("variance"));
    TACET_TRY(const GaussianSelection rule, GaussianSelection::Create(shared_variance_, delta));
    TACET_TRY(const std::string threshold, selection.Text("threshold"));
    if (rule.delta() != delta || ToString(rule.threshold()) != threshold) {
      return Error{.code = Code::kData, .message = "its noise has another threshold or delta"};
    }
    return rule.Loss(bounds_.groups);
  }

  Result<SelectionLoss> OptimalRule(const Object& selection, const Delta& delta) const {
    TACET_TRY(const Rational epsilon, selection.Fraction("epsilon"));
    TACET_TRY(const OptimalSelection rule, OptimalSelection::Create({.linear = epsilon}, delta));
    return rule.Loss(bounds_.groups);
  }

  Status ReadNoise(const Json& noise) {
    if (!noise.is_array()) return Wrong("it releases nothing");
    releases_ = !noise.empty();
    if (shared_ && *shared_ >= noise.size()) return Wrong("what shares the noise is missing");
    for (size_t i = 0; i < noise.size(); ++i) {
      const Json& one = noise[i];
      const bool is_laplace = one.is_object() && one.contains("scale");
      TACET_TRY(const Object primitive,
                Object::Create(one, "a released number", NoiseFields(is_laplace)));
      TACET_TRY(const std::string of, primitive.Text("of"));
      TACET_RETURN_IF_ERROR(ReadPrimitive(primitive, of, is_laplace, shared_ == i));
    }
    return {};
  }

  Status ReadPrimitive(const Object& primitive, const std::string& of, bool is_laplace,
                       bool is_shared) {
    TACET_TRY(const Rational step, primitive.Fraction("step"));
    if (step.sign() <= 0) return Wrong("the step of " + of + " is not positive");
    TACET_TRY(const Sensitivity sensitivity, ReadSensitivity(primitive, of));
    TACET_TRY(const std::string law, primitive.Text("law"));
    if (law != (is_laplace ? "discrete_laplace" : "discrete_gaussian")) {
      return Wrong("the noise of " + of + " is of no known law");
    }
    TACET_TRY(const Rational parameter, primitive.Fraction(is_laplace ? "scale" : "variance"));
    if (is_shared) return CheckShared(of, sensitivity, is_laplace, parameter);
    const Result<PrivacyLoss> loss =
        is_laplace ? LaplaceLoss(parameter, sensitivity) : GaussianLoss(parameter, sensitivity);
    if (!loss.ok()) return Wrong("the noise of " + of + " cannot be: " + loss.error().message);
    if (!adds_rho_ && !loss->epsilon) {
      return Wrong("the noise of " + of + " has no epsilon, and epsilon adds up");
    }
    sum_ += adds_rho_ ? loss->rho.value() : loss->epsilon->value();
    return {};
  }

  Status ReadChoices(const Json& choices) {
    if (!choices.is_array()) return Wrong("the choices are no list");
    for (const Json& one : choices) {
      TACET_TRY(const Object choice, Object::Create(one, "a choice",
                                                    {"of", "kind", "quantiles", "buckets", "rows",
                                                     "groups", "rule", "epsilon"}));
      TACET_TRY(const std::string of, choice.Text("of"));
      TACET_RETURN_IF_ERROR(ReadChoice(choice, of));
      releases_ = true;
    }
    return {};
  }

  Status ReadChoice(const Object& choice, const std::string& of) {
    TACET_TRY(const ChoiceShape shape, ReadShape(choice, of));
    TACET_TRY(const std::string rule, choice.Text("rule"));
    const bool is_exponential = rule == ChoiceRuleName(ChoiceRule::kExponential);
    if (!is_exponential && rule != ChoiceRuleName(ChoiceRule::kPermuteAndFlip)) {
      return Wrong("the rule that chooses of " + of + " is unknown");
    }
    TACET_TRY(const Rational fraction, choice.Fraction("epsilon"));
    if (fraction.sign() <= 0) return Wrong("what is chosen of " + of + " costs nothing");
    TACET_TRY(const Epsilon epsilon, Epsilon::Create(fraction));
    const Result<ValueChoice> chooser = ValueChoice::Create(
        epsilon, is_exponential ? ChoiceRule::kExponential : ChoiceRule::kPermuteAndFlip, shape);
    if (!chooser.ok()) return Wrong("the choice of " + of + " cannot be");
    sum_ += adds_rho_ ? chooser->loss().rho.value() : chooser->loss().epsilon->value();
    return {};
  }

  // The rows and groups of a person have to be what the bounds give.
  Result<ChoiceShape> ReadShape(const Object& choice, const std::string& of) {
    TACET_TRY(const std::string kind, choice.Text("kind"));
    ChoiceShape shape;
    bool is_known = false;
    for (const ChoiceKind one :
         {ChoiceKind::kQuantiles, ChoiceKind::kMinimum, ChoiceKind::kMaximum, ChoiceKind::kMode}) {
      if (kind != ChoiceKindName(one)) continue;
      shape.kind = one;
      is_known = true;
    }
    if (!is_known) return Wrong("the kind of " + of + " is unknown");
    const Json& quantiles = choice.At("quantiles");
    const bool has_quantiles = shape.kind == ChoiceKind::kQuantiles;
    if (!quantiles.is_array() || quantiles.empty() == has_quantiles) {
      return Wrong("the quantiles of " + of + " do not fit to its kind");
    }
    for (const Json& quantile : quantiles) {
      TACET_TRY(Rational fraction, Object::ToFraction(quantile, "a quantile of " + of));
      shape.quantiles.push_back(std::move(fraction));
    }
    TACET_TRY(shape.buckets, choice.Integer("buckets", 1, kBucketsMax));
    TACET_TRY(const int64_t rows, choice.Integer("rows", 1, kRowsPerGroupMax));
    TACET_TRY(const Rational groups, choice.Fraction("groups"));
    const bool is_extreme =
        shape.kind == ChoiceKind::kMinimum || shape.kind == ChoiceKind::kMaximum;
    counts_rows_ = counts_rows_ || !is_extreme;
    shape.rows = is_extreme ? 1 : bounds_.rows;
    const Sensitivity filled =
        is_extreme ? PersonSensitivity(bounds_) : SumSensitivity(bounds_, RowRange{});
    shape.groups = filled.l1 / Rational(shape.rows);
    if (rows != shape.rows || groups != shape.groups) {
      return Wrong("what a person may change in " + of + " is not what the bounds give");
    }
    return shape;
  }

  // Only the number of a group's people is known already: it counts each of them once.
  Status CheckShared(const std::string& of, const Sensitivity& sensitivity, bool is_laplace,
                     const Rational& parameter) const {
    const Sensitivity persons = PersonSensitivity(bounds_);
    const bool is_persons = of == "count(distinct person)" || of == "count(*)";
    if (is_persons && !is_laplace && parameter == shared_variance_ &&
        sensitivity.l1 == persons.l1 && sensitivity.l_infinity == persons.l_infinity) {
      return {};
    }
    return Wrong(of + " is not what the groups were selected by");
  }

  static Result<PrivacyLoss> LaplaceLoss(const Rational& scale, const Sensitivity& sensitivity) {
    TACET_TRY(const DiscreteLaplace law, DiscreteLaplace::Create(scale));
    return law.Loss(sensitivity.l1);
  }
  static Result<PrivacyLoss> GaussianLoss(const Rational& variance,
                                          const Sensitivity& sensitivity) {
    TACET_TRY(const DiscreteGaussian law, DiscreteGaussian::Create(variance));
    return law.Loss(sensitivity.l2_squared);
  }

  // From the bounds; the recorded one has to be the same.
  Result<Sensitivity> ReadSensitivity(const Object& primitive, const std::string& of) {
    Sensitivity sensitivity;
    TACET_TRY(const bool counts_persons, CountsPersons(primitive, of));
    if (counts_persons) {
      sensitivity = PersonSensitivity(bounds_);
    } else {
      TACET_TRY(const RowRange row, ReadRow(primitive, of));
      sensitivity = SumSensitivity(bounds_, row);
      counts_rows_ = true;
    }
    TACET_TRY(const int64_t l0, primitive.Integer("l0", 1, GroupsMax()));
    TACET_TRY(const std::string l_infinity, primitive.Text("l_infinity"));
    TACET_TRY(const Rational l1, primitive.Fraction("l1"));
    TACET_TRY(const Rational l2_squared, primitive.Fraction("l2_squared"));
    if (l0 != sensitivity.l0 || l_infinity != ToString(sensitivity.l_infinity) ||
        l1 != sensitivity.l1 || l2_squared != sensitivity.l2_squared) {
      return Wrong("the sensitivity of " + of + " is not what the bounds give");
    }
    return sensitivity;
  }

  Result<bool> CountsPersons(const Object& primitive, const std::string& of) const {
    if (!has_rows_) return of.starts_with("count(distinct person)");
    TACET_TRY(const std::string kind, primitive.Text("kind"));
    if (kind == "sum") return false;
    const bool is_distinct = kind == "distinct" && has_choices_;
    if (kind != "persons" && !is_distinct) return Wrong("the kind of " + of + " is unknown");
    if (primitive.At("row") != Json::array({0, 1})) {
      return Wrong("the row of " + of + ", which counts " + kind + ", is not from 0 to 1");
    }
    return !is_distinct;
  }

  Result<RowRange> ReadRow(const Object& primitive, const std::string& of) const {
    if (!has_rows_) return RowOfFormat1(primitive, of);
    const Json& row = primitive.At("row");
    if (!row.is_array() || row.size() != 2) return Wrong("the row of " + of + " is no pair");
    RowRange range;
    const std::string name = "an end of the row of " + of;
    TACET_TRY(range.low, Object::ToInteger(row[0], name, -kStepsPerRowMax, kStepsPerRowMax));
    TACET_TRY(range.high, Object::ToInteger(row[1], name, -kStepsPerRowMax, kStepsPerRowMax));
    if (range.low > range.high) return Wrong("the row of " + of + " is empty");
    return range;
  }

  Result<RowRange> RowOfFormat1(const Object& primitive, const std::string& of) const {
    TACET_TRY(const Rational in_one_group, primitive.Fraction("l_infinity"));
    const Rational magnitude =
        in_one_group / Rational::FromInt128(SumSensitivity(bounds_, {}).l_infinity);
    if (!magnitude.is_integer() || magnitude < Rational(1) ||
        magnitude > Rational(kStepsPerRowMax)) {
      return Wrong("the sensitivity of " + of + " is not what the bounds give");
    }
    return RowRange{.low = 0, .high = magnitude.numerator().get_si()};
  }

  // A bound that the engine does not enforce has to hold anyway.
  Status CheckCaps() const {
    const int64_t cells = is_selected_ ? kRowsOfAnybody : static_cast<int64_t>(cells_);
    const int64_t groups_possible =
        keys_are_facts_ ? 1 : std::min(cells, bounds_.rows_in_all.value_or(cells));
    if (bounds_.groups > groups_possible || caps_groups_ != (bounds_.groups < groups_possible)) {
      return Wrong("a person may be in " + std::to_string(groups_possible) + " groups, not in " +
                   std::to_string(bounds_.groups));
    }
    const int64_t rows_possible = counts_rows_ ? bounds_.rows_in_all.value_or(kRowsOfAnybody) : 1;
    if (bounds_.rows > rows_possible || caps_rows_ != (bounds_.rows < rows_possible)) {
      return Wrong("a person's rows in a group are not bounded as they should be");
    }
    return {};
  }

  Status CheckCost() {
    if (delta_ != cost_.delta.value()) {
      return Wrong("its cost is delta " + delta_.ToString() + ", but its selection costs " +
                   cost_.delta.ToString());
    }
    if (TACET_FAULT(recost_believes_the_record)) sum_ = adds_rho_ ? rho_ : cost_.epsilon.value();
    if (!adds_rho_) {
      if (rho_.sign() != 0) return Wrong("it is public, and has a cost");
      if (cost_.epsilon.value() == sum_) return {};
      return Wrong("its cost is epsilon " + cost_.epsilon.ToString() + ", but its noise costs " +
                   sum_.ToString());
    }
    const Rational most = sum_ * (Rational(1) + Rational::PowerOfTwo(-30));
    if (rho_ < sum_ || rho_ > most) {
      return Wrong("its cost is rho " + rho_.ToString() + ", but its noise costs " +
                   sum_.ToString());
    }
    const Rational& epsilon = cost_.epsilon.value();
    if (rho_ * Rational(2) > epsilon * epsilon) {
      return Wrong("its price, epsilon " + epsilon.ToString() + ", is below sqrt(2 rho)");
    }
    TACET_TRY(cost_.rho, Rho::Create(sum_));
    return {};
  }

  bool has_rows_ = true;
  bool has_selection_ = true;
  bool has_choices_ = true;
  bool releases_ = false;
  bool is_selected_ = false;
  bool is_public_ = false;
  bool adds_rho_ = false;
  Int128 cells_ = 1;
  Contribution bounds_;
  bool keys_are_facts_ = false;
  bool caps_groups_ = false;
  bool caps_rows_ = false;
  bool counts_rows_ = false;
  std::optional<size_t> shared_;
  Rational shared_variance_;
  Rational rho_;    // as recorded
  Rational delta_;  // as recorded
  Rational sum_;    // of what adds up
  Cost cost_;
};

}  // namespace

Result<Cost> RecomputeCost(std::string_view record) { return Recost().Run(record); }

}  // namespace tacet
