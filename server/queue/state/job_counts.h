// Tracked jobs by the reason why they do not run: the figures of the status and of the metrics.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_COUNTS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_COUNTS_H_

#include <cstdint>
#include <map>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

struct JobCount {
  int64_t jobs = 0;
  int64_t tasks = 0;  // Each task of an array counts.
};

// As RankJobs answers: ranked, ineligible and running jobs.
struct JobCounts {
  JobCount running;    // Or suspended.
  JobCount startable;  // Pending, and no reason keeps them back.
  // The others by Slurm's name of the reason, with static storage. A job with several partitions or
  // QOS counts under the reason nearest to a start.
  std::map<absl::string_view, JobCount> waiting;
};

// The counts at the site's time `now`; on a manual clock, at the time of the snapshot. One pass
// over the jobs' columns; needs no score and no sort.
JobCounts CountJobs(const QueueState& queue, absl::Time now);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_COUNTS_H_
