// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/probability.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tacet {
namespace {

constexpr mpfr_prec_t kFirstPrecision = 128;

Interval One(mpfr_prec_t precision) { return Interval(Rational(1), precision); }

// floor(x * 2^64) as a word, at the ends of the range where x lies outside [0, 1).
uint64_t Word(mpfr_srcptr x) {
  if (mpfr_sgn(x) <= 0) return 0;
  if (mpfr_cmp_ui(x, 1) >= 0) return ~uint64_t{0};
  mpfr_t scaled;
  mpfr_init2(scaled, mpfr_get_prec(x));
  mpfr_mul_2ui(scaled, x, 64, MPFR_RNDZ);
  const uint64_t word = mpfr_get_ui(scaled, MPFR_RNDD);
  mpfr_clear(scaled);
  return word;
}

Error OutOfRange(const char* what) { return {.code = Code::kUsage, .message = what}; }

}  // namespace

Result<Probability> Probability::Exactly(const Rational& p) {
  if (p < Rational(0) || p > Rational(1)) return OutOfRange("a probability must be in [0, 1]");
  return Probability([p](mpfr_prec_t precision) { return Interval(p, precision); });
}

Result<Probability> Probability::ExpMinus(const Rational& g) {
  if (g.sign() < 0) return OutOfRange("e^-g is a probability only for g >= 0");
  return Probability([g](mpfr_prec_t precision) { return Exp(Interval(-g, precision)); });
}

Result<Probability> Probability::Against(const Rational& w, const Rational& x) {
  if (w.sign() <= 0) return OutOfRange("a weight must be positive");
  return Probability([w, x](mpfr_prec_t precision) {
    return One(precision) / (One(precision) + Interval(w, precision) * Exp(Interval(x, precision)));
  });
}

Probability::Probability(LazyReal value)
    : value_(std::make_shared<const LazyReal>(std::move(value))) {
  const Interval enclosure = (*value_)(kFirstPrecision);
  below_ = Word(enclosure.low());
  above_ = Word(enclosure.high());
}

void Probability::Draw(std::span<uint8_t> events, Coins& coins) const {
  constexpr size_t kBatch = 1000;
  std::array<uint64_t, kBatch / 2> words;
  const uint64_t below = below_ >> 32;
  const uint64_t above = above_ >> 32;
  while (!events.empty() && coins.ok()) {
    const size_t count = std::min(events.size(), kBatch);
    coins.Fill(std::span(words).first((count + 1) / 2));
    for (size_t i = 0; i < count; ++i) {
      const uint64_t half = (words[i / 2] >> (32 * (i % 2))) & 0xffffffff;
      events[i] = static_cast<uint8_t>(half < below);
      // In [below, above], by one comparison: no branch on the outcome.
      if (half - below <= above - below) [[unlikely]] {
        events[i] = static_cast<uint8_t>(Refine(half, 32, *value_, coins));
      }
    }
    events = events.subspan(count);
  }
  OPENSSL_cleanse(words.data(), words.size() * sizeof(uint64_t));
}

uint64_t Probability::DrawLanes(int lanes, Coins& coins) const {
  TACET_CHECK(lanes >= 1 && lanes <= 64);
  uint64_t events = 0;
  if (below_ != above_) {  // a multiple of 2^-64 in the enclosure: its digits are not certain
    for (int lane = 0; lane < lanes; ++lane) events |= uint64_t{Draw(coins)} << lane;
    return events;
  }
  // Lane by lane a uniform number is compared with p, from the first digit on; a lane leaves where
  // the digits differ.
  uint64_t equal = ~uint64_t{0} >> (64 - lanes);
  for (int place = 63; place >= 0 && equal != 0; --place) {
    const uint64_t flips = coins.Bits(lanes);
    const uint64_t digit = ((below_ >> place) & 1) != 0 ? ~uint64_t{0} : 0;
    events |= equal & digit & ~flips;
    equal &= ~(flips ^ digit);
  }
  for (; equal != 0; equal &= equal - 1) {
    const int lane = std::countr_zero(equal);
    events |= uint64_t{Refine(below_, 64, *value_, coins)} << lane;
  }
  return events;
}

bool Probability::Refine(uint64_t bits, int count, const LazyReal& real, Coins& coins) {
  // The uniform number lies in [known, known + 1) * 2^-length.
  mpz_class known = static_cast<unsigned long>(bits);
  auto length = static_cast<unsigned long>(count);
  while (coins.ok()) {
    Interval scaled = real(kFirstPrecision + static_cast<mpfr_prec_t>(length));
    scaled = scaled * Interval(Rational(mpz_class(mpz_class(1) << length)), scaled.precision());
    const mpz_class next = known + 1;
    if (mpfr_cmp_z(scaled.low(), next.get_mpz_t()) >= 0) return true;
    if (mpfr_cmp_z(scaled.high(), known.get_mpz_t()) <= 0) return false;
    known = (known << static_cast<unsigned long>(coins.chunk_bits())) +
            static_cast<unsigned long>(coins.Bits(coins.chunk_bits()));
    length += static_cast<unsigned long>(coins.chunk_bits());
  }
  return false;
}

}  // namespace tacet
