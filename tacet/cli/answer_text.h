// SPDX-License-Identifier: Apache-2.0
// Answers as tables for people, as CSV and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/cli/terminal.h"
#include "tacet/gateway/analyst.h"

namespace tacet::cli {

// A value without its margin: as JSON gives it, but for quotes. NULL is "NULL".
std::string ValueText(const Value& value, const Type& type);

// Aligned, numbers to the right, noisy ones as `512 ± 30`: doubles and decimals rounded to two
// digits of their margin. `where` decides about bold headings.
std::string AnswerTable(const QueryResult& result, const Terminal& terminal, std::FILE* where);

// Quoted as RFC 4180 says, lines end with a line feed. Behind each noisy column comes NAME_margin.
// NULL is an empty field, and an empty text "".
std::string AnswerCsv(const QueryResult& result);

// One document with the keys of INTERFACE.
nlohmann::ordered_json AnswerJson(const QueryResult& result);

// Lines for people: what it cost and what is left; after a dry run, what would be left; notices.
// Nothing of the first two for what is free.
std::string CostLine(const QueryResult& result);
std::string RemainderLine(const QueryResult& result);
std::string NoticeLines(const QueryResult& result);
// `epsilon 9.9`, or `rho 0.9347, enough for one query of epsilon 1.367`.
std::string RemainderText(const Cost& left);

}  // namespace tacet::cli
