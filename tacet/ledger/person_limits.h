// SPDX-License-Identifier: Apache-2.0
// Which limit holds for whom, where people are in classes with limits of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/person_set.h"
#include "tacet/ledger/units.h"

namespace tacet {

// People with the same limit.
struct LimitShare {
  Units limit;
  PersonSet people;
};

// Who held which class since the last raise. A class is named; the empty name is that of people
// without one. A value; for one thread at a time.
class PersonLimits {
 public:
  // The people of an import in their classes; whoever is in none of the sets stays where they were.
  void Hold(const std::vector<std::pair<std::string, PersonSet>>& classes);
  // From here on only the class counts in which a person is now.
  void Raise() { ever_ = now_; }

  // Those of the first `people` who never held one.
  PersonSet WithoutClass(uint64_t people) const;
  // The first `people` by their limit, ascending: that of the smallest class which a person ever
  // held. A class that is not in `limits`, and people who held none, have that of the empty name,
  // which must be there.
  std::vector<LimitShare> Shares(uint64_t people, const std::map<std::string, Units>& limits) const;

 private:
  std::map<std::string, PersonSet> now_;
  std::map<std::string, PersonSet> ever_;
};

}  // namespace tacet
