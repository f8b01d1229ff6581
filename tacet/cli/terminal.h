// SPDX-License-Identifier: Apache-2.0
// Where a command reads from and writes to, and how it looks there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "tacet/base/error.h"

namespace tacet::cli {

enum class Color { kAuto, kAlways, kNever };

// Output for people and scripts goes to `out`, everything else to `err`.
struct Terminal {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  Color color = Color::kAuto;
  bool json = false;
  bool quiet = false;

  void Print(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), out); }
  // For people only: nothing with --json or -q.
  void Note(std::string_view text) const;
  // Bold on a terminal, plain elsewhere.
  std::string Strong(std::string_view text, std::FILE* where) const;
  // The error as INTERFACE says: text on `err`, or one JSON document on `out`.
  void Report(const Error& error) const;
};

}  // namespace tacet::cli
