// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/ask.h"

#include <utility>

#include "tacet/base/fault.h"
#include "tacet/execute/release.h"

namespace tacet {
namespace {

Result<Answer> ReadAndRelease(const Plan& plan, const Request& request, Charge charge,
                              Ledger& ledger, Engine& engine, Entropy& entropy) {
  TACET_TRY(const Exact exact, engine.Run(request));
  // Losing this overcharges, never undercharges. Rows without identity have no numbers to keep, so
  // their charges stay against everyone.
  if (plan.has_person_keys) TACET_RETURN_IF_ERROR(ledger.Narrow(charge, exact.touched));
  return Release(plan, std::move(charge), exact, entropy);
}

}  // namespace

SpendRequest ChargeFor(const Plan& plan, const Asker& asker) {
  return {.analyst = asker.analyst,
          .statement = asker.statement,
          .plan = plan.Bytes(),
          .cost = plan.cost,
          .reach = {.data_version = asker.about.data_version, .region = plan.region.Bytes()},
          .disjoint = asker.about.disjoint,
          .quota = asker.quota};
}

Attempt AnswerPrivately(const Plan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                        Entropy& entropy) {
  const Result<HashKey> hash_key = DrawHashKey(entropy);
  if (!hash_key.ok()) return {.answer = hash_key.error()};
  const Request request = RequestOf(plan, *hash_key);
  if (TACET_FAULT(read_before_charge)) static_cast<void>(engine.Run(request));
  Result<Charge> charge = ledger.Spend(ChargeFor(plan, asker));
  if (!charge.ok()) {
    // A charge that could not be written counts as spent: it may be there.
    return {.answer = charge.error(), .is_spent = charge.error().code == Code::kLedger};
  }
  return {.answer = ReadAndRelease(plan, request, *std::move(charge), ledger, engine, entropy),
          .is_spent = true};
}

}  // namespace tacet
