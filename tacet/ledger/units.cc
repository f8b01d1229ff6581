// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/units.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr size_t kDigitsMax = 4000;

// How many units make 1.
const Rational& UnitsInOne() {
  static const Rational count = [] {
    mpz_class product;
    mpz_ui_pow_ui(product.get_mpz_t(), 10, 30);
    mpz_class multiple = 1;
    for (unsigned long i = 2; i <= 100; ++i) multiple = lcm(multiple, mpz_class(i));
    return Rational(mpz_class(product * multiple));
  }();
  return count;
}

}  // namespace

Units Units::Up(const Rational& amount) {
  TACET_CHECK(amount.sign() >= 0);
  if (amount.sign() == 0) return {};
  const Rational exact = amount * UnitsInOne();
  return Units(TACET_FAULT(cost_rounded_down) ? exact.Floor() : exact.Ceil());
}

Units Units::Down(const Rational& amount) {
  TACET_CHECK(amount.sign() >= 0);
  return Units((amount * UnitsInOne()).Floor());
}

Result<Units> Units::Parse(std::string_view text) {
  const bool is_number = !text.empty() && text.size() <= kDigitsMax &&
                         std::all_of(text.begin(), text.end(),
                                     [](char digit) { return digit >= '0' && digit <= '9'; });
  if (!is_number || (text.size() > 1 && text.front() == '0')) {
    return Error{.code = Code::kData, .message = "a stored amount is malformed"};
  }
  return Units(mpz_class(std::string(text), 10));
}

Rational Units::Amount() const { return Rational(count_) / UnitsInOne(); }

Units& Units::operator+=(const Units& other) {
  count_ += other.count_;
  return *this;
}

Units operator*(const Units& a, uint64_t count) {
  static_assert(sizeof(unsigned long) == sizeof(uint64_t));
  return Units(mpz_class(a.count_ * static_cast<unsigned long>(count)));
}

Units operator-(const Units& a, const Units& b) {
  return a <= b ? Units() : Units(mpz_class(a.count_ - b.count_));
}

}  // namespace tacet
