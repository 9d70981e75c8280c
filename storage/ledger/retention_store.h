// Retention: rolls up records that ended before a cluster's horizon into hourly buckets, and
// deletes rows that are no longer read.
#ifndef STORAGE_LEDGER_RETENTION_STORE_H_
#define STORAGE_LEDGER_RETENTION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The parameters of rolling up the records of one cluster.
struct RollUpPlan {
  int32_t cluster_id = 0;
  absl::Time horizon;  // Records that end before it are rolled up.
  // Any time at which an hour begins: in the policy's time zone.
  absl::Time hour;
  // The last reset of the whole cluster at or before the horizon. Buckets are cut
  // here too, and at the last reset of their association.
  absl::Time reset = absl::InfinitePast();
  // Bounds of one step: records looked at, and pieces these are split into (but a record is
  // never taken in part).
  int64_t max_records = 20'000;
  int64_t max_pieces = 100'000;
};

// A record's place in a walk over the ledger, which goes by the ends of records.
struct LedgerPlace {
  absl::Time end_time = absl::InfinitePast();
  int64_t seq = 0;
  bool operator==(const LedgerPlace&) const = default;
};

// The result of one step.
struct RollUpStep {
  int64_t records = 0;  // Removed from the ledger, replaced ones too.
  int64_t buckets = 0;  // Buckets that received records.
  int64_t stayed = 0;   // Records that replace one that is still in the ledger.
  bool more = false;    // Whether it came to a bound before the last record.
  LedgerPlace last;     // Of the records that it looked at: the next step continues after it.
};

// The position of a walk over running jobs.
struct RunningJobWalk {
  std::string source;
  std::string job_id;
  int64_t deleted = 0;
};

class RetentionStore {
 public:
  explicit RetentionStore(Transaction& transaction) : transaction_(transaction) {}

  // InfinitePast() = every record ever accepted is in the ledger. NOT_FOUND if
  // there is no such cluster.
  absl::StatusOr<absl::Time> Horizon(int32_t cluster_id);

  // Moves the horizon forward; false if it is there already or further, or if a record that ends
  // before it, or replaces one that does, is not settled yet: into grants (usage_pool) or into the
  // domain (domain_member). From the commit on, no record may be appended that ends before it, nor
  // one that replaces such a record. REQUIRES: ClusterStore::Lock, so that no append that knew the
  // old horizon is under way.
  absl::StatusOr<bool> MoveHorizon(int32_t cluster_id, absl::Time horizon);

  // Moves the next records after `place` from the ledger into buckets. A record that replaces
  // another one stays as long as that one is in the ledger, so a record counts the same before
  // and after; all is done when a walk has left none that stayed, or has moved none.
  // nullopt if another transaction is at it in this cluster, or the cluster leaves: its ledger is
  // being copied.
  // REQUIRES: plan.horizon is not after the stored one; ClusterStore::LockShared.
  absl::StatusOr<std::optional<RollUpStep>> RollUp(const RollUpPlan& plan,
                                                   const LedgerPlace& place);

  // Deletes, of the `limit` oldest rows, those from before `before`, except the newest snapshot.
  // Returns the number of deleted rows.
  absl::StatusOr<int64_t> DeleteSnapshots(int32_t cluster_id, absl::Time before, int64_t limit);
  absl::StatusOr<int64_t> DeleteAuditEvents(int32_t cluster_id, absl::Time before, int64_t limit);

  // Looks at the `limit` next rows of running jobs after those of `walk`, and deletes those
  // whose last counters are from before `before`. Returns false when it came to the last.
  absl::StatusOr<bool> DeleteRunningJobs(int32_t cluster_id, absl::Time before, int64_t limit,
                                         RunningJobWalk* walk);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_RETENTION_STORE_H_
