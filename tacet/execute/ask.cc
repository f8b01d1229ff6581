// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/ask.h"

#include <utility>
#include <vector>

#include "tacet/base/fault.h"
#include "tacet/execute/release.h"

namespace tacet {
namespace {

// One for each SELECT of UNION ALL; they keep the same groups of a person.
std::vector<Request> RequestsOf(const Plan& plan, const HashKey& hash_key) {
  std::vector<Request> requests;
  for (const Plan& part : PartsOf(plan)) requests.push_back(RequestOf(part, hash_key));
  return requests;
}

// Without the rows of people who cannot pay. Rows without identity have no numbers to tell them
// apart by: they share what was charged, and are left out together.
void LeaveOut(const Exclusion& exclusion, const Plan& plan, Request& request) {
  if (plan.has_person_keys) {
    request.excluded = exclusion.people;
  } else {
    request.excludes_everyone = exclusion.rows;
  }
}

Result<Answer> ReadAndRelease(const Plan& plan, const std::vector<Request>& requests, Charge charge,
                              Ledger& ledger, Engine& engine, Entropy& entropy) {
  std::vector<Exact> exact;
  PersonSet touched;
  for (const Request& request : requests) {
    TACET_TRY(Exact one, engine.Run(request));
    const bool is_added = exact.empty() || !TACET_FAULT(union_touches_first_only);
    if (is_added) touched |= one.touched;
    exact.push_back(std::move(one));
  }
  // Losing this overcharges, never undercharges. Rows without identity have no numbers to keep, so
  // their charges stay against everyone.
  if (plan.has_person_keys) TACET_RETURN_IF_ERROR(ledger.Narrow(charge, touched));
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
          .quota = asker.quota,
          .beyond = asker.beyond};
}

Attempt AnswerPrivately(const Plan& plan, const Asker& asker, Ledger& ledger, Engine& engine,
                        Entropy& entropy) {
  const Result<HashKey> hash_key = DrawHashKey(entropy);
  if (!hash_key.ok()) return {.answer = hash_key.error()};
  std::vector<Request> requests = RequestsOf(plan, *hash_key);
  if (TACET_FAULT(read_before_charge)) static_cast<void>(engine.Run(requests[0]));
  Result<Charge> charge = ledger.Spend(ChargeFor(plan, asker));
  if (!charge.ok()) {
    // A charge that could not be written counts as spent: it may be there.
    return {.answer = charge.error(), .is_spent = charge.error().code == Code::kLedger};
  }
  const bool is_complete = !charge->exclusion().has_value();
  for (Request& request : requests) {
    if (!is_complete) LeaveOut(*charge->exclusion(), plan, request);
  }
  return {.answer = ReadAndRelease(plan, requests, *std::move(charge), ledger, engine, entropy),
          .is_spent = true,
          .is_complete = is_complete};
}

}  // namespace tacet
