// SPDX-License-Identifier: Apache-2.0
// Budgets of single people: what it takes to charge half of them, to read that again, to start up,
// and to leave some out of a query.
//
// usage: people_bench [--people N] [--charges N] [--rows N] [--folder DIR]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

#include "bench/must.h"
#include "tacet/base/clock.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/ledger/ledger.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class PeopleBench {
 public:
  PeopleBench(const std::string& folder, uint64_t people)
      : place_{.folder = folder + "/.tacet", .witness_folder = folder + "/state"},
        people_(people) {}

  void Ledgers(uint64_t charges) {
    Register();
    Halves();
    Many(charges);
    std::filesystem::remove(place_.folder + "/ledger.balances");
    {
      std::unique_ptr<Ledger> ledger;
      const double seconds = Seconds([&] {
        ledger = Must(Ledger::Open(place_, clock_));
        static_cast<void>(Must(ledger->Accounts()));
      });
      fmt::print("start-up with {} people and {} charges, from the log   {:.2f} s\n", people_,
                 ledger->charges(), seconds);
    }
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      best = std::min(best, Seconds([&] {
                        const std::unique_ptr<Ledger> ledger = Must(Ledger::Open(place_, clock_));
                        static_cast<void>(Must(ledger->Accounts()));
                      }));
    }
    fmt::print(
        "the same from a checkpoint of {:.1f} MB   {:.2f} s\n",
        static_cast<double>(std::filesystem::file_size(place_.folder + "/ledger.balances")) / 1e6,
        best);
  }

 private:
  void Register() {
    const std::unique_ptr<Ledger> ledger =
        Must(Ledger::Create(place_, *Budget::Pure(*Epsilon::Create(Rational(1000))), clock_));
    PersonRegistry registry = Must(ledger->People());
    for (uint64_t i = 0; i < people_; ++i) {
      static_cast<void>(Must(registry.FindOrAdd(std::to_string(i))));
    }
    Must(ledger->RecordImport(1, {}, registry));
  }

  SpendRequest Ask() const {
    return {.analyst = "ada",
            .statement = "SELECT count(*) FROM visits",
            .plan = std::string(600, 'p'),
            .cost = {.epsilon = *Epsilon::Create(Rational(1, 10))},
            .reach = {.data_version = 1, .region = ""},
            .beyond = Balance::Beyond::kExclude};
  }
  PersonSet Half() {
    std::vector<uint32_t> people;
    for (uint32_t person = 0; person < people_; ++person) {
      if ((random_() & 1) != 0) people.push_back(person);
    }
    return PersonSet(people);
  }

  // Each a set of its own, at random: nothing to compress.
  void Halves() {
    constexpr int kSets = 20;
    std::vector<PersonSet> sets;
    for (int i = 0; i < kSets; ++i) sets.push_back(Half());
    const std::unique_ptr<Ledger> ledger = Must(Ledger::Open(place_, clock_));
    static_cast<void>(Must(ledger->Accounts()));
    const double stored = Seconds([&] {
      for (const PersonSet& people : sets) {
        Charge charge = Must(ledger->Spend(Ask()));
        Must(ledger->Narrow(charge, people));
        Must(ledger->Flush());
      }
    });
    fmt::print("charge of half of {} people: {:.0f} ms to store and count, {:.0f} KB\n", people_,
               stored * 1e3 / kSets, static_cast<double>(sets[0].Serialize().size()) / 1e3);
  }

  // Few different sets, as queries that are asked again have.
  void Many(uint64_t charges) {
    {
      const std::unique_ptr<Ledger> ledger = Must(Ledger::Open(place_, clock_));
      const double replayed = Seconds([&] { static_cast<void>(Must(ledger->Accounts())); });
      fmt::print("20 such charges read again   {:.0f} ms each\n", replayed * 1e3 / 20);
    }
    const std::unique_ptr<Ledger> ledger = Must(Ledger::Open(place_, clock_));
    std::vector<PersonSet> sets;
    for (uint32_t i = 0; i < 8; ++i) {
      std::vector<uint32_t> people;
      for (uint32_t person = i; person < people_; person += 997 + i) people.push_back(person);
      sets.emplace_back(people);
    }
    SpendRequest request = Ask();
    request.cost = {.epsilon = *Epsilon::Create(Rational(1, 1000))};
    while (ledger->charges() < charges) {
      Charge charge = Must(ledger->Spend(request));
      Must(ledger->Narrow(charge, sets[ledger->charges() % sets.size()]));
    }
  }

  const LedgerPlace place_;
  const uint64_t people_;
  SystemClock clock_;
  std::mt19937_64 random_{1};
};

// A vault of `rows` rows of a tenth as many people, ordered by them.
duckdb::Vault MakeVault(int64_t rows) {
  duckdb::Database database = Must(duckdb::Database::Open());
  Must(database.Execute(fmt::format(
      "CREATE TABLE meta AS SELECT 'format' AS key, '{}' AS value;"
      "CREATE TABLE t1 AS SELECT (i // 10)::INTEGER AS p, (i // 10 * 7919)::BIGINT AS k, "
      "(hash(i) % 10)::INTEGER AS c1, (hash(i + 1) % 50000)::INTEGER AS c2 FROM range({}) t(i);"
      "CREATE TABLE t2 AS SELECT i::INTEGER AS p, (i * 7919)::BIGINT AS k, "
      "(hash(i) % 10)::INTEGER AS c1, (hash(i + 1) % 50000)::INTEGER AS c2 FROM range({}) t(i)",
      duckdb::kVaultFormat, rows, rows)));
  return Must(duckdb::Vault::Over(std::move(database)));
}

Request Query(const std::string& table, bool has_one_row) {
  using sql::EngineExpr;
  using sql::EngineType;
  Request request{.from = sql::EngineFrom::Table(table)};
  request.keys.push_back({.value = EngineExpr::Column("c1")});
  request.measures.push_back(
      {.kind = Measure::Kind::kSum,
       .value = EngineExpr::Cast(EngineExpr::Column("c2"), EngineType::kBigint),
       .low = 0,
       .high = 50000});
  request.has_one_row_per_person = has_one_row;
  return request;
}

void Queries(int64_t rows, uint64_t people_left_out) {
  duckdb::Vault vault = MakeVault(rows);
  for (const auto& [name, table, has_one_row, people] :
       {std::tuple("sums by group, one row a person", "t2", true, rows),
        std::tuple("sums by group, ten rows a person", "t1", false, rows / 10)}) {
    const Request plain = Query(table, has_one_row);
    Request excluding = plain;
    std::vector<uint32_t> left_out;
    const auto step = static_cast<uint64_t>(people) / people_left_out;
    for (uint64_t i = 0; i < people_left_out; ++i) {
      left_out.push_back(static_cast<uint32_t>(i * step));
    }
    excluding.excluded = PersonSet(left_out);
    std::vector<double> of_plain;
    std::vector<double> of_excluding;
    for (int round = 0; round < 7; ++round) {
      of_plain.push_back(Seconds([&] { static_cast<void>(Must(vault.Run(plain))); }));
      of_excluding.push_back(Seconds([&] { static_cast<void>(Must(vault.Run(excluding))); }));
    }
    std::sort(of_plain.begin(), of_plain.end());
    std::sort(of_excluding.begin(), of_excluding.end());
    fmt::print("{} rows, {}: {:.2f} s; without {} people {:.2f} s ({:+.0f}%)\n", rows, name,
               of_plain[3], people_left_out, of_excluding[3],
               (of_excluding[3] / of_plain[3] - 1) * 100);
  }
}

}  // namespace
}  // namespace tacet

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // line by line, also into a file
  uint64_t people = 2'000'000;
  uint64_t charges = 100'000;
  int64_t rows = 20'000'000;
  std::string folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--people") people = static_cast<uint64_t>(std::atoll(argv[i + 1]));
    if (option == "--charges") charges = static_cast<uint64_t>(std::atoll(argv[i + 1]));
    if (option == "--rows") rows = std::atoll(argv[i + 1]);
    if (option == "--folder") folder = argv[i + 1];
  }
  if (!folder.empty()) ::setenv("TMPDIR", folder.c_str(), 1);
  const tacet::testing::TemporaryFolder temporary;
  if (people > 0) tacet::PeopleBench(temporary.path(), people).Ledgers(charges);
  if (rows > 0) tacet::Queries(rows, 100'000);
  return 0;
}
