// SPDX-License-Identifier: Apache-2.0
// The command line: one file a command, and this to choose between them.
#pragma once

#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/cli/terminal.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tacet::cli {

// A command declares its flags on `app` and, once they are read, sets `outcome` in its callback.
struct Invocation {
  Terminal terminal;
  Outcome outcome;
};

void AddAccount(CLI::App& app, Invocation& invocation);
void AddChoose(CLI::App& app, Invocation& invocation);
void AddCompletion(CLI::App& app, Invocation& invocation);
void AddManual(CLI::App& app, Invocation& invocation);
void AddLocal(CLI::App& app, Invocation& invocation);
void AddLoss(CLI::App& app, Invocation& invocation);
void AddNoise(CLI::App& app, Invocation& invocation);
void AddSensitivity(CLI::App& app, Invocation& invocation);
void AddSize(CLI::App& app, Invocation& invocation);
void AddDemo(CLI::App& app, Invocation& invocation);
void AddInit(CLI::App& app, Invocation& invocation);
void AddCheck(CLI::App& app, Invocation& invocation);
void AddImport(CLI::App& app, Invocation& invocation);
void AddQuery(CLI::App& app, Invocation& invocation);
void AddShell(CLI::App& app, Invocation& invocation);
void AddExplain(CLI::App& app, Invocation& invocation);
void AddCurve(CLI::App& app, Invocation& invocation);
void AddBudget(CLI::App& app, Invocation& invocation);
void AddLedger(CLI::App& app, Invocation& invocation);
void AddDescribe(CLI::App& app, Invocation& invocation);

// Runs the program on the words after its name and returns the exit status. Where the reader of
// `out` has gone away (a broken pipe) nobody is left to tell: nothing is said, and the status is
// that of the work itself. Needs SIGPIPE to be ignored, as main does.
int RunProgram(const std::vector<std::string>& words, Terminal terminal);

}  // namespace tacet::cli
