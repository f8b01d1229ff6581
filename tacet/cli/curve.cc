// SPDX-License-Identifier: Apache-2.0
// tacet curve: how exact an answer would be at every epsilon, before any data is read.
#include "tacet/gateway/curve.h"

#include <CLI/CLI.hpp>

#include "tacet/cli/curve_text.h"
#include "tacet/cli/data_commands.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/picture_flags.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

struct CurveFlags {
  DataFlags data;
  StatementFlags statement;
  std::optional<std::string> rows = {};
  std::vector<std::string> shares = {};
  std::vector<std::string> expected = {};
  std::string svg;
  std::string html;
};

Result<Supposition> ReadSupposition(const CurveFlags& flags) {
  Supposition supposition;
  if (flags.rows) {
    TACET_TRY(supposition.rows, ParseAmount("--rows", *flags.rows));
    if (supposition.rows->sign() <= 0) {
      return Error{.code = Code::kUsage, .message = "--rows: there must be at least 1"};
    }
  }
  for (const std::string& share : flags.shares) {
    TACET_TRY(const Rational part, ParseAmount("--shares", share));
    supposition.shares.push_back(part);
  }
  for (const std::string& given : flags.expected) {
    const size_t sign = given.find('=');
    if (sign == std::string::npos || sign == 0) {
      return Error{.code = Code::kUsage,
                   .message = "--expect: '" + given + "' is not COLUMN=VALUE",
                   .hint = "for example: --expect income=8000"};
    }
    TACET_TRY(const Rational value, ParseAmount("--expect", given.substr(sign + 1)));
    supposition.values[given.substr(0, sign)] = value;
  }
  return supposition;
}

Result<std::optional<OutputFile>> OpenIfGiven(const std::string& path) {
  if (path.empty()) return std::optional<OutputFile>();
  TACET_TRY(OutputFile file, OutputFile::Create(path));
  return std::optional<OutputFile>(std::move(file));
}

Status Show(const Curve& curve, const Terminal& terminal, bool draws) {
  if (terminal.json) {
    terminal.Print(DocumentText(CurveJson(curve), terminal));
    return {};
  }
  terminal.Note("The 95% margin of each column. " +
                SupposingText(curve.plan, curve.supposition, curve.has_declared_rows) + "\n\n");
  terminal.Print(CurveText(curve, terminal, terminal.out));
  for (const std::string& line : MarkLines(curve)) terminal.Say(line + ".\n");
  if (draws) {
    terminal.Note("\n" + TerminalChart(CurveChart(curve), ChartStyleOf(terminal)));
  }
  for (const Notice& notice : curve.notices) terminal.Note(notice.text + "\n");
  return {};
}

Outcome RunCurve(const CurveFlags& flags, const Terminal& terminal) {
  const Interrupts interrupts;
  Asked asked{.statement = {}, .is_free = true};
  const auto ends = [&](Status status) { return Outcome(std::move(status), std::move(asked)); };
  const auto run = [&]() -> Status {
    TACET_TRY(const std::chrono::milliseconds wait, ParseDuration(flags.data.wait));
    TACET_TRY(asked.statement, ReadStatement(flags.statement, terminal, interrupts.requested()));
    TACET_TRY(const Question question, ReadQuestion(flags.statement, asked.statement));
    TACET_TRY(const Supposition supposition, ReadSupposition(flags));
    TACET_TRY(const Project project, OpenProject(flags.data));
    TACET_TRY(std::optional<OutputFile> svg, OpenIfGiven(flags.svg));
    TACET_TRY(std::optional<OutputFile> html, OpenIfGiven(flags.html));
    SystemClock clock;
    SystemEntropy entropy;
    TACET_TRY(const Curve curve, DrawCurve(project, question, supposition,
                                           {.clock = clock,
                                            .entropy = entropy,
                                            .lock_wait = wait,
                                            .interrupted = &interrupts.requested()}));
    if (svg) TACET_RETURN_IF_ERROR(svg->Commit(SvgChart(CurveChart(curve))));
    if (html) TACET_RETURN_IF_ERROR(html->Commit(CurvePage(curve)));
    TACET_RETURN_IF_ERROR(Show(curve, terminal, !svg && !html));
    for (const std::string& file : {flags.svg, flags.html}) {
      if (!file.empty()) terminal.Aside("The picture is in " + file + ".\n");
    }
    return {};
  };
  return ends(run());
}

}  // namespace

void AddCurve(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "curve", "Show the margin of each column against epsilon; read no data, spend nothing.");
  command->set_help_flag("-h,--help", "this help");
  auto flags = std::make_shared<CurveFlags>();
  AddStatementFlags(*command, flags->statement);
  command
      ->add_option("--rows", flags->rows,
                   "suppose that so many rows count (default: the people that\n"
                   "the catalog declares)")
      ->type_name("N");
  command
      ->add_option("--shares", flags->shares,
                   "suppose these parts of them in the groups, in the order of\n"
                   "the catalog's values, as 0.5,0.3,0.2 (default: all the same)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("S,...");
  command
      ->add_option("--expect", flags->expected,
                   "suppose that column C of the answer is about VALUE (default:\n"
                   "values in the middle of their ranges); may be repeated")
      ->type_name("C=VALUE")
      ->allow_extra_args(false);
  command->add_option("--svg", flags->svg, "write the picture to this file, as SVG")
      ->type_name("FILE");
  command
      ->add_option("--html", flags->html,
                   "write tables and picture to this file, a page that needs\nno network")
      ->type_name("FILE");
  AddCatalogFlag(*command, flags->data);
  AddWaitFlag(*command, flags->data);
  command->footer(
      "Margins of values that are chosen (medians, MIN, MAX, MODE) are in rank, and bounds:\n"
      "most errors are far smaller.\n\n" +
      std::string(kDemoExamples) +
      "  tacet curve \"SELECT sex, count(*), avg(age) FROM participants GROUP BY sex\"\n"
      "  tacet curve --expect age=24 --html age.html \\\n"
      "      \"SELECT avg(age) AS age FROM participants\"");
  command->callback(
      [flags, &invocation] { invocation.outcome = RunCurve(*flags, invocation.terminal); });
}

}  // namespace tacet::cli
