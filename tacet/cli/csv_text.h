// SPDX-License-Identifier: Apache-2.0
// Small files that people write: reading them, cutting lines into cells, and saying what is wrong.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"

namespace tacet::cli {

// All of a file of at most `bytes_max` bytes. Fails with Code::kData if there is no such file or it
// is larger, with Code::kIo if it cannot be read.
Result<std::string> ReadText(const std::string& path, size_t bytes_max);
// The same of what is open already; errors call it `name`.
Result<std::string> ReadText(std::FILE* file, const std::string& name, size_t bytes_max);

// `'scores.csv', line 3: what`, of Code::kData; line 0 is the file itself.
Error WrongText(const std::string& name, size_t line, std::string what, std::string hint = {});

// What somebody wrote, fit for a message: in quotes, short, without control characters.
std::string ShownText(std::string_view text);

// Takes a line off the front of `text`, which is not empty, and returns it without the blanks
// around it.
std::string_view TakeLine(std::string_view& text);

// `text` without the mark that some programs begin UTF-8 with.
std::string_view WithoutByteOrderMark(std::string_view text);

// The cells of one line; quoted ones may hold commas, and a quote as two. Fails on a quote that is
// not closed.
Result<std::vector<std::string>> SplitCells(std::string_view line, const std::string& name,
                                            size_t number);

}  // namespace tacet::cli
