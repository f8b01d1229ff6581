// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/groups.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tacet/base/check.h"
#include "tacet/base/fault.h"

namespace tacet {
namespace {

// A group that is asked about.
struct Candidate {
  const Group* group;
  std::vector<Value> keys;
};

bool ComesBefore(const Candidate& a, const Candidate& b) {
  for (size_t i = 0; i < a.group->keys.size(); ++i) {
    const StoredKey& own = a.group->keys[i];
    const StoredKey& other = b.group->keys[i];
    if (IsNull(own) != IsNull(other)) return IsNull(other);
    if (own != other) return own < other;  // texts by their bytes
  }
  return false;
}

// Nothing where the catalog says that there is no such key: that depends on the key alone.
std::optional<std::vector<Value>> ValuesOf(const Plan& plan, const Group& group) {
  std::vector<Value> values;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    std::optional<Value> value = KeyValue(plan.keys[i].column, group.keys[i]);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

// What is summed or counted of every primitive. Requests ask for different values apart from sums,
// each in the order of the primitives.
std::vector<Int128> SumsOf(const Plan& plan, const Group& group) {
  std::vector<Int128> sums;
  size_t next_sum = 0;
  size_t next_value = 0;
  for (const Primitive& primitive : plan.primitives) {
    if (primitive.kind != Primitive::Kind::kDistinct) {
      sums.push_back(group.sums[next_sum++]);
      continue;
    }
    const ValueCounts& counts = group.values[next_value++];
    sums.push_back(counts.empty() ? 0 : counts.front().second);
  }
  return sums;
}

// Of a choice: they come after the different values.
const ValueCounts* CountsOf(const Plan& plan, const Group& group, size_t choice) {
  return &group.values[group.values.size() - plan.choices.size() + choice];
}

std::vector<Candidate> CandidatesOf(const Plan& plan, const Exact& exact) {
  std::vector<Candidate> candidates;
  candidates.reserve(exact.groups.size());
  for (const Group& group : exact.groups) {
    TACET_CHECK(group.keys.size() == plan.keys.size() &&
                group.sums.size() + group.values.size() ==
                    plan.primitives.size() + plan.choices.size() + 1);
    std::optional<std::vector<Value>> keys = ValuesOf(plan, group);
    if (keys) candidates.push_back({&group, *std::move(keys)});
  }
  std::sort(candidates.begin(), candidates.end(), ComesBefore);
  return candidates;
}

// The places of the groups that are kept, ascending, and their noisy numbers of people if the rule
// has any.
struct Kept {
  std::vector<size_t> places;
  std::vector<Int128> noisy;
};

Result<Kept> Keep(const GaussianSelection& rule, const std::vector<int64_t>& persons,
                  Entropy& entropy) {
  TACET_TRY(const std::vector<KeptGroup> groups, rule.Release(persons, entropy));
  Kept kept;
  for (const KeptGroup& group : groups) {
    kept.places.push_back(group.place);
    kept.noisy.push_back(group.noisy);
  }
  return kept;
}

Result<Kept> Keep(const OptimalSelection& rule, const std::vector<int64_t>& persons,
                  Entropy& entropy) {
  TACET_TRY(const std::vector<uint8_t> decisions, rule.Release(persons, entropy));
  Kept kept;
  for (size_t place = 0; place < decisions.size(); ++place) {
    if (decisions[place] != 0) kept.places.push_back(place);
  }
  return kept;
}

Kept KeepAll(const std::vector<int64_t>& persons) {
  Kept kept;
  kept.places.resize(persons.size());
  std::iota(kept.places.begin(), kept.places.end(), size_t{0});
  kept.noisy.assign(persons.begin(), persons.end());
  return kept;
}

}  // namespace

Groups PublicGroups(const Plan& plan, const Exact& exact) {
  const Cells cells = plan.MakeCells();
  Groups groups;
  groups.sums.assign(plan.primitives.size(), std::vector<Int128>(cells.size(), 0));
  groups.values.assign(plan.choices.size(), std::vector<const ValueCounts*>(cells.size(), nullptr));
  std::vector<bool> present(cells.size(), false);
  for (const Group& group : exact.groups) {
    const std::optional<size_t> cell = cells.Find(group.keys);
    if (!cell) continue;
    present[*cell] = true;
    const std::vector<Int128> sums = SumsOf(plan, group);
    for (size_t i = 0; i < sums.size(); ++i) groups.sums[i][*cell] = sums[i];
    for (size_t i = 0; i < plan.choices.size(); ++i) {
      groups.values[i][*cell] = CountsOf(plan, group, i);
    }
  }
  for (size_t cell = 0; cell < cells.size(); ++cell) groups.keys.push_back(cells.ValuesAt(cell));
  if (TACET_FAULT(absent_key_omitted)) {
    size_t cell = 0;
    std::erase_if(groups.keys, [&](const std::vector<Value>&) { return !present[cell++]; });
  }
  return groups;
}

Measure PersonsMeasure() {
  return {
      .kind = TACET_FAULT(selection_counts_rows) ? Measure::Kind::kSum : Measure::Kind::kPersons,
      .value = sql::EngineExpr::Integer(1),
      .low = 0,
      .high = TACET_FAULT(selection_counts_rows) ? kRowsPerGroupMax : 1};
}

Result<Groups> SelectGroups(const Plan& plan, const Exact& exact, Entropy& entropy) {
  std::vector<Candidate> candidates = CandidatesOf(plan, exact);
  std::vector<int64_t> persons;
  persons.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    persons.push_back(static_cast<int64_t>(candidate.group->sums.back()));
  }
  TACET_TRY(Kept kept, std::visit([&](const auto& rule) { return Keep(rule, persons, entropy); },
                                  plan.selection->rule));
  if (TACET_FAULT(key_threshold_skipped)) kept = KeepAll(persons);
  Groups groups;
  groups.sums.resize(plan.primitives.size());
  groups.values.resize(plan.choices.size());
  for (const size_t place : kept.places) {
    Candidate& candidate = candidates[place];
    groups.keys.push_back(std::move(candidate.keys));
    const std::vector<Int128> sums = SumsOf(plan, *candidate.group);
    for (size_t i = 0; i < sums.size(); ++i) groups.sums[i].push_back(sums[i]);
    for (size_t i = 0; i < plan.choices.size(); ++i) {
      groups.values[i].push_back(CountsOf(plan, *candidate.group, i));
    }
  }
  groups.noisy_persons = std::move(kept.noisy);
  return groups;
}

}  // namespace tacet
