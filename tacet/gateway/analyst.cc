// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/analyst.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/execute/ask.h"
#include "tacet/execute/post_process.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/curve.h"
#include "tacet/gateway/planning.h"
#include "tacet/gateway/reach.h"

namespace tacet {
namespace {

Result<std::optional<Epsilon>> QuotaOf(const Catalog& catalog, const std::string& analyst) {
  const Analyst* known = catalog.FindAnalyst(analyst);
  if (known != nullptr) {
    TACET_TRY(const Epsilon quota, Epsilon::Create(known->epsilon));
    return std::optional<Epsilon>(quota);
  }
  if (catalog.analysts.empty() || analyst == Question().analyst) return std::optional<Epsilon>();
  std::vector<std::string_view> names;
  for (const Analyst& one : catalog.analysts) names.push_back(one.name);
  return Error{.code = Code::kUsage,
               .message = "the catalog has no analyst " + Quoted(analyst),
               .hint = SuggestionHint(analyst, names)};
}

Balance::Beyond BeyondOf(const Catalog& catalog) {
  return catalog.budget.exhausted == Exhausted::kExclude ? Balance::Beyond::kExclude
                                                         : Balance::Beyond::kRefuse;
}

// Of one SELECT of a private table.
void AddNotices(const Plan& plan, std::vector<Notice>& notices) {
  if (plan.caps_groups || plan.caps_rows) {
    notices.push_back({"bounded",
                       "Margins are of the noise around the bounded answer, not of what the bounds "
                       "leave out ('tacet explain' shows them)."});
  }
  for (const Choice& choice : plan.choices) {
    std::string text;
    for (size_t place = 0; place < choice.places(); ++place) {
      text += (place == 0 ? "" : "; ") + choice.NameOf(place) + ": " + choice.MarginText(place);
    }
    notices.push_back({"rank_margin", text + "."});
  }
  if (plan.selection) {
    notices.push_back({"selected",
                       "Groups are selected privately: one of few people does not "
                       "appear, one of " +
                           ToString(plan.selection->PersonsForEvenOdds()) +
                           " people or more appears more often than not."});
  }
}

// All of it is known from texts, catalog and log.
std::vector<Notice> NoticesOf(const Plan& plan, const Question& question, bool is_complete) {
  std::vector<Notice> notices;
  if (plan.is_public) {
    notices.push_back({"public", "The table is public: the answer is exact and costs nothing."});
    return notices;
  }
  for (const Plan& part : PartsOf(plan)) AddNotices(part, notices);
  if (question.delta && plan.cost.delta.is_zero()) {
    notices.push_back({"delta", "Delta is spent for private keys only; this query spends none."});
  }
  if (!is_complete) {
    notices.push_back({"incomplete",
                       "So much was charged before that somebody may be left out, whose budget is "
                       "used up; margins do not cover that. Nobody is told who, or whether."});
  }
  // What holds for several SELECTs is said once.
  std::vector<Notice> once;
  for (Notice& notice : notices) {
    if (std::find(once.begin(), once.end(), notice) == once.end()) {
      once.push_back(std::move(notice));
    }
  }
  return once;
}

// The vault of the ledger's last import.
Result<duckdb::Vault> OpenVaultOf(const Project& project, const Ledger& ledger) {
  TACET_TRY(duckdb::Vault vault, OpenVault(project));
  const VaultMeta meta = MetaOf(vault);
  TACET_RETURN_IF_ERROR(CheckVaultIsOf(project, ledger, meta));
  if (meta.import_number != ledger.last_import()) {
    return Error{.code = Code::kCatalog,
                 .message = "the data is not that of the last import",
                 .hint = "run 'tacet import'."};
  }
  return vault;
}

Result<QueryResult> QueryPublic(const Project& project, Plan plan, const Question& question,
                                const Services& services, const Ledger& ledger) {
  TACET_TRY(duckdb::Vault vault, OpenVaultOf(project, ledger));
  const duckdb::InterruptWatch watch(vault.database(), services.interrupted);
  TACET_TRY(Answer answer, AnswerPublic(plan, vault));
  QueryResult result{.answer = std::move(answer),
                     .plan = std::move(plan),
                     .cost = {},
                     .remaining = ledger.Remaining(),
                     .notices = {}};
  result.notices = NoticesOf(result.plan, question, result.complete);
  return result;
}

QueryOutcome QueryPrivate(const Project& project, Plan plan, const Question& question,
                          const Services& services, Ledger& ledger) {
  const auto failed = [](const Error& error) { return QueryOutcome{.result = error}; };
  Result<std::optional<Epsilon>> quota = QuotaOf(project.catalog, question.analyst);
  if (!quota.ok()) return failed(quota.error());
  // Opened, and so pinned, before the charge.
  Result<duckdb::Vault> vault = OpenVaultOf(project, ledger);
  if (!vault.ok()) return failed(vault.error());
  const duckdb::InterruptWatch watch(vault->database(), services.interrupted);
  // The last moment at which stopping costs nothing.
  if (services.interrupted != nullptr && *services.interrupted) {
    return failed({.code = Code::kInterrupted, .message = "interrupted"});
  }
  Attempt attempt = AnswerPrivately(plan,
                                    {.analyst = question.analyst,
                                     .statement = question.statement,
                                     .quota = *quota,
                                     .beyond = BeyondOf(project.catalog),
                                     .about = AboutPeople(ledger, plan.region)},
                                    ledger, *vault, services.entropy);
  const std::optional<Cost> spent =
      attempt.is_spent ? std::optional<Cost>(plan.cost) : std::nullopt;
  if (!attempt.answer.ok()) return {.result = attempt.answer.error(), .spent = spent};
  std::vector<Notice> notices = NoticesOf(plan, question, attempt.is_complete);
  const Cost cost = plan.cost;
  const Cost remaining = ledger.Remaining(AboutPeople(ledger, plan.region));
  return {.result = QueryResult{.answer = *std::move(attempt.answer),
                                .plan = std::move(plan),
                                .cost = cost,
                                .remaining = remaining,
                                .complete = attempt.is_complete,
                                .notices = std::move(notices)},
          .spent = spent};
}

}  // namespace

Result<Plan> Explain(const Project& project, const Question& question) {
  return PlanOf(project, question, Referenced::kIfImported);
}

namespace {

// Plans first: what is refused for its text does not wait for the ledger.
template <typename LedgerOf>
QueryOutcome PlanAndQuery(const Project& project, const Question& question,
                          const Services& services, const LedgerOf& ledger_of) {
  const auto ask = [&]() -> QueryOutcome {
    Result<Plan> plan = PlanOf(project, question, Referenced::kRequired);
    if (!plan.ok()) return {.result = plan.error()};
    const auto ledger = ledger_of();
    if (!ledger.ok()) return {.result = ledger.error()};
    if (plan->is_public) {
      return {.result = QueryPublic(project, *std::move(plan), question, services, **ledger)};
    }
    return QueryPrivate(project, *std::move(plan), question, services, **ledger);
  };
  QueryOutcome outcome = ask();
  if (!outcome.result.ok()) LogForOwner(project, services.clock, outcome.result.error());
  return outcome;
}

}  // namespace

QueryOutcome Query(const Project& project, const Question& question, const Services& services) {
  return PlanAndQuery(project, question, services, [&] {
    return OpenLedger(project, services.clock, services.ledger_options());
  });
}

QueryOutcome Query(const Project& project, const Question& question, const Services& services,
                   Ledger& ledger) {
  return PlanAndQuery(project, question, services, [&] { return Result<Ledger*>(&ledger); });
}

Result<QueryResult> DryRun(const Project& project, const Question& question,
                           const Services& services) {
  TACET_TRY(Plan plan, PlanOf(project, question, Referenced::kRequired));
  TACET_TRY(const std::optional<Epsilon> quota, QuotaOf(project.catalog, question.analyst));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  Ledger::Prospect prospect{.remaining = ledger->Remaining()};
  if (!plan.is_public) {
    const Asker asker{.analyst = question.analyst,
                      .statement = question.statement,
                      .quota = quota,
                      .beyond = BeyondOf(project.catalog),
                      .about = AboutPeople(*ledger, plan.region)};
    TACET_TRY(prospect, ledger->Preview(ChargeFor(plan, asker)));
  }
  const Cost cost = plan.cost;
  QueryResult result{.answer = {},
                     .plan = std::move(plan),
                     .cost = cost,
                     .remaining = prospect.remaining,
                     .complete = prospect.is_complete,
                     .notices = {}};
  result.notices = NoticesOf(result.plan, question, result.complete);
  result.answer = WithoutRows(result.plan);
  result.supposition = DeclaredSupposition(project.catalog, result.plan);
  Result<std::vector<ExpectedMargin>> expected = ExpectedMargins(result.plan, result.supposition);
  // Of too many groups nothing is said.
  if (expected.ok()) result.expected = *std::move(expected);
  return result;
}

namespace {

// Whether the catalog declares more than is in force, for anybody.
Result<bool> IsRaiseWaiting(const Catalog& catalog, const Ledger& ledger) {
  TACET_TRY(const Budget declared, BudgetOf(catalog));
  if (!declared.IsWithin(ledger.budget())) return true;
  TACET_TRY(const std::vector<ClassLimit> classes, ClassLimitsOf(catalog));
  for (const ClassLimit& in_force : ledger.class_limits()) {
    for (const ClassLimit& now : classes) {
      if (now.name == in_force.name && now.epsilon > in_force.epsilon) return true;
    }
  }
  return false;
}

}  // namespace

Result<BudgetReport> ReportBudget(const Project& project, const Services& services,
                                  const BudgetQuestion& question) {
  Region region;
  if (question.predicate) {
    TACET_TRY(region, PredicateRegion(project.catalog, *question.predicate, question.table));
  }
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  TACET_TRY(const bool is_raise_waiting, IsRaiseWaiting(project.catalog, *ledger));
  const About about = question.predicate ? AboutPeople(*ledger, region) : About{};
  return BudgetReport{.limit = ledger->budget(),
                      .spent = ledger->Spent(about),
                      .remaining = ledger->Remaining(about),
                      .charges = ledger->charges(),
                      .counting = ledger->Counting(about),
                      .is_raise_waiting = is_raise_waiting,
                      .marks = ledger->marks()};
}

}  // namespace tacet
