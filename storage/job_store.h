// The tracked queue: its jobs and their changes.
#ifndef STORAGE_JOB_STORE_H_
#define STORAGE_JOB_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/amount.h"
#include "storage/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// A row of table job; see its columns. Texts are '' for none.
struct Job {
  std::string job_id;  // not empty
  int64_t change = 0;  // Set by Write.
  std::string source;
  std::string name;
  std::string user_name;  // not empty
  std::string account;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::string state = "PENDING";
  std::string ended_as;
  std::optional<absl::Time> end_time;  // set as ended_as is
  std::string hold;
  std::string dependency;
  bool told_dependency_unmet = false;
  bool dependency_unmet = false;
  absl::Time submit_time;
  std::optional<absl::Time> eligible_time;
  std::optional<absl::Time> start_time;
  absl::Time accrue_time;
  std::optional<absl::Time> accrual_stopped;
  int64_t nodes = 0;
  double cpus = 0;
  std::vector<NamedAmount> tres;
  std::optional<int64_t> time_limit_us;
  int64_t nice = 0;
  int64_t site_factor = 0;
  std::optional<int64_t> admin_priority;
  std::optional<int64_t> previous_priority;
  // Of the same length: one entry for each pair that had more than that.
  std::vector<std::string> pair_partitions;
  std::vector<std::string> pair_qos;
  std::vector<double> pair_priorities;  // 1 to 4294967295
  std::optional<bool> preemptor;
  std::string reservation;
  int64_t array_tasks = 1;
  bool site_factor_answered = false;
  std::string array_task_ids;
  std::string array_job_id;
  std::optional<int64_t> array_task_id;
  bool array_limited = false;
  bool dependency_never = false;
  std::optional<absl::Time> dependency_until;
  bool operator==(const Job&) const = default;
};

// The columns of the table.
const ColumnTable<Job>& JobColumns();

// The result of the last call of the site factor service.
struct SiteFactorSource {
  std::string plugin;  // host:port; empty = not called yet.
  std::optional<absl::Time> answered_at;
  std::string failure;  // Empty = the last call did not fail.
  bool operator==(const SiteFactorSource&) const = default;
};

// The numbers of a queue's changes.
struct QueueChanges {
  int64_t last = 0;
  int64_t forgotten = 0;  // Removals up to this change are deleted.
  SiteFactorSource site_factors;
};

// A cluster and the numbers of its queue's changes; {0, 0} = no queue.
struct ClusterQueue {
  std::string cluster;
  QueueChanges changes;
};

// A removed job.
struct JobRemoval {
  int64_t change = 0;
  std::string job_id;
};

class JobStore {
 public:
  explicit JobStore(Transaction& transaction) : transaction_(transaction) {}

  // Locks the queue of a cluster until the end of the transaction; creates it if it does not exist.
  absl::StatusOr<QueueChanges> Lock(int32_t cluster_id);

  // Without a lock; {0, 0} = no queue.
  absl::StatusOr<QueueChanges> Changes(int32_t cluster_id);

  // The same of all clusters, in the order of their creation.
  absl::StatusOr<std::vector<ClusterQueue>> ListQueues();

  // Inserts or overwrites jobs, and removes jobs, in one statement, which also notifies the
  // replicas. Each change gets the next number, first the rows in order, then the removals; returns
  // the last one. REQUIRES: the queue is locked; each job_id occurs once.
  absl::StatusOr<int64_t> Write(int32_t cluster_id, absl::Span<const Job> jobs,
                                absl::Span<const std::string> removed);

  // The same without a lock: writes nothing and returns nullopt if the last change of the queue is
  // not `after`, or there is no queue.
  absl::StatusOr<std::optional<int64_t>> WriteAfter(int64_t after, int32_t cluster_id,
                                                    absl::Span<const Job> jobs,
                                                    absl::Span<const std::string> removed);

  // The jobs changed after `change`, by change, at most `limit`.
  absl::StatusOr<std::vector<Job>> ListChanged(int32_t cluster_id, int64_t change, int64_t limit);

  // The removals in (change, until], by change. A job may have been inserted again later.
  absl::StatusOr<std::vector<JobRemoval>> ListRemoved(int32_t cluster_id, int64_t change,
                                                      int64_t until);

  // Deletes the removals before the last `kept` changes. REQUIRES: the queue is locked.
  absl::Status ForgetRemovals(int32_t cluster_id, int64_t kept);

  // Changes no job. REQUIRES: the queue is locked.
  absl::Status WriteSiteFactorSource(int32_t cluster_id, const SiteFactorSource& source);

 private:
  absl::StatusOr<std::optional<int64_t>> WriteIf(std::optional<int64_t> after, int32_t cluster_id,
                                                 absl::Span<const Job> jobs,
                                                 absl::Span<const std::string> removed);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_JOB_STORE_H_
