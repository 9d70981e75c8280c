#include "server/threads/periodic_thread.h"

#include <utility>

namespace priorityd::threads {

PeriodicThread::PeriodicThread(Clock clock) : clock_(std::move(clock)) {}

PeriodicThread::~PeriodicThread() { Stop(); }

void PeriodicThread::Start(Turn turn) {
  thread_ = std::thread([this, turn = std::move(turn)] { Run(turn); });
}

void PeriodicThread::Wake() {
  absl::MutexLock lock(&mutex_);
  woken_ = true;
  changed_.SignalAll();
}

void PeriodicThread::CheckClock() {
  absl::MutexLock lock(&mutex_);
  changed_.SignalAll();
}

void PeriodicThread::RequestStop() {
  absl::MutexLock lock(&mutex_);
  stops_ = true;
  changed_.SignalAll();
}

void PeriodicThread::Stop() {
  RequestStop();
  if (thread_.joinable()) thread_.join();
}

bool PeriodicThread::Sleep(absl::Duration duration) {
  const absl::Time until = clock_() + duration;
  absl::MutexLock lock(&mutex_);
  while (!stops_ && WaitOnce(until)) {
  }
  return !stops_;
}

void PeriodicThread::Run(const Turn& turn) {
  absl::Time due = absl::InfinitePast();
  while (AwaitTurn(due)) due = turn();
}

bool PeriodicThread::AwaitTurn(absl::Time due) {
  absl::MutexLock lock(&mutex_);
  while (!stops_ && !woken_ && WaitOnce(due)) {
  }
  woken_ = false;
  return !stops_;
}

bool PeriodicThread::WaitOnce(absl::Time until) {
  const absl::Duration left = until - clock_();
  if (left <= absl::ZeroDuration()) return false;
  changed_.WaitWithTimeout(&mutex_, left);
  return true;
}

}  // namespace priorityd::threads
