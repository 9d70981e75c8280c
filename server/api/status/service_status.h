// The status of the service, for GetStatus.
#ifndef PRIORITYD_SERVER_API_STATUS_SERVICE_STATUS_H_
#define PRIORITYD_SERVER_API_STATUS_SERVICE_STATUS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "priority/v1/status.pb.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/status/heartbeat.h"
#include "server/status/minute_rates.h"
#include "server/threads/clock.h"
#include "server/threads/database_clock.h"
#include "server/transport/admission.h"
#include "server/transport/call_report.h"
#include "server/usage/usage_recorder.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// The number of open streams and watches.
struct OpenCalls {
  size_t usage_streams;
  size_t watchers;
  size_t watched_views;  // Different ones.
};

// Collects the status of a replica's parts, without waiting for the database or for running work.
// Thread-safe.
class ServiceStatus : public CallObserver {
 public:
  struct Options {
    const recalculation::SnapshotRegistry* registry;
    const recalculation::RecalculationLoop* loop;
    queue::TrackedQueues* queues;
    const usage::UsageRecorder* recorder;
    const storage::Database* database;
    const threads::DatabaseClock* database_clock;
    const status::Heartbeat* heartbeat;
    const Admission* admission;
    std::function<OpenCalls()> open_calls;
    size_t memory_budget = 0;
    absl::Duration max_staleness;
    absl::Duration max_commit;
    absl::Duration max_clock_offset;
    std::string cell;  // Empty = none.
    bool is_authenticated = false;
    bool is_grpc_exposed = false;
    threads::Clocks clocks;
  };

  // The objects that the options point to must outlive the calls of this.
  explicit ServiceStatus(Options options) : options_(std::move(options)) {}

  // The address where it listens.
  void SetAddress(std::string address) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string address() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Samples the counters for rates; call every second.
  void Look() ABSL_LOCKS_EXCLUDED(mutex_);

  void CallEnded(const CallReport& report) override;

  // Includes the clusters that `is_visible`.
  ::priority::v1::GetStatusResponse Read(
      const std::function<bool(const std::string& cluster)>& is_visible) const;

 private:
  enum Counter { kCalls, kErrors, kUpdates, kAccepted, kDuplicates, kRejected, kCounters };

  void ReadReplicas(::priority::v1::GetStatusResponse* response) const;
  void ReadDatabase(::priority::v1::DatabaseStatus* database) const;
  void ReadClusters(const std::function<bool(const std::string& cluster)>& is_visible,
                    ::priority::v1::GetStatusResponse* response) const;
  void ReadTraffic(::priority::v1::GetStatusResponse* response) const;

  const Options options_;
  std::atomic<int64_t> calls_ = 0;
  std::atomic<int64_t> errors_ = 0;
  std::atomic<int64_t> updates_ = 0;
  mutable absl::Mutex mutex_;
  std::string address_ ABSL_GUARDED_BY(mutex_);
  status::MinuteRates<kCounters> rates_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_STATUS_SERVICE_STATUS_H_
