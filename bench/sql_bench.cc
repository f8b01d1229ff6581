// SPDX-License-Identifier: Apache-2.0
// Queries over invented visits to shops, beside plain DuckDB and beside SQL that bounds and noises
// by hand, all in one run on the same vault. Prints errors (--accuracy) or times (--speed).
//
// usage: sql_bench --accuracy|--speed [ROWS] [REPETITIONS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string_view>

#include "tacet/catalog/parse.h"
#include "tacet/engine/duckdb/vault.h"
#include "tacet/execute/release.h"
#include "tacet/gateway/write_vault.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1000000"
[person]
type = "integer"
[tables.people]
source = "people.csv"
person = "person_id"
rows_per_person = 1
[tables.people.columns]
age = { type = "integer", range = [0, 100], nullable = false }
income = { type = "double", range = [0, 200000], nullable = false }
region = { type = "integer", range = [0, 9], nullable = false }
[tables.visits]
source = "visits.csv"
person = "person_id"
bounds = { groups_per_person = 5, rows_per_group = 10 }
[tables.visits.columns]
region = { type = "integer", range = [0, 9], nullable = false }
amount = { type = "decimal(8,2)", range = [0, 500], nullable = false }
)toml";

// The laws: a tenth as many people as visits; visits a person fall as (rank + 10)^-0.7; amounts are
// log-normal, cut at 500; a visit is in the person's own region with probability 0.7.
std::string DataSql(int64_t rows) {
  return fmt::format(
      R"sql(
CREATE MACRO u(i, salt) AS (md5_number_lower(i || ':' || salt) >> 11)::DOUBLE / 9007199254740992.0 + 1e-17;
CREATE MACRO z(i, salt) AS sqrt(-2 * ln(u(i, salt))) * cos(2 * pi() * u(i, salt + 1));
CREATE TABLE weights AS SELECT col0 AS region, col1 AS w FROM (VALUES
  (0, .22), (1, .18), (2, .14), (3, .11), (4, .09), (5, .08), (6, .07), (7, .05), (8, .04), (9, .02));
CREATE TABLE regions AS SELECT region, sum(w) OVER (ORDER BY region) - w AS low FROM weights;
CREATE TABLE source_people AS
  SELECT i AS person_id, least(greatest(42 + 18 * z(i, 1), 0), 100)::INTEGER AS age,
    least(exp(10.5 + 0.6 * z(i, 3)), 1e6) AS income, region
  FROM (SELECT i, u(i, 5) AS v FROM range({0} // 10) t(i)) x ASOF JOIN regions ON x.v >= regions.low;
CREATE TABLE ranks AS
  SELECT i, sum(w) OVER (ORDER BY i) - w AS low FROM (
    SELECT i, pow(i + 10.0, -0.7) / sum(pow(i + 10.0, -0.7)) OVER () AS w FROM range({0} // 10) t(i));
CREATE TABLE source_visits AS
  SELECT p.person_id, CASE WHEN u(r.i, 9) < .7 THEN p.region ELSE g.region END AS region,
    least(round(exp(3.2 + 0.9 * z(r.i, 11)), 2), 500)::DECIMAL(8,2) AS amount
  FROM (SELECT i, u(i, 7) AS v, u(i, 8) AS w FROM range({0}) t(i)) r
  ASOF JOIN ranks ON r.v >= ranks.low JOIN source_people p ON p.person_id = ranks.i
  ASOF JOIN regions g ON r.w >= g.low;
)sql",
      rows);
}

struct Query {
  std::string_view name;
  std::string_view statement;
  std::string_view exact;    // the same in plain SQL over the sources
  std::string_view by_hand;  // bounded by hand, over the sources
  // What each number of `by_hand` gets as Laplace noise at epsilon 1 a query.
  std::vector<double> scales;
  size_t keys;
  bool averages = false;  // the last two numbers of `by_hand` are a count and a sum to divide
};

const std::vector<Query>& Queries() {
  static const std::vector<Query> queries = {
      {"Q1 count of people, filter",
       "SELECT count(*) FROM people WHERE age >= 40",
       "SELECT count(*)::DOUBLE FROM source_people WHERE age >= 40",
       "SELECT count(*)::DOUBLE FROM source_people WHERE age >= 40",
       {1},
       0},
      {"Q2 by region: count, avg(income)",
       "SELECT region, count(*), avg(income) FROM people GROUP BY region",
       "SELECT region, count(*)::DOUBLE, avg(least(income, 200000)) FROM source_people GROUP BY "
       "region "
       "ORDER BY 1",
       "SELECT region, count(*)::DOUBLE, sum(greatest(least(income, 200000), 0)) FROM "
       "source_people GROUP "
       "BY "
       "region ORDER BY 1",
       {2, 2 * 200000.0},
       1,
       true},
      {"Q3 by region: sum(amount), count; 5 x 10 a person",
       "SELECT region, sum(amount), count(*) FROM visits GROUP BY region",
       "SELECT region, sum(amount)::DOUBLE, count(*)::DOUBLE FROM source_visits GROUP BY region "
       "ORDER BY "
       "1",
       "SELECT region, sum(s)::DOUBLE, sum(c)::DOUBLE FROM (SELECT *, row_number() OVER (PARTITION "
       "BY "
       "person_id ORDER BY hash(person_id, region)) AS g FROM (SELECT person_id, region, "
       "sum(greatest(least(amount, 500), 0)) AS s, count(*) AS c FROM (SELECT *, row_number() OVER "
       "(PARTITION BY person_id, region ORDER BY hash(amount, rowid)) AS n FROM source_visits) "
       "WHERE n <= "
       "10 "
       "GROUP BY ALL)) WHERE g <= 5 GROUP BY region ORDER BY 1",
       {2 * 5 * 10 * 500.0, 2 * 5 * 10.0},
       1},
      {"Q5 count(distinct person), filter",
       "SELECT count(DISTINCT person_id) FROM visits WHERE amount > 20",
       "SELECT count(DISTINCT person_id)::DOUBLE FROM source_visits WHERE amount > 20",
       "SELECT count(DISTINCT person_id)::DOUBLE FROM source_visits WHERE amount > 20",
       {1},
       0},
  };
  return queries;
}

[[noreturn]] void Fail(const Error& error) {
  fmt::print(stderr, "{}: {}\n", error.message, error.detail);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) Fail(result.error());
  return *std::move(result);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.error());
}

// The numbers of a result, row by row, without its keys.
using Numbers = std::vector<std::vector<double>>;

Numbers ToNumbers(const duckdb::Rows& rows, size_t keys) {
  Numbers numbers;
  for (const auto& row : rows) {
    numbers.emplace_back();
    for (size_t i = keys; i < row.size(); ++i) numbers.back().push_back(std::get<double>(row[i]));
  }
  return numbers;
}

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// The mean over all rows of the relative error of each column.
std::vector<double> RelativeErrors(const Numbers& noisy, const Numbers& exact) {
  std::vector<double> errors(exact[0].size(), 0);
  for (size_t i = 0; i < exact.size(); ++i) {
    for (size_t j = 0; j < errors.size(); ++j) {
      errors[j] += std::abs(noisy[i][j] - exact[i][j]) / std::abs(exact[i][j]) /
                   static_cast<double>(exact.size());
    }
  }
  return errors;
}

Numbers ByHand(const Query& query, const duckdb::Rows& rows, std::mt19937_64& random) {
  Numbers numbers = ToNumbers(rows, query.keys);
  std::exponential_distribution<double> exponential(1);
  for (std::vector<double>& row : numbers) {
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] += query.scales[i] * (exponential(random) - exponential(random));
    }
    if (query.averages) row.back() /= row[row.size() - 2];
  }
  return numbers;
}

// As a release does it, without a ledger: this is a bench, and nothing leaves.
Numbers Noised(const Plan& plan, const Exact& exact, Entropy& entropy) {
  const Cells cells = plan.MakeCells();
  std::vector<std::vector<Int128>> sums(plan.primitives.size(),
                                        std::vector<Int128>(cells.size(), 0));
  for (const Group& group : exact.groups) {
    const size_t cell = *cells.Find(group.keys);
    for (size_t i = 0; i < sums.size(); ++i) sums[i][cell] = group.sums[i];
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = Must(plan.primitives[i].noise->Release(sums[i], entropy));
  }
  Numbers numbers(cells.size());
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    for (const AggregateLeaf& leaf : plan.aggregates) {
      const double sum =
          ToDouble(sums[leaf.primitive][cell]) * plan.primitives[leaf.primitive].step.ToDouble();
      numbers[cell].push_back(
          leaf.count ? leaf.centre.ToDouble() + sum / ToDouble(sums[*leaf.count][cell]) : sum);
    }
  }
  return numbers;
}

class Bench {
 public:
  explicit Bench(int64_t rows)
      : database_(Must(duckdb::Database::Open({.access = duckdb::Access::kImporting}))),
        catalog_(*ParseCatalog(kCatalog).catalog) {
    Must(database_.Execute(DataSql(rows)));
    Must(WriteVault(
        database_, catalog_,
        [&](size_t table) {
          return DescribeRelation(database_, "source_" + catalog_.tables[table].name, "source");
        },
        {.dataset_id = "bench"}, [](const ProgressStep&) {}));
  }

  void Accuracy(int repetitions) {
    fmt::print("{:<52} {:>22} {:>22}\n", "relative error at epsilon 1", "Tacet", "by hand");
    SystemEntropy entropy;
    std::mt19937_64 random(1);
    duckdb::Vault vault = Must(duckdb::Vault::Over(database_));
    for (const Query& query : Queries()) {
      const Plan plan = PlanOf(query);
      const Exact exact = Must(vault.Run(RequestOf(plan, Must(DrawHashKey(entropy)))));
      const Numbers truth = ToNumbers(Must(database_.Query(std::string(query.exact))), query.keys);
      const duckdb::Rows by_hand = Must(database_.Query(std::string(query.by_hand)));
      std::vector<double> ours(truth[0].size(), 0);
      std::vector<double> theirs(truth[0].size(), 0);
      for (int i = 0; i < repetitions; ++i) {
        const auto one = RelativeErrors(Noised(plan, exact, entropy), truth);
        const auto other = RelativeErrors(ByHand(query, by_hand, random), truth);
        for (size_t j = 0; j < ours.size(); ++j) {
          ours[j] += one[j] / repetitions;
          theirs[j] += other[j] / repetitions;
        }
      }
      fmt::print("{:<52} {:>22} {:>22}\n", query.name, Listed(ours), Listed(theirs));
    }
  }

  void Speed(int repetitions) {
    fmt::print("{:<52} {:>10} {:>10} {:>10} {:>16}\n", "CPU seconds", "Tacet", "plain", "ratio",
               "by hand, ratio");
    SystemEntropy entropy;
    duckdb::Vault vault = Must(duckdb::Vault::Over(database_));
    for (const Query& query : Queries()) {
      const Plan plan = PlanOf(query);
      double ours = INFINITY;
      double plain = INFINITY;
      double by_hand = INFINITY;
      for (int i = 0; i < repetitions; ++i) {
        ours = std::min(ours, Time([&] {
                          const Exact exact =
                              Must(vault.Run(RequestOf(plan, Must(DrawHashKey(entropy)))));
                          Noised(plan, exact, entropy);
                        }));
        plain = std::min(plain, Time([&] { Must(database_.Query(std::string(query.exact))); }));
        by_hand =
            std::min(by_hand, Time([&] { Must(database_.Query(std::string(query.by_hand))); }));
      }
      fmt::print("{:<52} {:>10.4f} {:>10.4f} {:>10.1f} {:>16.1f}\n", query.name, ours, plain,
                 ours / plain, by_hand / plain);
    }
  }

 private:
  Plan PlanOf(const Query& query) const {
    return Must(MakePlan(Must(sql::Parse(query.statement)), catalog_,
                         {.price = {.is_pure = true, .epsilon = *Epsilon::Create(Rational(1))}}));
  }
  template <typename Work>
  static double Time(const Work& work) {
    const double start = CpuSeconds();
    work();
    return CpuSeconds() - start;
  }
  static std::string Listed(const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers)
      text += fmt::format("{}{:.2g}", text.empty() ? "" : " / ", number);
    return text;
  }

  duckdb::Database database_;
  const Catalog catalog_;
};

}  // namespace
}  // namespace tacet

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode != "--accuracy" && mode != "--speed") {
    fmt::print(stderr, "usage: sql_bench --accuracy|--speed [ROWS] [REPETITIONS]\n");
    return 2;
  }
  const int64_t rows = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : mode == "--speed" ? 5 : 200;
  fmt::print("{} visits of {} people\n", rows, rows / 10);
  tacet::Bench bench(rows);
  mode == "--speed" ? bench.Speed(repetitions) : bench.Accuracy(repetitions);
  return 0;
}
