// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/base/check.h"
#include "tacet/local/report_file.h"
#include "tacet/local/survey_testing.h"

namespace {

// Any bytes are added up or refused with a place, and what was added up is a tally that is read
// back.
void Collect(const tacet::Survey& survey, std::string_view bytes) {
  tacet::Collector collector(survey, /*skip_duplicates=*/true);
  collector.Begin("f");
  tacet::Status status = collector.Feed(bytes.substr(0, bytes.size() / 2));
  if (status.ok()) status = collector.Feed(bytes.substr(bytes.size() / 2));
  if (status.ok()) status = collector.End();
  if (!status.ok()) {
    TACET_CHECK(status.error().code == tacet::Code::kData);
    TACET_CHECK(status.error().message.starts_with("'f', line "));
    return;
  }
  const std::string tally = collector.TallyText();
  tacet::Collector again(survey, /*skip_duplicates=*/false);
  again.Begin("t");
  TACET_CHECK(again.Feed(tally).ok() && again.End().ok());
  TACET_CHECK(again.TallyText() == tally);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tacet::Survey survey =
      *tacet::Survey::Create(tacet::ThreeQuestions(tacet::Asks::kAll));
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Collect(survey, bytes);
  // Most inputs would not get past the header.
  Collect(survey, tacet::BatchHeader(survey, std::string(32, '0')) + std::string(bytes));
  return 0;
}
