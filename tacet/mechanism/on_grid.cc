// SPDX-License-Identifier: Apache-2.0
#include "tacet/mechanism/on_grid.h"

#include <cmath>

#include "tacet/base/fault.h"
#include "tacet/sampler/coins.h"

namespace tacet {
namespace {

Status CheckBinary(const Grid& grid) {
  if (grid.is_binary()) return {};
  return Error{.code = Code::kUsage,
               .message = "noise on real answers needs a grid whose step is a power of two",
               .hint = "a bounded sum takes decimal steps."};
}

// By how many steps two answers can differ once they are rounded.
Result<Rational> StepsApart(const Rational& sensitivity, const Grid& grid) {
  if (sensitivity.sign() < 0) {
    return Error{.code = Code::kUsage, .message = "the sensitivity must not be negative"};
  }
  if (sensitivity.sign() == 0) return Rational(0);
  return Rational((sensitivity / grid.step()).Floor()) + Rational(1);
}

template <typename Noise>
Result<double> ReleaseOnGrid(double exact, const Grid& grid, const Noise& noise, Entropy& entropy) {
  TACET_TRY(const Int128 noisy, noise.Release(Int128{grid.StepsOf(exact).value_or(0)}, entropy));
  return grid.ValueOf(noisy);
}

}  // namespace

Result<LaplaceOnGrid> LaplaceOnGrid::Create(const Rational& scale, const Grid& grid) {
  TACET_RETURN_IF_ERROR(CheckBinary(grid));
  TACET_TRY(DiscreteLaplace noise, DiscreteLaplace::Create(scale / grid.step()));
  return LaplaceOnGrid(grid, std::move(noise));
}

Result<PrivacyLoss> LaplaceOnGrid::Loss(const Rational& sensitivity) const {
  TACET_TRY(const Rational steps, StepsApart(sensitivity, grid_));
  return noise_.Loss(steps);
}

Result<double> LaplaceOnGrid::Release(double exact, Entropy& entropy) const {
  if (TACET_FAULT(naive_inverse_cdf)) {
    const double scale = (noise_.scale() * grid_.step()).ToDouble();
    return Draw(entropy, [&](Coins& coins) {
      const double noise = scale * -std::log(static_cast<double>(coins.Bits(53) + 1) * 0x1p-53);
      return coins.Bits(1) != 0 ? exact + noise : exact - noise;
    });
  }
  return ReleaseOnGrid(exact, grid_, noise_, entropy);
}

Result<GaussianOnGrid> GaussianOnGrid::Create(const Rational& sigma, const Grid& grid) {
  TACET_RETURN_IF_ERROR(CheckBinary(grid));
  if (sigma.sign() <= 0) {
    return Error{.code = Code::kUsage, .message = "sigma must be positive"};
  }
  const Rational steps = sigma / grid.step();
  TACET_TRY(DiscreteGaussian noise, DiscreteGaussian::Create(steps * steps));
  return GaussianOnGrid(grid, std::move(noise));
}

Result<PrivacyLoss> GaussianOnGrid::Loss(const Rational& sensitivity) const {
  TACET_TRY(const Rational steps, StepsApart(sensitivity, grid_));
  return noise_.Loss(steps * steps);
}

Result<double> GaussianOnGrid::Release(double exact, Entropy& entropy) const {
  return ReleaseOnGrid(exact, grid_, noise_, entropy);
}

}  // namespace tacet
