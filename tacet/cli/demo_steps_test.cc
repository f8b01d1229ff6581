// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tacet/cli/program.h"
#include "tacet/testing/own_state.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

// A reader who presses Ctrl-C as soon as they see `moment`.
class HastyReader {
 public:
  explicit HastyReader(std::string moment) : moment_(std::move(moment)) {
    file_ = fopencookie(this, "w",
                        {.read = nullptr, .write = Write, .seek = nullptr, .close = nullptr});
    TACET_CHECK(file_ != nullptr);
  }
  HastyReader(const HastyReader&) = delete;
  HastyReader& operator=(const HastyReader&) = delete;
  ~HastyReader() { std::fclose(file_); }

  std::FILE* file() const { return file_; }
  const std::string& shown() const { return shown_; }

 private:
  static ssize_t Write(void* reader, const char* text, size_t size) {
    auto& self = *static_cast<HastyReader*>(reader);
    self.shown_.append(text, size);
    if (!self.has_pressed_ && self.shown_.find(self.moment_) != std::string::npos) {
      self.has_pressed_ = true;
      std::raise(SIGINT);
    }
    return static_cast<ssize_t>(size);
  }

  std::string moment_;
  std::string shown_;
  bool has_pressed_ = false;
  std::FILE* file_;
};

// The folder of the demonstration, as the working folder.
class DemoStepsTest : public ::testing::Test {
 protected:
  DemoStepsTest() {
    fs::copy(std::string(TACET_SOURCE_DIR) + "/demo", folder_.path(), fs::copy_options::recursive);
    fs::current_path(folder_.path());
  }
  ~DemoStepsTest() override { fs::current_path(before_); }

  const fs::path before_ = fs::current_path();
  const testing::TemporaryFolder folder_;
};

TEST_F(DemoStepsTest, CtrlCWhileTheOldLedgerIsInPlaceLeavesTheNewest) {
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  const Terminal quiet{.out = nowhere, .err = nowhere};
  ASSERT_EQ(RunProgram({"import"}, quiet), 0);
  const auto is_it = [](const DemoStep& step) {
    return std::string_view(step.title).starts_with("Yesterday's ledger");
  };
  const std::vector<DemoStep>& steps = StepsOfDemo();
  const auto step = std::find_if(steps.begin(), steps.end(), is_it);
  ASSERT_NE(step, steps.end());
  {
    HastyReader reader("$ cp .tacet/yesterday.db .tacet/ledger.db");
    const Interrupts interrupts;
    const Stage stage({.out = reader.file(), .err = nowhere}, interrupts);
    const Status shown = step->show(stage, 1);
    ASSERT_FALSE(shown.ok()) << reader.shown();
    EXPECT_EQ(shown.error().code, Code::kInterrupted) << reader.shown();
  }
  EXPECT_EQ(RunProgram({"query", "SELECT count(*) FROM participants"}, quiet), 0);
  std::fclose(nowhere);
}

}  // namespace
}  // namespace tacet::cli
