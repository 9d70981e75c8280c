// WatchRanking: the top of the start order, then its changes.
#ifndef PRIORITYD_SERVER_API_RANKING_WATCH_RANKING_H_
#define PRIORITYD_SERVER_API_RANKING_WATCH_RANKING_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/snapshot.pb.h"
#include "priority/v1/watch.pb.h"
#include "server/api/ranking/convert_watch.h"
#include "server/forecasts/books.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/watching/queue_top.h"
#include "server/queue/watching/ranking_views.h"
#include "server/quotas/parts.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "server/transport/raw_service.h"
#include "server/transport/request_call.h"
#include "server/transport/worker_pool.h"

namespace priorityd::rpc {

class RankingWatch;

// The open watches. Messages are sent as bytes, so that one for many watches is encoded once.
// Thread-safe.
class RankingWatches {
 public:
  struct Options {
    const recalculation::SnapshotRegistry* registry;
    queue::TrackedQueues* queues;  // This object is its listener.
    Boundary* boundary;
    WorkerPool* ranking;  // Half of its threads rank for watchers.
    // The time for which to rank a snapshot's queue.
    std::function<absl::Time(const priority::Snapshot&)> now;
    const forecasts::Books* forecasts;
    threads::Clock real_clock;  // Measures intervals.
    std::function<void(::priority::v1::Snapshot*)> set_staleness;
    quotas::Parts parts;  // One caller's part.
  };

  // The objects that the options point to must outlive this.
  explicit RankingWatches(Options options);
  // REQUIRES: no watch is open.
  ~RankingWatches();

  // A new watch, which deletes itself at its end.
  RawReactor* Open(grpc::CallbackServerContext* context);

  // Ends each watch with UNAVAILABLE after its current message; new ones end at once. Does not
  // wait.
  void Drain();

  // Ends the watches of callers who may no longer watch, and updates what the others may see. Call
  // periodically.
  void CheckProofs() ABSL_LOCKS_EXCLUDED(mutex_);

  // Call when the forecasts of a cluster have changed. Does not wait.
  void ForecastsChanged(const std::string& cluster) { views_.ForecastsChanged(cluster); }

  const queue::RankingViews& views() const { return views_; }

 private:
  friend class RankingWatch;

  absl::StatusOr<queue::ViewSpec> SpecOf(const ::priority::v1::WatchRankingRequest& request,
                                         const Caller& caller) const;
  void Forget(const RankingWatch* watch) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<const queue::RankingTop>> Rank(
      const queue::ViewSpec& spec, const std::shared_ptr<const queue::RankingTop>& before) const;
  authorization::Visibility SeenBy(const queue::ViewSpec& spec,
                                   const priority::Snapshot& snapshot) const;

  const Options options_;
  const RequestType request_type_;
  const WatchEncoder encoder_;
  queue::RankingViews views_;
  absl::Mutex mutex_;
  absl::flat_hash_map<const RankingWatch*, std::shared_ptr<RankingWatch>> watches_
      ABSL_GUARDED_BY(mutex_);
};

// One watch: writes the messages of its view one at a time.
class RankingWatch : public RequestCall,
                     public queue::Watcher,
                     public std::enable_shared_from_this<RankingWatch> {
 public:
  RankingWatch(RankingWatches* watches, grpc::CallbackServerContext* context);

  // From now on it lives until OnDone, which is not called before Passed or Refused.
  void Keep() { self_ = shared_from_this(); }

  // Ends the watch if its caller may not continue; otherwise joins the caller's present view. True
  // if that may show other parts of the queue than before.
  bool CheckProof() ABSL_LOCKS_EXCLUDED(mutex_);

  void Wake() override ABSL_LOCKS_EXCLUDED(mutex_);
  void End(const absl::Status& status) override ABSL_LOCKS_EXCLUDED(mutex_);

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone() override ABSL_LOCKS_EXCLUDED(mutex_);

 protected:
  void Passed(const Caller& caller) override;
  void Refused(const absl::Status& status) override;

 private:
  // Starts the watch, or ends it at once without a view.
  void Start(const absl::StatusOr<queue::ViewSpec>& spec, const Caller& caller)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Fail(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Join(const queue::ViewSpec& spec) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the next operation if possible: a write, or the end.
  void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  RankingWatches* const watches_;
  std::shared_ptr<RankingWatch> self_;  // Until OnDone.
  absl::Mutex mutex_;
  Caller caller_ ABSL_GUARDED_BY(mutex_);  // Set in Start.
  std::shared_ptr<queue::RankingView> view_ ABSL_GUARDED_BY(mutex_);
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 0;  // The view's version written last.
  grpc::ByteBuffer writing_ ABSL_GUARDED_BY(mutex_);
  bool writes_ ABSL_GUARDED_BY(mutex_) = false;
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_RANKING_WATCH_RANKING_H_
