// SPDX-License-Identifier: Apache-2.0
// The ledger beside the disk that it is on: charges and bare syncs in turn, in one run; then the
// time to open and to verify a long one.
//
// usage: ledger_bench [--charges N] [--folder DIR]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "tacet/base/clock.h"
#include "tacet/ledger/ledger.h"
#include "tacet/testing/temporary_folder.h"

namespace tacet {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kRound(800);
constexpr size_t kPlanSize = 600;
constexpr size_t kPageSize = 4096;

[[noreturn]] void Fail(std::string_view what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) Fail(result.error().message + ": " + result.error().detail);
  return *std::move(result);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.error().message + ": " + status.error().detail);
}

double Seconds(SteadyClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

struct CpuTime {
  double user_seconds = 0;
  double system_seconds = 0;
};

CpuTime CpuTimeNow() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {.user_seconds = seconds(usage.ru_utime), .system_seconds = seconds(usage.ru_stime)};
}

// So much work in all, and what it took.
struct Tally {
  uint64_t count = 0;
  double seconds = 0;
  CpuTime cpu;

  double Rate() const { return static_cast<double>(count) / seconds; }
  double Microseconds(double of_all) const { return of_all * 1e6 / static_cast<double>(count); }
};

// Runs `work`, which returns how much it did.
template <typename Work>
void Measure(Tally& tally, const Work& work) {
  const CpuTime before = CpuTimeNow();
  const SteadyClock::time_point start = SteadyClock::now();
  tally.count += work();
  tally.seconds += Seconds(SteadyClock::now() - start);
  const CpuTime after = CpuTimeNow();
  tally.cpu.user_seconds += after.user_seconds - before.user_seconds;
  tally.cpu.system_seconds += after.system_seconds - before.system_seconds;
}

uint64_t AppendAndSync(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string page(kPageSize, 'x');
  const SteadyClock::time_point end = SteadyClock::now() + kRound;
  uint64_t count = 0;
  for (; SteadyClock::now() < end; ++count) {
    if (::write(file, page.data(), page.size()) != static_cast<ssize_t>(page.size()) ||
        ::fdatasync(file) != 0) {
      Fail("the disk failed");
    }
  }
  ::close(file);
  return count;
}

SpendRequest Request(int client) {
  return {.analyst = fmt::format("analyst{}", client % 4),
          .statement = "SELECT ward, count(*) FROM visits WHERE sex = 'F' GROUP BY ward",
          .plan = std::string(kPlanSize, 'p'),
          .cost = {.epsilon = *Epsilon::Create(Rational(1, 10))},
          .reach = {.data_version = 1, .region = fmt::format("patients.sex={}", client % 2)}};
}

// Clients that charge, each as fast as it can, until `end` or until there are `charges_max`.
uint64_t Spend(Ledger& ledger, int clients, SteadyClock::time_point end, uint64_t charges_max) {
  const uint64_t before = ledger.charges();
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      const SpendRequest request = Request(client);
      while (SteadyClock::now() < end && ledger.charges() < charges_max)
        Must(ledger.Spend(request));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ledger.charges() - before;
}

class Bench {
 public:
  explicit Bench(const std::string& folder)
      : folder_(folder),
        place_{.folder = folder + "/.tacet", .witness_folder = folder + "/state"} {}

  void Charges() {
    const auto ledger = Must(Ledger::Create(place_, kBudget, clock_));
    Tally bare;
    Tally one;
    Tally many;
    constexpr int kClients = 16;
    for (int round = 0; round < kRounds; ++round) {
      Measure(bare, [&] { return AppendAndSync(folder_ + "/bare"); });
      Measure(one, [&] { return Spend(*ledger, 1, SteadyClock::now() + kRound, UINT64_MAX); });
      Measure(many,
              [&] { return Spend(*ledger, kClients, SteadyClock::now() + kRound, UINT64_MAX); });
    }
    fmt::print("{:<34} {:>10} {:>10} {:>12} {:>12}\n", "", "a second", "of bare", "user us each",
               "system us");
    const auto print = [&](std::string_view name, const Tally& tally) {
      fmt::print("{:<34} {:>10.0f} {:>10.2f} {:>12.1f} {:>12.1f}\n", name, tally.Rate(),
                 tally.Rate() / bare.Rate(), tally.Microseconds(tally.cpu.user_seconds),
                 tally.Microseconds(tally.cpu.system_seconds));
    };
    print("append of 4 KiB and fdatasync", bare);
    print("charges, 1 client", one);
    print("charges, 16 clients", many);
  }

  void Opening(uint64_t charges) {
    // Many at a time share a sync.
    constexpr int kBuilders = 128;
    {
      const auto ledger = Must(Ledger::Open(place_, clock_));
      Spend(*ledger, kBuilders, SteadyClock::time_point::max(), charges);
    }
    Tally open;
    std::unique_ptr<Ledger> ledger;
    for (int round = 0; round < kRounds; ++round) {
      ledger.reset();
      Measure(open, [&] {
        ledger = Must(Ledger::Open(place_, clock_));
        return uint64_t{1};
      });
    }
    Tally verify;
    Measure(verify, [&] {
      Must(ledger->Verify());
      return uint64_t{1};
    });
    fmt::print("\n{} charges: open {:.3f} s, verify {:.1f} s\n", ledger->charges(),
               open.seconds / kRounds, verify.seconds);
  }

 private:
  inline static const Budget kBudget = *Budget::Pure(*Epsilon::Create(Rational(1'000'000'000)));

  const std::string folder_;
  const LedgerPlace place_;
  SystemClock clock_;
};

}  // namespace
}  // namespace tacet

int main(int argc, char** argv) {
  uint64_t charges = 100'000;
  std::string folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--charges") charges = static_cast<uint64_t>(std::atoll(argv[i + 1]));
    if (option == "--folder") folder = argv[i + 1];
  }
  // Where the disk is to be measured: the place of temporary files may be memory.
  if (!folder.empty()) ::setenv("TMPDIR", folder.c_str(), 1);
  const tacet::testing::TemporaryFolder temporary;
  tacet::Bench bench(temporary.path());
  bench.Charges();
  bench.Opening(charges);
  return 0;
}
