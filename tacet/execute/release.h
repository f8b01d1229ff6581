// SPDX-License-Identifier: Apache-2.0
// From exact sums to the table that leaves: noise, then everything that is free.
#pragma once

#include <span>

#include "tacet/engine/engine.h"
#include "tacet/execute/answer.h"
#include "tacet/ledger/charge.h"
#include "tacet/plan/plan.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// What the engine is asked for. `plan` is of a private table; `hash_key` is drawn for this query.
Request RequestOf(const Plan& plan, const HashKey& hash_key);
Result<HashKey> DrawHashKey(Entropy& entropy);

// Adds noise to every primitive of every public group, whether anybody is in it or not, or else of
// every group that is selected (tacet/execute/groups.h), and post-processes the noisy table. Uses
// the charge up, which must be that of this plan. Fails only without entropy.
//
// Guarantee: over data sets that differ in one person, the answers are as close as plan.cost says.
// Proof: docs/proofs/release.md, docs/proofs/private_keys.md.
Result<Answer> Release(const Plan& plan, Charge charge, const Exact& exact, Entropy& entropy);
// The same of UNION ALL: `exact` is that of each of PartsOf(plan).
Result<Answer> Release(const Plan& plan, Charge charge, std::span<const Exact> exact,
                       Entropy& entropy);

// The same for a public table, whose numbers are exact: nothing is charged and nothing noised.
PublicRequest PublicRequestOf(const Plan& plan);
Result<Answer> AnswerPublic(const Plan& plan, const duckdb::Rows& rows);
// Reads and answers, also UNION ALL.
Result<Answer> AnswerPublic(const Plan& plan, Engine& engine);

}  // namespace tacet
