// The top of the start order, kept up to date.
#ifndef PRIORITYD_CLIENT_RANKING_WATCH_H_
#define PRIORITYD_CLIENT_RANKING_WATCH_H_

#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/retry.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "grpcpp/client_context.h"
#include "priority/v1/watch.pb.h"

namespace priorityd::client {

// The state that the answers of WatchRanking add up to. Thread-compatible.
class WatchedTop {
 public:
  // Applies the next answer. DATA_LOSS, and no change, if it does not fit the one before.
  absl::Status Apply(const v1::WatchRankingResponse& answer);

  // In start order.
  const google::protobuf::RepeatedPtrField<v1::RankedJob>& ranked() const { return ranked_; }

  // Jobs that cannot start, if the request asked for them, in the order of their job_id: digits as
  // numbers.
  const google::protobuf::RepeatedPtrField<v1::IneligibleJob>& ineligible() const {
    return ineligible_;
  }

 private:
  google::protobuf::RepeatedPtrField<v1::RankedJob> ranked_;
  google::protobuf::RepeatedPtrField<v1::IneligibleJob> ineligible_;
};

// One watch.
class RankingWatch {
 public:
  // `answer` is the last one applied to `top`; returning false ends the watch.
  using OnAnswer =
      std::function<bool(const v1::WatchRankingResponse& answer, const WatchedTop& top)>;

  // Called with the reason, once each time that a watch which had answers has lost the service and
  // reconnects.
  using OnLost = std::function<void(const absl::Status&)>;

  // About five minutes: long enough for a restart of the service.
  static constexpr RetryPolicy kReconnect = {.max_attempts = 60};

  // Until the first answer, transient errors are retried by the client's RetryPolicy; after it, by
  // `reconnect`, counted from the last answer. A watch whose token has expired is opened again
  // once, with the current token. A change that does not fit the state before it restarts the
  // watch; DATA_LOSS if none ever fits. REQUIRES: `client` outlives this.
  RankingWatch(const PriorityClient* client, v1::WatchRankingRequest request,
               RetryPolicy reconnect = kReconnect);
  RankingWatch(const RankingWatch&) = delete;
  RankingWatch& operator=(const RankingWatch&) = delete;

  // Watches, and calls back, on this thread until `on_answer` returns false or Stop is
  // called, then OK; or until a permanent error. Call once.
  absl::Status Run(const OnAnswer& on_answer, const OnLost& on_lost = nullptr);

  // Ends Run, also before it begins. From any thread.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // One stream, until it ends. CANCELLED after Stop.
  absl::Status WatchOnce(const OnAnswer& on_answer);
  // False after Stop; otherwise Stop will cancel it.
  bool Begin(grpc::ClientContext* context) ABSL_LOCKS_EXCLUDED(mutex_);
  void End() ABSL_LOCKS_EXCLUDED(mutex_);
  bool Stopped() ABSL_LOCKS_EXCLUDED(mutex_);
  void Wait(absl::Duration wait) ABSL_LOCKS_EXCLUDED(mutex_);

  const PriorityClient* const client_;
  v1::WatchRankingRequest request_;
  const RetryPolicy reconnect_;
  WatchedTop top_;
  int answers_ = 0;  // The consistent answers of this attempt.

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_RANKING_WATCH_H_
