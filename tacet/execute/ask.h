// SPDX-License-Identifier: Apache-2.0
// The order of a query, and the only place where it is decided: charge, read, narrow, release.
#pragma once

#include <optional>
#include <string>

#include "tacet/engine/engine.h"
#include "tacet/execute/answer.h"
#include "tacet/ledger/ledger.h"
#include "tacet/plan/plan.h"
#include "tacet/sampler/entropy.h"

namespace tacet {

// Who asks.
struct Asker {
  std::string analyst;
  std::string statement;  // the text; only its digest is kept
  std::optional<Epsilon> quota = {};
  // What becomes of a query that somebody may be unable to pay for.
  Balance::Beyond beyond = Balance::Beyond::kRefuse;
  About about = {};  // which charges cannot concern the same people, and the import that is read
};

// What an answer to `plan` would charge.
SpendRequest ChargeFor(const Plan& plan, const Asker& asker);

struct Attempt {
  Result<Answer> answer;
  // Whether the plan's cost is spent, with or without an answer.
  bool is_spent = false;
  // Whether the log shows that nobody was left out.
  bool is_complete = true;
};

// Answers a plan of a private table. Nothing is read before the charge is durable; whatever goes
// wrong afterwards, the charge stays.
Attempt AnswerPrivately(const Plan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                        Entropy& entropy);

}  // namespace tacet
