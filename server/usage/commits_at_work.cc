#include "server/usage/commits_at_work.h"

namespace priorityd::usage {

CommitsAtWork::Entry CommitsAtWork::Begin() {
  const absl::Time now = clock_();
  absl::MutexLock lock(&mutex_);
  const auto begin = begins_.insert(now);
  return Entry(nullptr, [this, begin](void*) {
    absl::MutexLock ended(&mutex_);
    begins_.erase(begin);
  });
}

absl::Duration CommitsAtWork::Longest() const {
  const absl::Time now = clock_();
  absl::MutexLock lock(&mutex_);
  return begins_.empty() ? absl::ZeroDuration() : now - *begins_.begin();
}

}  // namespace priorityd::usage
