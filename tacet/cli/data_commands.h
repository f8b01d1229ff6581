// SPDX-License-Identifier: Apache-2.0
// What the commands about data do once their flags are read and their project is open: the shell
// does the same.
#pragma once

#include "tacet/cli/data_flags.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/terminal.h"
#include "tacet/gateway/analyst.h"

namespace tacet::cli {

// Where an answer goes, and in which form. Without a file it is printed.
struct Delivery {
  Format format = Format::kTable;
  OutputFile* file = nullptr;
};

// tacet query: asks, pays and delivers; or says what that would cost.
Outcome Ask(const Project& project, const Question& question, const Services& services,
            const Delivery& delivery, const Terminal& terminal);
Outcome AskPrice(const Project& project, const Question& question, const Services& services,
                 const Delivery& delivery, const Terminal& terminal);

// tacet explain.
Outcome ShowPlan(const Project& project, const Question& question, const Terminal& terminal);

// tacet budget.
Status ShowBudget(const Project& project, const BudgetQuestion& question, const Services& services,
                  const Terminal& terminal);

// tacet budget --person and --people, for the owner.
Status ShowPerson(const Project& project, const std::string& key, const Services& services,
                  const Terminal& terminal);
Status ShowPeople(const Project& project, const Services& services, const Terminal& terminal);

// tacet describe: one table, or all of them where `table_name` is empty.
Status ShowTables(const Project& project, const std::string& table_name, const Services& services,
                  const Terminal& terminal);
// Their names only, and whose rows they hold.
std::string TableList(const Catalog& catalog, const Terminal& terminal);

}  // namespace tacet::cli
