// SPDX-License-Identifier: Apache-2.0
// What was spent on people, one by one and all together. For the owner, and for each person their
// own: none of this may reach an analyst.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/ledger_report.h"
#include "tacet/gateway/project.h"

namespace tacet {

struct PersonCharge {
  ListedCharge charge;
  // Whom it touched was never recorded, or it is about rows without identity: it counts for all.
  bool is_for_everyone = false;
};

struct PersonReport {
  bool is_pure = true;
  Cost limit;  // for this person, as declared
  Cost spent;  // delta is charged to everyone; epsilon is the sum of prices
  Cost remaining;
  std::vector<PersonCharge> charges;  // those that touched the person, in order
};

// The account of the person with this key, as the sources write it. Fails with Code::kUsage if
// nobody with it was ever imported.
Result<PersonReport> ReportPerson(const Project& project, const Services& services,
                                  const std::string& key);

struct PeopleReport {
  static constexpr size_t kParts = 10;
  struct Account {
    std::string key;  // empty: not in the data now
    uint32_t number = 0;
    Rational part;  // of their own limit that is spent; may be more than 1
  };

  uint64_t people = 0;
  // How many have spent nothing, up to a tenth of their limit, up to two tenths, ..., more than
  // nine tenths.
  uint64_t untouched = 0;
  std::vector<uint64_t> parts = std::vector<uint64_t>(kParts);
  // Those who cannot pay for a query at `price`, for whom answers have become incomplete; with
  // exhausted = "refuse" nobody is left out, and this is who would be.
  std::optional<Rational> price;  // the catalog's; absent: any price at all
  uint64_t unable_to_pay = 0;
  uint64_t beyond_nine_tenths = 0;
  std::vector<Account> nearest;  // the few with the least left, the least first
};

Result<PeopleReport> ReportPeople(const Project& project, const Services& services);

}  // namespace tacet
