// Converts between the queue's jobs and their rows.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_

#include "server/queue/state/tracked_job.h"
#include "storage/job_store.h"

namespace priorityd::queue {

// REQUIRES: submit_time and accrue_time are set.
storage::Job ToRow(const TrackedJob& job);

// The result points into the row.
TrackedJob ToTracked(const storage::Job& row);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_
