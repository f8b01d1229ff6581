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
  command.add_option("--survey", flags.survey, "the questions, their epsilon and the budget")
      ->type_name("FILE");
}

void AddFileFlags(CLI::App& command, LocalFlags& flags) {
  command.add_option("FILE", flags.files, "reports or tallies; - is standard input");
  command.add_flag("--skip-duplicates", flags.skip_duplicates,
                   "count a batch that comes again once, instead of failing");
}

void AddRandomize(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command =
      AddPart(local, invocation, "randomize", "Randomise a whole panel.",
              "The panel is CSV with a column for every question. Of several questions each\n"
              "person answers one, drawn at random, unless the survey says asks = \"all\".\n"
              "Nothing is written unless every row is right.\n\n"
              "Examples:\n"
              "  tacet local randomize --survey survey.toml --input panel.csv -o reports.txt\n"
              "  cut -d, -f2 people.csv | tacet local randomize --survey survey.toml > reports.txt",
              flags, RandomizePanel);
  AddSurveyFlag(*command, *flags);
  command->add_option("--input", flags->input, "the people's true answers")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("-o,--output", flags->output, "where the reports go [standard output]")
      ->type_name("FILE");
}

void AddEstimate(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command =
      AddPart(local, invocation, "estimate", "What the reports say of everybody together.",
              "Estimates are unbiased, so a small share may come out negative; --simplex moves\n"
              "the shares of a choice to the nearest ones that add up to 1. Margins hold 95 times\n"
              "in 100 and are of the randomizers' coins alone.\n\n"
              "Examples:\n"
              "  tacet local estimate --survey survey.toml reports.txt --plot\n"
              "  tacet local estimate --survey survey.toml *.txt --simplex --json",
              flags, EstimateFromReports);
  AddSurveyFlag(*command, *flags);
  AddFileFlags(*command, *flags);
  command->add_flag("--simplex", flags->simplex, "shares that are no less than 0 and add up to 1");
  AddPictureFlags(*command, flags->pictures, "bars with their margins");
}

void AddMerge(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command =
      AddPart(local, invocation, "merge", "Add reports and tallies up to one small tally.",
              "A tally takes as much room for ten people as for ten million, and is read wherever\n"
              "reports are. It remembers which batches went in, so none counts twice.\n\n"
              "Examples:\n"
              "  tacet local merge --survey survey.toml monday.txt tuesday.txt -o week.tally\n"
              "  cat *.txt | tacet local merge --survey survey.toml - > all.tally",
              flags, MergeReports);
  AddSurveyFlag(*command, *flags);
  AddFileFlags(*command, *flags);
  command->add_option("-o,--output", flags->output, "where the tally goes [standard output]")
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
      "  tacet local answer --survey three.toml --state device.state --value dog=no\\\n"
      "    --value colour=brown --value age=7",
      flags, AnswerOnDevice);
  AddSurveyFlag(*command, *flags);
  command->add_option("--state", flags->state, "what this device has spent, for its owner alone")
      ->type_name("FILE");
  command
      ->add_option("--value", flags->values,
                   "the true answer; of several questions each as NAME=VALUE")
      ->type_name("V")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--wait", flags->wait, "how long to wait for another process")
      ->type_name("DURATION")
      ->capture_default_str();
}

void AddShuffle(CLI::App& local, Invocation& invocation) {
  auto flags = std::make_shared<LocalFlags>();
  CLI::App* command = AddPart(
      local, invocation, "shuffle", "What is left of epsilon when reports come without names.",
      "Reports of epsilon, shuffled, are private with a smaller epsilon and a delta. The bound\n"
      "for any randomizer is that of clones (2021), evaluated and certified; that of yes or no\n"
      "is the exact worst case over all answers of the others. Both hold as long as whoever\n"
      "shuffles tells nobody who sent what.\n\n"
      "Examples:\n"
      "  tacet local shuffle --epsilon 4 --people 100000\n"
      "  tacet local shuffle --epsilon 'ln(3)' --people 1000 --delta 1e-9 --json",
      flags, ShowShuffling);
  command->add_option("--epsilon", flags->epsilon, "of one report, a number or ln(3)")
      ->type_name("E");
  command->add_option("--people", flags->people, "how many reports are shuffled")->type_name("N");
  command->add_option("--delta", flags->delta, "of the shuffled reports")
      ->type_name("D")
      ->capture_default_str();
}

}  // namespace

void AddLocal(CLI::App& app, Invocation& invocation) {
  CLI::App* local = app.add_subcommand(
      "local", "Answers that are randomised before they leave the people who give them.");
  local->set_help_flag("-h,--help", "this help");
  local->require_subcommand(1);
  local->footer(
      "A survey file says what is asked and what it costs: docs/local.md shows one.\n\n"
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
