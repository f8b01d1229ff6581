// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "tacet/catalog/identifier.h"
#include "tacet/gateway/check.h"
#include "tacet/measure/zcdp.h"

namespace tacet {
namespace {

// What the hint for a pure budget reckons with.
constexpr char kSmallDelta[] = "1e-9";

std::string Subject(const Table& table, const Column& column) {
  return Shown(table.name) + "." + Shown(column.name);
}

void WarnOfDelta(const BudgetDeclaration& budget, int64_t people,
                 std::vector<std::string>& warnings) {
  if (!budget.delta || people == 0 || *budget.delta * Rational(people) < Rational(1)) return;
  warnings.push_back(
      "budget: delta = " + budget.delta->ToString() + " is not below 1 / " +
      std::to_string(people) +
      ", one over the number of people: it would allow publishing somebody at random");
}

// How many default queries fit into the budget with and without a delta.
void WarnOfPureBudget(const Catalog& catalog, std::vector<std::string>& warnings) {
  if (catalog.budget.delta || !catalog.query.epsilon) return;
  const Rational& price = *catalog.query.epsilon;
  const Result<Epsilon> epsilon = Epsilon::Create(catalog.budget.epsilon);
  const Result<Delta> delta = Delta::Create(*Rational::Parse(kSmallDelta));
  if (!epsilon.ok() || !delta.ok()) return;
  const Result<Rho> rho = RhoBudget(*epsilon, *delta);
  if (!rho.ok()) return;
  const mpz_class pure = (catalog.budget.epsilon / price).Floor();
  const mpz_class approximate = (rho->value() * Rational(2) / (price * price)).Floor();
  if (approximate <= pure) return;
  warnings.push_back("budget: it is pure and pays for " + pure.get_str() + " queries of epsilon " +
                     price.ToString() + "; with delta = " + kSmallDelta + " it would pay for " +
                     approximate.get_str());
}

void WarnOfColumn(const Catalog& catalog, const Table& table, const Column& column,
                  std::vector<std::string>& warnings) {
  if (column.type.is_number() && !column.range && !column.reference) {
    warnings.push_back(Subject(table, column) +
                       ": it has no range, so analysts can use it only inside CLAMP");
  }
  if (column.range && column.range->cells() == 1 && column.numbers.empty()) {
    warnings.push_back(Subject(table, column) +
                       ": the range holds one value, so every value becomes that one");
  }
  const bool unknown = column.domain() == DomainKind::kUnknown && !column.type.is_number();
  if (unknown && !catalog.budget.delta) {
    warnings.push_back(Subject(table, column) +
                       ": its values are not declared and the budget has no delta, so nobody can "
                       "group by it");
  }
}

void WarnOfTable(const Catalog& catalog, const Table& table, std::vector<std::string>& warnings) {
  if (table.is_public()) return;
  if (!table.rows_per_person_max && !table.bounds.rows_per_group_max) {
    warnings.push_back(Shown(table.name) +
                       ": neither rows_per_person nor bounds say how many rows a person may add, "
                       "so only people can be counted");
  }
  for (const Column& column : table.columns) WarnOfColumn(catalog, table, column, warnings);
}

// Refusals do not look at people.
void WarnOfExhaustion(const BudgetDeclaration& budget, std::vector<std::string>& warnings) {
  if (!budget.classes.empty() && budget.exhausted == Exhausted::kRefuse) {
    warnings.push_back(
        "budget: with exhausted = \"refuse\" the smallest limit of all classes holds for "
        "everybody; with \"exclude\" each class has its own");
  }
}

}  // namespace

std::vector<std::string> DeclarationWarnings(const Catalog& catalog, int64_t people) {
  std::vector<std::string> warnings;
  WarnOfDelta(catalog.budget, people, warnings);
  WarnOfPureBudget(catalog, warnings);
  WarnOfExhaustion(catalog.budget, warnings);
  for (const Table& table : catalog.tables) WarnOfTable(catalog, table, warnings);
  return warnings;
}

}  // namespace tacet
