#include "server/queue/replication/published_queue.h"

namespace priorityd::queue {

std::shared_ptr<const QueueState> PublishedQueue::state() const {
  absl::MutexLock lock(&mutex_);
  return state_;
}

storage::SiteFactorSource PublishedQueue::site_factors() const {
  absl::MutexLock lock(&mutex_);
  return site_factors_;
}

void PublishedQueue::Publish(std::shared_ptr<const QueueState> state,
                             storage::SiteFactorSource site_factors) {
  {
    absl::MutexLock lock(&mutex_);
    site_factors_ = std::move(site_factors);
    if (state_ == state) return;
    state_.swap(state);  // The previous one is freed after the mutex.
  }
  on_change_();
}

void PublishedQueue::SetSiteFactors(storage::SiteFactorSource site_factors) {
  absl::MutexLock lock(&mutex_);
  site_factors_ = std::move(site_factors);
}

void PublishedQueue::Clear() {
  {
    absl::MutexLock lock(&mutex_);
    state_ = nullptr;
    site_factors_ = {};
  }
  on_change_();
}

std::shared_ptr<const QueueState> PublishedQueue::Rescale() {
  absl::MutexLock one(&rescaling_);
  for (;;) {
    std::shared_ptr<const QueueState> shown = state();
    if (shown == nullptr) return nullptr;
    // Compare for inequality: generations go back in a database that lost transactions.
    const auto newest = registry_->Find(cluster_);
    if (!newest.ok() || shown->scale().snapshot == *newest) return shown;
    std::shared_ptr<const QueueState> rescaled = shown->For(*newest);
    {
      absl::MutexLock lock(&mutex_);
      if (state_ != shown) continue;
      state_ = rescaled;
    }
    on_change_();
    return rescaled;
  }
}

}  // namespace priorityd::queue
