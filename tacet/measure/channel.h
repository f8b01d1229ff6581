// SPDX-License-Identifier: Apache-2.0
// Mechanisms with finitely many inputs and outputs, as tables of exact probabilities.
//
// Everything here is exact in rationals; only a loss, ln of a ratio, and e^epsilon are enclosed.
//
// Proof: docs/proofs/channel.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/rational.h"
#include "tacet/measure/loss_distribution.h"

namespace tacet {

// Two laws P and Q over the same finite set of outputs: what neighbours lead to. A value.
class FinitePair {
 public:
  // Fails unless both have the same number of entries, at least one, none negative, which add up to
  // exactly 1.
  static Result<FinitePair> Create(std::vector<Rational> p, std::vector<Rational> q);

  const std::vector<Rational>& p() const { return p_; }
  const std::vector<Rational>& q() const { return q_; }
  FinitePair Swapped() const { return FinitePair(q_, p_); }

  // P[o]/Q[o], whose logarithm is the loss of output o; none where it is infinite: P[o] > 0 = Q[o].
  // Stops the process where both are 0.
  std::optional<Rational> Ratio(size_t output) const;

  // The largest ratio of either order: the pair is epsilon-private iff e^epsilon is no less.
  struct Extreme {
    std::optional<Rational> ratio;  // none: infinite
    size_t output = 0;              // where it is attained
    bool swapped = false;           // attained by Q[o]/P[o]
  };
  Extreme Worst() const;

  // sup over events E of P[E] - ratio Q[E], attained by the outputs with P[o] > ratio Q[o].
  Rational DeltaOfOrder(const Rational& ratio) const;
  std::vector<size_t> WorstEvent(const Rational& ratio) const;
  // The larger one of both orders: the least delta with which the pair is (ln ratio,
  // delta)-private. Stops the process unless ratio >= 1.
  Rational Delta(const Rational& ratio) const;

  // The loss under P.
  LossDistribution Loss() const;

  // The pair of two independent uses: every pair of outputs, those of equal ratio put together.
  FinitePair Product(const FinitePair& other) const;
  // The pair of `uses` independent uses, outputs of equal ratio put together. Fails if uses is 0 or
  // there would be too much to add up.
  Result<FinitePair> Repeated(uint64_t uses) const;
  // The same with outputs of equal ratio put together: nothing is lost by it.
  FinitePair Merged() const;

 private:
  FinitePair(std::vector<Rational> p, std::vector<Rational> q)
      : p_(std::move(p)), q_(std::move(q)) {}
  static FinitePair MergedOf(std::vector<std::pair<Rational, Rational>> atoms);

  std::vector<Rational> p_;
  std::vector<Rational> q_;
};

// Pairs of inputs by their numbers.
using InputPairs = std::vector<std::pair<size_t, size_t>>;

// A table: one row for each input, its probabilities of the outputs. A value.
class Channel {
 public:
  // Fails unless there are an input and an output, the names are different from each other, and
  // every row has as many entries as there are outputs, none negative, which add up to exactly 1.
  static Result<Channel> Create(std::vector<std::string> inputs, std::vector<std::string> outputs,
                                std::vector<std::vector<Rational>> rows);

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  const std::vector<Rational>& row(size_t input) const { return rows_[input]; }

  FinitePair Pair(size_t input, size_t other) const;
  // Every two inputs.
  InputPairs EveryPair() const;
  // The pairs at most `size` steps of `neighbours` apart, but not the same: what a group of so many
  // people can change.
  InputPairs Groups(const InputPairs& neighbours, uint64_t size) const;

  // What comes out where `kernel` is applied to this channel's output: a random map, whose inputs
  // are the outputs here, in their order. Fails if there are not as many.
  Result<Channel> Then(const Channel& kernel) const;

 private:
  Channel(std::vector<std::string> inputs, std::vector<std::string> outputs,
          std::vector<std::vector<Rational>> rows)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)), rows_(std::move(rows)) {}

  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::vector<Rational>> rows_;
};

// P2 for a ratio in place of e^epsilon: delta (1 + ratio + ... + ratio^(size-1)).
Rational GroupDelta(const Rational& ratio, const Rational& delta, uint64_t size);

// Heads: the truth; tails: a second coin decides (C2).
Channel CoinTossChannel();
// Truth with probability ratio/(1 + ratio), which is ln(ratio)-private (C3). Fails unless ratio
// > 1.
Result<Channel> ResponseChannel(const Rational& ratio);
// Truth with probability 1/2 + gamma (C4). Fails unless 0 < gamma < 1/2.
Result<Channel> ResponseChannelOfGamma(const Rational& gamma);
// Outputs 0, 1, U and V: randomized response that tells the truth outright with probability delta
// (P7). Fails unless ratio >= 1 and 0 <= delta <= 1.
Result<Channel> LeakyChannel(const Rational& ratio, const Rational& delta);
// What becomes of one person's row where each row is published with probability `rate`: a sample
// of the rows, or "name and shame" (C6). The person's row is a, or b, or there is none. Fails
// unless 0 < rate <= 1.
Result<Channel> ShareChannel(const Rational& rate);

}  // namespace tacet
