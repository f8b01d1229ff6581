// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/parser_thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace tacet::sql {
namespace {

// The deepest tree that 64 KiB of text can make takes 60 MiB. Pages are mapped when touched.
constexpr size_t kStackBytes = size_t{256} << 20;

// Never destroyed: its thread waits for work until the process ends.
class ParserThread {
 public:
  // Null if there is no memory for it.
  static std::unique_ptr<ParserThread> Start() {
    std::unique_ptr<ParserThread> made(new ParserThread);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return nullptr;
    // Signals stay with the threads that expect them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                            pthread_create(
                                &made->thread_, &attributes,
                                [](void* own) -> void* {
                                  static_cast<ParserThread*>(own)->Serve();
                                  return nullptr;
                                },
                                made.get()) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return is_started ? std::move(made) : nullptr;
  }

  // The child of a fork does not have the thread.
  bool is_here() const { return process_ == getpid(); }

  void Run(const std::function<void()>& work) {
    const std::lock_guard<std::mutex> turn(turn_);
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
  }

  // Nobody may be waiting.
  void Stop() {
    Run([this] { is_stopped_ = true; });
    pthread_join(thread_, nullptr);
  }

 private:
  ParserThread() = default;

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_stopped_) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  const pid_t process_ = getpid();
  pthread_t thread_ = {};
  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  bool is_stopped_ = false;
};

}  // namespace

bool RunOnParserThread(const std::function<void()>& work) {
  static std::atomic<ParserThread*> known = nullptr;
  ParserThread* current = known.load();
  while (current == nullptr || !current->is_here()) {
    std::unique_ptr<ParserThread> made = ParserThread::Start();
    if (made == nullptr) return false;
    // A thread that another one was faster to make is not needed.
    if (known.compare_exchange_strong(current, made.get())) {
      current = made.release();
    } else {
      made->Stop();
    }
  }
  current->Run(work);
  return true;
}

}  // namespace tacet::sql
