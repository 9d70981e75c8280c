// A view, shared by all watchers of the same rows.
#ifndef PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEW_H_
#define PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/queue/watching/ranking_top.h"

namespace priorityd::queue {

// The definition of a view. Filters are sorted, without duplicates; see RankOptions.
struct ViewSpec {
  std::string cluster;
  uint32_t limit = 0;
  bool best_only = false;
  bool with_factors = false;
  bool ineligible = false;  // Also jobs that cannot start, up to `limit`.
  bool with_forecasts = false;
  std::vector<std::string> partitions;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  absl::Duration age_interval = absl::InfiniteDuration();
  absl::Duration min_interval;
  // The user whose jobs are shown, if jobs are private and the user has no role that sees all.
  // Unset = all jobs.
  std::optional<std::string> viewer;

  bool operator==(const ViewSpec&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const ViewSpec& spec) {
    return H::combine(std::move(h), spec.cluster, spec.limit, spec.best_only, spec.with_factors,
                      spec.ineligible, spec.with_forecasts, spec.partitions, spec.accounts,
                      spec.users, spec.age_interval, spec.min_interval, spec.viewer);
  }
};

// Encodes messages to watchers. Thread-safe.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual std::string State(const RankingTop& top) const = 0;
  virtual std::string Delta(const RankingTop& before, const RankingTop& after,
                            const TopDelta& delta) const = 0;
};

// The newest top, and the last step to it. Each is encoded once for all readers. Thread-safe.
class RankingView {
 public:
  // `message` is null if nothing is new.
  struct Answer {
    int64_t version = 0;
    std::shared_ptr<const std::string> message;
  };

  // `encoder` must outlive this.
  RankingView(ViewSpec spec, const Encoder* encoder);

  const ViewSpec& spec() const { return spec_; }

  // The message that brings a reader from `version` (0 = nothing) up to date: the last step if it
  // suffices, otherwise the whole top.
  Answer After(int64_t version) ABSL_LOCKS_EXCLUDED(mutex_);

  // Publishes a newer top; true if readers must be woken: it is the first one, or differs in more
  // than time and snapshot. One caller at a time.
  bool Publish(std::shared_ptr<const RankingTop> top) ABSL_LOCKS_EXCLUDED(mutex_);

  // Null before the first Publish.
  std::shared_ptr<const RankingTop> top() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Message = std::shared_ptr<const std::string>;

  const ViewSpec spec_;
  const Encoder* const encoder_;
  mutable absl::Mutex mutex_;
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const RankingTop> top_ ABSL_GUARDED_BY(mutex_);
  Message step_ ABSL_GUARDED_BY(mutex_);   // From the version before; null for the first.
  Message state_ ABSL_GUARDED_BY(mutex_);  // Null until it is needed.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEW_H_
