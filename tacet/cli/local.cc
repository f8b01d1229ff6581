// SPDX-License-Identifier: Apache-2.0
// tacet local: answers that are randomised before they leave the people who give them.
#include <CLI/CLI.hpp>

#include "tacet/cli/local_commands.h"
#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

using LocalRun = Status (*)(const LocalFlags&, const Terminal&);

CLI::App* AddPart(CLI::App& local, Invocation& invocation, const char* name, const char* about,
                  const char* footer, const std::shared_ptr<LocalFlags>& flags, LocalRun run) {
  CLI::App* command = local.add_subcommand(name, about);
  command->set_help_flag("-h,--help", "this help");
  command->footer(footer);
  command->callback(
      [flags, run, &invocation] { invocation.outcome = run(*flags, invocation.terminal); });
  return command;
}

void AddSurveyFlag(CLI::App& command, LocalFlags& flags) {
  command
      .add_option("--survey", flags.survey,
                  "the questions, their epsilon and the budget; 'tacet local --help'\n"
                  "shows one (required)")
      ->type_name("FILE");
}

void AddFileFlags(CLI::App& command, LocalFlags& flags) {
  command.add_option("FILE", flags.files,
                     "files of reports or tallies; - is standard input (required)");
  command.add_flag("--skip-duplicates", flags.skip_duplicates,
                   "count a batch that comes again once, instead of failing");
}

void AddRandomize(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command = AddPart(
      local, invocation, "randomize", "Randomise a whole panel.",
      "The panel is CSV with a column for every question. Of several questions each\n"
      "person answers one, drawn at random, unless the survey says asks = \"all\".\n"
      "Nothing is written unless every row is right.\n\n"
      "Examples:\n"
      "  tacet local randomize --survey survey.toml --input panel.csv -o reports.txt\n"
      "  printf 'dog\\nyes\\nno\\n' | tacet local randomize --survey survey.toml > more.txt",
      flags, RandomizePanel);
  AddSurveyFlag(*command, *flags);
  command
      ->add_option("--input", flags->input,
                   "the people's true answers, as CSV; - is standard input")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("-o,--output", flags->output,
                   "write the reports to this file (default: standard output)")
      ->type_name("FILE");
}

void AddEstimate(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command = AddPart(
      local, invocation, "estimate", "Estimate what everybody answered together, from reports.",
      "Estimates are unbiased, so a small share may come out negative; --simplex moves\n"
      "the shares of a choice to the nearest ones that add up to 1. Margins hold 95 times\n"
      "in 100 and are of the randomizers' coins alone.\n\n"
      "Examples:\n"
      "  tacet local estimate --survey survey.toml reports.txt --plot\n"
      "  tacet local estimate --survey survey.toml reports.txt more.txt --simplex --json",
      flags, EstimateFromReports);
  AddSurveyFlag(*command, *flags);
  AddFileFlags(*command, *flags);
  command->add_flag("--simplex", flags->simplex, "make shares no less than 0 and add up to 1");
  AddPictureFlags(*command, flags->pictures, "bars with their margins");
}

void AddMerge(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command =
      AddPart(local, invocation, "merge", "Add reports and tallies up to one small tally.",
              "A tally takes as much room for ten people as for ten million, and is read wherever\n"
              "reports are. It remembers which batches went in, so none counts twice.\n\n"
              "Examples:\n"
              "  tacet local merge --survey survey.toml reports.txt more.txt -o week.tally\n"
              "  cat reports.txt more.txt | tacet local merge --survey survey.toml - > all.tally",
              flags, MergeReports);
  AddSurveyFlag(*command, *flags);
  AddFileFlags(*command, *flags);
  command
      ->add_option("-o,--output", flags->output,
                   "write the tally to this file (default: standard output)")
      ->type_name("FILE");
}

void AddAnswer(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command = AddPart(
      local, invocation, "answer", "Answer on one device, out of its lifetime budget.",
      "What the answer costs, and the report itself, are on disk before the report is printed.\n"
      "A question asked again gets the same report whatever the value is now, for free. Once\n"
      "the budget cannot pay, nothing is sent (exit status 1), or a report that is marked null.\n"
      "Deleting the state file forgets what was spent: every report made before is still out\n"
      "there, so each deletion allows the whole budget once more. Do not.\n\n"
      "Examples:\n"
      "  tacet local answer --survey survey.toml --state device.state --value yes\n"
      "  tacet local answer --survey survey.toml --state device.state --value dog=no --json",
      flags, AnswerOnDevice);
  AddSurveyFlag(*command, *flags);
  command
      ->add_option("--state", flags->state,
                   "what this device has spent, for its owner alone (required)")
      ->type_name("FILE");
  command
      ->add_option("--value", flags->values,
                   "the true answer; of several questions each as NAME=VALUE\n"
                   "(required)")
      ->type_name("V")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--wait", flags->wait,
                   "how long to wait while another process holds the state, as\n"
                   "500ms, 10s or 2m")
      ->type_name("TIME")
      ->capture_default_str();
}

void AddShuffle(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command = AddPart(
      local, invocation, "shuffle", "Show what is left of epsilon when reports come without names.",
      "Reports of epsilon, shuffled, are private with a smaller epsilon and a delta. The bound\n"
      "for any randomizer is that of clones (2021), evaluated and certified; that of yes or no\n"
      "is the exact worst case over all answers of the others. Both hold as long as whoever\n"
      "shuffles tells nobody who sent what.\n\n"
      "Examples:\n"
      "  tacet local shuffle --epsilon 4 --people 100000\n"
      "  tacet local shuffle --epsilon 'ln(3)' --people 1000 --delta 1e-9 --json",
      flags, ShowShuffling);
  command->add_option("--epsilon", flags->epsilon, "of one report, a number or ln(3) (required)")
      ->type_name("E");
  command->add_option("--people", flags->people, "how many reports are shuffled (required)")
      ->type_name("N");
  command->add_option("--delta", flags->delta, "of the shuffled reports")
      ->type_name("D")
      ->capture_default_str();
}

}  // namespace

void AddLocal(CLI::App& app, Invocation& invocation) {
  CLI::App* local =
      app.add_subcommand("local", "Run surveys whose answers people randomise themselves.");
  local->set_help_flag("-h,--help", "this help");
  local->require_subcommand(1);
  local->footer(
      "A survey file says what is asked and what it costs; a panel has a column a question:\n"
      "  printf '[survey]\\nname = \"pets\"\\n' > survey.toml\n"
      "  printf '[budget]\\nname = \"pets\"\\nepsilon = \"4\"\\n' >> survey.toml\n"
      "  printf '[questions.dog]\\ntype = \"yes-no\"\\nepsilon = \"ln(3)\"\\n' >> survey.toml\n"
      "  printf 'dog\\nyes\\nno\\nno\\n' > panel.csv\n\n"
      "Examples:\n"
      "  tacet local randomize --survey survey.toml --input panel.csv -o reports.txt\n"
      "  tacet local estimate --survey survey.toml reports.txt --plot");
  AddRandomize(*local, invocation);
  AddEstimate(*local, invocation);
  AddMerge(*local, invocation);
  AddAnswer(*local, invocation);
  AddShuffle(*local, invocation);
}

}  // namespace tacet::cli
