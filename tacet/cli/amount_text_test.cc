// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/amount_text.h"

#include <gtest/gtest.h>

#include "tacet/cli/json_text.h"

namespace tacet::cli {
namespace {

TEST(AmountText, IsShortAndRoundedToTheSafeSide) {
  struct Row {
    const char* value;
    const char* down;
    const char* up;
  };
  for (const Row& row : {
           Row{"0", "0", "0"},
           Row{"10", "10", "10"},
           Row{"99/10", "9.9", "9.9"},
           Row{"1/3", "0.3333", "0.3334"},
           Row{"2/3", "0.6666", "0.6667"},
           Row{"99999/10000", "9.999", "10"},
           Row{"123456789", "123400000", "123500000"},
           Row{"1e-9", "1e-9", "1e-9"},
           Row{"123456e-15", "1.234e-10", "1.235e-10"},
           Row{"0.00012", "0.00012", "0.00012"},
           Row{"1e30", "1e30", "1e30"},
           Row{"-1/3", "-0.3334", "-0.3333"},
       }) {
    const Rational value = *Rational::Parse(row.value);
    EXPECT_EQ(DecimalText(value, Rounding::kDown), row.down) << row.value;
    EXPECT_EQ(DecimalText(value, Rounding::kUp), row.up) << row.value;
    EXPECT_LE(*Rational::Parse(row.down), value);
    EXPECT_GE(*Rational::Parse(row.up), value);
  }
  EXPECT_EQ(CostText(Rational(1, 10)), "1/10");
  EXPECT_EQ(CostText(Rational::PowerOfTwo(-60)), "8.674e-19");
}

TEST(JsonText, KeepsWhatFitsOnALineAndIsStillTheSame) {
  const nlohmann::ordered_json document = {
      {"rows", nlohmann::ordered_json::array({{1, "a\n"}, {2, nullptr}})},
      {"long", std::vector<int>(60, 7)},
      {"empty", nlohmann::ordered_json::object()}};
  const std::string text = DocumentText(document);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), document);
  EXPECT_EQ(text.substr(0, 38), "{\n  \"rows\": [[1, \"a\\n\"], [2, null]],\n ");
  EXPECT_NE(text.find("[\n    7,\n"), std::string::npos);
  EXPECT_EQ(DocumentText("\xff"), "\"\xef\xbf\xbd\"\n");
}

}  // namespace
}  // namespace tacet::cli
