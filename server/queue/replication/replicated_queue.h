// This replica's copy of the tracked queue of one cluster.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_REPLICATED_QUEUE_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_REPLICATED_QUEUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/replication/change_log.h"
#include "server/queue/state/tracked_queue.h"
#include "server/usage/job_end_charge.h"
#include "storage/database/database.h"
#include "storage/jobs/job_store.h"

namespace priorityd::queue {

// The jobs, and the last of the stored changes that they contain. The database numbers the changes;
// copies that contain the same last change are equal on every replica. All functions that use the
// database return its errors, and NOT_FOUND (UNKNOWN_CLUSTER). Not thread-safe.
class ReplicatedQueue {
 public:
  // The longest time that a change that charges jobs waits for usage records that are being
  // written.
  static constexpr absl::Duration kChargePatience = absl::Seconds(2);

  using Compute = absl::FunctionRef<absl::StatusOr<std::vector<JobChange>>(const TrackedQueue&)>;

  // `database` must outlive it.
  ReplicatedQueue(storage::Database* database, std::string cluster)
      : database_(database), cluster_(std::move(cluster)) {}

  // Loads the queue for this snapshot, unless it is loaded.
  absl::Status Load(const std::shared_ptr<const priority::Snapshot>& snapshot);

  // REQUIRES: loaded, as for all functions below, except SetSiteFactorSource and Forget.
  const TrackedQueue& jobs() const { return *jobs_; }

  // The state of the site factor service, as of the last reading.
  const storage::SiteFactorSource& site_factors() const { return site_factors_; }

  void SetSnapshot(std::shared_ptr<const priority::Snapshot> snapshot) {
    jobs_->SetSnapshot(std::move(snapshot));
  }

  // Whether all changes in `stored`, which is of that incarnation of the database, are applied.
  bool Contains(const storage::QueueChanges& stored, int64_t incarnation) const;

  // Applies the stored changes after the last applied one.
  absl::Status ReadChanges();

  // Computes changes of the stored state, then stores and applies them: all or none. `compute` may
  // be called twice; the last call is the one that counts. Its error ends the change. Other
  // replicas' changes may have been applied although an error is returned.
  absl::Status Change(const storage::TransactionKind& kind, Compute compute);

  // The same, in one transaction with the charge of the jobs that the changes end. It has the
  // cluster alone meanwhile, and waits for that for kChargePatience at least. UNAVAILABLE if the
  // configuration keeps changing.
  absl::Status ChangeAndCharge(const storage::TransactionKind& kind, Compute compute,
                               usage::JobEndCharge* charge);

  // Updates jobs' accruals and, under INCR_ONLY, previous priorities, once per snapshot. Fails soon
  // if the queue is locked.
  absl::Status FollowSnapshot();

  // Stores the state of the service; see TrackedQueues::SetSiteFactorSource.
  absl::Status SetSiteFactorSource(const storage::TransactionKind& kind,
                                   storage::SiteFactorSource source);

  // Unloads the queue.
  void Forget() { *this = ReplicatedQueue(database_, cluster_); }

 private:
  // Change by one statement, which takes effect only if no other replica has changed the queue;
  // returns whether it did. Returns only errors of `compute` and of locks: ChangeLocked would meet
  // the others again.
  absl::StatusOr<bool> ChangeKnown(const storage::TransactionKind& kind, Compute compute);
  // Change in a transaction that locks the queue and reads other replicas' changes. `charge` is
  // recorded in it; null = none.
  absl::Status ChangeLocked(const storage::TransactionKind& kind, Compute compute,
                            usage::JobEndCharge* charge = nullptr);
  // Replaces the jobs by those of a log of which none is known.
  absl::Status LoadLong(const StoredLog& log);
  absl::Status ApplyChanges(storage::Transaction& transaction, int32_t cluster_id,
                            const storage::QueueChanges& changes);
  absl::StatusOr<int32_t> ClusterId(storage::Transaction& transaction) const;

  storage::Database* database_;
  std::string cluster_;
  std::unique_ptr<TrackedQueue> jobs_;  // Null = not loaded.
  int64_t known_ = 0;                   // The last change applied.
  int64_t forgotten_ = 0;               // See storage::QueueChanges.
  int32_t cluster_id_ = 0;
  int64_t incarnation_ = 0;   // Of the source database; see storage::Transaction.
  int64_t recalculated_ = 0;  // Generation of the last snapshot that was followed.
  storage::SiteFactorSource site_factors_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_REPLICATED_QUEUE_H_
