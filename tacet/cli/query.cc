// SPDX-License-Identifier: Apache-2.0
// tacet query: asks, pays and answers.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tacet/cli/answer_text.h"
#include "tacet/cli/curve_text.h"
#include "tacet/cli/data_commands.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/program.h"
#include "tacet/plan/explain.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct QueryFlags {
  DataFlags data;
  StatementFlags statement;
  Format format = Format::kTable;
  std::optional<std::string> output = {};
  bool dry_run = false;
};

// What a dry run shows: the plan in place of rows.
Json DryRunJson(const QueryResult& result) {
  Json document = AnswerJson(result);
  document["plan"] = Json::parse(ExplainJson(result.plan));
  document["expected"] = ExpectedJson(result.plan, result.expected);
  return document;
}

// Shows what came of it: `text` on standard output or in the file, and `notes` for people.
Status Deliver(const std::string& text, const std::string& notes, const Delivery& delivery,
               const Terminal& terminal) {
  if (delivery.file != nullptr) {
    TACET_RETURN_IF_ERROR(delivery.file->Commit(text));
  } else {
    delivery.format == Format::kCsv ? terminal.Write(text) : terminal.Print(text);
  }
  if (delivery.format == Format::kTable && delivery.file == nullptr) {
    terminal.Note(terminal.Faint(notes, terminal.out));
  } else {
    terminal.Aside(terminal.Faint(notes, terminal.err));
  }
  return {};
}

Outcome RunQuery(const QueryFlags& flags, const Terminal& terminal) {
  const Interrupts interrupts;
  Asked asked;
  const auto ends = [&](Status status) { return Outcome(std::move(status), std::move(asked)); };
  const Result<std::chrono::milliseconds> wait = ParseDuration(flags.data.wait);
  if (!wait.ok()) return ends(wait.error());
  Result<std::string> statement = ReadStatement(flags.statement, terminal, interrupts.requested());
  if (!statement.ok()) return ends(statement.error());
  asked.statement = *statement;
  const Result<Question> question = ReadQuestion(flags.statement, *std::move(statement));
  if (!question.ok()) return ends(question.error());
  const Result<Project> project = OpenProject(flags.data);
  if (!project.ok()) return ends(project.error());
  std::optional<OutputFile> file;
  if (flags.output) {
    Result<OutputFile> created = OutputFile::Create(*flags.output);
    if (!created.ok()) return ends(created.error());
    file.emplace(*std::move(created));
  }
  SystemClock clock;
  SystemEntropy entropy;
  const Services services{.clock = clock,
                          .entropy = entropy,
                          .lock_wait = *wait,
                          .interrupted = &interrupts.requested()};
  const Delivery delivery{.format = flags.format, .file = file ? &*file : nullptr};
  return flags.dry_run ? AskPrice(*project, *question, services, delivery, terminal)
                       : Ask(*project, *question, services, delivery, terminal);
}

}  // namespace

Outcome Ask(const Project& project, const Question& question, const Services& services,
            const Delivery& delivery, const Terminal& terminal) {
  const QueryOutcome outcome = Query(project, question, services);
  const Asked asked{.statement = question.statement, .spent = outcome.spent};
  if (!outcome.result.ok()) return {outcome.result.error(), asked};
  const QueryResult& result = *outcome.result;
  const std::string text =
      delivery.format == Format::kJson ? DocumentText(AnswerJson(result), terminal)
      : delivery.format == Format::kCsv
          ? AnswerCsv(result)
          : AnswerTable(result, terminal, delivery.file == nullptr ? terminal.out : nullptr);
  return {Deliver(text, CostLine(result) + NoticeLines(result), delivery, terminal), asked};
}

Outcome AskPrice(const Project& project, const Question& question, const Services& services,
                 const Delivery& delivery, const Terminal& terminal) {
  const Asked asked{.statement = question.statement};
  const Result<QueryResult> result = DryRun(project, question, services);
  if (!result.ok()) return {result.error(), asked};
  std::string text =
      delivery.format == Format::kJson
          ? DocumentText(DryRunJson(*result), terminal)
          : ExplainText(result->plan) + ExpectedLines(*result) + RemainderLine(*result);
  if (delivery.file == nullptr && !terminal.json) {
    terminal.Say(text);
    text.clear();
  }
  std::string notes;
  if (!result->expected.empty()) {
    notes = SupposingText(result->plan, result->supposition, true) + "\n";
  }
  return {Deliver(text, notes + NoticeLines(*result), delivery, terminal), asked};
}

void AddQuery(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("query", "Answer a statement, and pay for it.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<QueryFlags>();
  AddStatementFlags(*command, flags->statement);
  command->add_flag("--dry-run", flags->dry_run,
                    "say what it would cost and how exact it would be; read no data");
  AddFormatFlag(*command, flags->format);
  command
      ->add_option("-o,--output", flags->output,
                   "write the answer to this file (default: standard output)")
      ->type_name("FILE");
  AddAnalystFlag(*command, flags->statement);
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(
      std::string("Each noisy number comes with its margin: 95% of the noise is within it.\n"
                  "Once the charge is made it stays, also if you press Ctrl-C.\n\n") +
      kDemoExamples +
      "  tacet query \"SELECT sex, count(*), avg(age) FROM participants GROUP BY sex\"\n"
      "  tacet query --epsilon 1/10 --format csv -o years.csv \\\n"
      "      \"SELECT year, count(*) FROM insurance_years GROUP BY year\"");
  command->callback([flags, command, &invocation] {
    const Status settled = SettleFormat(*command, flags->format, invocation.terminal);
    invocation.outcome = settled.ok() ? RunQuery(*flags, invocation.terminal) : Outcome(settled);
  });
}

}  // namespace tacet::cli
