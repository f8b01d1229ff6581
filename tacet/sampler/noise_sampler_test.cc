// SPDX-License-Identifier: Apache-2.0
#include "tacet/sampler/noise_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tacet/testing/chi_square.h"
#include "tacet/testing/exact_law.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {

// Looks inside, and makes samplers whose tables are so coarse that every flip can be tried.
class NoiseSamplerPeer {
 public:
  static NoiseSampler Coarse(Rational rate, Rational curvature, bool two_sided, int word_bits,
                             int blocks_per_scale) {
    return NoiseSampler({std::move(rate), std::move(curvature), two_sided},
                        {word_bits, blocks_per_scale});
  }
  static std::optional<Int128> SampleOnce(const NoiseSampler& sampler, Coins& coins) {
    return sampler.SampleOnce(coins);
  }

  // P[one try gives z], by the construction.
  static double TryProbability(const NoiseSampler& s, int64_t z) {
    const Rational denominator =
        s.unit_ * Rational::PowerOfTwo(s.shape_.word_bits + s.offset_bits_);
    const Interval p =
        s.Weight(mpz_class(static_cast<long>(std::abs(z))), 128) / Interval(denominator, 128);
    // Each sign has half of a weight; 0 takes both halves of its halved weight.
    const double halves = s.law_.two_sided && z != 0 ? 0.5 : 1;
    return p.Low().ToDouble() * halves;
  }

  // The tail's tries: how many numbers beyond its start one gave, or nothing if it was rejected.
  static std::optional<Int128> SampleTail(const NoiseSampler& s, Coins& coins) {
    NoiseSampler::Try attempt{
        .magnitude = 0, .block = s.block_count_, .accepted = false, .doubtful = true};
    if (!s.Settle(attempt, {0, 64}, coins)) return std::nullopt;
    return static_cast<Int128>(attempt.magnitude - (UInt128{s.block_count_} << s.offset_bits_));
  }
  // P[a try in the tail gives its number `beyond`], by the construction.
  static double TailProbability(const NoiseSampler& s, int64_t beyond) {
    const mpz_class z = (mpz_class(s.block_count_) << static_cast<unsigned long>(s.offset_bits_)) +
                        mpz_class(static_cast<long>(beyond));
    const Rational bound =
        s.unit_ * Rational::PowerOfTwo(s.offset_bits_) * Rational(mpz_class(s.counts_.back()));
    return (s.Weight(z, 128) / Interval(bound, 128)).Low().ToDouble();
  }

  // Beside the doubtful words, certified digits decide as integer arithmetic did.
  static void ExpectAgreementBesideTheDoubt(const NoiseSampler& s, Coins& coins) {
    for (uint32_t block = 0; block < s.block_count_; block += 1 + s.block_count_ / 16) {
      for (uint64_t offset : {uint64_t{0}, (uint64_t{1} << s.offset_bits_) - 1}) {
        NoiseSampler::Try attempt{.magnitude = (UInt128{block} << s.offset_bits_) + offset,
                                  .block = block,
                                  .accepted = false,
                                  .doubtful = true};
        const uint64_t found = s.Acceptance(block, offset);
        const uint64_t doubt = s.gains_[block].doubt;
        if (found > doubt) {
          EXPECT_TRUE(s.Settle(attempt, {found - doubt - 1, 64}, coins)) << block << " " << offset;
        }
        if (found < ~uint64_t{0} - NoiseSampler::kBelowMax) {
          EXPECT_FALSE(s.Settle(attempt, {found + NoiseSampler::kBelowMax + 1, 64}, coins))
              << block << " " << offset;
        }
      }
    }
  }

  static void ExpectSoundTables(const NoiseSampler& s) {
    // The cells of the alias table give each block exactly its count.
    std::vector<mpz_class> words(s.counts_.size());
    const uint64_t capacity = uint64_t{1} << (64 - s.cell_bits_);
    ASSERT_EQ(s.cells_.size(), size_t{1} << s.cell_bits_);
    for (const auto& cell : s.cells_) {
      ASSERT_LE(cell.threshold, capacity);
      if (cell.threshold > 0) words.at(cell.own) += mpz_class(cell.threshold);
      if (cell.threshold < capacity) words.at(cell.other) += mpz_class(capacity - cell.threshold);
    }
    for (size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], mpz_class(s.counts_[i])) << i;

    // No number weighs more than its block allows, and integer arithmetic encloses what it is
    // accepted with.
    std::mt19937_64 random(7);
    for (uint32_t block = 0; block < s.block_count_; ++block) {
      const uint64_t width = uint64_t{1} << s.offset_bits_;
      for (uint64_t offset : {uint64_t{0}, width / 2, width - 1, random() % width}) {
        ExpectSoundAcceptance(s, block, offset);
      }
    }
    ExpectSoundTail(s);
  }

  // What the tail proposes and accepts is the weight of the number, in the tables' unit.
  static void ExpectSoundTail(const NoiseSampler& s) {
    constexpr mpfr_prec_t kPrecision = 256;
    const Rational start = Rational(s.block_count_) * Rational::PowerOfTwo(s.offset_bits_);
    const Rational rate = s.law_.rate + Rational(2) * s.law_.curvature * start;
    const Rational bound =
        s.unit_ * Rational::PowerOfTwo(s.offset_bits_) * Rational(mpz_class(s.counts_.back()));
    for (const Rational& scales : {Rational(0), Rational(1, 3), Rational(1), Rational(7)}) {
      const Rational beyond((scales / rate).Ceil());
      const Interval accepted =
          s.TailAcceptance(static_cast<UInt128>(ToInt128(beyond.numerator())), kPrecision);
      ASSERT_TRUE(accepted.CertainlyAtMost(Rational(1)));
      const Interval proposed =
          Exp(Interval(-rate * beyond, kPrecision)) *
          (Interval(Rational(1), kPrecision) - Exp(Interval(-rate, kPrecision)));
      const Rational z = start + beyond;
      const Rational exponent = s.law_.rate * z + s.law_.curvature * z * z;
      const Interval ratio =
          Interval(bound, kPrecision) * proposed * accepted * Exp(Interval(exponent, kPrecision));
      const Rational error = Rational::PowerOfTwo(-100);
      ASSERT_TRUE(ratio.CertainlyAtLeast(Rational(1) - error));
      ASSERT_TRUE(ratio.CertainlyAtMost(Rational(1) + error));
    }
  }

 private:
  static void ExpectSoundAcceptance(const NoiseSampler& s, uint32_t block, uint64_t offset) {
    const mpz_class z =
        (mpz_class(block) << static_cast<unsigned long>(s.offset_bits_)) + mpz_class(offset);
    const Rational bound = s.unit_ * Rational(mpz_class(s.counts_[block]));
    const Interval exact = s.Weight(z, 256) / Interval(bound, 256);
    ASSERT_TRUE(exact.CertainlyAtMost(Rational(1))) << block << " " << offset;
    const Interval scaled = exact * Interval(Rational::PowerOfTwo(64), 256);
    const mpz_class found(s.Acceptance(block, offset));
    const mpz_class most = found + mpz_class(NoiseSampler::kBelowMax);
    const mpz_class least = found - mpz_class(s.gains_[block].doubt);
    ASSERT_LE(mpfr_cmp_z(scaled.high(), most.get_mpz_t()), 0) << block << " " << offset;
    ASSERT_GE(mpfr_cmp_z(scaled.low(), least.get_mpz_t()), 0) << block << " " << offset;
  }
};

namespace {

using ::tacet::testing::ChiSquareP;
using ::tacet::testing::ExactLaw;
using ::tacet::testing::FailingEntropy;
using ::tacet::testing::kFalseAlarm;
using ::tacet::testing::RotatingSeed;
using ::tacet::testing::SeededEntropy;
using ::tacet::testing::Soaking;

// P[Z = z] of the law itself, from its definition.
double LaplaceMass(double scale, int64_t z) {
  return std::tanh(0.5 / scale) * std::exp(-std::abs(static_cast<double>(z)) / scale);
}

double GaussianMass(double sigma_squared, int64_t z) {
  double total = 0;
  const auto reach = static_cast<int64_t>(12 * std::sqrt(sigma_squared)) + 12;
  for (int64_t k = -reach; k <= reach; ++k) {
    total += std::exp(-static_cast<double>(k * k) / (2 * sigma_squared));
  }
  return std::exp(-static_cast<double>(z * z) / (2 * sigma_squared)) / total;
}

// Runs one try of a coarse sampler on every sequence of flips. What it accepts must be exactly
// proportional to the law.
void ExpectExactTries(const NoiseSampler& sampler, int flips,
                      const std::function<double(int64_t)>& mass_of) {
  constexpr int64_t kRejected = int64_t{1} << 40;
  const auto law = ExactLaw(flips, [&](Coins& coins) {
    const std::optional<Int128> value = NoiseSamplerPeer::SampleOnce(sampler, coins);
    return value ? static_cast<int64_t>(*value) : kRejected;
  });
  double accepted = 0;
  for (const auto& [z, mass] : law.mass) {
    if (z == kRejected) continue;
    accepted += mass;
    const double expected = NoiseSamplerPeer::TryProbability(sampler, z);
    EXPECT_LE(mass, expected * (1 + 1e-12)) << z;
    EXPECT_GE(mass + law.undecided, expected * (1 - 1e-12)) << z;
    // The construction itself is proportional to the law: the ratio to 0's is that of the masses.
    const double ratio = expected / NoiseSamplerPeer::TryProbability(sampler, 0);
    EXPECT_NEAR(ratio, mass_of(z) / mass_of(0), 1e-12 * ratio) << z;
  }
  EXPECT_GT(accepted, 0.3);
  EXPECT_LT(law.undecided, 0.05);
  for (const int64_t z : {0, 1, 2, 3}) EXPECT_TRUE(law.mass.contains(z)) << z;
}

TEST(NoiseSampler, LaplaceTriesAreExactOverAllFlips) {
  // Blocks of one number, and blocks of two.
  ExpectExactTries(NoiseSamplerPeer::Coarse(Rational(1, 3), Rational(0), true, 6, 2), 17,
                   [](int64_t z) { return LaplaceMass(3, z); });
  ExpectExactTries(NoiseSamplerPeer::Coarse(Rational(1, 6), Rational(0), true, 7, 3), 19,
                   [](int64_t z) { return LaplaceMass(6, z); });
}

TEST(NoiseSampler, GeometricTriesAreExactOverAllFlips) {
  ExpectExactTries(NoiseSamplerPeer::Coarse(Rational(1, 5), Rational(0), false, 7, 2), 19,
                   [](int64_t z) { return std::exp(-static_cast<double>(z) / 5); });
}

TEST(NoiseSampler, GaussianTriesAreExactOverAllFlips) {
  ExpectExactTries(NoiseSamplerPeer::Coarse(Rational(0), Rational(1, 18), true, 6, 2), 17,
                   [](int64_t z) { return GaussianMass(9, z); });
  ExpectExactTries(NoiseSamplerPeer::Coarse(Rational(0), Rational(1, 512), true, 7, 8), 19,
                   [](int64_t z) { return GaussianMass(256, z); });
}

TEST(NoiseSampler, TablesAreSoundForEveryScale) {
  for (const char* scale : {"1e-6", "1/3", "1", "10", "31.9", "32", "1000.5", "123456789/7", "1e12",
                            "1099511627776", "1152921504606846976"}) {
    SCOPED_TRACE(scale);
    NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::DiscreteLaplace(*Rational::Parse(scale)));
  }
  for (const char* variance :
       {"1e-6", "1/4", "1", "1000", "4095", "4096", "1e6", "142857142857.1", "1e24"}) {
    SCOPED_TRACE(variance);
    NoiseSamplerPeer::ExpectSoundTables(
        *NoiseSampler::DiscreteGaussian(*Rational::Parse(variance)));
  }
  NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::DiscreteGaussian(Rational::PowerOfTwo(80)));
  NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::Geometric(Rational::PowerOfTwo(-60)));
}

TEST(NoiseSampler, TablesAreSoundForAwkwardFractions) {
  // Just beside the scales where blocks get wider, and with a thousand digits.
  const Rational tiny = Rational::PowerOfTwo(-3000);
  mpz_class digits;
  mpz_ui_pow_ui(digits.get_mpz_t(), 7, 1183);
  mpz_class others;
  mpz_ui_pow_ui(others.get_mpz_t(), 3, 2090);
  const Rational long_fraction =
      Rational(mpq_class(digits, others)) * Rational::PowerOfTwo(-8);  // 1.4
  std::mt19937_64 random(RotatingSeed());
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  for (int i = 0; i < (Soaking() ? 300 : 3); ++i) {
    const int power = static_cast<int>(random() % 59) + 1;
    const Rational scale = Rational::PowerOfTwo(power);
    const Rational one(1);
    for (const Rational& factor : {one - tiny, one + tiny, long_fraction / Rational(2)}) {
      SCOPED_TRACE("power " + std::to_string(power));
      NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::DiscreteLaplace(scale * factor));
      NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::DiscreteGaussian(scale * factor));
    }
  }
  NoiseSamplerPeer::ExpectSoundTables(*NoiseSampler::Geometric(Rational(1000000)));
}

TEST(NoiseSampler, CertifiedDigitsAgreeWithIntegers) {
  SeededEntropy entropy(RotatingSeed());
  Coins coins(entropy);
  for (const NoiseSampler& sampler :
       {*NoiseSampler::DiscreteLaplace(Rational(1)), *NoiseSampler::DiscreteLaplace(Rational(1024)),
        *NoiseSampler::DiscreteGaussian(Rational(1000)),
        *NoiseSampler::DiscreteGaussian(Rational::PowerOfTwo(80)),
        *NoiseSampler::Geometric(Rational::PowerOfTwo(-60))}) {
    NoiseSamplerPeer::ExpectAgreementBesideTheDoubt(sampler, coins);
  }
}

TEST(NoiseSampler, TailsFitTheirLaw) {
  // A real tail is met once in 2^64 draws, so its tries are made apart. One false alarm in a
  // million for each.
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  SeededEntropy entropy(RotatingSeed());
  Coins coins(entropy);
  int law = 0;
  for (const NoiseSampler& sampler :
       {NoiseSamplerPeer::Coarse(Rational(1, 6), Rational(0), true, 7, 3),
        NoiseSamplerPeer::Coarse(Rational(0), Rational(1, 512), true, 7, 8),
        NoiseSamplerPeer::Coarse(Rational(0), Rational(1, 18), true, 6, 2),
        *NoiseSampler::DiscreteLaplace(Rational(5))}) {
    SCOPED_TRACE(law++);
    constexpr int kTries = 6000;
    constexpr Int128 kReach = 30;
    std::vector<uint64_t> counts(kReach +
                                 1);  // by distance; then what was rejected or lies further
    for (int i = 0; i < kTries; ++i) {
      const Int128 beyond = NoiseSamplerPeer::SampleTail(sampler, coins).value_or(kReach);
      ++counts[static_cast<size_t>(std::min(beyond, kReach))];
    }
    std::vector<double> probabilities;
    double rest = 1;
    for (int64_t beyond = 0; beyond < kReach; ++beyond) {
      probabilities.push_back(NoiseSamplerPeer::TailProbability(sampler, beyond));
      rest -= probabilities.back();
    }
    probabilities.push_back(rest);
    EXPECT_GT(ChiSquareP(counts, probabilities), kFalseAlarm);
  }
  ASSERT_TRUE(coins.ok());
}

// The p-value of draws against a law given by its distribution function at integers, over about 200
// cells of equal weight. `inverse` gives the least z whose distribution function reaches a level.
double PValue(const NoiseSampler& sampler, size_t draws, uint64_t seed,
              const std::function<double(double)>& distribution,
              const std::function<double(double)>& inverse) {
  constexpr int kCells = 200;
  std::vector<double> upper;  // the last value of each cell but the last
  for (int i = 1; i < kCells; ++i) {
    const double z = inverse(static_cast<double>(i) / kCells);
    if (upper.empty() || z > upper.back()) upper.push_back(z);
  }
  std::vector<double> probabilities;
  double below = 0;
  for (double z : upper) {
    probabilities.push_back(distribution(z) - below);
    below = distribution(z);
  }
  probabilities.push_back(1 - below);
  std::vector<Int128> values(draws);
  SeededEntropy entropy(seed);
  const Status drawn = Draw(entropy, [&](Coins& coins) { sampler.Sample(values, coins); });
  EXPECT_TRUE(drawn.ok());
  std::vector<uint64_t> counts(probabilities.size());
  for (Int128 value : values) {
    const auto cell = std::lower_bound(upper.begin(), upper.end(), ToDouble(value));
    ++counts[static_cast<size_t>(cell - upper.begin())];
  }
  return ChiSquareP(counts, probabilities);
}

size_t DrawCount() { return Soaking() ? 10'000'000 : 100'000; }

double LaplaceDistribution(double scale, double z) {
  const double tail = 1 / (1 + std::exp(-1 / scale));
  return z < 0 ? std::exp((z + 1) / scale - 1 / scale) * tail
               : 1 - std::exp(-(z + 1) / scale) * tail;
}

// The least integer at which a distribution function reaches `level`.
double InverseOf(const std::function<double(double)>& distribution, double level, double reach) {
  double low = -reach;
  double high = reach;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (distribution(middle) >= level ? high : low) = middle;
  }
  return high;
}

TEST(NoiseSampler, LaplaceDrawsFitTheirLaw) {
  // One false alarm in a million for each of 20 scales.
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  for (const char* text :
       {"1/10", "1/2", "1",     "1.1",  "2",         "5/3", "7",   "10",  "31",   "32",
        "33",   "64",  "100.5", "1000", "12345.678", "1e5", "1e6", "1e8", "1e10", "1e12"}) {
    SCOPED_TRACE(text);
    const Rational scale = *Rational::Parse(text);
    const double b = scale.ToDouble();
    const auto distribution = [b](double z) { return LaplaceDistribution(b, z); };
    EXPECT_GT(
        PValue(*NoiseSampler::DiscreteLaplace(scale), DrawCount(), RotatingSeed(), distribution,
               [&](double level) { return InverseOf(distribution, level, 60 * b + 60); }),
        kFalseAlarm);
  }
}

TEST(NoiseSampler, GaussianDrawsFitTheirLaw) {
  // One false alarm in a million for each of 20 sigmas.
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  for (const char* text :
       {"1/5", "1/2", "1",     "1.1",  "2",         "5/3", "7",   "10",  "31",   "63",
        "64",  "65",  "100.5", "1000", "12345.678", "1e5", "1e6", "1e8", "1e10", "1e12"}) {
    SCOPED_TRACE(text);
    const Rational sigma = *Rational::Parse(text);
    const double s = sigma.ToDouble();
    std::vector<double> sums;  // of the masses from -reach on, where they can be added up
    const auto reach = static_cast<int64_t>(12 * s) + 12;
    if (s < 2000) {
      double total = 0;
      for (int64_t z = -reach; z <= reach; ++z) {
        total += std::exp(-static_cast<double>(z * z) / (2 * s * s));
        sums.push_back(total);
      }
      for (double& sum : sums) sum /= total;
    }
    const auto distribution = [&](double z) {
      if (sums.empty()) return std::erfc(-(z + 0.5) / (s * std::sqrt(2))) / 2;
      const auto index = static_cast<int64_t>(z) + reach;
      return index < 0 ? 0 : sums[std::min(static_cast<size_t>(index), sums.size() - 1)];
    };
    EXPECT_GT(PValue(*NoiseSampler::DiscreteGaussian(sigma * sigma), DrawCount(), RotatingSeed(),
                     distribution,
                     [&](double level) { return InverseOf(distribution, level, 12 * s + 12); }),
              kFalseAlarm);
  }
}

TEST(NoiseSampler, GeometricDrawsFitTheirLaw) {
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  for (const char* text :
       {"5",    "1",     "0.9",  "1/2",  "1/3",  "0.2",  "1/10", "1/31", "1/32",  "1/33",
        "1/64", "1/100", "1e-3", "1e-4", "1e-5", "1e-6", "1e-8", "1e-9", "1e-10", "1e-12"}) {
    SCOPED_TRACE(text);
    const Rational rate = *Rational::Parse(text);
    const double l = rate.ToDouble();
    const auto distribution = [l](double z) { return z < 0 ? 0 : -std::expm1(-l * (z + 1)); };
    const auto inverse = [&](double level) { return InverseOf(distribution, level, 60 / l + 60); };
    EXPECT_GT(
        PValue(*NoiseSampler::Geometric(rate), DrawCount(), RotatingSeed(), distribution, inverse),
        kFalseAlarm);
  }
}

TEST(NoiseSampler, SingleDrawsFitTheirLawToo) {
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  const NoiseSampler sampler = *NoiseSampler::DiscreteGaussian(Rational(4));
  SeededEntropy entropy(RotatingSeed());
  std::map<int64_t, uint64_t> seen;
  const Status drawn = Draw(entropy, [&](Coins& coins) {
    for (int i = 0; i < 100'000; ++i) ++seen[static_cast<int64_t>(sampler.Sample(coins))];
  });
  ASSERT_TRUE(drawn.ok());
  std::vector<uint64_t> counts;
  std::vector<double> probabilities;
  for (int64_t z = -16; z <= 16; ++z) {
    counts.push_back(seen[z]);
    probabilities.push_back(GaussianMass(4, z));
  }
  EXPECT_GT(ChiSquareP(counts, probabilities), kFalseAlarm);
}

TEST(NoiseSampler, MomentsMatchTheReference) {
  // reference_values.json: discrete_gaussian_pmf_var and discrete_laplace_pmf_var.
  EXPECT_NEAR(GaussianMass(0.25, 0), 0.7865707070419478997, 1e-15);
  EXPECT_NEAR(GaussianMass(0.25, 1), 0.1064507694231447242, 1e-15);
  EXPECT_NEAR(GaussianMass(4, 0), 0.1994711402007163390, 1e-15);
  EXPECT_NEAR(LaplaceMass(1, 0), 0.4621171572600097585, 1e-15);
  EXPECT_NEAR(LaplaceMass(1, 1), 0.1700034015685479199, 1e-15);
  SCOPED_TRACE("seed " + std::to_string(RotatingSeed()));
  struct Row {
    NoiseSampler sampler;
    double variance;
  };
  for (const Row& row :
       {Row{*NoiseSampler::DiscreteGaussian(Rational(1, 4)), 0.21501267508813848638},
        Row{*NoiseSampler::DiscreteGaussian(Rational(4)), 4.0},
        Row{*NoiseSampler::DiscreteLaplace(Rational(1)), 1.8413471884155846379}}) {
    constexpr size_t kDraws = 400'000;
    std::vector<Int128> values(kDraws);
    SeededEntropy entropy(RotatingSeed());
    ASSERT_TRUE(Draw(entropy, [&](Coins& coins) { row.sampler.Sample(values, coins); }).ok());
    double squares = 0;
    double fourths = 0;
    for (Int128 value : values) {
      const double square = ToDouble(value) * ToDouble(value);
      squares += square;
      fourths += square * square;
    }
    // Five standard errors: less than one false alarm in a million.
    const double mean = squares / kDraws;
    const double error = std::sqrt((fourths / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, row.variance, 5 * error);
  }
}

TEST(NoiseSampler, NoiseReachesBeyond64Bits) {
  // At scale 2^60 one draw in about 3,000 lies beyond 2^63.
  SeededEntropy entropy(5);
  const NoiseSampler sampler = *NoiseSampler::DiscreteLaplace(Rational::PowerOfTwo(60));
  std::vector<Int128> values(100'000);
  ASSERT_TRUE(Draw(entropy, [&](Coins& coins) { sampler.Sample(values, coins); }).ok());
  const Int128 limit = Int128{1} << 63;
  const auto beyond = std::count_if(values.begin(), values.end(),
                                    [&](Int128 v) { return v >= limit || v < -limit; });
  EXPECT_GT(beyond, 5);
  EXPECT_LT(beyond, 120);
}

// The given words first, then zeros.
class GivenWords final : public Entropy {
 public:
  explicit GivenWords(std::vector<uint64_t> words) : words_(std::move(words)) {}
  Status Fill(std::span<uint8_t> bytes) override {
    words_.resize(std::max(words_.size(), bytes.size() / sizeof(uint64_t)));
    std::memcpy(bytes.data(), words_.data(), bytes.size());
    return {};
  }

 private:
  std::vector<uint64_t> words_;
};

TEST(NoiseSampler, NoBitOfABatchServesTwice) {
  // Offsets of 0, 16 and 31 bits share their word with the sign and what is compared; of 32 not.
  struct Row {
    int scale_power;
    int offset_bits;
    int sign_bit;
  };
  for (const Row& row : {Row{4, 0, 31}, Row{20, 16, 31}, Row{35, 31, 31}, Row{36, 32, 63}}) {
    SCOPED_TRACE(row.scale_power);
    const NoiseSampler sampler =
        *NoiseSampler::DiscreteLaplace(Rational::PowerOfTwo(row.scale_power));
    const auto draw = [&](uint64_t word) {
      GivenWords entropy({uint64_t{5} << 56, word, 0});  // a block that is not the first
      Coins coins(entropy);
      Int128 value = 0;
      sampler.Sample(std::span(&value, 1), coins);
      return value;
    };
    const Int128 plain = draw(0);
    ASSERT_GT(plain, 0);
    for (int bit = 0; bit < 64; ++bit) {
      const Int128 expected = bit < row.offset_bits ? plain + (Int128{1} << bit)
                              : bit == row.sign_bit ? -plain
                                                    : plain;
      EXPECT_TRUE(draw(uint64_t{1} << bit) == expected) << bit;
    }
  }
}

TEST(NoiseSampler, RefusesWhatIsOutOfRange) {
  for (const char* text : {"0", "-1", "1e-7", "1e19"}) {
    EXPECT_FALSE(NoiseSampler::DiscreteLaplace(*Rational::Parse(text)).ok()) << text;
  }
  for (const char* text : {"0", "-1", "1e-19", "1e7"}) {
    EXPECT_FALSE(NoiseSampler::Geometric(*Rational::Parse(text)).ok()) << text;
  }
  for (const char* text : {"0", "-1", "1e-7", "1e25"}) {
    EXPECT_FALSE(NoiseSampler::DiscreteGaussian(*Rational::Parse(text)).ok()) << text;
  }
}

TEST(NoiseSampler, NothingLeavesWhenEntropyFailsAtAnyPoint) {
  const NoiseSampler sampler = *NoiseSampler::DiscreteLaplace(Rational(10));
  for (size_t good_bytes = 0; good_bytes < 5000; good_bytes += 101) {
    FailingEntropy entropy(good_bytes);
    std::vector<Int128> values(1000);
    EXPECT_FALSE(Draw(entropy, [&](Coins& coins) { sampler.Sample(values, coins); }).ok());
  }
  FailingEntropy none(0);
  EXPECT_FALSE(Draw(none, [&](Coins& coins) { return sampler.Sample(coins); }).ok());
}

TEST(SampleGeometric, RefusesARateWhoseDrawsWouldNotFit) {
  SeededEntropy entropy(1);
  Coins coins(entropy);
  EXPECT_DEATH(SampleGeometric(Rational(0), coins), "rate");
  EXPECT_DEATH(SampleGeometric(Rational::PowerOfTwo(-65), coins), "rate");
  SampleGeometric(Rational::PowerOfTwo(-64), coins);
}

TEST(SampleGeometric, LawIsExact) {
  const auto law = ExactLaw(
      18, [](Coins& coins) { return static_cast<uint64_t>(SampleGeometric(Rational(3), coins)); });
  for (uint64_t z = 0; z < 3; ++z) {
    const double expected = std::exp(-3.0 * static_cast<double>(z)) * -std::expm1(-3.0);
    EXPECT_LE(law.mass.at(z), expected);
    EXPECT_GE(law.mass.at(z) + law.undecided, expected);
  }
  EXPECT_LE(law.undecided, 0.1);
}

}  // namespace
}  // namespace tacet
