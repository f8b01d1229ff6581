// SPDX-License-Identifier: Apache-2.0
// Asking a project in SQL from C++: what `tacet query` does, for a program that asks often.
//
//   example_ask_project [CATALOG SQL]
//
// Without arguments it makes a small project in a temporary folder, imports it and asks that.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tacet/gateway/analyst.h"
#include "tacet/gateway/owner.h"

namespace {

using tacet::Rational;
using tacet::Result;
using tacet::Status;

std::string Text(const tacet::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* exact = std::get_if<Rational>(&value)) return exact->ToString();
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return "NULL";
}

// The released table, each number with its margin.
void Print(const tacet::Answer& answer) {
  for (size_t i = 0; i < answer.rows.size(); ++i) {
    for (size_t j = 0; j < answer.columns.size(); ++j) {
      std::printf("%s %s", answer.columns[j].name.c_str(), Text(answer.rows[i][j]).c_str());
      if (answer.margins[i][j]) std::printf(" +- %g", *answer.margins[i][j]);
      std::printf("%s", j + 1 < answer.columns.size() ? ", " : "\n");
    }
  }
}

Status Ask(const tacet::Project& project, const tacet::Services& services,
           const std::string& statement) {
  const tacet::Question question{.statement = statement, .epsilon = Rational(1, 2)};

  // What it would cost: reads the ledger, no data.
  TACET_TRY(const tacet::QueryResult plan, tacet::DryRun(project, question, services));
  std::printf("would cost epsilon %s\n", plan.cost.epsilon.value().ToString().c_str());

  // One ledger for many questions, also from many threads; it is locked while it lives.
  TACET_TRY(const auto ledger,
            tacet::OpenLedger(project, services.clock, services.ledger_options()));
  const tacet::QueryOutcome outcome = tacet::Query(project, question, services, *ledger);
  if (!outcome.result.ok()) {
    // A charge that was made stays, whatever happened after it.
    std::printf("%s\n", outcome.spent ? "The charge stays." : "No budget was spent.");
    return outcome.result.error();
  }
  Print(outcome.result->answer);
  return {};
}

// A catalog and its data, as an owner would have them.
void WriteProject(const std::filesystem::path& folder) {
  std::ofstream(folder / "tacet.toml") << R"(
[budget]
epsilon = "3"
[person]
type = "integer"
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
sex = { type = "text", values = ["F", "M"], nullable = false }
age = { type = "integer", range = [0, 110], nullable = false }
)";
  std::ofstream rows(folder / "people.csv");
  rows << "id,sex,age\n";
  for (int id = 0; id < 1000; ++id) rows << id << (id % 2 ? ",F," : ",M,") << 20 + id % 50 << "\n";
}

Status Run(const std::string& catalog, const std::string& statement, bool import) {
  tacet::SystemFileSystem files;
  tacet::SystemClock clock;
  tacet::SystemEntropy entropy;
  const tacet::Services services{.clock = clock, .entropy = entropy};
  TACET_TRY(const tacet::Project project, tacet::OpenProject(files, catalog));
  if (import) {
    const Result<tacet::ImportReport> report = tacet::RunImport(project, services, {});
    if (!report.ok()) return report.error();
  }
  return Ask(project, services, statement);
}

Status RunInTemporaryFolder() {
  std::string folder = std::filesystem::temp_directory_path() / "tacet-example-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return tacet::Error{.code = tacet::Code::kIo, .message = "cannot make " + folder};
  }
  // A project that lasts leaves this alone: witnesses belong outside of its folder.
  setenv("TACET_STATE_DIR", (folder + "/state").c_str(), 1);
  WriteProject(folder);
  const Status status =
      Run(folder + "/tacet.toml", "SELECT sex, count(*), avg(age) FROM people GROUP BY sex", true);
  std::filesystem::remove_all(folder);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 3 ? Run(argv[1], argv[2], false) : RunInTemporaryFolder();
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\nhint: %s\n", status.error().message.c_str(),
               status.error().hint.c_str());
  return tacet::Info(status.error().code).exit_status;
}
