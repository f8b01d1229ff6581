// SPDX-License-Identifier: Apache-2.0
// tacet query: asks, pays and answers.
#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/answer_text.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/program.h"
#include "tacet/plan/explain.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

enum class Format { kTable, kCsv, kJson };

struct QueryFlags {
  DataFlags data;
  StatementFlags statement;
  Format format = Format::kTable;
  std::optional<std::string> output = {};
  bool dry_run = false;
};

// What a dry run shows: the plan in place of rows.
std::string DryRunText(const QueryResult& result, Format format) {
  if (format == Format::kJson) {
    Json document = AnswerJson(result);
    document["plan"] = Json::parse(ExplainJson(result.plan));
    return DocumentText(document);
  }
  return ExplainText(result.plan) + RemainderLine(result);
}

// Shows what came of it: `text` on standard output or in the file, and `notes` for people.
Status Deliver(const std::string& text, const std::string& notes, Format format,
               std::optional<OutputFile>& file, const Terminal& terminal) {
  if (file) TACET_RETURN_IF_ERROR(file->Commit(text));
  if (!file) terminal.Print(text);
  if (format == Format::kTable && !file) {
    terminal.Note(terminal.Faint(notes, terminal.out));
  } else {
    terminal.Aside(terminal.Faint(notes, terminal.err));
  }
  return {};
}

Outcome RunQuery(const QueryFlags& flags, Format format, const Terminal& terminal) {
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
  if (flags.dry_run) {
    const Result<QueryResult> result = DryRun(*project, *question, services);
    if (!result.ok()) return ends(result.error());
    return ends(Deliver(DryRunText(*result, format), NoticeLines(*result), format, file, terminal));
  }
  const QueryOutcome outcome = Query(*project, *question, services);
  asked.spent = outcome.spent;
  if (!outcome.result.ok()) return ends(outcome.result.error());
  const QueryResult& result = *outcome.result;
  const std::string text = format == Format::kJson  ? DocumentText(AnswerJson(result))
                           : format == Format::kCsv ? AnswerCsv(result)
                                                    : AnswerTable(result, terminal, terminal.out);
  return ends(Deliver(text, CostLine(result) + NoticeLines(result), format, file, terminal));
}

}  // namespace

void AddQuery(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("query", "Answer a statement, and pay for it.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<QueryFlags>();
  AddStatementFlags(*command, flags->statement);
  command->add_flag("--dry-run", flags->dry_run,
                    "say what it would cost and how exact it would be; read no data");
  const std::map<std::string, Format> formats = {
      {"table", Format::kTable}, {"csv", Format::kCsv}, {"json", Format::kJson}};
  CLI::Option* format = command->add_option(
      "--format", flags->format, "table, csv or json; --json is the last (default: table)");
  format->transform(CLI::CheckedTransformer(formats))->option_text("FORMAT");
  command->add_option("-o,--output", flags->output, "write the answer to a file")
      ->type_name("FILE");
  command
      ->add_option("--as", flags->statement.analyst,
                   "who asks; quotas are by name (default: " + flags->statement.analyst + ")")
      ->type_name("ANALYST");
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(
      "Each noisy number comes with its margin: 95% of the noise is within it.\n"
      "Once the charge is made it stays, also if you press Ctrl-C.\n\n"
      "Examples:\n"
      "  tacet query \"SELECT sex, count(*), avg(age) FROM patients GROUP BY sex\"\n"
      "  tacet query -f ages.sql --epsilon 1/2 --format csv -o ages.csv");
  command->callback([flags, format, &invocation] {
    Terminal& terminal = invocation.terminal;
    if (format->count() > 0 && terminal.json && flags->format != Format::kJson) {
      invocation.outcome = Error{
          .code = Code::kUsage,
          .message = "--json and --format " + format->results().front() + " contradict each other"};
      return;
    }
    if (flags->format == Format::kJson) terminal.json = true;
    invocation.outcome = RunQuery(*flags, terminal.json ? Format::kJson : flags->format, terminal);
  });
}

}  // namespace tacet::cli
