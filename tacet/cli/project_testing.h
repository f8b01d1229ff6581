// SPDX-License-Identifier: Apache-2.0
// What the tests of commands share: an imported project, and the program run on it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tacet/base/clock.h"
#include "tacet/base/private_path.h"
#include "tacet/catalog/digest.h"
#include "tacet/gateway/project.h"

namespace tacet::cli {

struct Ran {
  int status = -1;  // of exit; -1 after a signal
  std::string out;
  std::string err;

  nlohmann::json Json() const {
    nlohmann::json document = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(document.is_discarded()) << out << err;
    return document;
  }
  bool Says(const std::string& text) const { return (out + err).find(text) != std::string::npos; }
};

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
    Import(options.patients);
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
    std::FILE* pipe = ::popen(whole.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    Ran ran;
    std::array<char, 4096> buffer;
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      ran.out.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ran.err = Read(".errors");
    return ran;
  }

 private:
  void Import(int patients) const {
    SystemFileSystem files;
    SystemClock clock;
    const Project project = *OpenProject(files, folder_ + "/tacet.toml");
    TACET_CHECK(MakePrivateFolder(project.state_folder()).ok());
    const auto ledger = *Ledger::Create(project.state_folder(), *BudgetOf(project.catalog), clock);
    duckdb::Database vault = *duckdb::Database::Open(
        {.path = project.vault_path(), .access = duckdb::Access::kImporting});
    const std::string people = " FROM range(" + std::to_string(patients) + ") r(i)";
    const Status made = vault.Execute(
        "CREATE TABLE meta (key VARCHAR, value VARCHAR);"
        "INSERT INTO meta VALUES ('format', '1'), ('import_number', '1'), ('dataset_id', '" +
        ledger->dataset_id() + "'), ('digest', '" + ImportDigest(project.catalog) +
        "');"
        "CREATE TABLE t1 AS SELECT i::INTEGER p, i k, (20 + i % 50)::BIGINT c1,"
        " (i % 100000)::BIGINT c2, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 2 END::BIGINT c3" +
        people +
        ";"
        "CREATE TABLE t2 AS SELECT i::INTEGER p, i k, (i % 500000)::BIGINT c1,"
        " (20454 + j)::BIGINT c2, 'x' c3" +
        people +
        ", range(3) s(j) ORDER BY i;"
        "CREATE TABLE t3 AS SELECT * FROM (VALUES (9007199254740993, 0), (3, 1), (NULL, NULL))"
        " v(c1, c2)");
    TACET_CHECK(made.ok());
    std::filesystem::permissions(project.vault_path(), std::filesystem::perms(0600));
  }

  std::string folder_;
};

}  // namespace tacet::cli
