// SPDX-License-Identifier: Apache-2.0
// Programs that are killed while 16 clients ask: whatever was answered is charged.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <thread>

#include "tacet/base/check.h"
#include "tacet/gateway/owner.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/seeded_entropy.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

constexpr int kClients = 16;

constexpr char kCatalog[] = R"toml(
[budget]
epsilon = "1000000"
[query]
epsilon = "1/100"
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
age = { type = "integer", range = [0, 110] }
)toml";

Project ProjectIn(const std::string& folder) {
  SystemFileSystem files;
  return *OpenProject(files, folder + "/tacet.toml");
}

// Where a program that is to be killed finds its project, and the pipe that it tells its answers.
constexpr const char* kFolderVariable = "TACET_KILL_FOLDER";
constexpr const char* kPipeVariable = "TACET_KILL_PIPE";
constexpr const char* kStateVariable = "TACET_KILL_STATE";

// What the test does where it was started by itself as a program to be killed.
void AskUntilKilled() {
  ::setenv("TACET_STATE_DIR", std::getenv(kStateVariable), 1);
  const int pipe = std::atoi(std::getenv(kPipeVariable));
  const Project project = ProjectIn(std::getenv(kFolderVariable));
  SystemClock clock;
  const auto ledger = OpenLedger(project, clock, {});
  ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
  const auto ask = [&] {
    SystemEntropy entropy;
    for (;;) {
      const QueryOutcome outcome =
          Query(project, {.statement = "SELECT count(*) FROM people WHERE age > 40"},
                {.clock = clock, .entropy = entropy}, **ledger);
      if (!outcome.result.ok()) {
        const Error& error = outcome.result.error();
        ADD_FAILURE() << error.message << error.detail;
        ::_exit(1);
      }
      if (::write(pipe, "x", 1) != 1) ::_exit(1);
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(ask);
  for (std::thread& client : clients) client.join();
}

class KillTest : public ::testing::Test {
 protected:
  // Starts the program, kills it at some moment and returns how many answers it had told of.
  uint64_t Kill(const std::string& folder) {
    int told[2];
    EXPECT_EQ(::pipe2(told, O_CLOEXEC), 0);
    const int told_by_child = ::dup(told[1]);
    const pid_t child = Start(folder, told_by_child);
    ::close(told[1]);
    ::close(told_by_child);
    // Mostly while it answers; now and then while it starts.
    if (random_() % 8 != 0) {
      pollfd first{.fd = told[0], .events = POLLIN, .revents = 0};
      ::poll(&first, 1, /*timeout_ms=*/-1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 200'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it had ended before, with status " << WEXITSTATUS(status);
    uint64_t answers = 0;
    for (char byte = 0; ::read(told[0], &byte, 1) == 1;) ++answers;
    ::close(told[0]);
    return answers;
  }

  std::mt19937_64 random_{testing::RotatingSeed()};

 private:
  // What the program leaves in its temporary folder goes with `folder`.
  static pid_t Start(const std::string& folder, int pipe) {
    std::vector<std::string> arguments = {
        "gateway_test", "--gtest_filter=KillTest.WhateverWasAnsweredIsCharged", "--gtest_brief=1"};
    std::vector<std::string> variables = {
        kFolderVariable + ("=" + folder), kPipeVariable + ("=" + std::to_string(pipe)),
        kStateVariable + std::string("=") + std::getenv("TACET_STATE_DIR"), "TMPDIR=" + folder};
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> result;
      for (std::string& text : texts) result.push_back(text.data());
      result.push_back(nullptr);
      return result;
    };
    // By this name also if another build has taken the program's place meanwhile.
    pid_t child = 0;
    const int failure = ::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                                      pointers(arguments).data(), pointers(variables).data());
    // To kill process -1 is to kill them all.
    TACET_CHECK(failure == 0 && child > 1);
    return child;
  }
};

TEST_F(KillTest, WhateverWasAnsweredIsCharged) {
  if (std::getenv(kFolderVariable) != nullptr) return AskUntilKilled();
  const int rounds = testing::Soaking() ? 2'000 : 8;
  constexpr int kRoundsOfAProject = 40;
  std::optional<testing::TemporaryFolder> folder;
  SystemClock clock;
  SystemEntropy entropy;
  uint64_t charges = 0;
  uint64_t answers_of_all = 0;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    if (round % kRoundsOfAProject == 0) {
      folder.emplace();
      std::ofstream(folder->path() + "/tacet.toml") << kCatalog;
      std::ofstream(folder->path() + "/people.csv") << "id,age\n1,30\n2,50\n3,70\n";
      const auto imported =
          RunImport(ProjectIn(folder->path()), {.clock = clock, .entropy = entropy}, {});
      ASSERT_TRUE(imported.ok()) << imported.error().message << imported.error().detail;
      charges = 0;
    }
    const uint64_t answers = Kill(folder->path());
    answers_of_all += answers;
    const auto ledger = OpenLedger(ProjectIn(folder->path()), clock, {});
    ASSERT_TRUE(ledger.ok()) << ledger.error().message << ledger.error().detail;
    const Status verified = (*ledger)->Verify();
    EXPECT_TRUE(verified.ok()) << verified.error().message << verified.error().detail;
    EXPECT_GE((*ledger)->charges(), charges + answers);
    EXPECT_LE((*ledger)->charges(), charges + answers + kClients) << "one for each in flight";
    charges = (*ledger)->charges();
    EXPECT_EQ((*ledger)->Spent().epsilon.value(), Rational(static_cast<int64_t>(charges), 100));
  }
  EXPECT_GT(answers_of_all, static_cast<uint64_t>(rounds));
}

}  // namespace
}  // namespace tacet
