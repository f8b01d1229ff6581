// SPDX-License-Identifier: Apache-2.0
// tacet ledger: the charges, and what an owner can do about the ledger.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tacet/cli/amount_text.h"
#include "tacet/cli/data_flags.h"
#include "tacet/cli/interrupts.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/ledger_text.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/program.h"
#include "tacet/gateway/ledger_export.h"
#include "tacet/gateway/ledger_report.h"
#include "tacet/gateway/ledger_work.h"
#include "tacet/plan/recost.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

struct LedgerFlags {
  DataFlags data;
  std::optional<std::string> analyst = {};
  std::optional<std::string> output = {};
  bool with_people = false;
  std::string reason = {};
  std::optional<std::string> export_to = {};
  std::optional<std::string> import_from = {};
};

struct Session {
  const LedgerFlags& flags;
  const Project& project;
  const Services& services;
  const Terminal& terminal;
};
using Work = std::function<Outcome(const Session&)>;

Outcome InSession(const LedgerFlags& flags, const Terminal& terminal, const Work& work) {
  const Result<std::chrono::milliseconds> wait = ParseDuration(flags.data.wait);
  if (!wait.ok()) return wait.error();
  if (sql::FindInvalidUtf8(flags.reason)) {
    return Error{.code = Code::kUsage, .message = "--reason is not UTF-8"};
  }
  const Result<Project> project = OpenProject(flags.data);
  if (!project.ok()) return project.error();
  const Interrupts interrupts;
  SystemClock clock;
  SystemEntropy entropy;
  const Services services{.clock = clock,
                          .entropy = entropy,
                          .lock_wait = *wait,
                          .interrupted = &interrupts.requested()};
  Outcome outcome =
      work({.flags = flags, .project = *project, .services = services, .terminal = terminal});
  if (!outcome.status.ok()) {
    LogForOwner(*project, clock, outcome.status.error());
    outcome.status = ForOwner(outcome.status.error(), *project);
  }
  return outcome;
}

Outcome RunList(const Session& session) {
  const Result<LedgerList> list =
      ListLedger(session.project, session.services, session.flags.analyst);
  if (!list.ok()) return list.error();
  const Terminal& terminal = session.terminal;
  terminal.Print(terminal.json ? DocumentText(ListJson(*list)) : ListText(*list, terminal));
  return {};
}

Outcome RunVerify(const Session& session) {
  const Result<LedgerCheck> check = VerifyLedger(session.project, session.services, RecomputeCost);
  if (!check.ok()) return check.error();
  const Terminal& terminal = session.terminal;
  terminal.Print(terminal.json ? DocumentText(CheckJson(*check)) : CheckText(*check, terminal));
  Outcome outcome;
  if (!check->is_ok()) outcome.exit_status = Info(Code::kLedger).exit_status;
  return outcome;
}

// A device or a pipe, which a file of that name must not replace.
bool IsDevice(const std::string& path) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

Result<uint64_t> ExportToDevice(const Session& session, const std::string& path) {
  TACET_TRY(OutputFile file, OutputFile::Create(path));
  TACET_TRY(
      const uint64_t records,
      ExportLedger(session.project, session.services, {.with_people = session.flags.with_people},
                   [&](std::string_view line) { return file.Append(line); }));
  TACET_RETURN_IF_ERROR(file.Commit(""));
  return records;
}

// Line by line, and in place under its name once it is whole. Nobody else may read it.
Result<uint64_t> ExportToFile(const Session& session, const std::string& path) {
  if (IsDevice(path)) return ExportToDevice(session, path);
  SystemFileSystem files;
  const std::string draft = path + ".new";
  TACET_TRY(const std::unique_ptr<File> file, files.Create(draft));
  const auto write = [&]() -> Result<uint64_t> {
    TACET_TRY(
        const uint64_t records,
        ExportLedger(session.project, session.services, {.with_people = session.flags.with_people},
                     [&](std::string_view line) { return file->Append(line); }));
    TACET_RETURN_IF_ERROR(file->Sync());
    TACET_RETURN_IF_ERROR(files.Rename(draft, path));
    return records;
  };
  Result<uint64_t> records = write();
  if (!records.ok()) static_cast<void>(files.Remove(draft));
  return records;
}

Outcome RunExport(const Session& session) {
  const LedgerFlags& flags = session.flags;
  const Terminal& terminal = session.terminal;
  if (flags.output) {
    const Result<uint64_t> records = ExportToFile(session, *flags.output);
    if (!records.ok()) return records.error();
    if (terminal.json) {
      terminal.Print(DocumentText({{"file", *flags.output}, {"records", *records}}));
    }
    terminal.Note(fmt::format("Wrote {} records to {}.\n", *records, *flags.output));
    return {};
  }
  if (terminal.json) {
    return Error{.code = Code::kUsage,
                 .message = "an export is one JSON document a line, not one in all",
                 .hint = "leave --json out, or write to a file with -o."};
  }
  const Result<uint64_t> records =
      ExportLedger(session.project, session.services, {.with_people = flags.with_people},
                   [&](std::string_view line) -> Status {
                     terminal.Write(line);
                     return {};
                   });
  return records.ok() ? Status() : Status(records.error());
}

std::string LimitText(const Budget& budget) {
  std::string text = "epsilon " + CostText(budget.epsilon().value());
  if (!budget.is_pure()) text += ", delta " + CostText(budget.delta().value());
  return text;
}

Json LimitJson(const Budget& budget) {
  return CostJson(
      {.epsilon = budget.epsilon(), .delta = budget.delta(), .rho = budget.filter().rho});
}

std::string ClassesText(const std::vector<ClassLimit>& classes) {
  std::string text;
  for (const ClassLimit& limit : classes) {
    text +=
        fmt::format("  {}: epsilon {}\n", limit.name.empty() ? "people without one" : limit.name,
                    CostText(limit.epsilon.value()));
  }
  if (text.empty()) return text;
  return "People have the limit of the class in which they are now:\n" + text;
}

Json ClassesJson(const std::vector<ClassLimit>& classes) {
  Json json = Json::array();
  for (const ClassLimit& limit : classes) {
    json.push_back({{"class", limit.name}, {"epsilon", limit.epsilon.ToString()}});
  }
  return json;
}

Outcome RunRaise(const Session& session) {
  const Result<RaiseReport> report =
      RaiseBudget(session.project, session.services, session.flags.reason);
  if (!report.ok()) return report.error();
  const Terminal& terminal = session.terminal;
  if (terminal.json) {
    terminal.Print(DocumentText({{"before", LimitJson(report->before)},
                                 {"limit", LimitJson(report->limit)},
                                 {"classes", ClassesJson(report->classes)},
                                 {"spent", CostJson(report->spent)},
                                 {"remaining", CostJson(report->remaining)}}));
    return {};
  }
  const bool is_pure = report->limit.is_pure();
  const Rational& left =
      is_pure ? report->remaining.epsilon.value() : report->remaining.rho.value();
  terminal.Say(fmt::format("The limit was {}; it is {} now. {} {} is left.\n",
                           LimitText(report->before), LimitText(report->limit),
                           is_pure ? "Epsilon" : "Rho", DecimalText(left, Rounding::kDown)));
  terminal.Say(ClassesText(report->classes));
  return {};
}

Json ForwardJson(const ForwardReport& report) {
  return {{"dataset_id", report.dataset_id},         {"witness", report.witness_path},
          {"records", report.head.sequence},         {"spent", CostJson(report.spent)},
          {"remaining", CostJson(report.remaining)}, {"import_needed", report.is_import_needed}};
}

Outcome RunAdopt(const Session& session) {
  const Result<ForwardReport> report =
      AdoptLedger(session.project, session.services, session.flags.reason);
  if (!report.ok()) return report.error();
  const Terminal& terminal = session.terminal;
  if (terminal.json) {
    terminal.Print(DocumentText(ForwardJson(*report)));
    return {};
  }
  terminal.Say(
      fmt::format("The ledger is adopted as it is: {} records. Its new witness is {}.\n"
                  "That you vouched for it stays in the ledger; everyone who asks for the budget\n"
                  "sees it.\n",
                  report->head.sequence, report->witness_path));
  return {};
}

Outcome RunRecover(const Session& session) {
  const Result<ForwardReport> report =
      RecoverLedger(session.project, session.services, session.flags.reason);
  if (!report.ok()) return report.error();
  const Terminal& terminal = session.terminal;
  if (terminal.json) {
    terminal.Print(DocumentText(ForwardJson(*report)));
    return {};
  }
  terminal.Say(
      "The ledger is recovered. Everyone was charged a whole limit: nothing remains for\n"
      "anybody, and no query about people is answered until the limit is raised with\n"
      "'tacet ledger raise'.\n");
  if (report->is_import_needed) {
    terminal.Say("The vault belonged to the lost records and was removed: run 'tacet import'.\n");
  }
  return {};
}

Json WitnessJson(const WitnessReport& witness) {
  return {{"dataset_id", witness.dataset_id},
          {"witness", witness.path},
          {"sequence", witness.point.sequence},
          {"hash", ToHex(witness.point.hash)}};
}

Result<WitnessReport> HandleWitness(const Session& session) {
  const LedgerFlags& flags = session.flags;
  SystemFileSystem files;
  if (flags.import_from) {
    TACET_TRY(const std::string text, files.Read(*flags.import_from));
    return ImportWitness(session.project, session.services, text);
  }
  TACET_TRY(WitnessReport witness, ShowWitness(session.project, session.services));
  if (flags.export_to && IsDevice(*flags.export_to)) {
    TACET_TRY(OutputFile file, OutputFile::Create(*flags.export_to));
    TACET_RETURN_IF_ERROR(file.Commit(WitnessText(witness)));
  } else if (flags.export_to) {
    TACET_RETURN_IF_ERROR(WriteAtomically(files, *flags.export_to, WitnessText(witness)));
  }
  return witness;
}

Outcome RunWitness(const Session& session) {
  const Result<WitnessReport> witness = HandleWitness(session);
  if (!witness.ok()) return witness.error();
  const Terminal& terminal = session.terminal;
  if (terminal.json) {
    terminal.Print(DocumentText(WitnessJson(*witness)));
    return {};
  }
  terminal.Print(fmt::format("dataset  {}\nwitness  {}\nrecord   {}, {}\n", witness->dataset_id,
                             witness->path, witness->point.sequence, ToHex(witness->point.hash)));
  if (session.flags.export_to) {
    terminal.Note("Wrote " + *session.flags.export_to +
                  ". It is of the ledger as it is now: whatever is charged here after this makes\n"
                  "it too old.\n");
  }
  return {};
}

struct Command {
  CLI::App* app;
  std::shared_ptr<LedgerFlags> flags = std::make_shared<LedgerFlags>();
};

Command AddCommand(CLI::App& ledger, const char* name, const char* about, const char* footer,
                   Invocation& invocation, Work work) {
  Command command{.app = ledger.add_subcommand(name, about)};
  command.app->set_help_flag("-h,--help", "this help");
  command.app->footer(footer);
  command.app->callback([flags = command.flags, work = std::move(work), &invocation] {
    invocation.outcome = InSession(*flags, invocation.terminal, work);
  });
  return command;
}

void AddDataFlags(const Command& command) {
  AddCatalogFlag(*command.app, command.flags->data);
  AddWaitFlag(*command.app, command.flags->data);
}

void AddReasonFlag(const Command& command) {
  command.app->add_option("--reason", command.flags->reason, "why; it stays in the ledger for ever")
      ->type_name("TEXT")
      ->required();
}

constexpr char kListHelp[] =
    "Limits, imports and what an owner vouched for come below the charges. Whom a charge touched\n"
    "is private and is not shown.\n\n"
    "Examples:\n"
    "  tacet ledger list\n"
    "  tacet ledger list --as owner --json";

constexpr char kVerifyHelp[] =
    "Reads all of it: the chain of hashes, every checkpoint and set of people, and the cost of\n"
    "every charge, once more from its recorded plan; and compares it with the witness and the\n"
    "vault. Exit status 4 if something is wrong.\n\n"
    "Examples:\n"
    "  tacet ledger verify\n"
    "  tacet ledger verify --json --catalog tacet.toml";

constexpr char kExportHelp[] =
    "A JSON document a line, with number, kind and hash of the record. The secret under which\n"
    "people's keys are hashed, and the hashes, are left out. The result tells who asked what: it\n"
    "is for the owner.\n\n"
    "Examples:\n"
    "  tacet ledger export > ledger.jsonl\n"
    "  tacet ledger export --people -o ledger.jsonl";

constexpr char kRaiseHelp[] =
    "A larger budget in the catalog does not apply by itself: the people in the data were "
    "promised\n"
    "the old one. This makes it the limit. What was spent stays spent, and the reason stays in "
    "the\n"
    "ledger. A smaller budget needs no command.\n\n"
    "Examples:\n"
    "  tacet ledger raise --reason \"second wave, approved by the board on 3 May\"\n"
    "  tacet ledger raise --reason \"goes on after a recovery\" --json";

constexpr char kAdoptHelp[] =
    "The witness is a small file outside of the project that knows how far the ledger has come.\n"
    "Without it nobody can tell the newest copy of a ledger from yesterday's.\n\n"
    "adopt writes a new witness for the ledger as it is. By this you vouch that it is the newest\n"
    "copy: if it is not, what was charged since is forgotten, and people lose more than they were\n"
    "promised. A mark with your reason stays in the ledger, and 'tacet budget', 'describe' and\n"
    "'verify' show it to everyone.\n\n"
    "If the project was moved, bring its witness along instead ('tacet ledger witness --help').\n"
    "If you are not sure that this is the newest copy, see 'tacet ledger recover --help'.\n\n"
    "Examples:\n"
    "  tacet ledger adopt --reason \"new laptop; the old disk, with the witness, is broken\"\n"
    "  tacet ledger adopt --reason \"home folder was cleaned up\" --json";

constexpr char kRecoverHelp[] =
    "For a ledger that is lost, damaged, or older than witness or vault know it to be. If there "
    "is\n"
    "a newer copy, bring that back instead: it costs nothing.\n\n"
    "What the lost records held, nobody knows. So recover assumes the worst: everyone is charged\n"
    "a whole limit, on top of what is still known. After it nothing remains for anybody, and no\n"
    "query about people is answered until you declare a budget above all that and raise the limit\n"
    "('tacet ledger raise --help'); what it is above they may then lose on top of what they were\n"
    "promised. A mark with your reason stays in the ledger, and 'tacet budget', 'describe' and\n"
    "'verify' show it to everyone.\n\n"
    "A damaged ledger is put aside as ledger.db.damaged-1. A vault that belongs to the lost\n"
    "records is removed, and 'tacet import' makes it again.\n\n"
    "Examples:\n"
    "  tacet ledger recover --reason \"disk failed; the last backup is of Sunday\"\n"
    "  tacet ledger recover --reason \".tacet was deleted by mistake\" --json";

constexpr char kWitnessHelp[] =
    "The witness knows how far the ledger has come, so that an older copy is noticed. It is kept\n"
    "in TACET_STATE_DIR (default: XDG_STATE_HOME/tacet, else .local/state/tacet in the home "
    "folder),\n"
    "outside of the project. A project that moves to another machine takes it along: export it as\n"
    "the last thing here, copy project and file, and import it there.\n\n"
    "Examples:\n"
    "  tacet ledger witness --export study.witness\n"
    "  tacet ledger witness --import study.witness";

}  // namespace

void AddLedger(CLI::App& app, Invocation& invocation) {
  CLI::App* ledger =
      app.add_subcommand("ledger", "List, verify and repair what was charged; for the owner.");
  ledger->set_help_flag("-h,--help", "this help");
  ledger->require_subcommand(0, 1);
  ledger->footer(
      std::string("The ledger, .tacet/ledger.db beside the catalog, holds every charge and cannot\n"
                  "be made again: keep it, and keep copies.\n\n") +
      kDemoExamples +
      "  tacet ledger list\n"
      "  tacet ledger raise --help");
  ledger->callback([&app, ledger, &invocation] {
    if (!ledger->get_subcommands().empty()) return;
    if (invocation.terminal.json) {
      invocation.outcome = Error{.code = Code::kUsage,
                                 .message = "a command of the ledger is missing",
                                 .hint = "see 'tacet ledger --help'."};
      return;
    }
    invocation.terminal.Print(app.help());
  });

  const Command list =
      AddCommand(*ledger, "list", "List all charges, one a line.", kListHelp, invocation, RunList);
  list.app
      ->add_option("--as", list.flags->analyst,
                   "as this analyst sees it: others' charges by number and cost\n"
                   "only (default: as the owner does, everything)")
      ->type_name("ANALYST");
  AddDataFlags(list);

  AddDataFlags(AddCommand(*ledger, "verify", "Read and recompute everything.", kVerifyHelp,
                          invocation, RunVerify));

  const Command exported = AddCommand(*ledger, "export", "Write all records, as JSON lines.",
                                      kExportHelp, invocation, RunExport);
  exported.app
      ->add_option("-o,--output", exported.flags->output,
                   "write to this file, which only you may read (default: standard\n"
                   "output)")
      ->type_name("FILE");
  exported.app->add_flag("--people", exported.flags->with_people,
                         "say whom each charge touched too, by number: private");
  AddDataFlags(exported);

  const Command raise = AddCommand(*ledger, "raise", "Make the catalog's larger budget the limit.",
                                   kRaiseHelp, invocation, RunRaise);
  const Command adopt = AddCommand(*ledger, "adopt", "Vouch for a ledger whose witness is missing.",
                                   kAdoptHelp, invocation, RunAdopt);
  const Command recover =
      AddCommand(*ledger, "recover", "Go on after a loss: everyone is charged a whole limit.",
                 kRecoverHelp, invocation, RunRecover);
  for (const Command& command : {raise, adopt, recover}) {
    AddReasonFlag(command);
    AddDataFlags(command);
  }

  const Command witness = AddCommand(*ledger, "witness", "Show the witness, or take it along.",
                                     kWitnessHelp, invocation, RunWitness);
  CLI::Option* exporting =
      witness.app->add_option("--export", witness.flags->export_to, "write it to this file too")
          ->type_name("FILE");
  witness.app
      ->add_option("--import", witness.flags->import_from,
                   "put the one of this file in place of one that is missing\n"
                   "or older")
      ->type_name("FILE")
      ->excludes(exporting);
  AddDataFlags(witness);
}

}  // namespace tacet::cli
