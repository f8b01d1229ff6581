// SPDX-License-Identifier: Apache-2.0
// Exact samplers of integer noise: geometric, discrete Laplace, discrete Gaussian.
//
// All three have P[Z = z] proportional to f(|z|) with f(z) = exp(-(rate z + curvature z^2)), so one
// algorithm serves them: an integer table proposes a block of numbers, a few bits pick one in it,
// and an exact comparison accepts it. Nothing is decided by floating point: tables are integers,
// the comparison is settled by integer bounds of e^-x and, where those leave a doubt (less than
// once in 2^26 draws), by certified digits. No value is cut off: beyond the table the tail goes on
// without end.
//
// What the work reveals. Each try does the same work whatever it proposes, and the number of tries
// is independent of the value accepted, so the time of a draw tells nothing about it, but for the
// doubtful comparisons and the tail (less than once in 2^26 draws). A doubt is as likely for every
// value of a geometric or Laplace draw, likelier for a Gaussian one far out; how long it takes to
// settle may depend on the value. Which cache lines are touched does depend on the value: an
// attacker who shares the cache is outside this promise.
//
// Proof: docs/proofs/noise_sampler.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/interval.h"
#include "tacet/base/rational.h"
#include "tacet/sampler/coins.h"

namespace tacet {

// Immutable; safe to share between threads. Takes less than half a millisecond to make and some ten
// nanoseconds a draw.
class NoiseSampler {
 public:
  // Z >= 0 with P[Z = z] proportional to e^(-rate z). Fails unless 2^-60 <= rate <= 10^6.
  static Result<NoiseSampler> Geometric(const Rational& rate);
  // P[Z = z] proportional to e^(-|z| / scale). Fails unless 10^-6 <= scale <= 2^60.
  static Result<NoiseSampler> DiscreteLaplace(const Rational& scale);
  // P[Z = z] proportional to e^(-z^2 / (2 sigma_squared)). Fails unless 10^-6 <= it <= 2^80.
  static Result<NoiseSampler> DiscreteGaussian(const Rational& sigma_squared);

  Int128 Sample(Coins& coins) const;
  // Fills `out` with independent draws. What it holds when the coins fail is of no use.
  void Sample(std::span<Int128> out, Coins& coins) const;

 private:
  friend class NoiseSamplerPeer;  // in the tests

  struct Law {
    Rational rate;
    Rational curvature;
    bool two_sided;
  };
  // How fine the tables are. Tests use coarse ones, of which every sequence of flips can be tried.
  struct Shape {
    int word_bits;         // flips for choosing a block, and for the first comparison
    int blocks_per_scale;  // blocks in one scale (or sigma), when that has so many numbers
  };
  struct Cell {
    uint64_t threshold;  // a remainder below this keeps the cell's own block
    uint32_t own;
    uint32_t other;
  };
  // What Drop multiplies with.
  struct DropScale {
    uint64_t mantissa = 0;
    int offset_shift = 0;
    int place_shift = 0;
    int result_shift = 0;
    bool quadratic = false;
  };
  // Of one block, in 2^-64: the weight at its start over its bound, rounded down; and by how much
  // the acceptance that integer arithmetic finds may be too large. It is too small by less than
  // kBelowMax.
  struct Gain {
    uint64_t value;
    uint64_t doubt;
  };
  static constexpr uint64_t kBelowMax = 8;
  struct Flips {
    uint64_t bits;
    int count;
  };
  // One proposal and what integer arithmetic could say of it.
  struct Try {
    UInt128 magnitude;
    uint32_t block;
    bool accepted;
    bool doubtful;  // still to be settled exactly
  };

  NoiseSampler(Law law, Shape shape);

  void MakeBlocks();
  void MakeAliasTable();
  void MakeDropScale();

  // The weight of z, which is halved at 0 where both signs lead to it.
  Interval Weight(const mpz_class& z, mpfr_prec_t precision) const;
  // x 2^64, rounded down by less than 128, where e^-x is the weight of a number over that of the
  // first in its block. At most 2^63.
  uint64_t Drop(uint32_t block, uint64_t offset) const;
  // The doubt of a Gain.
  uint64_t Doubt(uint32_t block) const;
  // The acceptance probability of a number, in 2^-64, as well as its block's Gain says.
  uint64_t Acceptance(uint32_t block, uint64_t offset) const;
  // The block that `word_bits` flips choose, with probability counts_[block] / 2^word_bits.
  uint32_t PickBlock(uint64_t word, int word_bits) const;
  Try TryOnce(uint32_t block, uint64_t offset, Flips compared) const;
  // One try: nothing if it was rejected.
  std::optional<Int128> SampleOnce(Coins& coins) const;
  // Whether a doubtful try is accepted. Gives a try in the tail its magnitude.
  bool Settle(Try& attempt, Flips compared, Coins& coins) const;
  bool SettleTail(Try& attempt, Coins& coins) const;
  // The tail's first number, the rate of the geometric law that proposes how far beyond it a draw
  // lies, and the probability that a proposal is accepted.
  mpz_class TailStart() const;
  Rational TailRate() const;
  Interval TailAcceptance(UInt128 beyond, mpfr_prec_t precision) const;
  // `kWords` words a try, of which `compared_flips` picks what is compared.
  template <size_t kWords, typename Compared>
  void SampleBatch(std::span<Int128> out, Coins& coins, Compared compared_flips) const;
  Int128 WithSign(UInt128 magnitude, bool negative) const;

  Law law_;
  Shape shape_;
  int offset_bits_ = 0;  // a block holds 2^offset_bits_ numbers
  int cell_bits_ = 0;    // the alias table has 2^cell_bits_ cells
  uint32_t block_count_ = 0;
  Rational unit_;                 // every number in block b has weight at most unit_ * counts_[b]
  std::vector<uint64_t> counts_;  // out of 2^word_bits; the last is the tail's
  std::vector<Cell> cells_;
  std::vector<Gain> gains_;
  DropScale drop_;
  bool zero_halved_ = false;  // the weight of 0 is half of what its block's gain says
};

// Z >= 0 with P[Z = z] proportional to e^(-rate z), without tables: the bits of such a variable are
// independent. Slower; the tails of NoiseSampler use it. Stops the process unless rate >= 2^-64, so
// that 128 bits hold every draw that can happen.
//
// Proof: docs/proofs/noise_sampler.md.
UInt128 SampleGeometric(const Rational& rate, Coins& coins);

}  // namespace tacet
