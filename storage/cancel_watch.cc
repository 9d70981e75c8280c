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
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  watch_->reads_.insert(this);
  if (!watch_->thread_.joinable()) watch_->thread_ = std::thread([watch] { watch->Run(); });
  if (watch_->sleeps_) watch_->changed_.notify_one();
}

CancelWatch::Read::~Read() { End(); }

bool CancelWatch::Read::End() {
  if (context_ == nullptr) return false;
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  watch_->reads_.erase(this);
  return was_canceled_;
}

CancelWatch::~CancelWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void CancelWatch::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_) {
    sleeps_ = true;
    changed_.wait(lock, [this] { return stops_ || !reads_.empty(); });
    sleeps_ = false;
    changed_.wait_for(lock, kBetweenCancelLooks, [this] { return stops_.load(); });
    CancelDue(lock);
  }
}

void CancelWatch::CancelDue(std::unique_lock<std::mutex>& lock) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Cancel> due;
  for (Read* read : reads_) {
    if (read->again_at_ > now || read->context_->Check().ok()) continue;
    read->again_at_ = now + kBetweenRequests;
    read->was_canceled_ = true;
    due.push_back(read->cancel_);
  }
  lock.unlock();
  for (const Cancel& cancel : due) cancel();
  due.clear();  // Without the lock, as it may close connections.
  lock.lock();
}

}  // namespace priorityd::storage
