// The tracked queue: its jobs and their changes.
#ifndef STORAGE_JOBS_JOB_STORE_H_
#define STORAGE_JOBS_JOB_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/column_table.h"
#include "storage/database/parameter.h"
#include "storage/database/row_reader.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Statements on rows of table job.
struct JobStatements {
  explicit JobStatements(const TableColumns& columns);

  std::string write_one;
  std::string write_many;
  std::string write_and_remove;
  std::string list_changed;
};

// Table job, whose rows are the tracked queue's own. Its key is cluster_id and job_id; `change` is
// read-only.
template <typename Row>
struct JobTable {
  explicit JobTable(std::vector<typename ColumnTable<Row>::Field> fields)
      : columns("job", {"cluster_id"}, std::move(fields)), statements(columns) {}

  ColumnTable<Row> columns;
  JobStatements statements;
};

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
  template <typename Row>
  absl::StatusOr<int64_t> Write(const JobTable<Row>& table, int32_t cluster_id,
                                const std::vector<Row>& jobs,
                                const std::vector<std::string>& removed) {
    return ExistingQueue(WriteIf(std::nullopt, table, cluster_id, jobs, removed));
  }

  // The same without a lock: writes nothing and returns nullopt if the last change of the queue is
  // not `after`, or there is no queue.
  template <typename Row>
  absl::StatusOr<std::optional<int64_t>> WriteAfter(int64_t after, const JobTable<Row>& table,
                                                    int32_t cluster_id,
                                                    const std::vector<Row>& jobs,
                                                    const std::vector<std::string>& removed) {
    return WriteIf(after, table, cluster_id, jobs, removed);
  }

  // The jobs changed after `change`, by change, at most `limit`. `decode` reads the columns of
  // `table`.
  template <typename Row, typename T>
  absl::StatusOr<std::vector<T>> ListChanged(const JobTable<Row>& table, T (*decode)(RowReader&),
                                             int32_t cluster_id, int64_t change, int64_t limit) {
    return transaction_.Query(decode, table.statements.list_changed, {cluster_id, change, limit});
  }

  // The change of the `rows`-th job changed after `change`; nullopt = fewer are.
  absl::StatusOr<std::optional<int64_t>> ChangeAfter(int32_t cluster_id, int64_t change,
                                                     int64_t rows);

  // The removals in (change, until], by change. A job may have been inserted again later.
  absl::StatusOr<std::vector<JobRemoval>> ListRemoved(int32_t cluster_id, int64_t change,
                                                      int64_t until);

  // Deletes the removals before the last `kept` changes. REQUIRES: the queue is locked.
  absl::Status ForgetRemovals(int32_t cluster_id, int64_t kept);

  // Changes no job. REQUIRES: the queue is locked.
  absl::Status WriteSiteFactorSource(int32_t cluster_id, const SiteFactorSource& source);

 private:
  using LastChange = absl::StatusOr<std::optional<int64_t>>;

  template <typename Row>
  LastChange WriteIf(std::optional<int64_t> after, const JobTable<Row>& table, int32_t cluster_id,
                     const std::vector<Row>& jobs, const std::vector<std::string>& removed) {
    const int64_t count = static_cast<int64_t>(jobs.size() + removed.size());
    std::vector<Parameter> first = {cluster_id, count, after};
    if (jobs.size() == 1 && removed.empty()) {
      return Run(table.statements.write_one,
                 table.columns.ParametersOf(jobs.front(), std::move(first)));
    }
    if (!removed.empty()) first.push_back(removed);
    return Run(removed.empty() ? table.statements.write_many : table.statements.write_and_remove,
               table.columns.Parameters(jobs, std::move(first)));
  }
  LastChange Run(const std::string& statement, const std::vector<Parameter>& parameters);
  // A deleted cluster has none.
  static absl::StatusOr<int64_t> ExistingQueue(const LastChange& last);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_JOBS_JOB_STORE_H_
