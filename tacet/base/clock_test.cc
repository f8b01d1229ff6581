// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tacet/testing/fake_clock.h"

namespace tacet {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Time At(int year, unsigned month, unsigned day) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) /
                               std::chrono::day(day));
}

TEST(TimeToString, IsIso8601InUtc) {
  EXPECT_EQ(ToString(Time{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(ToString(At(2026, 1, 31) + hours(9) + minutes(5)), "2026-01-31T09:05:00.000000Z");
  EXPECT_EQ(ToString(At(2001, 9, 9) + hours(1) + minutes(46) + seconds(40) + microseconds(7)),
            "2001-09-09T01:46:40.000007Z");
  EXPECT_EQ(ToString(Time(seconds(1'000'000'000))), "2001-09-09T01:46:40.000000Z");
}

TEST(TimeToString, CountsDownBefore1970) {
  EXPECT_EQ(ToString(Time(microseconds(-1))), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(ToString(Time(seconds(-1))), "1969-12-31T23:59:59.000000Z");
  EXPECT_EQ(ToString(At(1969, 7, 20) + hours(20) + minutes(17)), "1969-07-20T20:17:00.000000Z");
  EXPECT_EQ(ToString(At(1, 1, 1)), "0001-01-01T00:00:00.000000Z");
}

TEST(TimeToString, KnowsLeapDays) {
  EXPECT_EQ(ToString(At(2024, 3, 1) - microseconds(1)), "2024-02-29T23:59:59.999999Z");
  EXPECT_EQ(ToString(At(2023, 3, 1) - microseconds(1)), "2023-02-28T23:59:59.999999Z");
  EXPECT_EQ(ToString(At(2000, 2, 28) + hours(24)), "2000-02-29T00:00:00.000000Z");
  EXPECT_EQ(ToString(At(1900, 2, 28) + hours(24)), "1900-03-01T00:00:00.000000Z");
}

TEST(TimeToString, HasOneWidthAndOrderWhateverTheTime) {
  EXPECT_EQ(ToString(Time::max()), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(ToString(Time::min()), "0000-01-01T00:00:00.000000Z");
  EXPECT_EQ(ToString(At(10000, 1, 1)), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(ToString(At(10000, 1, 1) - microseconds(1)), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(ToString(At(0, 1, 1)), "0000-01-01T00:00:00.000000Z");
  EXPECT_EQ(ToString(At(0, 1, 1) - microseconds(1)), "0000-01-01T00:00:00.000000Z");
  std::string last;
  for (int64_t second = -62'167'219'200; second < 253'402'300'800; second += 86'399 * 997) {
    const std::string text = ToString(Time(seconds(second)));
    ASSERT_EQ(text.size(), 27u);
    ASSERT_LT(last, text);
    last = text;
  }
}

TEST(SystemClock, TellsTheMachinesTime) {
  SystemClock clock;
  const auto before = std::chrono::system_clock::now();
  const Time now = clock.Now();
  const auto after = std::chrono::system_clock::now();
  EXPECT_LE(before - seconds(1), now);
  EXPECT_LE(now, after + seconds(1));
}

TEST(FakeClock, TellsTheTimeItWasTold) {
  testing::FakeClock clock(At(2026, 1, 1));
  EXPECT_EQ(clock.Now(), At(2026, 1, 1));
  clock.Advance(hours(24));
  EXPECT_EQ(clock.Now(), At(2026, 1, 2));
  clock.Set(At(1999, 12, 31));
  EXPECT_EQ(clock.Now(), At(1999, 12, 31));
  Clock& seam = clock;
  EXPECT_EQ(seam.Now(), At(1999, 12, 31));
}

}  // namespace
}  // namespace tacet
