#include "storage/database/cancel_watch.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <system_error>
#include <utility>

namespace priorityd::storage {
namespace {

constexpr std::chrono::milliseconds kBetweenCancelLooks(100);
constexpr std::chrono::seconds kBetweenRequests(1);

}  // namespace

struct CancelWatch::Request {
  const Cancel cancel;
  std::atomic<bool> is_in_progress = false;
};

CancelWatch::Read::Read(CancelWatch* watch, const ReadContext* context, Cancel cancel)
    : watch_(watch),
      context_(context),
      request_(context == nullptr ? nullptr : new Request{std::move(cancel)}) {
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
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void CancelWatch::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_) {
    sleeps_ = true;
    changed_.wait(lock, [&] { return stops_ || !reads_.empty(); });
    sleeps_ = false;
    changed_.wait_for(lock, kBetweenCancelLooks, [&] { return stops_; });
    CancelDue();
  }
}

void CancelWatch::CancelDue() {
  const auto now = std::chrono::steady_clock::now();
  for (Read* read : reads_) {
    if (read->again_at_ > now || read->request_->is_in_progress) continue;
    if (read->context_->Check().ok()) continue;
    read->again_at_ = now + kBetweenRequests;
    read->was_canceled_ = true;
    Send(read->request_);
  }
}

void CancelWatch::Send(const std::shared_ptr<Request>& request) {
  request->is_in_progress = true;
  try {
    std::thread([request] {
      request->cancel();
      request->is_in_progress = false;
    }).detach();
  } catch (const std::system_error& e) {  // No thread is left.
    request->is_in_progress = false;
    spdlog::warn("storage: cancel: {}", e.what());
  }
}

}  // namespace priorityd::storage
