// Charges jobs by their frontends' reports of their ends (UsageFromJobEnd).
//
// Each run of a job counts once: a collector's record of the same job_id takes the place of the
// charge of every run that it overlaps, and a run that the ledger has a collector's record of is
// not charged. Both sides look for the other under the cluster's lock: collectors share it, and the
// transaction that ends a job has it alone, so that neither can miss the other.
#ifndef PRIORITYD_SERVER_USAGE_JOB_END_CHARGE_H_
#define PRIORITYD_SERVER_USAGE_JOB_END_CHARGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/site/tres.h"
#include "server/threads/clock.h"
#include "server/usage/decayed_row.h"
#include "server/usage/price_books.h"
#include "server/usage/priced_batch.h"
#include "server/usage/submitted_batch.h"
#include "storage/database/transaction.h"
#include "storage/ledger/job_accounting_store.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::usage {

// A run of a job that ended, as its frontend reported it.
struct EndedRun {
  std::string source;  // Empty = none.
  std::string job_id;
  std::string user;
  std::string account;    // Empty = the user's default.
  std::string partition;  // Empty = the default one.
  std::string qos;        // Empty = the association's default.
  absl::Time start_time;
  absl::Time end_time;
  priority::TresMap tres;         // By canonical name.
  std::optional<double> billing;  // Overrides the weights.
  storage::JobAccounting job;
  bool operator==(const EndedRun&) const = default;
};

// Ended runs by their outcome.
struct JobEndCounts {
  int64_t recorded = 0;   // Charged; also if they correct an earlier charge.
  int64_t duplicate = 0;  // A collector, or the queue, has recorded the run; or it was voided.
  int64_t rejected = 0;   // As a collector's record with the same contents would be.
  int64_t earlier = 0;    // Began before the cluster charged jobs by their ends.

  JobEndCounts& operator+=(const JobEndCounts& other);
};

// By cluster. Thread-safe.
class JobEndMeasures {
 public:
  void Note(const std::string& cluster, const JobEndCounts& counts) ABSL_LOCKS_EXCLUDED(mutex_);
  std::map<std::string, JobEndCounts> counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  std::map<std::string, JobEndCounts> counts_ ABSL_GUARDED_BY(mutex_);
};

// One request that may end jobs of one cluster. Thread-compatible.
class JobEndCharge {
 public:
  // `books` and `measures` must outlive it. `reporter`: the frontend.
  JobEndCharge(PriceBooks* books, threads::Clock clock, JobEndMeasures* measures,
               Recorder reporter);

  // Prices the runs that the request ends, outside of any transaction; queries nothing if there are
  // none. Errors of PriceBooks::Latest.
  absl::Status Price(const std::string& cluster, std::vector<EndedRun> runs);
  // Whether there are priced runs.
  bool HasRuns() const { return !runs_.empty(); }

  // Records those of the runs that are not in the ledger yet, under record_ids with the number of
  // the queue's change. ABORTED if `runs` are not the priced ones or the configuration has changed:
  // call Price again. REQUIRES: in a Database::Write that changes the queue by `change`; if
  // HasRuns, it has locked the cluster by ClusterStore::Lock.
  absl::Status Record(storage::Transaction& transaction, int32_t cluster_id, int64_t change,
                      const std::vector<EndedRun>& runs);

  // Counts the runs of the last Record, and logs the first one that was rejected. Call it after the
  // commit.
  void NoteCommit() const;

 private:
  PriceBooks* books_;
  threads::Clock clock_;
  JobEndMeasures* measures_;
  Recorder reporter_;
  std::string cluster_;
  std::vector<EndedRun> runs_;
  PricedBatch priced_;
  JobEndCounts counts_;
};

// The rows to write with new records of collectors, so that no run counts twice.
struct EndsReplaced {
  std::vector<storage::UsageRecord> replacements;  // Use nothing; each replaces one of `held`.
  std::vector<storage::HeldRecord> held;
};

// Finds the charged runs that the `inserted` records overlap, which are then no longer listed as
// charged, and lists the runs of the records as collected. Two statements, whatever the number of
// records, and none if the cluster has never charged jobs by their ends. REQUIRES: the cluster has
// at least a shared lock, and the replacements are written in the same transaction.
absl::StatusOr<EndsReplaced> TakePlaceOfEnds(storage::Transaction& transaction, int32_t cluster_id,
                                             const PriceBook& book, const Records& inserted);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_JOB_END_CHARGE_H_
