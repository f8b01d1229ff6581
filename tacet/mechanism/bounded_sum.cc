// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/bounded_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

// So that 2^64 values cannot overflow 128 bits.
const Rational& StepsMax() {
  static const Rational max = Rational::PowerOfTwo(62);
  return max;
}

Error Gone() {
  return {.code = Code::kForbidden,
          .message = "this sum was released or moved away; a second answer would cost again"};
}

}  // namespace

BoundedSum::BoundedSum(Steps steps, Noise noise)
    : grid_(std::move(steps.grid)),
      low_steps_(steps.low),
      high_steps_(steps.high),
      sensitivity_steps_(steps.sensitivity),
      noise_(std::move(noise)) {}

BoundedSum::BoundedSum(BoundedSum&& other) noexcept
    : grid_(std::move(other.grid_)),
      low_steps_(other.low_steps_),
      high_steps_(other.high_steps_),
      sensitivity_steps_(other.sensitivity_steps_),
      noise_(std::move(other.noise_)),
      sum_(std::exchange(other.sum_, 0)),
      released_(std::exchange(other.released_, true)) {}

Result<BoundedSum::Steps> BoundedSum::Measure(const SumBounds& bounds, const Grid& grid) {
  const Rational low = bounds.low / grid.step();
  const Rational high = bounds.high / grid.step();
  if (low.Abs() > StepsMax() || high.Abs() > StepsMax() || high - low > StepsMax()) {
    return Error{.code = Code::kUsage,
                 .message = "the bounds, or the range between them, are more than 2^62 steps",
                 .hint = "use a coarser step."};
  }
  // Inwards, so that what is summed stays within the bounds that were given.
  const mpz_class low_steps = low.Ceil();
  const mpz_class high_steps = high.Floor();
  if (low_steps > high_steps) {
    return Error{.code = Code::kUsage,
                 .message = "no step of the grid lies within the bounds",
                 .hint = "use a finer step."};
  }
  // A person may contribute nothing: no row, or no number.
  mpz_class sensitivity = std::max<mpz_class>(abs(low_steps), abs(high_steps));
  if (bounds.neighbours == Neighbours::kChangeOne) {
    sensitivity = std::max<mpz_class>(sensitivity, high_steps - low_steps);
  }
  if (sensitivity == 0) {
    return Error{.code = Code::kUsage, .message = "with these bounds every sum is 0"};
  }
  return Steps{grid, low_steps.get_si(), high_steps.get_si(), sensitivity.get_si()};
}

// Tries the grid that was asked for, or coarser and coarser ones until the noise fits the sampler.
template <typename MakeNoise>
Result<BoundedSum> BoundedSum::Create(const SumBounds& bounds, MakeNoise make_noise) {
  TACET_TRY(Grid grid, Grid::ForRange(bounds.low, bounds.high));
  if (bounds.step) {
    TACET_TRY(grid, Grid::Create(*bounds.step));
  }
  std::optional<Error> first_error;
  constexpr int kCoarserMax = 200;
  for (int coarser = 0; coarser < kCoarserMax; ++coarser) {
    Result<Steps> steps = Measure(bounds, grid);
    if (steps.ok()) {
      auto noise = make_noise(Rational(steps->sensitivity));
      if (noise.ok()) return BoundedSum(*std::move(steps), *std::move(noise));
      if (!first_error) first_error = noise.error();
    } else if (!first_error) {
      first_error = steps.error();
    }
    if (bounds.step) break;
    TACET_TRY(grid, Grid::Create(grid.step() * Rational(2)));
  }
  return *first_error;
}

Result<BoundedSum> BoundedSum::WithLaplace(const SumBounds& bounds, const Rational& epsilon) {
  if (epsilon.sign() <= 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must be positive"};
  }
  return Create(bounds, [&](const Rational& sensitivity) {
    return DiscreteLaplace::Create(sensitivity / epsilon);
  });
}

Result<BoundedSum> BoundedSum::WithGaussian(const SumBounds& bounds, const Rational& rho) {
  if (rho.sign() <= 0) return Error{.code = Code::kUsage, .message = "rho must be positive"};
  return Create(bounds, [&](const Rational& sensitivity) {
    return DiscreteGaussian::Create(sensitivity * sensitivity / (Rational(2) * rho));
  });
}

void BoundedSum::Add(double value) {
  if (TACET_FAULT(clamp_lets_nan_through) && std::isnan(value)) {
    sum_ += std::llrint(value);
    return;
  }
  const std::optional<int64_t> steps = grid_.StepsOf(value);
  if (!steps) return;
  const int64_t clamped = std::clamp(*steps, low_steps_, high_steps_);
  if (TACET_FAULT(sum_in_double)) {
    sum_ = static_cast<Int128>(ToDouble(sum_) + static_cast<double>(clamped));
    return;
  }
  sum_ += clamped;
}

void BoundedSum::Add(std::span<const double> values) {
  for (double value : values) Add(value);
}

Status BoundedSum::Merge(BoundedSum other) {
  if (released_ || other.released_) return Gone();
  if (grid_.step() != other.grid_.step() || low_steps_ != other.low_steps_ ||
      high_steps_ != other.high_steps_) {
    return Error{.code = Code::kUsage, .message = "the two sums have different bounds or steps"};
  }
  sum_ += other.sum_;
  return {};
}

PrivacyLoss BoundedSum::Loss() const {
  const Rational steps(sensitivity_steps_);
  if (const auto* laplace = std::get_if<DiscreteLaplace>(&noise_)) return *laplace->Loss(steps);
  return *std::get<DiscreteGaussian>(noise_).Loss(steps * steps);
}

Result<double> BoundedSum::Release(Entropy& entropy) && {
  if (released_) return Gone();
  released_ = true;
  TACET_TRY(const Int128 noisy,
            std::visit([&](const auto& noise) { return noise.Release(sum_, entropy); }, noise_));
  return grid_.ValueOf(noisy);
}

}  // namespace tacet
