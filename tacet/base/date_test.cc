// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/date.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

TEST(Date, ReadsIsoDates) {
  EXPECT_EQ(ParseDate("1970-01-01"), 0);
  EXPECT_EQ(ParseDate("1969-12-31"), -1);
  EXPECT_EQ(ParseDate("2000-02-29"), 11016);
  EXPECT_EQ(ParseDate("0001-01-01"), -719162);
  EXPECT_EQ(ParseDate("9999-12-31"), 2932896);
}

TEST(Date, RefusesOtherText) {
  for (const char* text :
       {"",           "today",        "now",         "infinity",    "2026-1-31",  "2026-01-1",
        "2026-13-01", "2026-00-01",   "2026-01-00",  "2026-01-32",  "2026-02-29", "1900-02-29",
        "0000-01-01", "10000-01-01",  "2026-01-31 ", " 2026-01-31", "2026/01/31", "20260131",
        "-026-01-31", "2026-01-31 BC"}) {
    EXPECT_EQ(ParseDate(text), std::nullopt) << text;
  }
}

TEST(Date, PrintsWhatItReads) {
  for (int32_t days = -719162; days <= 2932896; days += 97) {
    ASSERT_EQ(ParseDate(DateToString(days)), days);
  }
  EXPECT_EQ(DateToString(11016), "2000-02-29");
}

TEST(Timestamp, ReadsAllItsForms) {
  EXPECT_EQ(ParseTimestamp("1970-01-01"), 0);
  EXPECT_EQ(ParseTimestamp("1970-01-01 00:01"), 60'000'000);
  EXPECT_EQ(ParseTimestamp("1970-01-01T01:00:01"), 3'601'000'000);
  EXPECT_EQ(ParseTimestamp("1970-01-01 00:00:00.5"), 500'000);
  EXPECT_EQ(ParseTimestamp("1969-12-31 23:59:59.999999"), -1);
}

TEST(Timestamp, RefusesOtherText) {
  for (const char* text :
       {"", "now", "2026-01-31 ", "2026-01-31 9:05", "2026-01-31 24:00", "2026-01-31 09:60",
        "2026-01-31 09:05:60", "2026-01-31 09:05:", "2026-01-31 09:05:59.",
        "2026-01-31 09:05:59.1234567", "2026-01-31 09:05:59.1x", "2026-01-31 09:05Z",
        "2026-01-31 09:05+01", "2026-01-31t09:05", "2026-01-31x09:05", "2026-01-31 09"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(Timestamp, PrintsWhatItReads) {
  for (int64_t value = -62135596800000000; value < 253402300800000000;
       value += 86'399'999'999 * 1'009) {
    ASSERT_EQ(ParseTimestamp(TimestampToString(value)), value);
  }
  EXPECT_EQ(TimestampToString(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(TimestampToString(60'000'000), "1970-01-01 00:01:00");
}

TEST(DateDeathTest, AYearThatCannotBeWrittenStopsTheProcess) {
  EXPECT_DEATH(DateToString(2932897), "CHECK failed");
  EXPECT_DEATH(DateToString(-719163), "CHECK failed");
  EXPECT_DEATH(DateToString(24667195), "CHECK failed") << "65536 years after one that can";
  EXPECT_DEATH(TimestampToString(INT64_MAX), "CHECK failed");
  EXPECT_DEATH(TimestampToString(INT64_MIN), "CHECK failed");
  EXPECT_EQ(DateToString(2932896), "9999-12-31");
  EXPECT_EQ(DateToString(-719162), "0001-01-01");
}

}  // namespace
}  // namespace tacet
