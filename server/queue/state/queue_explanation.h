// Explains and compares priorities of tracked jobs.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_EXPLANATION_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_EXPLANATION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/explanation/comparison.h"
#include "engine/explanation/explanation.h"
#include "engine/explanation/row_pick.h"
#include "engine/priority/jobs/job.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/shown_ranking.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

struct QueueExplanation {
  std::shared_ptr<const QueueState> state;
  std::vector<priority::Job> jobs;  // The rows point to these; texts are in `state`.
  explanation::Explanation explanation;
  TrackedJob tracked;                  // The job; texts are in `state`.
  std::vector<std::string> waits_for;  // See DependencySentences.
  std::string leased;                  // See LeaseSentence.
};

struct QueueComparison {
  std::shared_ptr<const QueueState> state;
  std::vector<priority::Job> jobs;
  explanation::Comparison comparison;
};

// priorityd::explanation::Explain and priorityd::explanation::Compare for the queue's jobs, with
// their errors. A job_id is required. A job that is not `shown` counts as missing; counts of jobs
// ahead include all jobs.
absl::StatusOr<QueueExplanation> Explain(std::shared_ptr<const QueueState> state, absl::Time as_of,
                                         const explanation::RowPick& pick,
                                         const JobFilter& shown = nullptr);
absl::StatusOr<QueueComparison> Compare(std::shared_ptr<const QueueState> state, absl::Time as_of,
                                        const explanation::RowPick& pick,
                                        const explanation::RowPick& compare_to,
                                        const JobFilter& shown = nullptr);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_EXPLANATION_H_
