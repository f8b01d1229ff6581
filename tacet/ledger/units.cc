// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/units.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"

namespace tacet {
namespace {

constexpr size_t kDigitsMax = 4000;

// How many units make 1.
const mpz_class& UnitsInOne() {
  static const mpz_class count = [] {
    mpz_class product;
    mpz_ui_pow_ui(product.get_mpz_t(), 10, 30);
    mpz_class multiple = 1;
    for (unsigned long i = 2; i <= 100; ++i) multiple = lcm(multiple, mpz_class(i));
    return mpz_class(product * multiple);
  }();
  return count;
}

// Divides without cancelling first, which takes longer than all the rest.
template <typename Divide>
mpz_class Count(const Rational& amount, const Divide& divide) {
  TACET_CHECK(amount.sign() >= 0);
  const mpq_class& exact = amount.value();
  mpz_class count = exact.get_num() * UnitsInOne();
  divide(count.get_mpz_t(), count.get_mpz_t(), exact.get_den().get_mpz_t());
  return count;
}

}  // namespace

Units Units::Up(const Rational& amount) {
  return Units(Count(amount, TACET_FAULT(cost_rounded_down) ? mpz_fdiv_q : mpz_cdiv_q));
}

Units Units::Down(const Rational& amount) { return Units(Count(amount, mpz_fdiv_q)); }

Result<Units> Units::Parse(std::string_view text) {
  const bool is_number = !text.empty() && text.size() <= kDigitsMax &&
                         std::all_of(text.begin(), text.end(),
                                     [](char digit) { return digit >= '0' && digit <= '9'; });
  if (!is_number || (text.size() > 1 && text.front() == '0')) {
    return Error{.code = Code::kData, .message = "a stored amount is malformed"};
  }
  return Units(mpz_class(std::string(text), 10));
}

Rational Units::Amount() const { return Rational(mpq_class(count_, UnitsInOne())); }

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
