// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/error.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>

#include "tacet/base/result.h"

namespace tacet {
namespace {

TEST(ErrorTable, HasEachCodeOnceInOrder) {
  constexpr auto kCount = static_cast<size_t>(Code::kInterrupted) + 1;
  ASSERT_EQ(AllCodes().size(), kCount);
  std::set<std::string_view> names;
  for (size_t i = 0; i < kCount; ++i) {
    const CodeInfo& info = AllCodes()[i];
    EXPECT_EQ(static_cast<size_t>(info.code), i);
    EXPECT_EQ(&Info(info.code), &info);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.name.empty());
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
  }
}

TEST(ErrorTable, GivesThePublishedExitStatuses) {
  const std::map<Code, int> published = {
      {Code::kUsage, 2},        {Code::kUnsupported, 1}, {Code::kForbidden, 1}, {Code::kBudget, 1},
      {Code::kQuota, 1},        {Code::kCatalog, 3},     {Code::kData, 3},      {Code::kIo, 4},
      {Code::kEntropy, 4},      {Code::kEngine, 4},      {Code::kLedger, 4},    {Code::kLocked, 4},
      {Code::kInterrupted, 130}};
  ASSERT_EQ(published.size(), AllCodes().size());
  for (const CodeInfo& info : AllCodes()) EXPECT_EQ(info.exit_status, published.at(info.code));
}

TEST(ErrorTable, SqlstatesAreFiveCapitalsOrDigitsAndNoneMeansSuccess) {
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_EQ(info.sqlstate.size(), 5u) << info.name;
    EXPECT_EQ(info.sqlstate.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
              std::string_view::npos)
        << info.name;
    const std::string_view state_class = info.sqlstate.substr(0, 2);
    EXPECT_TRUE(state_class != "00" && state_class != "01" && state_class != "02") << info.name;
  }
}

TEST(ErrorTable, HttpStatusesAreErrors) {
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_GE(info.http_status, 400) << info.name;
    EXPECT_LT(info.http_status, 600) << info.name;
    // What is not the client's fault is not blamed on the client.
    const bool ours = info.exit_status == 3 || info.exit_status == 4;
    EXPECT_TRUE(!ours || info.http_status >= 500) << info.name;
  }
}

TEST(ErrorTableDeathTest, ACodeThatDoesNotExistStopsTheProcess) {
  EXPECT_DEATH(Info(static_cast<Code>(99)), "CHECK failed");
  EXPECT_DEATH(Info(static_cast<Code>(-1)), "CHECK failed");
}

TEST(CheckDeathTest, NamesTheConditionAndNotTheValue) {
  const int private_value = 48151623;
  EXPECT_DEATH(TACET_CHECK(private_value < 0), "CHECK failed: private_value < 0 \\(");
  EXPECT_DEATH(
      {
        TACET_CHECK(private_value > 0);
        TACET_CHECK(false);
      },
      "CHECK failed: false");
}

Error SomeError() { return {.code = Code::kBudget, .message = "too much", .hint = "ask for less"}; }

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 7);
  const Result<int> bad = SomeError();
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, Code::kBudget);
  EXPECT_EQ(bad.error().message, "too much");
  EXPECT_EQ(bad.error().hint, "ask for less");
  EXPECT_EQ(bad.error().detail, "");
  EXPECT_FALSE(bad.error().position.has_value());
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> owned = *std::move(result);
  EXPECT_EQ(*owned, 5);
}

TEST(Result, IsNotDroppedByAccident) {
  static_assert(!std::is_convertible_v<Result<int>, bool>);
  static_assert(!std::is_convertible_v<Status, bool>);
  static_assert(!std::is_convertible_v<Result<int>, int>);
}

TEST(ResultDeathTest, TheSideThatIsAbsentStopsTheProcess) {
  Result<std::string> good = std::string("fine");
  Result<std::string> bad = SomeError();
  const Status done;
  EXPECT_DEATH(bad.value(), "CHECK failed");
  EXPECT_DEATH(*bad, "CHECK failed");
  EXPECT_DEATH(bad->size(), "CHECK failed");
  EXPECT_DEATH(std::move(bad).value(), "CHECK failed");
  EXPECT_DEATH(good.error(), "CHECK failed");
  EXPECT_DEATH(done.error(), "CHECK failed");
}

Result<int> Half(int value) {
  if (value % 2 != 0) return Error{.code = Code::kData, .message = "odd"};
  return value / 2;
}

Result<int> Quarter(int value, int& calls) {
  TACET_TRY(const int half, Half(value));
  ++calls;
  TACET_TRY(const int quarter, Half(half));
  ++calls;
  return quarter;
}

Status Divisible(int value, int& calls) {
  TACET_RETURN_IF_ERROR(Half(value));
  ++calls;
  TACET_RETURN_IF_ERROR(Status());
  ++calls;
  if (value > 100) TACET_RETURN_IF_ERROR(Status(SomeError()));
  return {};
}

TEST(Try, GoesOnWithTheValueOrReturnsTheFirstError) {
  int calls = 0;
  EXPECT_EQ(*Quarter(12, calls), 3);
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(Quarter(6, calls).error().code, Code::kData);
  EXPECT_EQ(calls, 1);
  calls = 0;
  EXPECT_EQ(Quarter(5, calls).error().message, "odd");
  EXPECT_EQ(calls, 0);
}

TEST(ReturnIfError, TakesResultsAndStatuses) {
  int calls = 0;
  EXPECT_TRUE(Divisible(4, calls).ok());
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(Divisible(5, calls).error().code, Code::kData);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(Divisible(102, calls).error().code, Code::kBudget);
}

TEST(Try, EvaluatesItsExpressionOnceAlsoWithCommasInside) {
  int calls = 0;
  const auto pair = [&](int a, int b) -> Result<int> {
    ++calls;
    return a + b;
  };
  const auto use = [&]() -> Result<int> {
    TACET_TRY(const int sum, pair(1, 2));
    return sum;
  };
  EXPECT_EQ(*use(), 3);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tacet
