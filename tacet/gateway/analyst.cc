// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/analyst.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "tacet/base/suggest.h"
#include "tacet/catalog/identifier.h"
#include "tacet/execute/ask.h"
#include "tacet/execute/release.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

Result<Price> PriceOf(const Catalog& catalog, const Question& question) {
  const std::optional<Rational> asked = question.epsilon ? question.epsilon : catalog.query.epsilon;
  if (!asked) {
    return Error{.code = Code::kUsage,
                 .message = "the query does not say what it may spend",
                 .hint = "give --epsilon, or set epsilon under [query] in the catalog."};
  }
  if (asked->sign() <= 0) {
    return Error{.code = Code::kUsage, .message = "epsilon must be greater than 0"};
  }
  if (question.delta && (question.delta->sign() < 0 || *question.delta >= Rational(1))) {
    return Error{.code = Code::kUsage, .message = "delta must be at least 0 and less than 1"};
  }
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(*asked));
  return Price{.is_pure = !catalog.budget.delta.has_value(), .epsilon = epsilon};
}

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

std::vector<Notice> NoticesOf(const Plan& plan, const Question& question) {
  std::vector<Notice> notices;
  if (plan.is_public) {
    notices.push_back({"public", "The table is public: the answer is exact and costs nothing."});
    return notices;
  }
  if (plan.caps_groups || plan.caps_rows) {
    notices.push_back({"bounded",
                       "Margins are of the noise around the bounded answer, not of what the bounds "
                       "leave out ('tacet explain' shows them)."});
  }
  if (question.delta) {
    notices.push_back({"delta", "Delta is spent for private keys only; this query spends none."});
  }
  return notices;
}

uint64_t ImportNumber(const duckdb::Vault& vault) {
  const std::string text = vault.Meta("import_number");
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<QueryResult> QueryPublic(const Project& project, Plan plan, const Question& question,
                                const Services& services) {
  TACET_TRY(duckdb::Vault vault, OpenVault(project));
  const duckdb::InterruptWatch watch(vault.database(), services.interrupted);
  TACET_TRY(const duckdb::Rows rows, vault.Read(PublicRequestOf(plan)));
  TACET_TRY(Answer answer, AnswerPublic(plan, rows));
  QueryResult result{.answer = std::move(answer),
                     .plan = std::move(plan),
                     .cost = {},
                     .remaining = {},
                     .notices = {}};
  result.notices = NoticesOf(result.plan, question);
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  result.remaining = ledger->Remaining();
  return result;
}

QueryOutcome QueryPrivate(const Project& project, Plan plan, const Question& question,
                          const Services& services) {
  const auto failed = [](const Error& error) { return QueryOutcome{.result = error}; };
  Result<std::optional<Epsilon>> quota = QuotaOf(project.catalog, question.analyst);
  if (!quota.ok()) return failed(quota.error());
  // Opened, and so pinned, before the charge.
  Result<duckdb::Vault> vault = OpenVault(project);
  if (!vault.ok()) return failed(vault.error());
  Result<std::unique_ptr<Ledger>> ledger =
      OpenLedger(project, services.clock, services.ledger_options());
  if (!ledger.ok()) return failed(ledger.error());
  if (vault->Meta("dataset_id") != (*ledger)->dataset_id()) {
    return failed(VaultOfAnotherLedger(project));
  }
  const duckdb::InterruptWatch watch(vault->database(), services.interrupted);
  // The last moment at which stopping costs nothing.
  if (services.interrupted != nullptr && *services.interrupted) {
    return failed({.code = Code::kInterrupted, .message = "interrupted"});
  }
  Attempt attempt = AnswerPrivately(plan,
                                    {.analyst = question.analyst,
                                     .statement = question.statement,
                                     .quota = *quota,
                                     .data_version = ImportNumber(*vault)},
                                    **ledger, *vault, services.entropy);
  const std::optional<Cost> spent =
      attempt.is_spent ? std::optional<Cost>(plan.cost) : std::nullopt;
  if (!attempt.answer.ok()) return {.result = attempt.answer.error(), .spent = spent};
  std::vector<Notice> notices = NoticesOf(plan, question);
  const Cost cost = plan.cost;
  return {.result = QueryResult{.answer = *std::move(attempt.answer),
                                .plan = std::move(plan),
                                .cost = cost,
                                .remaining = (*ledger)->Remaining(),
                                .notices = std::move(notices)},
          .spent = spent};
}

}  // namespace

Result<Plan> Explain(const Project& project, const Question& question) {
  TACET_TRY(const sql::Select select, sql::Parse(question.statement));
  TACET_TRY(const Price price, PriceOf(project.catalog, question));
  return MakePlan(select, project.catalog, {.price = price});
}

QueryOutcome Query(const Project& project, const Question& question, const Services& services) {
  Result<Plan> plan = Explain(project, question);
  if (!plan.ok()) return {.result = plan.error()};
  QueryOutcome outcome =
      plan->is_public
          ? QueryOutcome{.result = QueryPublic(project, *std::move(plan), question, services)}
          : QueryPrivate(project, *std::move(plan), question, services);
  if (!outcome.result.ok()) LogForOwner(project, services.clock, outcome.result.error());
  return outcome;
}

Result<QueryResult> DryRun(const Project& project, const Question& question,
                           const Services& services) {
  TACET_TRY(Plan plan, Explain(project, question));
  TACET_TRY(const std::optional<Epsilon> quota, QuotaOf(project.catalog, question.analyst));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  Cost remaining = ledger->Remaining();
  if (!plan.is_public) {
    TACET_TRY(remaining, ledger->Preview({.analyst = question.analyst,
                                          .statement = question.statement,
                                          .plan = plan.Bytes(),
                                          .cost = plan.cost,
                                          .quota = quota}));
  }
  const Cost cost = plan.cost;
  QueryResult result{
      .answer = {}, .plan = std::move(plan), .cost = cost, .remaining = remaining, .notices = {}};
  result.notices = NoticesOf(result.plan, question);
  for (const Output& output : result.plan.outputs) {
    result.answer.columns.push_back({output.name, output.expr.type});
  }
  return result;
}

Result<BudgetReport> ReportBudget(const Project& project, const Services& services) {
  TACET_TRY(const Budget declared, BudgetOf(project.catalog));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  TACET_TRY(const std::vector<ChargeRecord> charges, ledger->Charges());
  return BudgetReport{.limit = ledger->budget(),
                      .spent = ledger->Spent(),
                      .remaining = ledger->Remaining(),
                      .charges = charges.size(),
                      .is_raise_waiting = !declared.IsWithin(ledger->budget())};
}

}  // namespace tacet
