#include "server/threads/periodic_thread.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace priorityd::threads {
namespace {

// The remaining time may be infinite, which the standard library's clocks cannot represent.
constexpr absl::Duration kLongestWait = absl::Hours(24);

}  // namespace

PeriodicThread::PeriodicThread(Clock clock) : clock_(std::move(clock)) {}

PeriodicThread::~PeriodicThread() { Stop(); }

void PeriodicThread::Start(Turn turn) {
  thread_ = std::thread([this, turn = std::move(turn)] { Run(turn); });
}

void PeriodicThread::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void PeriodicThread::CheckClock() {
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

void PeriodicThread::RequestStop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stops_ = true;
  changed_.notify_all();
}

void PeriodicThread::Stop() {
  RequestStop();
  if (thread_.joinable()) thread_.join();
}

bool PeriodicThread::MustStop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stops_;
}

bool PeriodicThread::Sleep(absl::Duration duration) {
  const absl::Time until = clock_() + duration;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_ && WaitOnce(lock, until)) {
  }
  return !stops_;
}

void PeriodicThread::Run(const Turn& turn) {
  absl::Time due = absl::InfinitePast();
  while (AwaitTurn(due)) due = turn();
}

bool PeriodicThread::AwaitTurn(absl::Time due) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_ && !woken_ && WaitOnce(lock, due)) {
  }
  woken_ = false;
  return !stops_;
}

bool PeriodicThread::WaitOnce(std::unique_lock<std::mutex>& lock, absl::Time until) {
  const absl::Duration left = until - clock_();
  if (left <= absl::ZeroDuration()) return false;
  changed_.wait_for(lock, absl::ToChronoNanoseconds(std::min(left, kLongestWait)));
  return true;
}

}  // namespace priorityd::threads
