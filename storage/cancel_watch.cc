#include "storage/cancel_watch.h"

#include <utility>
#include <vector>

namespace priorityd::storage {
namespace {

constexpr std::chrono::milliseconds kBetweenCancelLooks(100);
constexpr std::chrono::seconds kBetweenRequests(1);

}  // namespace

CancelWatch::Read::Read(CancelWatch* watch, const ReadContext* context, Cancel cancel)
    : watch_(watch), context_(context), cancel_(std::move(cancel)) {
  if (context_ == nullptr) return;
  State& state = *watch_->state_;
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.reads.insert(this);
  if (!watch_->thread_.joinable()) {
    watch_->thread_ = std::thread([shared = watch_->state_] { Run(*shared); });
  }
  if (state.sleeps) state.changed.notify_one();
}

CancelWatch::Read::~Read() { End(); }

bool CancelWatch::Read::End() {
  if (context_ == nullptr) return false;
  const std::lock_guard<std::mutex> lock(watch_->state_->mutex);
  watch_->state_->reads.erase(this);
  return was_canceled_;
}

CancelWatch::~CancelWatch() {
  if (!thread_.joinable()) return;
  bool requests = false;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stops = true;
    state_->changed.notify_one();
    requests = state_->requests;
  }
  requests ? thread_.detach() : thread_.join();
}

void CancelWatch::Run(State& state) {
  std::unique_lock<std::mutex> lock(state.mutex);
  while (!state.stops) {
    state.sleeps = true;
    state.changed.wait(lock, [&] { return state.stops || !state.reads.empty(); });
    state.sleeps = false;
    state.changed.wait_for(lock, kBetweenCancelLooks, [&] { return state.stops; });
    CancelDue(state, lock);
  }
}

void CancelWatch::CancelDue(State& state, std::unique_lock<std::mutex>& lock) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Cancel> due;
  for (Read* read : state.reads) {
    if (read->again_at_ > now || read->context_->Check().ok()) continue;
    read->again_at_ = now + kBetweenRequests;
    read->was_canceled_ = true;
    due.push_back(read->cancel_);
  }
  if (due.empty()) return;
  state.requests = true;
  lock.unlock();
  for (const Cancel& cancel : due) cancel();
  due.clear();  // Without the lock, as it may close connections.
  lock.lock();
  state.requests = false;
}

}  // namespace priorityd::storage
