// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_released.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tacet/base/rational.h"
#include "tacet/cli/csv_text.h"
#include "tacet/cli/output_file.h"
#include "tacet/sampler/uniform.h"

namespace tacet::cli {
namespace {

constexpr size_t kFileBytesMax = size_t{64} << 20;

// A small file whose first line names its columns.
struct Sheet {
  std::string path;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  Result<size_t> Place(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return WrongText(path, 1, "there is no column '" + name + "'");
    return static_cast<size_t>(found - names.begin());
  }
};

Result<Sheet> ReadSheet(const std::string& path) {
  TACET_TRY(const std::string text, ReadText(path, kFileBytesMax));
  Sheet sheet{.path = path, .names = {}, .rows = {}};
  std::string_view left = text;
  for (size_t number = 1; !left.empty(); ++number) {
    TACET_TRY(std::vector<std::string> cells, SplitCells(TakeLine(left), path, number));
    if (number == 1) {
      sheet.names = std::move(cells);
    } else if (cells.size() == sheet.names.size()) {
      sheet.rows.push_back(std::move(cells));
    } else {
      return WrongText(path, number, "the number of cells is not that of the first line");
    }
  }
  return sheet;
}

Result<std::vector<size_t>> KnownPlaces(const Sheet& sheet) {
  std::vector<size_t> places;
  for (const char* name : kKnownColumns) {
    TACET_TRY(places.emplace_back(), sheet.Place(name));
  }
  return places;
}

// Who was in hospital in any of their years.
Result<std::set<std::string>> PeopleInHospital(const Sheet& years) {
  TACET_TRY(const size_t person, years.Place("person_id"));
  TACET_TRY(const size_t stays, years.Place("hospital_stays"));
  std::set<std::string> people;
  for (const std::vector<std::string>& row : years.rows) {
    if (row[stays] != "0") people.insert(row[person]);
  }
  return people;
}

// 11.387 becomes 11.
std::string WholeYears(const std::string& text) {
  return std::to_string(std::lround(std::strtod(text.c_str(), nullptr)));
}

// Numbers of six digits, all different, in a random order.
Result<std::vector<int>> Pseudonyms(size_t count, Entropy& entropy) {
  return Draw(entropy, [&](Coins& coins) {
    constexpr int kFirst = 100'000;
    std::set<int> drawn;
    std::vector<int> numbers;
    while (numbers.size() < count && coins.ok()) {
      const int number = kFirst + static_cast<int>(SampleBelow(9 * kFirst, coins));
      if (drawn.insert(number).second) numbers.push_back(number);
    }
    return numbers;
  });
}

}  // namespace

Status WriteReleased(const std::string& folder, const std::string& path, Entropy& entropy) {
  TACET_TRY(const Sheet people, ReadSheet(folder + "/participants.csv"));
  TACET_TRY(const Sheet years, ReadSheet(folder + "/insurance_years.csv"));
  TACET_TRY(const std::set<std::string> in_hospital, PeopleInHospital(years));
  TACET_TRY(const std::vector<size_t> known, KnownPlaces(people));
  TACET_TRY(const size_t person, people.Place("person_id"));
  TACET_TRY(const size_t schooling, people.Place("education_years"));
  TACET_TRY(const std::vector<int> pseudonyms, Pseudonyms(people.rows.size(), entropy));
  // By pseudonym: the order of the rows shall tell nothing either.
  std::map<int, std::string> lines;
  for (size_t i = 0; i < people.rows.size(); ++i) {
    const std::vector<std::string>& row = people.rows[i];
    if (row[schooling].empty()) continue;
    std::string line = std::to_string(pseudonyms[i]);
    for (const size_t place : known) {
      line += "," + (place == schooling ? WholeYears(row[place]) : row[place]);
    }
    lines[pseudonyms[i]] = line + (in_hospital.contains(row[person]) ? ",true\n" : ",false\n");
  }
  std::string text = "pseudonym";
  for (const char* name : kKnownColumns) text += std::string(",") + name;
  text += ",in_hospital\n";
  for (const auto& [pseudonym, line] : lines) text += line;
  TACET_TRY(OutputFile file, OutputFile::Create(path));
  return file.Commit(text);
}

Result<std::vector<ReleasedRow>> ReadReleased(const std::string& path) {
  TACET_TRY(const Sheet sheet, ReadSheet(path));
  TACET_TRY(const std::vector<size_t> known, KnownPlaces(sheet));
  TACET_TRY(const size_t pseudonym, sheet.Place("pseudonym"));
  TACET_TRY(const size_t secret, sheet.Place("in_hospital"));
  std::vector<ReleasedRow> rows;
  for (const std::vector<std::string>& cells : sheet.rows) {
    ReleasedRow& row = rows.emplace_back();
    row.pseudonym = cells[pseudonym];
    for (const size_t place : known) row.known.push_back(cells[place]);
    row.in_hospital = cells[secret] == "true";
  }
  return rows;
}

std::string DescriptionOf(const ReleasedRow& row) {
  std::string text;
  for (size_t i = 0; i < kKnownColumns.size(); ++i) {
    const std::string& value = row.known[i];
    const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
    text += (i == 0 ? "" : " AND ") + std::string(kKnownColumns[i]) + " = ";
    text += is_number ? value : "'" + value + "'";
  }
  return text;
}

}  // namespace tacet::cli
