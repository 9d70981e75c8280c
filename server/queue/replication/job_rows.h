// The queue's jobs as rows of table job.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_

#include <cstdint>
#include <forward_list>
#include <string>

#include "server/queue/state/tracked_job.h"
#include "storage/jobs/job_store.h"

namespace priorityd::queue {

// To be written, `job` has a submit_time and an accrue_time.
struct JobRow {
  TrackedJob job;
  int64_t change = 0;                    // Set by the database.
  std::forward_list<std::string> texts;  // Of a row that was read; the job points to them.
};

// Its columns are those of job_members.h.
const storage::JobTable<JobRow>& JobRows();

// Slurm's word: COMPLETED; empty for kNone.
const char* WordOf(JobEnd end);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_JOB_ROWS_H_
