// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/people_report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "tacet/base/decimal_text.h"
#include "tacet/catalog/identifier.h"

namespace tacet {
namespace {

constexpr size_t kNearestMax = 10;

// As the import makes keys canonical.
Result<std::string> CanonicalKey(const Catalog& catalog, const std::string& key) {
  if (catalog.person_key == PersonKeyType::kText) return key;
  const std::optional<Int128> number = ParseInteger(key);
  if (number) return ToString(*number);
  return Error{.code = Code::kUsage,
               .message = "people's keys are integers here, and " + Quoted(key) + " is none"};
}

// The narrowings that count: those before the registry began number other people.
Result<std::vector<NarrowingRecord>> Narrowings(const Ledger& ledger) {
  bool has_registry = false;
  std::vector<NarrowingRecord> narrowings;
  TACET_RETURN_IF_ERROR(ledger.ForEach([&](uint64_t, const Record& record) -> Status {
    if (std::holds_alternative<SecretRecord>(record)) has_registry = true;
    const auto* narrowing = std::get_if<NarrowingRecord>(&record);
    if (narrowing != nullptr && has_registry) narrowings.push_back(*narrowing);
    return {};
  }));
  return narrowings;
}

// The charges that `person` does not pay for: they were narrowed to others.
Result<std::set<uint64_t>> ChargesOfOthers(Ledger& ledger,
                                           const std::vector<NarrowingRecord>& narrowings,
                                           uint32_t person) {
  std::map<Digest, std::vector<uint64_t>> charges_by_set;
  for (const NarrowingRecord& narrowing : narrowings) {
    charges_by_set[narrowing.people].push_back(narrowing.charge);
  }
  std::set<uint64_t> others;
  for (const auto& [digest, charges] : charges_by_set) {
    TACET_TRY(const std::optional<PersonSet> people, ledger.Touched(charges.front()));
    if (people && !people->Contains(person)) others.insert(charges.begin(), charges.end());
  }
  return others;
}

Units LimitOf(const PeopleAccounts& accounts, uint32_t person) {
  for (const LimitShare& share : accounts.shares) {
    if (share.people.Contains(person)) return share.limit;
  }
  return {};
}

// Of a limit below one unit all is spent.
Rational PartOf(const Units& spent, const Units& limit) {
  return limit == Units() ? Rational(1) : spent.Amount() / limit.Amount();
}

// What a limit in units of epsilon or rho says.
Cost CountedCost(bool is_pure, const Rational& amount) {
  if (is_pure) return {.epsilon = *Epsilon::Create(amount)};
  return {.epsilon = Balance::PriceOf(amount), .delta = {}, .rho = *Rho::Create(amount)};
}

// The limit that counts as `rho`, as it was declared.
Cost DeclaredLimit(const Ledger& ledger, const Units& rho) {
  const Budget budget = ledger.budget();
  Cost declared{.epsilon = budget.epsilon(), .delta = budget.delta(), .rho = budget.filter().rho};
  for (const ClassLimit& limit : ledger.class_limits()) {
    if (Units::Down(limit.rho.value()) != rho) continue;
    declared.epsilon = limit.epsilon;
    declared.rho = limit.rho;
  }
  return declared;
}

}  // namespace

Result<PersonReport> ReportPerson(const Project& project, const Services& services,
                                  const std::string& key) {
  TACET_TRY(const std::string canonical, CanonicalKey(project.catalog, key));
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  TACET_TRY(const PersonRegistry registry, ledger->People());
  const std::optional<uint32_t> person = registry.Find(canonical);
  if (!person) {
    return Error{.code = Code::kUsage,
                 .message = "nobody with the key " + Quoted(key) + " was ever imported"};
  }
  TACET_TRY(const PeopleAccounts accounts, ledger->Accounts());
  TACET_TRY(const std::vector<NarrowingRecord> narrowings, Narrowings(*ledger));
  TACET_TRY(const std::set<uint64_t> of_others, ChargesOfOthers(*ledger, narrowings, *person));
  std::set<uint64_t> narrowed;
  for (const NarrowingRecord& narrowing : narrowings) narrowed.insert(narrowing.charge);
  TACET_TRY(const LedgerList list, ListCharges(*ledger, services));
  const Budget budget = ledger->budget();
  PersonReport report{
      .is_pure = budget.is_pure(), .limit = {}, .spent = {}, .remaining = {}, .charges = {}};
  Rational prices;
  for (const ListedCharge& charge : list.charges) {
    if (of_others.contains(charge.number)) continue;
    prices += charge.cost.epsilon.value();
    report.charges.push_back(
        {.charge = charge, .is_for_everyone = !narrowed.contains(charge.number)});
  }
  const Units limit = LimitOf(accounts, *person);
  const Units spent = accounts.balances.Of(*person) + accounts.everyone;
  report.limit = CountedCost(report.is_pure, limit.Amount());
  report.spent = CountedCost(report.is_pure, spent.Amount());
  report.remaining = CountedCost(report.is_pure, (limit - spent).Amount());
  if (!report.is_pure) {
    report.limit = DeclaredLimit(*ledger, limit);
    report.spent.epsilon = *Epsilon::Create(prices);
    report.spent.delta = ledger->Spent().delta;
    report.remaining.delta = ledger->Remaining().delta;
  }
  return report;
}

namespace {

// What a query at the catalog's price counts at most; nothing if it has none.
std::optional<Units> CountedPrice(const Catalog& catalog) {
  if (!catalog.query.epsilon) return std::nullopt;
  const Rational& price = *catalog.query.epsilon;
  return Units::Up(catalog.budget.delta ? price * price / Rational(2) : price);
}

// Of people who are in the data now.
std::map<uint32_t, std::string> KeysOf(const Project& project,
                                       const std::vector<PeopleReport::Account>& accounts) {
  std::string numbers;
  for (const PeopleReport::Account& account : accounts) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(account.number);
  }
  std::map<uint32_t, std::string> keys;
  Result<duckdb::Vault> vault = OpenVault(project);
  if (!vault.ok() || numbers.empty()) return keys;
  const Result<duckdb::Rows> rows = vault->database().Query(
      "SELECT CAST(p AS BIGINT), key FROM people WHERE p IN (" + numbers + ")");
  if (!rows.ok()) return keys;
  for (const std::vector<duckdb::Cell>& row : *rows) {
    keys[static_cast<uint32_t>(std::get<int64_t>(row[0]))] = std::get<std::string>(row[1]);
  }
  return keys;
}

}  // namespace

Result<PeopleReport> ReportPeople(const Project& project, const Services& services) {
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedger(project, services.clock, services.ledger_options()));
  TACET_TRY(const PeopleAccounts accounts, ledger->Accounts());
  PeopleReport report;
  report.people = accounts.people;
  report.price = project.catalog.query.epsilon;
  const std::optional<Units> price = CountedPrice(project.catalog);
  const Units& everyone = accounts.everyone;
  constexpr int64_t kParts = PeopleReport::kParts;
  for (const LimitShare& share : accounts.shares) {
    for (const auto& [amount, count] : accounts.balances.Spread(share.people)) {
      const Units spent = amount + everyone;
      const bool can_pay = price ? spent + *price <= share.limit : spent < share.limit;
      if (!can_pay) report.unable_to_pay += count;
      if (spent == Units()) {
        report.untouched += count;
        continue;
      }
      const Rational part = PartOf(spent, share.limit);
      const int64_t tenth = std::min<int64_t>(
          (std::min(part, Rational(1)) * Rational(kParts)).Ceil().get_si(), kParts);
      report.parts[static_cast<size_t>(tenth) - 1] += count;
      if (tenth == kParts) report.beyond_nine_tenths += count;
    }
    // The few of this share who have spent most.
    for (const auto& [person, amount] : accounts.balances.Largest(share.people, kNearestMax)) {
      const Units spent = amount + everyone;
      if (spent == Units()) continue;
      report.nearest.push_back({.key = "", .number = person, .part = PartOf(spent, share.limit)});
    }
  }
  std::stable_sort(report.nearest.begin(), report.nearest.end(),
                   [](const auto& a, const auto& b) { return a.part > b.part; });
  if (report.nearest.size() > kNearestMax) report.nearest.resize(kNearestMax);
  const std::map<uint32_t, std::string> keys = KeysOf(project, report.nearest);
  for (PeopleReport::Account& account : report.nearest) {
    const auto key = keys.find(account.number);
    if (key != keys.end()) account.key = key->second;
  }
  return report;
}

}  // namespace tacet
