// SPDX-License-Identifier: Apache-2.0
// What the tests of commands share: an imported project, and the program run on it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tacet/base/check.h"
#include "tacet/cli/run_testing.h"
#include "tacet/testing/own_state.h"

namespace tacet::cli {

struct TestProjectOptions {
  std::string budget = "epsilon = \"10\"";  // lines of [budget]
  int patients = 1000;
};

// patients (one row a person), visits (three rows a person) and wards (public), imported.
class TestProject {
 public:
  explicit TestProject(const TestProjectOptions& options = {}) {
    std::string pattern = std::filesystem::temp_directory_path() / "tacet_XXXXXX";
    TACET_CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    Declare(options.budget);
    WriteSources(options.patients);
    const Ran imported = Tacet("import");
    EXPECT_EQ(imported.status, 0) << imported.err;
  }
  TestProject(const TestProject&) = delete;
  TestProject& operator=(const TestProject&) = delete;
  ~TestProject() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::string& folder() const { return folder_; }

  // Writes the catalog again, with another budget.
  void Declare(const std::string& budget) const {
    Write("tacet.toml", "[budget]\n" + budget + R"toml(
[person]
type = "integer"
[query]
epsilon = "1/10"
[tables.patients]
source = "patients.csv"
person = "patient_id"
rows_per_person = 1
people = 1000
[tables.patients.columns]
age = { type = "integer", range = [0, 110], nullable = false }
income = { type = "double", range = [0, 200000], grid = "1" }
sex = { type = "text", values = ["F", "M"] }
[tables.visits]
source = "visits.csv"
person = "patient_id"
bounds = { groups_per_person = 2, rows_per_group = 3 }
[tables.visits.columns]
cost = { type = "decimal(10,2)", range = [0, 5000] }
day = { type = "date", range = ["2026-01-01", "2026-01-03"], nullable = false }
note = { type = "text" }
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
beds = { type = "bigint" , range = [0, 9007199254740993] }
ward = { type = "text", values = ["a, \"b\"", "c"] }
[analysts.research]
epsilon = "3/20"
)toml");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/" + name).rdbuf();
    return text.str();
  }

  // Runs the built program in the folder, by a shell: `words` may hold redirections and pipes.
  Ran Tacet(const std::string& words) const {
    return Shell(std::string(TACET_PROGRAM) + " " + words);
  }
  Ran Shell(const std::string& line) const {
    const std::string errors = folder_ + "/.errors";
    const std::string whole =
        "cd " + folder_ + " && unset TACET_CATALOG && { " + line + " ; } 2>" + errors;
    Ran ran = RunLine(whole);
    ran.err = Read(".errors");
    return ran;
  }

 private:
  void WriteSources(int patients) const {
    std::ofstream people(folder_ + "/patients.csv");
    std::ofstream visits(folder_ + "/visits.csv");
    people << "patient_id,age,income,sex\n";
    visits << "patient_id,cost,day,note\n";
    for (int i = 0; i < patients; ++i) {
      const char* sex = i % 10 == 0 ? "" : i % 2 == 0 ? "F" : "M";
      people << i << ',' << 20 + i % 50 << ',' << i % 100'000 << ',' << sex << '\n';
      for (int day = 1; day <= 3; ++day) {
        visits << i << ',' << i % 5000 << ".25,2026-01-0" << day << ",x\n";
      }
    }
    Write("wards.csv", "ward,beds\n\"a, \"\"b\"\"\",9007199254740993\nc,3\n,\n");
  }

  std::string folder_;
};

}  // namespace tacet::cli
