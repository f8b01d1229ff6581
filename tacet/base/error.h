// SPDX-License-Identifier: Apache-2.0
// Errors, and the one table that maps each code to what clients see of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacet {

enum class Code {
  kUsage,        // wrong flags, or arguments that make no sense
  kUnsupported,  // a statement or construct that is not understood
  kForbidden,    // understood, but it would publish something private
  kBudget,       // the budget does not allow it
  kQuota,        // the analyst's own quota does not allow it
  kCatalog,      // the catalog is wrong, or differs from what was imported
  kData,         // the data is wrong: types, keys, declared facts that do not hold
  kIo,           // files, disks
  kEntropy,      // no randomness could be had, so nothing may be released
  kEngine,       // the query engine failed
  kLedger,       // the ledger failed, or its history cannot be trusted
  kLocked,       // another process holds the lock
  kInterrupted,  // the user asked to stop
};

// What the world sees of a code. `name` is the code in JSON.
struct CodeInfo {
  Code code;
  std::string_view name;
  std::string_view sqlstate;
  int http_status;
  int exit_status;
};

const CodeInfo& Info(Code code);
// Every code once, in the order of the enumeration.
std::span<const CodeInfo> AllCodes();

// `message` and `hint` reach the analyst, so neither may be computed from private data.
// `detail` may; it goes to the owner's log and nowhere else.
struct Error {
  Code code = Code::kUsage;
  std::string message;
  std::string hint = {};
  std::string detail = {};
  // Where in the text that was given, in characters from 0, if that is known.
  std::optional<size_t> position = {};
};

}  // namespace tacet
