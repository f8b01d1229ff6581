// SPDX-License-Identifier: Apache-2.0
// What the tests of people's budgets share.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "tacet/ledger/crash_testing.h"

namespace tacet {

// Noise with P(k) proportional to e^(-epsilon |k|).
inline int64_t TwoSidedGeometric(std::mt19937_64& random, double epsilon) {
  std::geometric_distribution<int64_t> side(1 - std::exp(-epsilon));
  return side(random) - side(random);
}

// A ledger of people who drop out when they cannot pay.
class PersonBudgets : public CrashStates {
 protected:
  static SpendRequest AskExcluding(const char* epsilon) {
    SpendRequest request = Ask(epsilon);
    request.beyond = Balance::Beyond::kExclude;
    return request;
  }
  // What one query does: whoever is in `people` and can pay is touched.
  static void Answer(Ledger& ledger, const char* epsilon, const PersonSet& people) {
    Result<Charge> charge = ledger.Spend(AskExcluding(epsilon));
    ASSERT_TRUE(charge.ok()) << charge.error().message;
    PersonSet touched = people;
    if (charge->exclusion()) touched -= charge->exclusion()->people;
    ASSERT_TRUE(ledger.Narrow(*charge, touched).ok());
  }
  static Rational SpentOn(Ledger& ledger, uint32_t person) {
    return ledger.Accounts()->balances.Of(person).Amount();
  }
};

// One where people are in classes with limits of their own.
class PersonClasses : public PersonBudgets {
 protected:
  static PersonSet Only(uint32_t person) {
    PersonSet people;
    people.Add(person);
    return people;
  }
  static std::vector<ClassLimit> Limits(const char* rest, const char* study) {
    return {{.name = "", .epsilon = E(rest), .rho = {}},
            {.name = "study", .epsilon = E(study), .rho = {}}};
  }
  static std::vector<Rational> LimitsOfPeople(Ledger& ledger) {
    const PeopleAccounts accounts = *ledger.Accounts();
    std::vector<Rational> limits(accounts.people);
    for (const LimitShare& share : accounts.shares) {
      for (const uint32_t person : share.people.ToVector()) limits[person] = share.limit.Amount();
    }
    return limits;
  }
  using Amounts = std::vector<Rational>;
};

}  // namespace tacet
