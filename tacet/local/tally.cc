// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/tally.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr double kQuantile = 1.9599639845400545;  // of the normal law, 95% within it

Error WrongTally(const char* what) {
  return {.code = Code::kData,
          .message = std::string("a tally ") + what,
          .hint = "the file is damaged, or was not written by tacet local merge."};
}

// The next decimal number of `text`, if it is one.
template <typename Number>
std::optional<Number> TakeNumber(std::string_view& text) {
  Number value = 0;
  size_t used = 0;
  for (; used < text.size() && text[used] != ' '; ++used) {
    const char digit = text[used];
    if (digit < '0' || digit > '9' || value > (~Number{0} - 9) / 10) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  if (used == 0 || (used > 1 && text.front() == '0')) return std::nullopt;
  text.remove_prefix(std::min(text.size(), used + 1));
  return value;
}

std::string Digits(UInt128 value) { return ToMpz(static_cast<Int128>(value)).get_str(); }

LocalEstimate EstimateShare(const Support& support, uint64_t count, uint64_t reports,
                            Reporters reporters) {
  const auto n = static_cast<double>(reports);
  const auto variance = [&](double share) {
    const double drawn = reporters == Reporters::kSample ? share * (1 - share) : 0;
    return (ShareVariance(support, share) + drawn) / n;
  };
  LocalEstimate estimate;
  estimate.value = (static_cast<double>(count) / n - support.other) / support.difference;
  if (TACET_FAULT(share_not_debiased)) estimate.value = static_cast<double>(count) / n;
  const double share = std::clamp(estimate.value, 0.0, 1.0);
  estimate.variance = variance(share);
  // The count is a whole number, the normal law is not; and the true share may have more variance
  // than the estimated one.
  const double half = 0.5 / (n * support.difference);
  const double first = kQuantile * std::sqrt(estimate.variance) + half;
  const double high = std::min(1.0, share + first);
  const double low = std::max(0.0, share - first);
  const double worst =
      std::max({variance(low), variance(high), variance(std::clamp(0.5, low, high))});
  estimate.margin = kQuantile * std::sqrt(worst) + half;
  return estimate;
}

LocalEstimate EstimateMean(const NumberResponse& response, const NumberDomain& domain,
                           const Tally& tally, Reporters reporters) {
  const WindowMoments& moments = response.moments();
  const auto n = static_cast<double>(tally.reports());
  const auto steps = static_cast<double>(response.window().steps());
  const double mean = static_cast<double>(tally.sum()) / n;
  const double per_unit = moments.slope() * steps;
  const double width = (domain.high - domain.low).ToDouble();
  LocalEstimate estimate;
  estimate.value = domain.low.ToDouble() + width * (mean - moments.mean()) / per_unit;
  // The reports vary by their coins and by the people's answers: at least as much as by the coins.
  constexpr double kSpreadMax = 0.25;  // of numbers in [0, 1]
  double variance = moments.VarianceMax() + (reporters == Reporters::kSample ? kSpreadMax : 0);
  if (tally.reports() > 1) {
    const double square = static_cast<double>(tally.sum_squares()) / n;
    const double seen = (square - mean * mean) * n / (n - 1) / (per_unit * per_unit);
    variance = std::min(variance, std::max(seen, 0.0));
  }
  // They may happen to vary by less: near an end a lie is rare. The coins' variance is known, and
  // the truth is near the estimate. Where those who reported are a sample, people who are as rare
  // as the margin is wide may be missing from it.
  const double share = std::clamp((mean - moments.mean()) / per_unit, 0.0, 1.0);
  variance = std::max(variance, moments.Variance(share));
  const double half = 0.5 / (n * per_unit);
  const double first = kQuantile * std::sqrt(variance / n) + half;
  const double low = std::max(0.0, share - first);
  const double high = std::min(1.0, share + first);
  const double middle = std::clamp(0.5, low, high);
  const double rare = reporters == Reporters::kSample ? std::min(middle * (1 - middle), first) : 0;
  const double worst = std::max(variance, moments.VarianceMax(low, high) + rare);
  estimate.variance = width * width * variance / n;
  estimate.margin = width * (kQuantile * std::sqrt(worst / n) + half);
  return estimate;
}

}  // namespace

Tally::Tally(const Randomizer& randomizer)
    : kind_(randomizer.unary() != nullptr    ? Kind::kUnary
            : randomizer.number() != nullptr ? Kind::kNumber
                                             : Kind::kDirect) {
  if (kind_ != Kind::kNumber) counts_.resize(AnswerCount(randomizer.question()));
  if (kind_ == Kind::kUnary) planes_.resize(kPlanes * randomizer.unary()->words());
}

void Tally::Add(const Report& report) {
  if (kind_ == Kind::kUnary) {
    AddBits(report.bits);
    return;
  }
  ++reports_;
  if (kind_ == Kind::kDirect) {
    TACET_CHECK(report.number < counts_.size());
    ++counts_[report.number];
  } else {
    sum_ += report.number;
    sum_squares_ += static_cast<UInt128>(report.number) * report.number;
  }
}

void Tally::AddNumbers(std::span<const uint8_t> numbers) {
  if (kind_ == Kind::kDirect && counts_.size() == 2) {
    uint64_t yes = 0;
    for (const uint8_t number : numbers) yes += number;
    TACET_CHECK(yes <= numbers.size());
    counts_[1] += yes;
    counts_[0] += numbers.size() - yes;
    reports_ += numbers.size();
    return;
  }
  for (const uint8_t number : numbers) Add({.number = number, .bits = {}});
}

void Tally::AddBits(std::span<const uint64_t> reports) {
  const size_t words = planes_.size() / kPlanes;
  TACET_CHECK(kind_ == Kind::kUnary && reports.size() % words == 0);
  for (; !reports.empty(); reports = reports.subspan(words)) {
    for (size_t word = 0; word < words; ++word) {
      uint64_t carry = reports[word];
      uint64_t* plane = &planes_[word * kPlanes];
      for (; carry != 0; ++plane) {
        const uint64_t next = *plane & carry;
        *plane ^= carry;
        carry = next;
      }
    }
    ++reports_;
    if (++pending_ == (1u << kPlanes) - 1) Flush();
  }
}

void Tally::Flush() {
  counts_ = Counts();
  std::fill(planes_.begin(), planes_.end(), 0);
  pending_ = 0;
}

std::vector<uint64_t> Tally::Counts() const {
  std::vector<uint64_t> counts = counts_;
  for (size_t i = 0; i < planes_.size(); ++i) {
    for (uint64_t bits = planes_[i]; bits != 0; bits &= bits - 1) {
      const size_t category = i / kPlanes * 64 + static_cast<size_t>(std::countr_zero(bits));
      TACET_CHECK(category < counts.size());
      counts[category] += uint64_t{1} << (i % kPlanes);
    }
  }
  return counts;
}

Status Tally::Merge(const Tally& other) {
  if (kind_ != other.kind_ || counts_.size() != other.counts_.size()) {
    return WrongTally("is of another kind of question");
  }
  if (reports_ + other.reports_ > kReportsMax || nulls_ + other.nulls_ > kReportsMax) {
    return WrongTally("has too many reports");
  }
  Flush();
  const std::vector<uint64_t> counts = other.Counts();
  for (size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
  reports_ += other.reports_;
  nulls_ += other.nulls_;
  sum_ += other.sum_;
  sum_squares_ += other.sum_squares_;
  return {};
}

std::string Tally::Text() const {
  std::string text = std::to_string(reports_) + " " + std::to_string(nulls_);
  if (kind_ == Kind::kNumber) return text + " " + Digits(sum_) + " " + Digits(sum_squares_);
  for (const uint64_t count : Counts()) text += " " + std::to_string(count);
  return text;
}

Result<Tally> Tally::Read(const Randomizer& randomizer, std::string_view text) {
  Tally tally(randomizer);
  const auto reports = TakeNumber<uint64_t>(text);
  const auto nulls = TakeNumber<uint64_t>(text);
  if (!reports || !nulls || *reports > kReportsMax || *nulls > kReportsMax) {
    return WrongTally("does not say how many reports it holds");
  }
  tally.reports_ = *reports;
  tally.nulls_ = *nulls;
  for (uint64_t& count : tally.counts_) {
    const auto read = TakeNumber<uint64_t>(text);
    if (!read) return WrongTally("has a count that is no number");
    count = *read;
  }
  if (tally.kind_ == Kind::kNumber) {
    const auto sum = TakeNumber<UInt128>(text);
    const auto squares = TakeNumber<UInt128>(text);
    if (!sum || !squares) return WrongTally("has a sum that is no number");
    tally.sum_ = *sum;
    tally.sum_squares_ = *squares;
  }
  if (!text.empty()) return WrongTally("has more counts than the question has values");
  TACET_RETURN_IF_ERROR(tally.Check(randomizer.Outputs()));
  return tally;
}

Status Tally::Check(uint64_t cells) const {
  uint64_t total = 0;
  for (const uint64_t count : counts_) {
    if (count > reports_) return WrongTally("counts more than there are reports");
    total += kind_ == Kind::kDirect ? count : 0;
    if (total > reports_) return WrongTally("counts more than there are reports");
  }
  if (kind_ == Kind::kDirect && total != reports_) {
    return WrongTally("counts less than there are reports");
  }
  if (kind_ != Kind::kNumber) return {};
  const UInt128 most = cells - 1;
  if (sum_ > most * reports_ || sum_squares_ > most * sum_ || sum_squares_ < sum_) {
    return WrongTally("has sums that its reports cannot have");
  }
  // The squares of whole numbers are as odd as they are, and by Cauchy and Schwarz not small.
  const mpz_class sum = ToMpz(static_cast<Int128>(sum_));
  const mpz_class squares = ToMpz(static_cast<Int128>(sum_squares_));
  const mpz_class reports = ToMpz(static_cast<Int128>(reports_));
  if (reports * squares < sum * sum || (sum_squares_ - sum_) % 2 != 0) {
    return WrongTally("has sums that its reports cannot have");
  }
  return {};
}

Support SupportOf(const Randomizer& randomizer) {
  const Odds odds(randomizer.question().epsilon);
  if (randomizer.unary() != nullptr) {
    const double other = odds.inverse / (1 + odds.inverse);
    return {.truth = 0.5, .other = other, .difference = odds.gap / (2 * (1 + odds.inverse))};
  }
  const auto lies = static_cast<double>(AnswerCount(randomizer.question()) - 1);
  const double truth = 1 / (1 + lies * odds.inverse);
  return {.truth = truth, .other = truth * odds.inverse, .difference = truth * odds.gap};
}

double ShareVariance(const Support& support, double share) {
  const double p = support.truth;
  const double q = support.other;
  return (share * p * (1 - p) + (1 - share) * q * (1 - q)) /
         (support.difference * support.difference);
}

QuestionEstimate Estimate(const Randomizer& randomizer, const Tally& tally, Reporters reporters) {
  QuestionEstimate result;
  result.reports = tally.reports();
  result.nulls = tally.nulls();
  if (tally.reports() == 0) return result;
  const auto n = static_cast<double>(tally.reports());
  if (const NumberResponse* response = randomizer.number()) {
    const auto& domain = std::get<NumberDomain>(randomizer.question().domain);
    result.estimates = {EstimateMean(*response, domain, tally, reporters)};
    const WindowMoments& moments = response->moments();
    const auto steps = static_cast<double>(response->window().steps());
    const auto cells = static_cast<double>(response->window().cells());
    result.moved_max =
        (domain.high - domain.low).ToDouble() * (cells - 1) / (n * moments.slope() * steps);
    return result;
  }
  const Support support = SupportOf(randomizer);
  const std::vector<uint64_t> counts = tally.Counts();
  const bool yes_no = std::holds_alternative<YesNoDomain>(randomizer.question().domain);
  for (size_t i = yes_no ? 1 : 0; i < counts.size(); ++i) {
    result.estimates.push_back(EstimateShare(support, counts[i], tally.reports(), reporters));
  }
  result.moved_max = 1 / (n * support.difference);
  return result;
}

std::vector<double> ProjectToSimplex(std::vector<double> shares) {
  std::vector<double> sorted = shares;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  // The largest count of coordinates that all stay positive once their excess over 1 is shared.
  double sum = 0;
  double shift = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double candidate = (sum - 1) / static_cast<double>(i + 1);
    if (sorted[i] <= candidate) break;
    shift = candidate;
  }
  for (double& share : shares) share = std::max(0.0, share - shift);
  return shares;
}

}  // namespace tacet
