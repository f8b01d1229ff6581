// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/mark_text.h"

#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

std::string_view Name(MarkRecord::Kind kind) {
  return kind == MarkRecord::Kind::kAdopted ? "adopted" : "recovered";
}

std::string_view Sentence(MarkRecord::Kind kind) {
  return kind == MarkRecord::Kind::kAdopted
             ? "the owner vouched for the ledger, whose witness was missing"
             : "records were lost, and everyone was charged a whole limit";
}

}  // namespace

std::string MarksText(const std::vector<MarkRecord>& marks) {
  std::string text;
  for (const MarkRecord& mark : marks) {
    const std::string reason =
        sql::FindInvalidUtf8(mark.reason) ? "?" : sql::Printable(mark.reason);
    text += std::string(Name(mark.kind)) + " " + ToString(mark.time) + ": " +
            std::string(Sentence(mark.kind)) + " (" + reason + ")\n";
  }
  return text;
}

nlohmann::ordered_json MarksJson(const std::vector<MarkRecord>& marks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const MarkRecord& mark : marks) {
    json.push_back(
        {{"kind", Name(mark.kind)}, {"time", ToString(mark.time)}, {"reason", mark.reason}});
  }
  return json;
}

}  // namespace tacet::cli
