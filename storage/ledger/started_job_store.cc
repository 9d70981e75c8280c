#include "storage/ledger/started_job_store.h"

#include "storage/database/row_reader.h"

namespace priorityd::storage {
namespace {

// The conditions of index job_running.
constexpr char kListStarted[] =
    "SELECT job_id, user_name, account, partitions, qos, start_time, nodes, cpus, tres_names, "
    "tres_counts, time_limit_us FROM priorityd.job "
    "WHERE cluster_id = $1 AND state <> 'PENDING' AND ended_as = '' "
    "ORDER BY job_id COLLATE \"C\"";

StartedJob DecodeStarted(RowReader& row) {
  StartedJob job;
  row.Read(&job.job_id, &job.user, &job.account, &job.partitions, &job.qos, &job.start_time,
           &job.nodes, &job.cpus, &job.tres, &job.time_limit_us);
  return job;
}

}  // namespace

absl::StatusOr<std::vector<StartedJob>> StartedJobStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeStarted, kListStarted, {cluster_id});
}

}  // namespace priorityd::storage
