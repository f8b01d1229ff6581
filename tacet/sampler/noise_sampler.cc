// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/noise_sampler.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/sampler/probability.h"

namespace tacet {
namespace {

constexpr mpfr_prec_t kTablePrecision = 192;

Error OutOfRange(const char* what, const char* range) {
  return {.code = Code::kUsage,
          .message = std::string(what) + " is out of range",
          .hint = std::string("it must lie in ") + range + "."};
}

// floor(x 2^64) and ceil(x 2^64) for 0 <= x < 2^64.
UInt128 FixedPoint(mpfr_srcptr x, mpfr_rnd_t direction) {
  mpfr_t scaled;
  mpfr_init2(scaled, mpfr_get_prec(x));
  mpfr_mul_2ui(scaled, x, 64, direction);
  mpz_class integer;
  mpfr_get_z(integer.get_mpz_t(), scaled, direction);
  mpfr_clear(scaled);
  TACET_CHECK(mpz_sizeinbase(integer.get_mpz_t(), 2) <= 128);
  return (UInt128{mpz_getlimbn(integer.get_mpz_t(), 1)} << 64) |
         mpz_getlimbn(integer.get_mpz_t(), 0);
}

mpz_class WordToMpz(uint64_t value) { return static_cast<unsigned long>(value); }

uint64_t HighWord(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((UInt128{a} * b) >> 64);
}

}  // namespace

Result<NoiseSampler> NoiseSampler::Geometric(const Rational& rate) {
  if (rate < Rational::PowerOfTwo(-60) || rate > Rational(1000000)) {
    return OutOfRange("the rate", "[2^-60, 10^6]");
  }
  return NoiseSampler({rate, Rational(0), false}, {.word_bits = 64, .blocks_per_scale = 16});
}

Result<NoiseSampler> NoiseSampler::DiscreteLaplace(const Rational& scale) {
  if (scale < Rational(1, 1000000) || scale > Rational::PowerOfTwo(60)) {
    return OutOfRange("the scale", "[10^-6, 2^60]");
  }
  const Rational used = TACET_FAULT(scale_off_by_one) ? scale + Rational(1) : scale;
  return NoiseSampler({used.Inverse(), Rational(0), true},
                      {.word_bits = 64, .blocks_per_scale = 16});
}

Result<NoiseSampler> NoiseSampler::DiscreteGaussian(const Rational& sigma_squared) {
  if (sigma_squared < Rational(1, 1000000) || sigma_squared > Rational::PowerOfTwo(80)) {
    return OutOfRange("sigma squared", "[10^-6, 2^80]");
  }
  return NoiseSampler({Rational(0), (sigma_squared * Rational(2)).Inverse(), true},
                      {.word_bits = 64, .blocks_per_scale = 32});
}

NoiseSampler::NoiseSampler(Law law, Shape shape) : law_(std::move(law)), shape_(shape) {
  TACET_CHECK((law_.rate.sign() > 0) != (law_.curvature.sign() > 0));
  MakeBlocks();
}

Interval NoiseSampler::Weight(const mpz_class& z, mpfr_prec_t precision) const {
  const Rational at(z);
  const Rational exponent = -(law_.rate * at + law_.curvature * at * at);
  const Interval weight = Exp(Interval(exponent, precision));
  if (z != 0 || !law_.two_sided || TACET_FAULT(minus_zero_kept)) return weight;
  return weight * Interval(Rational(1, 2), precision);
}

void NoiseSampler::MakeBlocks() {
  // The widest block that still leaves `blocks_per_scale` of them in one scale.
  const auto blocks_fit = [&](int bits) {
    const Rational span = Rational(shape_.blocks_per_scale) * Rational::PowerOfTwo(bits);
    return law_.rate.sign() > 0 ? span * law_.rate <= Rational(1)
                                : span * span * law_.curvature * Rational(2) <= Rational(1);
  };
  while (blocks_fit(offset_bits_ + 1)) ++offset_bits_;
  const Rational width = Rational::PowerOfTwo(offset_bits_);

  // bounds[b] encloses the greatest weight in block b, which is that of its first number, until the
  // weights are too small for a word. Going from one block to the next multiplies the weight by a
  // ratio, and the ratio by a constant.
  const Rational drop = law_.rate * width + law_.curvature * width * width;
  Interval ratio = Exp(Interval(-drop, kTablePrecision));
  const Interval ratio_step =
      Exp(Interval(Rational(-2) * law_.curvature * width * width, kTablePrecision));
  const Rational negligible = Rational::PowerOfTwo(-shape_.word_bits - 1);
  std::vector<Interval> bounds;
  Interval weight(Rational(1), kTablePrecision);
  Interval total(Rational(0), kTablePrecision);
  while (bounds.empty() || !weight.CertainlyAtMost(negligible)) {
    const bool halved = bounds.empty() && offset_bits_ == 0;
    bounds.push_back(halved ? Weight(0, kTablePrecision) : weight);
    total += bounds.back();
    weight.MultiplyBy(ratio);
    ratio.MultiplyBy(ratio_step);
  }
  block_count_ = static_cast<uint32_t>(bounds.size());
  zero_halved_ = law_.two_sided && offset_bits_ > 0;
  MakeDropScale();

  // The tail is proposed by a geometric law, whose weights add up to this, in units of a block.
  const Rational tail_start = Rational(block_count_) * width;
  const Rational tail_rate = law_.rate + Rational(2) * law_.curvature * tail_start;
  const Interval one(Rational(1), kTablePrecision);
  const Interval tail = Weight(tail_start.numerator(), kTablePrecision) /
                        (Interval(width, kTablePrecision) *
                         (one - Exp(Interval(-tail_rate, kTablePrecision))));
  total = total + tail;

  // Rounding each block's share up adds less than one, so all of them fit into a word.
  const mpz_class words = mpz_class(1) << static_cast<unsigned long>(shape_.word_bits);
  const mpz_class shares = words - block_count_ - 2;
  TACET_CHECK(shares > block_count_);
  unit_ = (total / Interval(Rational(shares), kTablePrecision)).High();
  const Interval per_unit = one / Interval(unit_, kTablePrecision);
  mpz_class left = words;
  struct Share {
    UInt128 low;
    UInt128 high;
  };
  std::vector<Share> shares_of_blocks;
  bounds.push_back(tail);
  for (Interval& bound : bounds) {
    bound.MultiplyBy(per_unit);
    const Share share = {FixedPoint(bound.low(), MPFR_RNDD), FixedPoint(bound.high(), MPFR_RNDU)};
    counts_.push_back(
        static_cast<uint64_t>((share.high >> 64) + (static_cast<uint64_t>(share.high) != 0)));
    left -= WordToMpz(counts_.back());
    shares_of_blocks.push_back(share);
  }
  TACET_CHECK(left >= 0);
  counts_[0] += left.get_ui();
  for (uint32_t block = 0; block < block_count_; ++block) {
    const UInt128 gain = shares_of_blocks[block].low / counts_[block];
    TACET_CHECK(shares_of_blocks[block].high / counts_[block] - gain <= 1);
    gains_.push_back({static_cast<uint64_t>(std::min(gain, UInt128{~uint64_t{0}})), Doubt(block)});
  }
  gains_.push_back({0, 0});  // of the tail, which is always settled apart
  MakeAliasTable();
}

void NoiseSampler::MakeAliasTable() {
  // Walker's method in integers: each cell holds the same number of words, shared by at most two
  // blocks, and the words of a block add up to its count exactly.
  cell_bits_ = static_cast<int>(std::bit_width(counts_.size() - 1));
  TACET_CHECK(cell_bits_ >= 1 && cell_bits_ < shape_.word_bits);
  const uint64_t capacity = uint64_t{1} << (shape_.word_bits - cell_bits_);
  std::vector<uint64_t> left = counts_;
  left.resize(size_t{1} << cell_bits_);
  std::vector<uint32_t> small;
  std::vector<uint32_t> large;
  for (uint32_t i = 0; i < left.size(); ++i) (left[i] < capacity ? small : large).push_back(i);
  cells_.resize(left.size());
  while (!small.empty()) {
    const uint32_t cell = small.back();
    small.pop_back();
    const uint32_t donor = large.back();
    cells_[cell] = {left[cell], cell, donor};
    left[donor] -= capacity - left[cell];
    if (left[donor] < capacity) {
      large.pop_back();
      small.push_back(donor);
    }
  }
  for (uint32_t cell : large) {
    TACET_CHECK(left[cell] == capacity);
    cells_[cell] = {capacity, cell, cell};
  }
}

// For a number at `offset` in a block that starts at b w, x = offset (rate + curvature place) with
// place = 2 b w + offset, and one of the two terms is 0. Both factors are shifted as far left as a
// word allows and multiplied high word by high word.
void NoiseSampler::MakeDropScale() {
  if (offset_bits_ == 0) return;  // no number but the first in a block: x = 0
  drop_.quadratic = law_.curvature.sign() > 0;
  const Rational& factor = drop_.quadratic ? law_.curvature : law_.rate;
  // factor = mantissa 2^-(64 + shift), the top bit of the mantissa set.
  int shift = static_cast<int>(mpz_sizeinbase(factor.denominator().get_mpz_t(), 2)) -
              static_cast<int>(mpz_sizeinbase(factor.numerator().get_mpz_t(), 2)) - 1;
  const auto mantissa = [&] { return (factor * Rational::PowerOfTwo(64 + shift)).Floor(); };
  while (mpz_sizeinbase(mantissa().get_mpz_t(), 2) < 64) ++shift;
  drop_.mantissa = mantissa().get_ui();
  if (!drop_.quadratic) {
    drop_.offset_shift = 64 - shift;
    TACET_CHECK(drop_.offset_shift >= 0 && drop_.offset_shift + offset_bits_ <= 64);
    return;
  }
  drop_.offset_shift = 64 - offset_bits_;
  const uint64_t place_max = (uint64_t{2} * block_count_ + 1) << offset_bits_;
  drop_.place_shift = std::countl_zero(place_max);
  drop_.result_shift = 128 - shift - drop_.offset_shift - drop_.place_shift;
  TACET_CHECK(drop_.result_shift <= 5);
  if (drop_.result_shift < 0) {
    drop_.place_shift += drop_.result_shift;
    drop_.result_shift = 0;
    TACET_CHECK(drop_.place_shift >= 0);
  }
}

uint64_t NoiseSampler::Drop(uint32_t block, uint64_t offset) const {
  if (!drop_.quadratic) return HighWord(offset << drop_.offset_shift, drop_.mantissa);
  const uint64_t place = (uint64_t{block} << (offset_bits_ + 1)) + offset;
  const uint64_t square = HighWord(offset << drop_.offset_shift, place << drop_.place_shift);
  return HighWord(square, drop_.mantissa) << drop_.result_shift;
}

uint64_t NoiseSampler::Doubt(uint32_t block) const {
  // The series below stops after the fifth term, which leaves it too large by less than x^5/120.
  // What is rounded adds less than 140.
  const uint64_t x = Drop(block, (uint64_t{1} << offset_bits_) - 1) + 128;
  uint64_t power = x;
  for (int i = 1; i < 5; ++i) power = HighWord(power, x) + 1;
  return power / 120 + 140;
}

uint64_t NoiseSampler::Acceptance(uint32_t block,
                                    uint64_t offset) const {
  // e^-x as 1 - x (1 - x/2 (1 - x/3 (1 - x/4))), in 2^-63.
  constexpr uint64_t kOne = uint64_t{1} << 63;
  const uint64_t x = Drop(block, offset);
  uint64_t series = kOne - x / 8;
  series = kOne - HighWord(x / 3, series);
  series = kOne - HighWord(x / 2, series);
  series = kOne - HighWord(x, series);
  const bool halved = (block | offset) == 0 && zero_halved_;
  return (HighWord(gains_[block].value, series) << 1) >> halved;
}

NoiseSampler::Try NoiseSampler::TryOnce(
    uint64_t word, uint64_t offset, uint64_t compared, int word_bits) const {
  // Without branches where a processor's guess would be wrong half the time.
  const int remainder_bits = word_bits - cell_bits_;
  const uint64_t remainder = word & ((uint64_t{1} << remainder_bits) - 1);
  const Cell& cell = cells_[word >> remainder_bits];
  const auto own = static_cast<uint32_t>(remainder < cell.threshold);
  const uint32_t block = cell.other ^ ((cell.own ^ cell.other) & (0 - own));
  const uint64_t acceptance = Acceptance(block, offset);
  const uint64_t low = compared << (64 - word_bits);
  const uint64_t high = low | (~uint64_t{0} >> 1 >> (word_bits - 1));
  const bool accepted = (high < acceptance) & (acceptance - high > gains_[block].doubt);
  const bool rejected = (low > acceptance) & (low - acceptance > kBelowMax);
  return {.magnitude = UInt128{block} * (uint64_t{1} << offset_bits_) + offset,
          .block = block,
          .accepted = accepted,
          .doubtful = block == block_count_ || !(accepted || rejected)};
}

[[gnu::noinline]] bool NoiseSampler::Settle(Try& attempt, uint64_t compared, Coins& coins) const {
  if (attempt.block == block_count_) return SettleTail(attempt, coins);
  const mpz_class z = ToMpz(static_cast<Int128>(attempt.magnitude));
  const Rational bound = unit_ * Rational(WordToMpz(counts_[attempt.block]));
  const LazyReal probability = [&](mpfr_prec_t precision) {
    return Weight(z, precision) / Interval(bound, precision);
  };
  return Probability::Refine(compared, shape_.word_bits, probability, coins);
}

bool NoiseSampler::SettleTail(Try& attempt, Coins& coins) const {
  const UInt128 start = UInt128{block_count_} << offset_bits_;
  const Rational first = Rational::FromInt128(static_cast<Int128>(start));
  const Rational rate = law_.rate + Rational(2) * law_.curvature * first;
  const UInt128 beyond = SampleGeometric(rate, coins);
  const Rational distance = Rational::FromInt128(static_cast<Int128>(beyond));
  const Rational bound =
      unit_ * Rational::PowerOfTwo(offset_bits_) * Rational(WordToMpz(counts_.back()));
  const LazyReal probability = [&](mpfr_prec_t precision) {
    const Interval proposed =
        Interval(bound, precision) *
        (Interval(Rational(1), precision) - Exp(Interval(-rate, precision)));
    return Weight(first.numerator(), precision) *
           Exp(Interval(-(law_.curvature * distance * distance), precision)) / proposed;
  };
  attempt.magnitude = start + beyond;
  return Probability::Refine(0, 0, probability, coins);
}

Int128 NoiseSampler::WithSign(UInt128 magnitude, bool negative) const {
  if (TACET_FAULT(noise_cut_at_64_bits)) magnitude = static_cast<uint64_t>(magnitude) >> 1;
  const UInt128 minus = negative & law_.two_sided;
  return static_cast<Int128>((magnitude ^ (0 - minus)) + minus);
}

std::optional<Int128> NoiseSampler::SampleOnce(Coins& coins) const {
  const uint64_t word = coins.Bits(shape_.word_bits);
  const uint64_t offset = coins.Bits(offset_bits_);
  const bool negative = coins.Bits(1) != 0;
  const uint64_t compared = coins.Bits(shape_.word_bits);
  Try attempt = TryOnce(word, offset, compared, shape_.word_bits);
  if (attempt.doubtful) attempt.accepted = Settle(attempt, compared, coins);
  if (!attempt.accepted) return std::nullopt;
  return WithSign(attempt.magnitude, negative);
}

Int128 NoiseSampler::Sample(Coins& coins) const {
  while (coins.ok()) {
    if (const std::optional<Int128> value = SampleOnce(coins)) return *value;
  }
  return 0;
}

[[gnu::flatten]] void NoiseSampler::Sample(std::span<Int128> out, Coins& coins) const {
  TACET_CHECK(shape_.word_bits == 64);
  constexpr size_t kTries = 170;
  constexpr size_t kWordsPerTry = 3;
  std::array<uint64_t, kTries * kWordsPerTry> words;
  const uint64_t offset_mask = (uint64_t{1} << offset_bits_) - 1;
  while (!out.empty() && coins.ok()) {
    const size_t tries = std::min(out.size(), kTries);
    coins.Fill(std::span(words).first(tries * kWordsPerTry));
    Int128* next = out.data();
    for (size_t i = 0; i < tries; ++i) {
      const uint64_t* word = words.data() + i * kWordsPerTry;
      Try attempt = TryOnce(word[0], word[1] & offset_mask, word[2], 64);
      if (attempt.doubtful) [[unlikely]] {
        attempt.accepted = Settle(attempt, word[2], coins);
      }
      // A rejected value is written over by the next one.
      *next = WithSign(attempt.magnitude, (word[1] >> 63) != 0);
      next += attempt.accepted;
    }
    out = out.subspan(static_cast<size_t>(next - out.data()));
  }
  OPENSSL_cleanse(words.data(), words.size() * sizeof(uint64_t));
}

UInt128 SampleGeometric(const Rational& rate, Coins& coins) {
  TACET_CHECK(rate.sign() > 0);
  // Bit i is set with probability 1 / (1 + e^(rate 2^i)), independently. From `top` on, where a
  // further one is set less than once in e^50, the rest is counted in whole steps of 2^top.
  UInt128 value = 0;
  Rational scaled = rate;
  int top = 0;
  for (; scaled < Rational(50); ++top, scaled *= Rational(2)) {
    const Probability bit = *Probability::Against(Rational(1), scaled);
    if (bit.Draw(coins)) value |= UInt128{1} << top;
  }
  const Probability step = *Probability::ExpMinus(scaled);
  while (coins.ok() && step.Draw(coins)) value += UInt128{1} << top;
  return value;
}

}  // namespace tacet
