// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/ledger_export.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/ledger/person_registry.h"
#include "tacet/ledger/record.h"

namespace tacet {
namespace {

using Json = nlohmann::ordered_json;
using Sets = std::map<Digest, PersonSet>;

Json CostFields(const Cost& cost) {
  return {{"epsilon", cost.epsilon.ToString()},
          {"delta", cost.delta.ToString()},
          {"rho", cost.rho.ToString()}};
}

// Adds what a record holds to its line.
struct Fields {
  const Sets& sets;
  Json& line;

  std::string_view operator()(const OpeningRecord& record) const {
    line["time"] = ToString(record.time);
    line["dataset_id"] = record.dataset_id;
    return "opening";
  }
  std::string_view operator()(const BudgetRecord& record) const {
    line["time"] = ToString(record.time);
    line["epsilon"] = record.epsilon.ToString();
    line["delta"] = record.delta.ToString();
    line["selection_share"] = record.selection_share.ToString();
    line["rho"] = record.rho.ToString();
    return "budget";
  }
  std::string_view operator()(const ChargeRecord& record) const {
    line["number"] = record.number;
    line["time"] = ToString(record.time);
    line["analyst"] = record.analyst;
    line["cost"] = CostFields(record.cost);
    line["import"] = record.reach.data_version;
    line["region"] = record.reach.region;
    line["digest"] = ToHex(record.statement);
    line["plan"] = record.plan;
    return "charge";
  }
  std::string_view operator()(const NarrowingRecord& record) const {
    line["charge"] = record.charge;
    const auto people = sets.find(record.people);
    if (people != sets.end()) line["people"] = people->second.ToVector();
    return "narrowing";
  }
  std::string_view operator()(const SecretRecord&) const { return "secret"; }
  std::string_view operator()(const RaiseRecord& record) const {
    (*this)(record.budget);
    line["reason"] = record.reason;
    return "raise";
  }
  std::string_view operator()(const PeopleRecord& record) const {
    line["first"] = record.first;
    line["count"] = record.hashes.size() / PersonRegistry::kHashSize;
    return "people";
  }
  std::string_view operator()(const DeclarationRecord& record) const {
    line["time"] = ToString(record.time);
    line["table"] = record.table;
    line["source"] = record.source;
    line["person"] = record.person;
    return "declaration";
  }
  std::string_view operator()(const ImportRecord& record) const {
    line["number"] = record.number;
    line["time"] = ToString(record.time);
    return "import";
  }
  std::string_view operator()(const MarkRecord& record) const {
    line["mark"] = record.kind == MarkRecord::Kind::kAdopted ? "adopted" : "recovered";
    line["time"] = ToString(record.time);
    line["reason"] = record.reason;
    return "mark";
  }
  std::string_view operator()(const ClassLimitsRecord& record) const {
    line["time"] = ToString(record.time);
    if (!record.reason.empty()) line["reason"] = record.reason;
    line["limits"] = Json::array();
    for (const ClassLimit& limit : record.limits) {
      line["limits"].push_back({{"class", limit.name},
                                {"epsilon", limit.epsilon.ToString()},
                                {"rho", limit.rho.ToString()}});
    }
    return "class_limits";
  }
  std::string_view operator()(const ClassesRecord& record) const {
    line["import"] = record.import;
    line["classes"] = Json::array();
    for (const ClassMembers& members : record.classes) {
      // Not the digest: who guesses a set could check the guess.
      line["classes"].push_back(members.name);
    }
    return "classes";
  }
  std::string_view operator()(const CheckpointRecord& record) const {
    line["others"] = record.others;
    line["people"] = record.people;
    line["new_kinds"] = Json::array();
    for (const ChargeKind& kind : record.new_kinds) {
      line["new_kinds"].push_back({{"analyst", kind.analyst},
                                   {"import", kind.reach.data_version},
                                   {"region", kind.reach.region},
                                   {"epsilon", kind.epsilon.Amount().ToString()},
                                   {"delta", kind.delta.Amount().ToString()},
                                   {"rho", kind.rho.Amount().ToString()}});
    }
    line["runs"] = Json::array();
    for (const ChargeRun& run : record.runs) {
      line["runs"].push_back({{"kind", run.kind}, {"count", run.count}});
    }
    return "checkpoint";
  }
};

std::string LineOf(const ChainPoint& point, const Record& record, const Sets& sets) {
  Json line = {{"sequence", point.sequence}, {"kind", ""}, {"hash", ToHex(point.hash)}};
  line["kind"] = std::visit(Fields{.sets = sets, .line = line}, record);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Sets> ReadSets(Ledger& ledger) {
  std::map<Digest, uint64_t> charges;  // one for each set
  TACET_RETURN_IF_ERROR(ledger.ForEach([&](uint64_t, const Record& record) -> Status {
    if (const auto* narrowing = std::get_if<NarrowingRecord>(&record)) {
      charges[narrowing->people] = narrowing->charge;
    }
    return {};
  }));
  Sets sets;
  for (const auto& [digest, charge] : charges) {
    TACET_TRY(std::optional<PersonSet> people, ledger.Touched(charge));
    if (people) sets.emplace(digest, *std::move(people));
  }
  return sets;
}

}  // namespace

Result<uint64_t> ExportLedger(const Project& project, const Services& services,
                              const ExportOptions& options,
                              const std::function<Status(std::string_view line)>& write) {
  TACET_TRY(const std::unique_ptr<Ledger> ledger,
            OpenLedgerAsItIs(project, services.clock, services.ledger_options()));
  Sets sets;
  if (options.with_people) {
    TACET_TRY(sets, ReadSets(*ledger));
  }
  ChainPoint last;
  TACET_RETURN_IF_ERROR(ledger->ForEach([&](uint64_t sequence, const Record& record) -> Status {
    if (services.interrupted != nullptr && *services.interrupted) {
      return Error{.code = Code::kInterrupted, .message = "interrupted"};
    }
    // Of what is written out, and not what the file says, so that the lines vouch for themselves.
    last = {.sequence = sequence, .hash = ChainHash(last.hash, sequence, Encode(record))};
    return write(LineOf(last, record, sets));
  }));
  if (last != ledger->head()) {
    return Error{.code = Code::kLedger,
                 .message = "the ledger is damaged: its records are not those of its hashes",
                 .hint = "'tacet ledger verify' says more."};
  }
  return last.sequence;
}

}  // namespace tacet
