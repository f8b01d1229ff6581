// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/csv_header.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

using Fields = std::vector<std::string>;

TEST(SplitCsvLine, FollowsTheQuotes) {
  EXPECT_EQ(SplitCsvLine("a,b,c", ','), (Fields{"a", "b", "c"}));
  EXPECT_EQ(SplitCsvLine("\"a,b\",\"say \"\"x\"\"\", c \r", ','),
            (Fields{"a,b", "say \"x\"", " c "}));
  EXPECT_EQ(SplitCsvLine("\xEF\xBB\xBF"
                         "a;b",
                         ';'),
            (Fields{"a", "b"}));
  EXPECT_EQ(SplitCsvLine("a,,", ','), (Fields{"a", "", ""}));
  EXPECT_EQ(SplitCsvLine("", ','), Fields{""});
  EXPECT_EQ(SplitCsvLine("x\"y", ','), Fields{"x\"y"});
}

TEST(SplitCsvLine, RefusesQuotesThatDoNotClose) {
  EXPECT_EQ(SplitCsvLine("\"a,b", ','), std::nullopt);
  EXPECT_EQ(SplitCsvLine("\"a\"b,c", ','), std::nullopt);
}

}  // namespace
}  // namespace tacet
