// SPDX-License-Identifier: Apache-2.0
// tacet explain: what a statement would do, from the catalog and the text alone.
#include "tacet/plan/explain.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tacet/cli/data_commands.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

struct ExplainFlags {
  DataFlags data;
  StatementFlags statement;
};

Outcome RunExplain(const ExplainFlags& flags, const Terminal& terminal) {
  Asked asked;
  const auto ends = [&](Status status) { return Outcome(std::move(status), std::move(asked)); };
  {
    const Interrupts interrupts;
    Result<std::string> statement =
        ReadStatement(flags.statement, terminal, interrupts.requested());
    if (!statement.ok()) return ends(statement.error());
    asked.statement = *std::move(statement);
  }
  const Result<Question> question = ReadQuestion(flags.statement, asked.statement);
  if (!question.ok()) return ends(question.error());
  const Result<Project> project = OpenProject(flags.data);
  if (!project.ok()) return ends(project.error());
  return ShowPlan(*project, *question, terminal);
}

}  // namespace

Outcome ShowPlan(const Project& project, const Question& question, const Terminal& terminal) {
  const Asked asked{.statement = question.statement};
  const Result<Plan> plan = Explain(project, question);
  if (!plan.ok()) return {plan.error(), asked};
  if (terminal.json) {
    nlohmann::ordered_json document;
    document["plan"] = nlohmann::ordered_json::parse(ExplainJson(*plan));
    terminal.Print(DocumentText(document, terminal));
  } else {
    terminal.Say(ExplainText(*plan));
  }
  return {{}, asked};
}

void AddExplain(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "explain", "Show bounds, keys, noise and cost of a statement; read no data.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<ExplainFlags>();
  AddStatementFlags(*command, flags->statement);
  AddCatalogFlag(*command, flags->data);
  command->footer(
      std::string(kDemoExamples) +
      "  tacet explain \"SELECT year, avg(medical_dollars) FROM insurance_years GROUP BY year\"\n"
      "  tacet explain \"SELECT count(*) FROM participants\" --epsilon 1/10 --json");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunExplain(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
