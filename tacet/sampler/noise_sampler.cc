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

constexpr mpfr_prec_t kTablePrecision = 320;

Error OutOfRange(const char* what, const char* range) {
  return {.code = Code::kUsage,
          .message = std::string(what) + " is out of range",
          .hint = std::string("it must lie in ") + range + "."};
}

// A number in [0, 2^64), in 2^-256, the lowest limb first. Tables have over a thousand entries, for
// which MPFR's numbers, each with memory of its own, are slow.
constexpr size_t kLimbs = 5;
constexpr int kFractionBits = 256;
using Fixed = std::array<mp_limb_t, kLimbs>;
static_assert(GMP_NUMB_BITS == 64);

Fixed ToFixed(mpfr_srcptr x, mpfr_rnd_t direction) {
  mpfr_t scaled;
  mpfr_init2(scaled, mpfr_get_prec(x));
  mpfr_mul_2ui(scaled, x, kFractionBits, direction);
  mpz_class integer;
  mpfr_get_z(integer.get_mpz_t(), scaled, direction);
  mpfr_clear(scaled);
  TACET_CHECK(integer >= 0 && mpz_size(integer.get_mpz_t()) <= kLimbs);
  Fixed result;
  for (size_t i = 0; i < kLimbs; ++i) {
    result[i] = mpz_getlimbn(integer.get_mpz_t(), static_cast<mp_size_t>(i));
  }
  return result;
}

Rational ToRational(const Fixed& x) {
  mpz_class integer;
  mpz_import(integer.get_mpz_t(), kLimbs, -1, sizeof(mp_limb_t), 0, 0, x.data());
  return Rational(integer) * Rational::PowerOfTwo(-kFractionBits);
}

// a b, rounded down or up to a multiple of 2^-256.
Fixed Product(const Fixed& a, const Fixed& b, bool up) {
  std::array<mp_limb_t, 2 * kLimbs> product;
  mpn_mul_n(product.data(), a.data(), b.data(), kLimbs);
  const auto point = product.begin() + kLimbs - 1;
  Fixed result;
  std::copy_n(point, kLimbs, result.begin());
  const bool exact = std::all_of(product.begin(), point, [](mp_limb_t limb) { return limb == 0; });
  const mp_limb_t step = up && !exact ? 1 : 0;
  const mp_limb_t carry = mpn_add_1(result.data(), result.data(), kLimbs, step);
  TACET_CHECK(product.back() == 0 && carry == 0);
  return result;
}

// Certainly contains a number, as an Interval does.
struct Enclosure {
  Fixed low;
  Fixed high;

  explicit Enclosure(const Interval& x)
      : low(ToFixed(x.low(), MPFR_RNDD)), high(ToFixed(x.high(), MPFR_RNDU)) {}
  void MultiplyBy(const Enclosure& other) {
    low = Product(low, other.low, /*up=*/false);
    high = Product(high, other.high, /*up=*/true);
  }
};

mpz_class WordToMpz(uint64_t value) { return static_cast<unsigned long>(value); }

uint64_t HighWord(uint64_t a, uint64_t b) { return static_cast<uint64_t>((UInt128{a} * b) >> 64); }

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
  const auto enclose = [](const Rational& x) { return Interval(x, kTablePrecision); };
  const Rational drop = law_.rate * width + law_.curvature * width * width;
  Enclosure ratio(Exp(enclose(-drop)));
  const Enclosure ratio_step(Exp(enclose(Rational(-2) * law_.curvature * width * width)));
  const Fixed negligible = Enclosure(enclose(Rational::PowerOfTwo(-shape_.word_bits - 1))).low;
  std::vector<Enclosure> bounds;
  Enclosure weight(enclose(Rational(1)));
  Fixed sum{};  // of what the bounds are at most
  while (bounds.empty() || mpn_cmp(weight.high.data(), negligible.data(), kLimbs) > 0) {
    const bool halved = bounds.empty() && offset_bits_ == 0;
    bounds.push_back(halved ? Enclosure(Weight(0, kTablePrecision)) : weight);
    TACET_CHECK(mpn_add_n(sum.data(), sum.data(), bounds.back().high.data(), kLimbs) == 0);
    weight.MultiplyBy(ratio);
    if (law_.curvature.sign() > 0) ratio.MultiplyBy(ratio_step);
  }
  block_count_ = static_cast<uint32_t>(bounds.size());
  zero_halved_ = law_.two_sided && offset_bits_ > 0;
  MakeDropScale();

  // The tail is proposed by a geometric law, whose weights add up to this, in units of a block.
  const Interval tail = Weight(TailStart(), kTablePrecision) /
                        (enclose(width) * (enclose(Rational(1)) - Exp(enclose(-TailRate()))));
  bounds.emplace_back(tail);

  // Rounding each block's share up adds less than one, so all of them fit into a word.
  const Rational shares =
      Rational::PowerOfTwo(shape_.word_bits) - Rational(block_count_) - Rational(2);
  TACET_CHECK(shares > Rational(block_count_));
  unit_ = ((enclose(ToRational(sum)) + tail) / enclose(shares)).High();
  // A share in 2^-64 is two limbs in the middle of the product with 2^-128 / unit_.
  const Enclosure per_unit(enclose(Rational::PowerOfTwo(-128)) / enclose(unit_));
  const auto middle = [](const Fixed& x) {
    TACET_CHECK(x[3] == 0 && x[4] == 0);
    return (UInt128{x[2]} << 64) | x[1];
  };
  struct Share {
    UInt128 low;
    UInt128 high;
  };
  std::vector<Share> shares_of_blocks;
  UInt128 left = UInt128{1} << shape_.word_bits;
  for (Enclosure& bound : bounds) {
    bound.MultiplyBy(per_unit);
    const UInt128 low = middle(bound.low);
    const UInt128 high = middle(bound.high) + (bound.high[0] != 0 ? 1 : 0);
    const UInt128 count = (high >> 64) + (static_cast<uint64_t>(high) != 0 ? 1 : 0);
    TACET_CHECK(count >= 1 && count <= left);
    left -= count;
    counts_.push_back(static_cast<uint64_t>(count));
    shares_of_blocks.push_back({low, high});
  }
  counts_[0] += static_cast<uint64_t>(left);
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

uint64_t NoiseSampler::Acceptance(uint32_t block, uint64_t offset) const {
  // e^-x as 1 - x (1 - x/2 (1 - x/3 (1 - x/4))), in 2^-63.
  constexpr uint64_t kOne = uint64_t{1} << 63;
  const uint64_t x = Drop(block, offset);
  uint64_t series = kOne - x / 8;
  series = kOne - HighWord(x / 3, series);
  series = kOne - HighWord(x / 2, series);
  series = kOne - HighWord(x, series);
  // Not &&, which would branch on whether the number is 0.
  const int halved = static_cast<int>((block | offset) == 0) & static_cast<int>(zero_halved_);
  return (HighWord(gains_[block].value, series) << 1) >> halved;
}

uint32_t NoiseSampler::PickBlock(uint64_t word, int word_bits) const {
  // Without branches where a processor's guess would be wrong half the time.
  const int remainder_bits = word_bits - cell_bits_;
  const uint64_t remainder = word & ((uint64_t{1} << remainder_bits) - 1);
  const Cell& cell = cells_[word >> remainder_bits];
  const auto own = static_cast<uint32_t>(remainder < cell.threshold);
  return cell.other ^ ((cell.own ^ cell.other) & (0 - own));
}

NoiseSampler::Try NoiseSampler::TryOnce(uint32_t block, uint64_t offset, Flips compared) const {
  const uint64_t acceptance = Acceptance(block, offset);
  const uint64_t low = compared.bits << (64 - compared.count);
  const uint64_t high = low | (~uint64_t{0} >> 1 >> (compared.count - 1));
  const bool accepted = (high < acceptance) & (acceptance - high > gains_[block].doubt);
  const bool rejected = (low > acceptance) & (low - acceptance > kBelowMax);
  return {.magnitude = UInt128{block} * (uint64_t{1} << offset_bits_) + offset,
          .block = block,
          .accepted = accepted,
          .doubtful = block == block_count_ || !(accepted || rejected)};
}

[[gnu::noinline]] bool NoiseSampler::Settle(Try& attempt, Flips compared, Coins& coins) const {
  if (attempt.block == block_count_) return SettleTail(attempt, coins);
  const mpz_class z = ToMpz(static_cast<Int128>(attempt.magnitude));
  const Rational bound = unit_ * Rational(WordToMpz(counts_[attempt.block]));
  const LazyReal probability = [&](mpfr_prec_t precision) {
    return Weight(z, precision) / Interval(bound, precision);
  };
  return Probability::Refine(compared.bits, compared.count, probability, coins);
}

mpz_class NoiseSampler::TailStart() const {
  return mpz_class(block_count_) << static_cast<unsigned long>(offset_bits_);
}

Rational NoiseSampler::TailRate() const {
  return law_.rate + Rational(2) * law_.curvature * Rational(TailStart());
}

Interval NoiseSampler::TailAcceptance(UInt128 beyond, mpfr_prec_t precision) const {
  const auto enclose = [&](const Rational& x) { return Interval(x, precision); };
  const Rational distance = Rational::FromInt128(static_cast<Int128>(beyond));
  const Rational bound =
      unit_ * Rational::PowerOfTwo(offset_bits_) * Rational(WordToMpz(counts_.back()));
  const Interval proposed = enclose(bound) * (enclose(Rational(1)) - Exp(enclose(-TailRate())));
  return Weight(TailStart(), precision) * Exp(enclose(-(law_.curvature * distance * distance))) /
         proposed;
}

bool NoiseSampler::SettleTail(Try& attempt, Coins& coins) const {
  const UInt128 beyond = SampleGeometric(TailRate(), coins);
  attempt.magnitude = (UInt128{block_count_} << offset_bits_) + beyond;
  const LazyReal probability = [&](mpfr_prec_t precision) {
    return TailAcceptance(beyond, precision);
  };
  return Probability::Refine(0, 0, probability, coins);
}

Int128 NoiseSampler::WithSign(UInt128 magnitude, bool negative) const {
  if (TACET_FAULT(noise_cut_at_64_bits)) magnitude &= ~uint64_t{0} >> 1;
  const UInt128 minus = negative & law_.two_sided;
  return static_cast<Int128>((magnitude ^ (0 - minus)) + minus);
}

std::optional<Int128> NoiseSampler::SampleOnce(Coins& coins) const {
  const int word_bits = shape_.word_bits;
  const uint32_t block = PickBlock(coins.Bits(word_bits), word_bits);
  const uint64_t offset = coins.Bits(offset_bits_);
  const bool negative = coins.Bits(1) != 0;
  const Flips compared = {coins.Bits(word_bits), word_bits};
  Try attempt = TryOnce(block, offset, compared);
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

template <size_t kWords, typename Compared>
void NoiseSampler::SampleBatch(std::span<Int128> out, Coins& coins, Compared compared_flips) const {
  constexpr size_t kTries = 510 / kWords;
  std::array<uint64_t, kTries * kWords> words;
  std::array<uint32_t, kTries> blocks;
  const uint64_t offset_mask = (uint64_t{1} << offset_bits_) - 1;
  constexpr int kSignBit = kWords == 2 ? 31 : 63;
  while (!out.empty() && coins.ok()) {
    const size_t tries = std::min(out.size(), kTries);
    coins.Fill(std::span(words).first(tries * kWords));
    // A loop of its own, because a processor overlaps two short ones better than one long one.
    for (size_t i = 0; i < tries; ++i) blocks[i] = PickBlock(words[i * kWords], 64);
    Int128* next = out.data();
    for (size_t i = 0; i < tries; ++i) {
      const uint64_t* word = words.data() + i * kWords;
      const Flips compared = compared_flips(word);
      Try attempt = TryOnce(blocks[i], word[1] & offset_mask, compared);
      if (attempt.doubtful) [[unlikely]] {
        attempt.accepted = Settle(attempt, compared, coins);
      }
      // A rejected value is written over by the next one.
      *next = WithSign(attempt.magnitude, ((word[1] >> kSignBit) & 1) != 0);
      next += attempt.accepted;
    }
    out = out.subspan(static_cast<size_t>(next - out.data()));
  }
  OPENSSL_cleanse(words.data(), sizeof(words));
  OPENSSL_cleanse(blocks.data(), sizeof(blocks));
}

// Flattened, so that the loops above are compiled as one piece.
[[gnu::flatten]] void NoiseSampler::Sample(std::span<Int128> out, Coins& coins) const {
  TACET_CHECK(shape_.word_bits == 64);
  // One word picks a block. Where the offset leaves half of the second word, that half is compared.
  if (offset_bits_ < 32) {
    SampleBatch<2>(out, coins, [](const uint64_t* words) { return Flips{words[1] >> 32, 32}; });
  } else {
    SampleBatch<3>(out, coins, [](const uint64_t* words) { return Flips{words[2], 64}; });
  }
}

UInt128 SampleGeometric(const Rational& rate, Coins& coins) {
  TACET_CHECK(rate >= Rational::PowerOfTwo(-64));
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
