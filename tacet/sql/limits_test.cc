// SPDX-License-Identifier: Apache-2.0
// Text that nobody should send.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "tacet/sql/canonical.h"
#include "tacet/sql/parser.h"

namespace tacet::sql {
namespace {

std::string Repeat(std::string_view text, size_t count) {
  std::string repeated;
  for (size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

Error Refused(std::string_view text) {
  const Result<Select> select = Parse(text);
  EXPECT_FALSE(select.ok()) << text.substr(0, 100);
  if (select.ok()) return {};
  EXPECT_EQ(select.error().code, Code::kUnsupported);
  return select.error();
}

constexpr std::string_view kTooDeep = "the statement is nested more than 200 levels deep";

TEST(Limits, ALongStatementIsReadUpToTheLimit) {
  const std::string_view begin = "SELECT count(*) FROM t WHERE a = '";
  std::string text(begin);
  text += std::string(kStatementBytesMax - begin.size() - 1, 'x') + "'";
  ASSERT_EQ(text.size(), 65536u);
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_EQ(Refused(text + " ").message, "the statement is longer than 64 KiB");
  EXPECT_EQ(Refused(std::string(1 << 20, 'x')).message, "the statement is longer than 64 KiB");
}

TEST(Limits, NulIsRefusedWhereverItStands) {
  const std::string text = "SELECT count(*) FROM t";
  for (size_t i = 0; i <= text.size(); ++i) {
    std::string hostile = text;
    hostile.insert(i, 1, '\0');
    const Error error = Refused(hostile);
    EXPECT_EQ(error.message, "the statement holds a NUL character");
    EXPECT_EQ(error.position, i);
  }
  EXPECT_EQ(Refused(std::string_view("SELECT count(*) FROM t\0; DROP TABLE t", 37)).position, 22u);
}

TEST(Limits, IllFormedUtf8IsRefusedInTextNamesAndComments) {
  for (const std::string_view bad :
       {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"}) {
    for (const auto& [before, after] :
         std::vector<std::pair<std::string, std::string>>{{"SELECT '\xC3\xA9", "' FROM t"},
                                                          {"SELECT \"\xC3\xA9", "\" FROM t"},
                                                          {"SELECT a /*\xC3\xA9", "*/ FROM t"},
                                                          {"SELECT a FROM t\xC3\xA9", ""}}) {
      const Error error = Refused(std::string(before).append(bad).append(after));
      EXPECT_EQ(error.message, "the statement is not UTF-8");
      EXPECT_EQ(error.position, before.size() - 1);  // one character takes two bytes
    }
  }
}

TEST(Limits, EscapesCannotMakeNulOrIllFormedText) {
  for (const std::string_view text :
       {"SELECT E'\\000' FROM t", "SELECT E'\\x00' FROM t", "SELECT E'\\xff' FROM t",
        "SELECT E'\\303' FROM t", "SELECT U&'\\0000' FROM t", "SELECT U&'\\D800' FROM t",
        "SELECT E'\\ud800' FROM t", "SELECT U&\"\\0000\" FROM t", "SELECT U&'\\+110000' FROM t"}) {
    Refused(text);
  }
  EXPECT_EQ(ToString(*Parse("SELECT E'\\303\\251' FROM t")), "SELECT '\xC3\xA9' FROM t");
}

TEST(Limits, NestingIsReadUpToTheLimit) {
  EXPECT_TRUE(Parse("SELECT " + Repeat("a+", 199) + "a FROM t").ok());
  EXPECT_EQ(Refused("SELECT " + Repeat("a+", 200) + "a FROM t").message, kTooDeep);
  EXPECT_TRUE(Parse("SELECT " + Repeat("(", 200) + "a" + Repeat(")", 200) + " FROM t").ok());
  const Error error = Refused("SELECT " + Repeat("(", 201) + "a" + Repeat(")", 201) + " FROM t");
  EXPECT_EQ(error.message, kTooDeep);
  EXPECT_EQ(error.position, 207u);
  EXPECT_TRUE(Parse("SELECT " + Repeat("f(", 199) + "a" + Repeat(")", 199) + " FROM t").ok());
  EXPECT_EQ(Refused("SELECT " + Repeat("f(", 200) + "a" + Repeat(")", 200) + " FROM t").message,
            kTooDeep);
}

TEST(Limits, LongStatementsMayNestAsDeepAsShortOnes) {
  // Each of these takes the most brackets a level that its kind can.
  const std::string padding = std::string(5000, ' ') + "/* { [ \" */ ";
  for (const auto& [before, after] :
       std::vector<std::pair<std::string, std::string>>{{"a + (", ")"},
                                                        {"f(", ")"},
                                                        {"a IN ('{[\"\\', ", ")"},
                                                        {"a BETWEEN 1 AND (", ")"},
                                                        {"CASE WHEN TRUE THEN ", " END"},
                                                        {"CASE WHEN ", " THEN 1 END"},
                                                        {"CAST(", " AS decimal(10, 2))"},
                                                        {"coalesce(1, ", ")"},
                                                        {"sum(1) FILTER (WHERE ", ")"},
                                                        {"NOT ", ""}}) {
    const auto nested = [&, &before = before, &after = after](size_t count) {
      return "SELECT " + padding + Repeat(before, count) + "a" + Repeat(after, count) + " FROM t";
    };
    EXPECT_TRUE(Parse(nested(199)).ok()) << before;
    EXPECT_EQ(Refused(nested(200)).message, kTooDeep) << before;
  }
}

TEST(Limits, ParenthesesInTextAndBesideEachOtherDoNotNest) {
  EXPECT_TRUE(Parse("SELECT '" + Repeat("(", 1000) + "' FROM t").ok());
  EXPECT_TRUE(Parse("SELECT a /*" + Repeat("(", 1000) + "*/ FROM t").ok());
  EXPECT_TRUE(Parse("SELECT " + Repeat("(a), ", 1000) + "(b) FROM t").ok());
}

TEST(Limits, HostileDepthCannotOverflowTheStack) {
  for (const std::string& expr : {
           Repeat("a+", 30000) + "a",
           Repeat("a||", 20000) + "a",
           "a" + Repeat("::date", 10000),
           "a" + Repeat(" IS NULL", 8000),
           Repeat("(", 10000) + "a" + Repeat(")", 10000),
           Repeat("(", 30000) + "a" + Repeat(")", 30000),
           Repeat("(", 60000),
           "ARRAY" + Repeat("[", 30000) + "a" + Repeat("]", 30000),
           Repeat("NOT ", 15000) + "a",
           Repeat("- ", 30000) + "a",
           Repeat("f(", 20000) + "a" + Repeat(")", 20000),
           Repeat("CASE WHEN a THEN ", 3000) + "a" + Repeat(" END", 3000),
           Repeat("(SELECT ", 6000) + "a" + Repeat(")", 6000),
       }) {
    Refused("SELECT " + expr + " FROM t");
  }
  Refused("SELECT a FROM t " + Repeat("JOIN t ON a ", 5000));
  Refused("SELECT a FROM t " + Repeat("UNION SELECT a ", 4000));
  Refused(Repeat("(", 30000) + "SELECT a FROM t" + Repeat(")", 30000));
}

TEST(Limits, LongListsAreFine) {
  EXPECT_TRUE(Parse("SELECT a FROM t WHERE a IN (" + Repeat("1,", 30000) + "1)").ok());
  EXPECT_TRUE(Parse("SELECT a FROM t WHERE " + Repeat("a OR ", 10000) + "a").ok());
  EXPECT_TRUE(Parse("SELECT " + Repeat("a,", 30000) + "a FROM t").ok());
}

// libpg_query takes a key of every thread that it meets and never gives it back.
TEST(Limits, ManyStatementsOfManyThreadsUseUpNoKeysOfThreads) {
  for (int i = 0; i < 1100; ++i) {
    std::thread([] { EXPECT_TRUE(Parse("SELECT count(*) FROM t").ok()); }).join();
  }
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key, nullptr), 0);
  pthread_key_delete(key);
}

TEST(Limits, TheChildOfAForkCanParse) {
  ASSERT_TRUE(Parse("SELECT count(*) FROM t").ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(Parse("SELECT count(*) FROM t").ok() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Limits, ASmallStackOfTheCallerDoesNotMatter) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{256} * 1024);
  pthread_t thread;
  bool refused = false;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* result) -> void* {
                  *static_cast<bool*>(result) =
                      !Parse("SELECT " + Repeat("a+", 30000) + "a FROM t").ok();
                  return nullptr;
                },
                &refused),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(refused);
}

TEST(Limits, ThreadsMayParseTogether) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int j = 0; j < 50; ++j) {
        const std::string canonical = "SELECT a + " + std::to_string(i * 100 + j) + " FROM t";
        ASSERT_EQ(ToString(*Parse(canonical)), canonical);
        ASSERT_FALSE(Parse(canonical + " WHERE").ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Limits, NamesThatPostgresWouldCutAreRefused) {
  const std::string fits(63, 'a');
  EXPECT_TRUE(Parse("SELECT " + fits + ", \"" + fits + "\" AS " + fits + " FROM " + fits).ok());
  const std::string e_acute = "\xC3\xA9";
  for (const std::string& text : {
           "SELECT " + fits + "a FROM t",
           "SELECT \"" + fits + "a\" FROM t",
           "SELECT 1 AS " + fits + "a FROM t",
           "SELECT a FROM " + fits + "a",
           "SELECT " + fits + "a() FROM t",
           "SELECT " + std::string(62, 'a') + e_acute + " FROM t",
       }) {
    EXPECT_EQ(Refused(text).message, "a name of more than 63 bytes is not supported") << text;
  }
}

TEST(Limits, NamesCannotHoldControlCharacters) {
  EXPECT_EQ(Refused("SELECT \"a\nb\" FROM t").position, 7u);
  EXPECT_EQ(Refused("SELECT \"a\x1b[2J\" FROM t").message,
            "a name with a control character is not supported");
  Refused("SELECT 1 AS \"\xE2\x80\xAE\" FROM t");
  Refused("SELECT a FROM \"\t\"");
}

TEST(Limits, MessagesHoldNoControlCharacters) {
  EXPECT_EQ(Refused("SELECT a FROM t WHERE \x1b[2J").message, "syntax error at or near \" \"");
  EXPECT_EQ(Refused("SELECT DATE 'x\x1by' FROM t").message, "the date 'x y' is not supported");
}

}  // namespace
}  // namespace tacet::sql
