// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"
#include "tacet/base/interval.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kPrecision = 128;
constexpr int64_t kOnceIn = 20;

Error OutOfRange(const Error& from) {
  return {.code = Code::kUnsupported,
          .message = "so little privacy loss, or so much, chooses no value",
          .hint = "ask with another epsilon, or for fewer things at a time.",
          .detail = from.message};
}

// How many choices follow one another in a group.
int64_t LevelsOf(const ChoiceShape& shape) {
  if (shape.kind != ChoiceKind::kQuantiles) return 1;
  return static_cast<int64_t>(std::bit_width(shape.quantiles.size()));
}

BucketedColumn ColumnOf(const ChoiceShape& shape) {
  const bool is_counted_as_one = TACET_FAULT(rows_per_quantile_not_counted);
  return {.buckets = static_cast<size_t>(shape.buckets),
          .rows_per_person = is_counted_as_one ? 1 : static_cast<uint64_t>(shape.rows),
          .slices = static_cast<size_t>(shape.buckets * kSlicesPerBucket)};
}

PrivacyLoss InAllGroups(const PrivacyLoss& one, const Rational& groups) {
  const Rational times = TACET_FAULT(quantile_groups_not_charged) ? Rational(1) : groups;
  const Rational epsilon = times * one.epsilon->value();
  return {.epsilon = *Epsilon::Create(epsilon),
          .rho = *Rho::Create(times * one.rho.value()),
          .law = PureLoss{{.linear = epsilon}}};
}

}  // namespace

ValueChoice::ValueChoice(Law law, Epsilon epsilon, ChoiceRule rule, const ChoiceShape& shape,
                         PrivacyLoss loss)
    : law_(std::move(law)),
      epsilon_(std::move(epsilon)),
      rule_(rule),
      shape_(shape),
      loss_(std::move(loss)) {}

Result<ValueChoice> ValueChoice::Create(const Epsilon& epsilon, ChoiceRule rule,
                                        const ChoiceShape& shape) {
  TACET_CHECK(shape.buckets > 0 && shape.rows > 0 && shape.groups.sign() > 0);
  if (shape.kind == ChoiceKind::kMode) {
    Result<ModeChoice> mode = ModeChoice::For(static_cast<uint64_t>(shape.rows), epsilon, rule);
    if (!mode.ok()) return OutOfRange(mode.error());
    PrivacyLoss loss = InAllGroups(mode->loss(), shape.groups);
    return ValueChoice(*std::move(mode), epsilon, rule, shape, std::move(loss));
  }
  const BucketedColumn column = ColumnOf(shape);
  Result<QuantileChoice> choice =
      shape.kind == ChoiceKind::kQuantiles
          ? QuantileChoice::Quantiles(shape.quantiles, column, epsilon, rule)
          : (shape.kind == ChoiceKind::kMinimum ? QuantileChoice::Minimum(column, epsilon, rule)
                                                : QuantileChoice::Maximum(column, epsilon, rule));
  if (!choice.ok()) return OutOfRange(choice.error());
  PrivacyLoss loss = InAllGroups(choice->loss(), shape.groups);
  return ValueChoice(*std::move(choice), epsilon, rule, shape, std::move(loss));
}

Result<ValueChoice> ValueChoice::Choose(const Price& price, const Rational& part,
                                        const ChoiceShape& shape) {
  if (price.epsilon.value().sign() <= 0 || part.sign() <= 0 || part > Rational(1)) {
    return Error{.code = Code::kUsage, .message = "epsilon must be greater than 0"};
  }
  const Rational groups = TACET_FAULT(quantile_groups_not_charged) ? Rational(1) : shape.groups;
  const Rational amount = price.Amount() * part / groups;
  if (price.is_pure) {
    TACET_TRY(const Epsilon share, Epsilon::Create(amount));
    return Create(share, ChoiceRule::kPermuteAndFlip, shape);
  }
  TACET_TRY(const Rho share, Rho::Create(amount));
  const int64_t levels = LevelsOf(shape);
  const Epsilon each = EpsilonOfEachChoice(share, levels, ChoiceRule::kExponential);
  TACET_TRY(const Epsilon all, Epsilon::Create(Rational(levels) * each.value()));
  return Create(all, ChoiceRule::kExponential, shape);
}

Result<std::vector<size_t>> ValueChoice::Release(std::span<const int64_t> counts,
                                                 Entropy& entropy) const {
  if (const auto* quantiles = std::get_if<QuantileChoice>(&law_)) {
    return quantiles->Release(counts, entropy);
  }
  TACET_TRY(const size_t place, std::get<ModeChoice>(law_).Release(counts, entropy));
  return std::vector<size_t>{place};
}

int64_t ValueChoice::rank() const {
  const auto* quantiles = std::get_if<QuantileChoice>(&law_);
  return quantiles == nullptr ? 0 : quantiles->rank();
}

double ValueChoice::Margin(size_t place) const {
  if (const auto* quantiles = std::get_if<QuantileChoice>(&law_)) {
    return Rational(quantiles->RankMargin(place)).ToDoubleUp();
  }
  const Rational rate = epsilon_.value() / Rational(shape_.rows);
  const Interval reach = Log(Interval(Rational(kOnceIn) * Rational(shape_.buckets), kPrecision)) /
                         Interval(rate, kPrecision);
  return Rational(reach.High().Ceil()).ToDoubleUp();
}

int64_t ChoiceValues::size() const {
  if (!texts.empty()) return static_cast<int64_t>(texts.size());
  if (is_truth) return 2;
  if (!listed.empty()) return static_cast<int64_t>(listed.size());
  return static_cast<int64_t>((Int128{high} - low) / width) + 1;
}

std::optional<size_t> ChoiceValues::Find(int64_t number) const {
  if (!listed.empty()) {
    const auto found = std::lower_bound(listed.begin(), listed.end(), number);
    if (found == listed.end() || *found != number) return std::nullopt;
    return static_cast<size_t>(found - listed.begin());
  }
  if (number < 0 || number >= size()) return std::nullopt;
  return static_cast<size_t>(number);
}

Value ChoiceValues::At(size_t place, const Type& type) const {
  if (!texts.empty()) return texts[place];
  if (is_truth) return place == 1;
  Int128 steps = 0;
  if (!listed.empty()) {
    steps = listed[place];
  } else {
    const Int128 first = Int128{low} + Int128{width} * static_cast<Int128>(place);
    const Int128 last = std::min(first + width - 1, Int128{high});
    steps = first + (last - first) / 2;
  }
  const Rational value = Rational::FromInt128(steps) * grid;
  if (type.kind == TypeKind::kDouble) return value.ToDouble();
  return value;
}

std::string Choice::NameOf(size_t place) const {
  const std::string behind = filter.empty() ? "" : " FILTER (WHERE " + filter + ")";
  switch (shape.kind) {
    case ChoiceKind::kMinimum:
      return "min(" + of + ")" + behind;
    case ChoiceKind::kMaximum:
      return "max(" + of + ")" + behind;
    case ChoiceKind::kMode:
      return "mode(" + of + ")" + behind;
    case ChoiceKind::kQuantiles:
      break;
  }
  const Rational& quantile = shape.quantiles[place];
  if (quantile == Rational(1, 2)) return "median(" + of + ")" + behind;
  return fmt::format("percentile({:.6g}, {}){}", quantile.ToDouble(), of, behind);
}

std::string Choice::MarginText(size_t place) const {
  const std::string rows =
      fmt::format("{:.0f} row{}", chooser->Margin(place), chooser->Margin(place) == 1 ? "" : "s");
  switch (shape.kind) {
    case ChoiceKind::kMode:
      return "95% within " + rows + " of the most frequent";
    case ChoiceKind::kMinimum:
    case ChoiceKind::kMaximum:
      return fmt::format("aims at the person with {} others {}, 95% within {:.0f} of that rank",
                         chooser->rank(), shape.kind == ChoiceKind::kMinimum ? "below" : "above",
                         chooser->Margin(place));
    case ChoiceKind::kQuantiles:
      break;
  }
  return "95% within " + rows + " of its rank";
}

std::string_view ChoiceKindName(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::kMinimum:
      return "minimum";
    case ChoiceKind::kMaximum:
      return "maximum";
    case ChoiceKind::kMode:
      return "mode";
    case ChoiceKind::kQuantiles:
      break;
  }
  return "quantiles";
}

std::string_view ChoiceRuleName(ChoiceRule rule) {
  return rule == ChoiceRule::kExponential ? "exponential" : "permute_and_flip";
}

}  // namespace tacet
