// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/channel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tacet/measure/random_law_testing.h"

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }

std::vector<std::string> Names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

Channel RandomChannel(std::mt19937_64& random, size_t inputs, size_t outputs) {
  std::vector<std::vector<Rational>> rows;
  for (size_t i = 0; i < inputs; ++i) rows.push_back(RandomLaw(random, outputs, 3));
  return *Channel::Create(Names(inputs), Names(outputs), std::move(rows));
}

Rational RandomRatio(std::mt19937_64& random) {
  return Rational(1) + Rational(static_cast<int64_t>(random() % 13), 4);
}

// From the definition: every event of one order.
Rational DeltaByEvents(const FinitePair& pair, const Rational& ratio) {
  Rational worst;
  for (size_t event = 0; event < (size_t{1} << pair.p().size()); ++event) {
    Rational excess;
    for (size_t i = 0; i < pair.p().size(); ++i) {
      if ((event >> i) % 2 == 1) excess += pair.p()[i] - ratio * pair.q()[i];
    }
    worst = std::max(worst, excess);
  }
  return worst;
}

TEST(Channel, C1LossOfEveryOutputAndTheWorst) {
  const FinitePair pair = *FinitePair::Create({Exactly("1/2"), Exactly("1/3"), Exactly("1/6")},
                                              {Exactly("1/4"), Exactly("1/4"), Exactly("1/2")});
  EXPECT_EQ(pair.Ratio(0), Rational(2));
  EXPECT_EQ(pair.Ratio(1), Exactly("4/3"));
  EXPECT_EQ(pair.Ratio(2), Exactly("1/3"));
  EXPECT_EQ(pair.Worst().ratio, Rational(3));
  EXPECT_EQ(pair.Worst().output, 2u);
  EXPECT_TRUE(pair.Worst().swapped);
  EXPECT_EQ(pair.Delta(Rational(3)), Rational(0));
  EXPECT_EQ(pair.Delta(Rational(1)), Exactly("1/3"));
}

TEST(Channel, C1SetsAndSingleOutputsGiveTheSameDefinition) {
  // The worst ratio is the least at which no event has an excess.
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const FinitePair pair = RandomChannel(random, 2, 2 + random() % 4).Pair(0, 1);
    const FinitePair::Extreme worst = pair.Worst();
    const Rational ratio = worst.ratio.value_or(Rational(1'000'000));
    EXPECT_EQ(DeltaByEvents(pair, ratio).sign() == 0 && DeltaByEvents(pair.Swapped(), ratio) == 0,
              worst.ratio.has_value());
    if (!worst.ratio || *worst.ratio == Rational(1)) continue;
    const Rational below = ratio - (ratio - Rational(1)) / Rational(1000);
    EXPECT_GT(pair.Delta(below), Rational(0));
  }
}

TEST(Channel, C2CoinTossIsLogThree) {
  const Channel coin = CoinTossChannel();
  EXPECT_EQ(coin.row(0)[0], Rational(3, 4));
  EXPECT_EQ(coin.row(1)[0], Rational(1, 4));
  EXPECT_EQ(coin.Pair(0, 1).Worst().ratio, Rational(3));
  EXPECT_EQ(ResponseChannelOfGamma(Rational(1, 4))->row(0), coin.row(0));  // C4
}

TEST(Channel, C4RatioOfGamma) {
  const Rational gamma(1, 10);
  EXPECT_EQ(ResponseChannelOfGamma(gamma)->Pair(0, 1).Worst().ratio, Rational(12, 8));
  for (const char* bad : {"0", "1/2", "-1/4", "1"}) {
    EXPECT_FALSE(ResponseChannelOfGamma(Exactly(bad)).ok()) << bad;
  }
}

TEST(Channel, C5DeterministicAndNotConstantIsInfinite) {
  const Channel parity = *Channel::Create({"0", "1"}, {"even", "odd"},
                                          {{Rational(1), Rational(0)}, {Rational(0), Rational(1)}});
  EXPECT_FALSE(parity.Pair(0, 1).Worst().ratio.has_value());
  EXPECT_TRUE(parity.Pair(0, 1).Loss().CanBeInfinite());
  EXPECT_EQ(parity.Pair(0, 1).Delta(Rational(1'000'000)), Rational(1));
  const Channel constant = *Channel::Create({"0", "1"}, {"even"}, {{Rational(1)}, {Rational(1)}});
  EXPECT_EQ(constant.Pair(0, 1).Worst().ratio, Rational(1));
}

TEST(Channel, C6PublishingAShareIsZeroAndItsRate) {
  const Channel share = *ShareChannel(Rational(1, 10));
  for (const auto& [a, b] : share.EveryPair()) {
    EXPECT_FALSE(share.Pair(a, b).Worst().ratio.has_value());
    EXPECT_EQ(share.Pair(a, b).Delta(Rational(1)), Rational(1, 10));
    EXPECT_EQ(share.Pair(a, b).Delta(Rational(1000)), Rational(1, 10));
  }
  EXPECT_FALSE(ShareChannel(Rational(0)).ok());
  EXPECT_FALSE(ShareChannel(Rational(11, 10)).ok());
}

// The tables of a real sample, every row of `rows` in it with probability q or exactly `size` of
// them: the two laws over all samples of values, neighbours in the last row only.
TEST(Channel, C6AgreesWithAllSamplesOfThreeRows) {
  const Rational rate(1, 3);
  for (const bool fixed_size : {false, true}) {
    std::vector<Rational> p(64);
    std::vector<Rational> q(64);
    for (size_t chosen = 0; chosen < 8; ++chosen) {
      Rational probability(1);
      size_t members = 0;
      for (size_t i = 0; i < 3; ++i) {
        const bool in = (chosen >> i) % 2 == 1;
        members += in;
        probability *= in ? rate : Rational(1) - rate;
      }
      if (fixed_size) probability = members == 1 ? Rational(1, 3) : Rational(0);
      // Rows hold the values 1 and 2; the last one 1, or 3 for the neighbour.
      const auto published = [&](size_t last) {
        const size_t values[] = {1, 2, last};
        size_t sample = 0;
        for (size_t i = 0; i < 3; ++i) {
          sample += (chosen >> i) % 2 == 1 ? values[i] << (2 * i) : 0;
        }
        return sample;
      };
      p[published(1)] += probability;
      q[published(3)] += probability;
    }
    const FinitePair pair = *FinitePair::Create(p, q);
    EXPECT_FALSE(pair.Worst().ratio.has_value());
    for (const char* ratio : {"1", "2", "100"}) EXPECT_EQ(pair.Delta(Exactly(ratio)), rate);
  }
}

TEST(Channel, C7DeltaIsTheSupremumOverAllEventsInBothOrders) {
  std::mt19937_64 random(7);
  bool orders_differ = false;
  for (int i = 0; i < 400; ++i) {
    const FinitePair pair = RandomChannel(random, 2, 1 + random() % 5).Pair(0, 1);
    const Rational ratio = RandomRatio(random);
    const Rational one = DeltaByEvents(pair, ratio);
    const Rational other = DeltaByEvents(pair.Swapped(), ratio);
    orders_differ = orders_differ || one < other;
    EXPECT_EQ(pair.Delta(ratio), std::max(one, other));
    // The tail bound is enough, but more than needed.
    const ExactLoss epsilon{.linear = Rational(0), .ratio = ratio};
    EXPECT_GE(pair.Loss().Tail(epsilon).High(), one);
    EXPECT_TRUE(pair.Loss().Delta(epsilon).CertainlyAtMost(one + Rational::PowerOfTwo(-200)));
    EXPECT_TRUE(pair.Loss().Delta(epsilon).CertainlyAtLeast(one - Rational::PowerOfTwo(-200)));
    // The event that is named attains it.
    Rational attained;
    for (const size_t o : pair.WorstEvent(ratio)) attained += pair.p()[o] - ratio * pair.q()[o];
    EXPECT_EQ(attained, one);
  }
  EXPECT_TRUE(orders_differ);
}

TEST(Channel, C7TheTailBoundIsNotNecessary) {
  // Randomized response of ratio 3 is (ln 2, 1/4)-private, though the loss exceeds ln 2 with
  // probability 3/4.
  const FinitePair pair = CoinTossChannel().Pair(0, 1);
  EXPECT_EQ(pair.Delta(Rational(2)), Rational(1, 4));
  EXPECT_TRUE(pair.Loss()
                  .Tail({.linear = Rational(0), .ratio = Rational(2)})
                  .CertainlyAtLeast(Rational(3, 4)));
}

TEST(Channel, P1PostProcessingNeverRaisesTheLossNorAnyPointOfTheCurve) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 10'000; ++i) {
    const size_t outputs = 2 + random() % 3;
    const Channel channel = RandomChannel(random, 2, outputs);
    const Channel kernel = RandomChannel(random, outputs, 1 + random() % 3);
    const Channel image = *channel.Then(kernel);
    const FinitePair before = channel.Pair(0, 1);
    const FinitePair after = image.Pair(0, 1);
    for (const Rational& ratio : {Rational(1), RandomRatio(random)}) {
      ASSERT_LE(after.Delta(ratio), before.Delta(ratio));
      ASSERT_LE(after.DeltaOfOrder(ratio), before.DeltaOfOrder(ratio));
    }
    const auto worst = before.Worst().ratio;
    if (worst) {
      ASSERT_TRUE(after.Worst().ratio.has_value());
      ASSERT_LE(*after.Worst().ratio, *worst);
    }
  }
}

TEST(Channel, P2GroupsOfNeighbours) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 300; ++i) {
    // Inputs in a row, each the neighbour of the next.
    const uint64_t size = 2 + random() % 3;
    const Channel chain = RandomChannel(random, size + 1, 3);
    const Rational ratio = RandomRatio(random);
    Rational delta;
    Rational power(1);
    InputPairs neighbours;
    for (size_t j = 0; j < size; ++j) {
      delta = std::max(delta, chain.Pair(j, j + 1).Delta(ratio));
      power *= ratio;
      neighbours.emplace_back(j, j + 1);
    }
    const Rational bound = GroupDelta(ratio, delta, size);
    const InputPairs groups = chain.Groups(neighbours, size);
    EXPECT_EQ(groups.size(), size * (size + 1) / 2);
    EXPECT_EQ(chain.Groups(neighbours, 1), neighbours);
    for (const auto& [a, b] : groups) EXPECT_LE(chain.Pair(a, b).Delta(power), bound);
    if (ratio > Rational(1)) {
      EXPECT_EQ(bound, delta * (power - Rational(1)) / (ratio - Rational(1)));
    }
  }
}

TEST(Channel, P2IsAttained) {
  // Not k delta: three inputs in a row of which the bound is attained.
  const Rational r(2);
  const Rational d(1, 10);
  const Rational middle = r * Rational(1, 20) + d;
  const Rational top = r * middle + d;
  const auto row = [](const Rational& p) { return std::vector{p, Rational(1) - p}; };
  const Channel chain =
      *Channel::Create(Names(3), Names(2), {row(top), row(middle), row(Rational(1, 20))});
  EXPECT_EQ(std::max(chain.Pair(0, 1).Delta(r), chain.Pair(1, 2).Delta(r)), d);
  EXPECT_EQ(chain.Pair(0, 2).Delta(r * r), GroupDelta(r, d, 2));
}

TEST(FinitePair, ProductsAndRepetitionsAgreeWithTheDefinition) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 60; ++i) {
    const FinitePair pair = RandomChannel(random, 2, 3).Pair(0, 1);
    // All 27 sequences of outputs, nothing merged.
    std::vector<Rational> p;
    std::vector<Rational> q;
    for (size_t s = 0; s < 27; ++s) {
      const size_t a = s / 9;
      const size_t b = s / 3 % 3;
      const size_t c = s % 3;
      p.push_back(pair.p()[a] * pair.p()[b] * pair.p()[c]);
      q.push_back(pair.q()[a] * pair.q()[b] * pair.q()[c]);
    }
    const FinitePair plain = *FinitePair::Create(p, q);
    const FinitePair repeated = *pair.Repeated(3);
    const FinitePair product = pair.Product(pair).Product(pair);
    EXPECT_EQ(repeated.p(), product.p());
    EXPECT_EQ(repeated.q(), product.q());
    for (int j = 0; j < 3; ++j) {
      const Rational ratio = RandomRatio(random);
      EXPECT_EQ(repeated.Delta(ratio), plain.Delta(ratio));
    }
    EXPECT_EQ(repeated.Worst().ratio, plain.Worst().ratio);
    EXPECT_TRUE(FinitePair::Create(repeated.p(), repeated.q()).ok());
  }
}

TEST(FinitePair, P6RepetitionsMergeEqualLossesExactly) {
  const FinitePair coin = CoinTossChannel().Pair(0, 1);
  const FinitePair many = *coin.Repeated(1000);
  EXPECT_EQ(many.p().size(), 1001u);  // of 2^1000 outputs
  EXPECT_EQ(many.Loss().Worst()->ratio, ExactLoss{.ratio = Rational(3)}.Times(1000).ratio);
  EXPECT_TRUE(FinitePair::Create(many.p(), many.q()).ok());
  EXPECT_FALSE(coin.Repeated(0).ok());
  EXPECT_FALSE(coin.Repeated(1'000'000'000'000'000'000).ok());
  const FinitePair wide = ShareChannel(Rational(1, 7))->Pair(0, 1);
  EXPECT_FALSE(wide.Repeated(100'000).ok());
}

TEST(Channel, P9ComposedLeakyPairsAreTheOptimalComposition) {
  // delta = 1 - (1-d)^k (1 - sum over l of C(k,l) max(0, r^(k-l) - R r^l)/(1+r)^k), for k uses of
  // ratio r and delta d, at the ratio R.
  const auto power = [](const Rational& base, uint64_t exponent) {
    Rational result(1);
    for (uint64_t i = 0; i < exponent; ++i) result *= base;
    return result;
  };
  for (const char* ratio_text : {"3", "11/10", "1"}) {
    for (const char* delta_text : {"0", "1/100", "1/2"}) {
      for (const uint64_t uses : {1u, 2u, 5u, 9u}) {
        const Rational r = Exactly(ratio_text);
        const Rational d = Exactly(delta_text);
        const FinitePair composed = *LeakyChannel(r, d)->Pair(0, 1).Repeated(uses);
        for (const char* target : {"1", "3/2", "3", "20"}) {
          const Rational goal = Exactly(target);
          Rational sum;
          Rational ways(1);
          for (uint64_t l = 0; l <= uses; ++l) {
            const Rational excess = power(r, uses - l) - goal * power(r, l);
            if (excess.sign() > 0) sum += ways * excess;
            ways *= Rational(static_cast<int64_t>(uses - l), static_cast<int64_t>(l + 1));
          }
          const Rational kept = power(Rational(1) - d, uses);
          const Rational expected =
              Rational(1) - kept * (Rational(1) - sum / power(Rational(1) + r, uses));
          EXPECT_EQ(composed.Delta(goal), expected);
        }
      }
    }
  }
}

TEST(Channel, RefusesWhatIsNoTableOfProbabilities) {
  const Rational half(1, 2);
  EXPECT_FALSE(Channel::Create({}, {"o"}, {}).ok());
  EXPECT_FALSE(Channel::Create({"i"}, {}, {{}}).ok());
  EXPECT_FALSE(Channel::Create({"i"}, {"o", "o"}, {{half, half}}).ok());
  EXPECT_FALSE(Channel::Create({"i", "i"}, {"o"}, {{Rational(1)}, {Rational(1)}}).ok());
  EXPECT_FALSE(Channel::Create({"i"}, {"o", "p"}, {{half}}).ok());
  EXPECT_FALSE(Channel::Create({"i", "j"}, {"o"}, {{Rational(1)}}).ok());
  EXPECT_FALSE(Channel::Create({"i"}, {"o", "p"}, {{half, Rational(1, 3)}}).ok());
  EXPECT_FALSE(Channel::Create({"i"}, {"o", "p"}, {{Rational(2), Rational(-1)}}).ok());
  EXPECT_FALSE(FinitePair::Create({}, {}).ok());
  EXPECT_FALSE(FinitePair::Create({Rational(1)}, {half, half}).ok());
  EXPECT_FALSE(CoinTossChannel().Then(*ShareChannel(half)).ok());
  EXPECT_FALSE(LeakyChannel(half, Rational(0)).ok());
  EXPECT_FALSE(LeakyChannel(Rational(2), Rational(2)).ok());
  EXPECT_FALSE(ResponseChannel(Rational(1)).ok());
}

}  // namespace
}  // namespace tacet
