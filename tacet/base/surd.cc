// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/surd.h"

#include <utility>

namespace tacet {
namespace {

// number = root^2 rest.
struct SquareFactor {
  mpz_class root = 1;
  mpz_class rest;
};

SquareFactor TakeSquares(mpz_class number) {
  constexpr unsigned long kFactorMax = 4096;
  SquareFactor taken;
  for (unsigned long factor = 2; factor <= kFactorMax && factor * factor <= number; ++factor) {
    while (mpz_divisible_ui_p(number.get_mpz_t(), factor * factor) != 0) {
      number /= factor * factor;
      taken.root *= factor;
    }
  }
  if (mpz_perfect_square_p(number.get_mpz_t()) != 0) {
    taken.root *= sqrt(number);
    number = 1;
  }
  taken.rest = number;
  return taken;
}

}  // namespace

Surd::Surd(const Rational& value) : square_(value * value) { TACET_CHECK(value.sign() >= 0); }

Surd Surd::Root(Rational square) {
  TACET_CHECK(square.sign() >= 0);
  Surd root;
  root.square_ = std::move(square);
  return root;
}

bool Surd::is_rational() const {
  const mpz_class numerator = square_.numerator();
  const mpz_class denominator = square_.denominator();
  return mpz_perfect_square_p(numerator.get_mpz_t()) != 0 &&
         mpz_perfect_square_p(denominator.get_mpz_t()) != 0;
}

std::string Surd::ToString() const {
  if (square_.sign() == 0) return "0";
  const SquareFactor above = TakeSquares(square_.numerator());
  const SquareFactor below = TakeSquares(square_.denominator());
  // sqrt(rest / rest') = sqrt(rest rest') / rest'.
  const Rational coefficient = Rational(above.root) / (Rational(below.root) * Rational(below.rest));
  const mpz_class radicand = above.rest * below.rest;
  if (radicand == 1) return coefficient.ToString();
  const std::string root = "sqrt(" + radicand.get_str() + ")";
  return coefficient == Rational(1) ? root : coefficient.ToString() + "*" + root;
}

}  // namespace tacet
