// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/plan/margin.h"
#include "tacet/sql/canonical.h"

namespace tacet {
namespace {

using Json = nlohmann::ordered_json;

std::string_view DomainName(const Column& column) {
  switch (column.domain()) {
    case DomainKind::kBoolean:
      return "boolean";
    case DomainKind::kRange:
      return "range";
    case DomainKind::kTexts:
    case DomainKind::kNumbers:
      return "list";
    case DomainKind::kReference:
      return "reference";
    case DomainKind::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view LawName(const Noise& noise) {
  return noise.is_laplace() ? "discrete Laplace" : "discrete Gaussian";
}

Json ToJson(const Cost& cost) {
  return {{"epsilon", cost.epsilon.ToString()},
          {"delta", cost.delta.ToString()},
          {"rho", cost.rho.ToString()}};
}

std::string_view KindName(Primitive::Kind kind) {
  switch (kind) {
    case Primitive::Kind::kPersons:
      return "persons";
    case Primitive::Kind::kDistinct:
      return "distinct";
    case Primitive::Kind::kSum:
      break;
  }
  return "sum";
}

Json NoiseToJson(const Primitive& primitive) {
  const Sensitivity& sensitivity = primitive.sensitivity;
  Json json = {{"of", primitive.name},
               {"kind", KindName(primitive.kind)},
               {"row", {primitive.row.low, primitive.row.high}},
               {"step", primitive.step.ToString()},
               {"l0", sensitivity.l0},
               {"l_infinity", ToString(sensitivity.l_infinity)},
               {"l1", sensitivity.l1.ToString()},
               {"l2_squared", sensitivity.l2_squared.ToString()}};
  const Noise& noise = *primitive.noise;
  json["law"] = noise.is_laplace() ? "discrete_laplace" : "discrete_gaussian";
  json[noise.is_laplace() ? "scale" : "variance"] = noise.parameter().ToString();
  return json;
}

Json ToJson(const Choice& choice) {
  const ChoiceShape& shape = choice.shape;
  Json quantiles = Json::array();
  for (const Rational& quantile : shape.quantiles) quantiles.push_back(quantile.ToString());
  return {{"of", choice.NameOf(0)},
          {"kind", ChoiceKindName(shape.kind)},
          {"quantiles", std::move(quantiles)},
          {"buckets", shape.buckets},
          {"rows", shape.rows},
          {"groups", shape.groups.ToString()},
          {"rule", ChoiceRuleName(choice.chooser->rule())},
          {"epsilon", choice.chooser->epsilon().ToString()}};
}

Json ToJson(const KeySelection& selection) {
  Json json;
  if (const GaussianSelection* gaussian = selection.gaussian()) {
    json = {{"rule", "gaussian"},
            {"variance", gaussian->sigma_squared().ToString()},
            {"threshold", ToString(gaussian->threshold())},
            {"delta", gaussian->delta().ToString()}};
  } else {
    const OptimalSelection& optimal = *selection.optimal();
    json = {{"rule", "optimal"},
            {"epsilon", optimal.epsilon().Amount().ToString()},
            {"delta", optimal.delta().ToString()}};
  }
  json["shared"] = selection.shared ? Json(*selection.shared) : Json();
  return json;
}

Json ToJson(const Plan& plan) {
  Json json = {{"format", kRecordFormat},
               {"statement", plan.statement},
               {"table", plan.table},
               {"public", plan.is_public}};
  if (!plan.parts.empty()) {
    json["parts"] = Json::array();
    for (const Plan& part : plan.parts) json["parts"].push_back(ToJson(part));
    json["cost"] = ToJson(plan.cost);
    return json;
  }
  json["keys"] = Json::array();
  for (const Key& key : plan.keys) {
    Json one = {{"column", key.column.name}};
    if (!plan.is_public) {
      one["domain"] = DomainName(key.column);
      one["size"] = plan.selection ? Json() : Json(static_cast<int64_t>(*key.column.key_count()));
    }
    json["keys"].push_back(std::move(one));
  }
  if (!plan.is_public) {
    const Contribution& contribution = plan.contribution;
    json["bounds"] = {
        {"groups", contribution.groups},
        {"rows", contribution.rows},
        {"rows_in_all", contribution.rows_in_all ? Json(*contribution.rows_in_all) : Json()},
        {"caps_groups", plan.caps_groups},
        {"caps_rows", plan.caps_rows}};
    if (plan.keys_are_facts) json["bounds"]["facts"] = true;
    json["selection"] = plan.selection ? ToJson(*plan.selection) : Json();
    json["noise"] = Json::array();
    for (const Primitive& primitive : plan.primitives) {
      json["noise"].push_back(NoiseToJson(primitive));
    }
    json["choices"] = Json::array();
    for (const Choice& choice : plan.choices) json["choices"].push_back(ToJson(choice));
    json["measure"] = plan.cost.rho.is_zero() ? "epsilon" : "rho";
  }
  json["cost"] = ToJson(plan.cost);
  return json;
}

std::string Plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string BoundText(const Plan& plan) {
  const Contribution& contribution = plan.contribution;
  std::string text = "a person";
  if (!plan.keys.empty()) {
    text += fmt::format(" in at most {}{}", Plural(contribution.groups, "group"),
                        plan.caps_groups ? ", chosen by keyed hash" : "");
  }
  const auto has = [&](Primitive::Kind kind) {
    return std::any_of(plan.primitives.begin(), plan.primitives.end(),
                       [&](const Primitive& primitive) { return primitive.kind == kind; });
  };
  const bool scales_rows = has(Primitive::Kind::kSum);
  const bool keeps_rows =
      has(Primitive::Kind::kDistinct) ||
      std::any_of(plan.choices.begin(), plan.choices.end(), [](const Choice& choice) {
        return choice.shape.kind == ChoiceKind::kQuantiles ||
               choice.shape.kind == ChoiceKind::kMode;
      });
  if (scales_rows || keeps_rows) {
    text += fmt::format("{} at most {}{}", plan.keys.empty() ? " with" : ", with",
                        Plural(contribution.rows, "row"), plan.keys.empty() ? "" : " in each");
    if (plan.caps_rows && scales_rows) text += "; more are scaled down";
    if (plan.caps_rows && keeps_rows) {
      text += scales_rows ? ", and where values are counted or chosen left out by keyed hash"
                          : "; more are left out by keyed hash";
    }
  } else {
    text += plan.keys.empty() ? " counts once" : ", counted once in each";
  }
  return text;
}

std::string PeopleText(const Plan& plan) {
  if (plan.region.is_everyone()) return "everyone";
  if (plan.region.is_nobody()) return "nobody: no row can pass WHERE";
  return fmt::format("those whose {} can pass WHERE", fmt::join(plan.region_columns, " and "));
}

std::string KeyText(const Key& key) {
  const Column& column = key.column;
  const std::string_view null = column.nullable ? ", and NULL" : "";
  if (!column.key_count()) {
    return fmt::format("{}: {}{}", column.name,
                       column.reference ? "values of a public column" : "undeclared values", null);
  }
  const Int128 count = *column.key_count() - (column.nullable ? 1 : 0);
  return fmt::format("{}: {} value{} of a public {}{}", column.name, ToString(count),
                     count == 1 ? "" : "s", column.reference ? "column" : DomainName(column), null);
}

// (sex, smoker), (sex), ()
std::string LevelsText(const Plan& plan) {
  std::string text;
  for (const std::vector<size_t>& level : plan.levels) {
    std::vector<std::string> names;
    for (const size_t key : level) names.push_back(plan.keys[key].column.name);
    text += fmt::format("{}({})", text.empty() ? "" : ", ", fmt::join(names, ", "));
  }
  return text;
}

// Six significant digits, and no exponent for what people can read without one.
std::string Readable(double value) {
  constexpr double kPlainMax = 1e15;
  if (value >= 1e6 && value < kPlainMax) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

std::string NoiseText(const Primitive& primitive) {
  const Noise& noise = *primitive.noise;
  const double step = primitive.step.ToDouble();
  const double spread = noise.spread() * step;
  return fmt::format("{}: {}, {} {}; 95% within {}", primitive.name, LawName(noise),
                     noise.is_laplace() ? "scale" : "sigma", Readable(spread),
                     Readable(Margin(noise, primitive.step, kMarginLevel)));
}

std::string ChoiceText(const Plan& plan, const Choice& choice) {
  const ValueChoice& chooser = *choice.chooser;
  std::string names;
  std::vector<std::string> margins;
  for (size_t place = 0; place < choice.places(); ++place) {
    names += (place == 0 ? "" : ", ") + choice.NameOf(place);
    margins.push_back(fmt::format("{:.0f}", chooser.Margin(place)));
  }
  const ChoiceValues& values = choice.values;
  std::string of = Plural(values.size(), values.width > 1 ? "bucket" : "value");
  if (values.width > 1) {
    of += " of width " + Readable((Rational(values.width) * values.grid).ToDouble());
  }
  const bool adds_rho = !plan.cost.rho.is_zero();
  const Rational spent =
      adds_rho ? chooser.loss().rho.value() / choice.shape.groups : chooser.epsilon().value();
  return fmt::format(
      "{}: one of {}, by {}, {} {}{}; {}", names, of,
      chooser.rule() == ChoiceRule::kExponential ? "the exponential mechanism" : "permute-and-flip",
      adds_rho ? "rho" : "epsilon", Readable(spent.ToDouble()),
      plan.keys.empty() ? "" : " in each group",
      margins.size() == 1
          ? choice.MarginText(0)
          : fmt::format("95% within {} rows of their ranks", fmt::join(margins, ", ")));
}

// Which groups appear, and from how many people on more often than not.
std::string SelectionText(const Plan& plan) {
  const KeySelection& selection = *plan.selection;
  const std::string odds = ToString(selection.PersonsForEvenOdds());
  const GaussianSelection* gaussian = selection.gaussian();
  if (gaussian == nullptr) {
    return fmt::format(
        "groups of about {} people and more, by the optimal rule: epsilon {} and delta {:.3g} in "
        "each",
        odds, Readable(selection.optimal()->epsilon().Amount().value().ToDouble()),
        selection.optimal()->delta().value().ToDouble());
  }
  return fmt::format(
      "groups of about {} people and more: those whose number of people, with discrete Gaussian "
      "noise, sigma {}, is at least {}{}",
      odds, Readable(std::sqrt(gaussian->sigma_squared().ToDouble())), odds,
      selection.shared ? ", which also answers " + plan.primitives[*selection.shared].name : "");
}

void AddLine(std::string_view word, const std::string& text, std::string& to) {
  to += fmt::format("{:<6} {}\n", word, text);
}

}  // namespace

std::string RecordOf(const Plan& plan) {
  return ToJson(plan).dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

Json WithMargins(const Plan& plan) {
  Json json = ToJson(plan);
  for (size_t i = 0; i < plan.parts.size(); ++i) json["parts"][i] = WithMargins(plan.parts[i]);
  for (size_t i = 0; !plan.is_public && i < plan.primitives.size(); ++i) {
    const Primitive& primitive = plan.primitives[i];
    json["noise"][i]["margin"] = Margin(*primitive.noise, primitive.step, kMarginLevel);
  }
  for (size_t i = 0; !plan.is_public && i < plan.choices.size(); ++i) {
    const Choice& choice = plan.choices[i];
    Json& one = json["choices"][i];
    one["aims_at_rank"] = choice.chooser->rank();
    one["rank_margins"] = Json::array();
    for (size_t place = 0; place < choice.places(); ++place) {
      one["rank_margins"].push_back(choice.chooser->Margin(place));
    }
  }
  if (plan.selection) {
    json["selection"]["even_odds"] = ToString(plan.selection->PersonsForEvenOdds());
  }
  if (!plan.levels.empty()) json["levels"] = LevelsText(plan);
  if (!plan.is_public) json["people"] = PeopleText(plan);
  return json;
}

// What is read and noised for one SELECT.
void AddPart(const Plan& plan, std::string& text) {
  AddLine("bound", BoundText(plan), text);
  for (const Key& key : plan.keys) AddLine("keys", KeyText(key), text);
  if (plan.selection) AddLine("select", SelectionText(plan), text);
  if (!plan.levels.empty()) AddLine("levels", LevelsText(plan) + ": sums of noised groups", text);
  for (const Primitive& primitive : plan.primitives) {
    AddLine("noise", NoiseText(primitive), text);
  }
  for (const Choice& choice : plan.choices) AddLine("choose", ChoiceText(plan, choice), text);
}

}  // namespace

std::string ExplainJson(const Plan& plan) {
  return WithMargins(plan).dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string ExplainText(const Plan& plan) {
  std::string text;
  if (plan.is_public) {
    AddLine("table", plan.table + ", public: exact and free", text);
    return text;
  }
  for (size_t i = 0; i < PartsOf(plan).size(); ++i) {
    if (!plan.parts.empty()) {
      AddLine("part", fmt::format("{} of {}, {}", i + 1, plan.parts.size(), plan.parts[i].table),
              text);
    }
    AddPart(PartsOf(plan)[i], text);
  }
  std::string cost = "epsilon " + plan.cost.epsilon.ToString();
  if (!plan.cost.rho.is_zero()) {
    cost += fmt::format(", counted as rho {:.6g}, at most epsilon^2/2",
                        plan.cost.rho.value().ToDoubleUp());
  }
  if (!plan.cost.delta.is_zero()) {
    cost += fmt::format("; delta {:.6g}", plan.cost.delta.value().ToDoubleUp());
  }
  AddLine("cost", cost, text);
  AddLine("people", PeopleText(plan), text);
  return text;
}

}  // namespace tacet
