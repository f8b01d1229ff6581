// SPDX-License-Identifier: Apache-2.0
// Random small catalogs, data and statements, as texts: everything that is supported, and the
// values that break careless programs.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tacet::testing {

// A row as a CSV file holds it; nothing stands for an empty field.
using SourceRow = std::vector<std::optional<std::string>>;

// One person's rows, without the person's key.
using PersonRows = std::vector<SourceRow>;

struct RandomColumn {
  enum class Kind {
    kSmall,
    kHuge,
    kDecimal,
    kDouble,
    kBoolean,
    kText,
    kNumbers,
    kDate,
    kNote,
    kNamed,  // refers to the name of the public table
    kRated,  // and to its rate
  };
  std::string name;
  Kind kind = Kind::kSmall;
  bool nullable = true;
  std::string declaration = {};  // of the catalog
};

// What stands in the public table `w`, as texts: names and rates.
inline const std::vector<std::pair<std::string, std::string>> kPublicRows = {
    {"b d", "2.25"}, {"a", "-1.50"}, {"it's", "0.10"}, {"never", "99.99"}};

// A private table `t`, and a public one, `w`, behind it; where people have keys also a second private
// one, `u`, and a public one, `codes`, with the columns `code`, which is unique, and `z`.
struct RandomSchema {
  std::string catalog;  // TOML
  bool person_is_row = false;
  std::vector<RandomColumn> columns;  // of `t`: x0, x1, ...
  int rows_max = 4;                   // of one person, in the data
  std::vector<RandomColumn> more;     // of `u`: y0, y1, ...
  int more_rows_max = 2;
  std::vector<SourceRow> public_rows;  // of `codes`
};

// One person's rows of both tables.
struct RandomPerson {
  PersonRows rows;
  PersonRows more;
};

class ProjectGenerator {
 public:
  explicit ProjectGenerator(uint64_t seed) : random_(seed) {}

  RandomSchema MakeSchema();
  RandomPerson MakePerson(const RandomSchema& schema);
  // Of the grammar that the planner supports; a few are refused all the same, by their size.
  std::string MakeStatement(const RandomSchema& schema);

  // From `low` to `high`.
  int Below(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  bool Chance(int percent) { return Below(100) < percent; }

 private:
  RandomColumn MakeColumn(std::string name);
  // What bounds a person's rows in a table.
  std::string MakeBounds(int& rows_max);
  PersonRows MakeRows(const std::vector<RandomColumn>& columns, int count);
  std::string MakeFrom(const RandomSchema& schema, std::vector<RandomColumn>& columns);
  std::string MakeSemiJoin(const RandomSchema& schema, const std::vector<RandomColumn>& columns);
  std::optional<std::string> MakeValue(const RandomColumn& column);
  std::string MakeConstant(const RandomColumn& column);
  std::string MakeCondition(const RandomSchema& schema, int depth);
  std::string MakeNumber(const RandomSchema& schema, int depth);
  std::string MakeComparison(const RandomSchema& schema);
  std::string MakeAggregate(const RandomSchema& schema);
  std::string MakeChoice(const RandomSchema& schema);
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(Below(static_cast<int>(from.size())))];
  }

  std::mt19937_64 random_;
};

}  // namespace tacet::testing
