// A cache of the remaining usage of running jobs.
#ifndef PRIORITYD_SERVER_API_BUDGETS_RUNNING_USAGES_H_
#define PRIORITYD_SERVER_API_BUDGETS_RUNNING_USAGES_H_

#include <deque>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/budgets/running_usage.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::rpc {

// Computes the sum once per state of a queue, for all pages of a list. Thread-safe.
class RunningUsages {
 public:
  std::shared_ptr<const budgets::RunningUsage> Of(std::shared_ptr<const queue::QueueState> state) {
    {
      absl::MutexLock lock(&mutex_);
      for (const auto& [of, usage] : kept_) {
        if (of == state) return usage;
      }
    }
    auto usage = std::make_shared<const budgets::RunningUsage>(state);
    absl::MutexLock lock(&mutex_);
    kept_.emplace_front(std::move(state), usage);
    if (kept_.size() > kKept) kept_.pop_back();
    return usage;
  }

 private:
  static constexpr size_t kKept = 4;

  using Entry = std::pair<std::shared_ptr<const queue::QueueState>,
                          std::shared_ptr<const budgets::RunningUsage>>;

  absl::Mutex mutex_;
  std::deque<Entry> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_RUNNING_USAGES_H_
