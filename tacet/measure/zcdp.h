// SPDX-License-Identifier: Apache-2.0
// Between concentrated loss and (epsilon, delta), by the best conversion known:
//
//   delta(rho, epsilon) = min over alpha > 1 of
//                         e^((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) (1 - 1/alpha)^alpha.
//
// Every alpha gives a bound that holds. The one that is used was found by a search that need not be
// exact; the bound at it is evaluated with directed rounding.
//
// Proof: docs/proofs/zcdp.md.
#pragma once

#include "tacet/measure/amount.h"

namespace tacet {

// The largest rho that is certainly within (epsilon, delta), up to a factor of 1 - 2^-62: rounded
// down, to 64 significant bits. Fails unless epsilon > 0 and 0 < delta < 1.
// Guarantee: what is rho-concentrated for the returned rho is (epsilon, delta)-private.
Result<Rho> RhoBudget(const Epsilon& epsilon, const Delta& delta);

// The least epsilon at which rho-concentrated loss is certainly (epsilon, delta), up to a factor of
// 1 + 2^-62: rounded up, to 64 significant bits. Stops the process unless delta > 0.
// Guarantee: what is rho-concentrated is (epsilon, delta)-private for the returned epsilon.
Epsilon EpsilonOfRho(const Rho& rho, const Delta& delta);

// The least delta at which rho-concentrated loss is certainly (epsilon, delta), up to a factor of
// 1 + 2^-62, or 1: rounded up, to 64 significant bits.
// Guarantee: what is rho-concentrated is (epsilon, delta)-private for the returned delta.
Delta DeltaOfRho(const Rho& rho, const Epsilon& epsilon);

}  // namespace tacet
