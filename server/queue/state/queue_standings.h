// Rank, priority and reason of the jobs in a list.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STANDINGS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STANDINGS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/chunk_scorer.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

struct JobStanding {
  uint32_t rank = 0;  // Among the jobs that can start, from 1; 0 = the job cannot start.
  std::optional<uint32_t> priority;  // As in priorityd::priority::JobRow.
  // Slurm's name: `Resources` for the first job, `Priority` for those behind it; empty for running
  // jobs.
  std::string reason;
  std::string text;  // The reason as a sentence.
};

// The start order of a queue's jobs at one moment, each by its best pair. Immutable.
class QueueStandings {
 public:
  // Scores and sorts the whole queue.
  QueueStandings(std::shared_ptr<const QueueState> state, absl::Time as_of);

  absl::Time as_of() const { return as_of_; }
  // In the given order; the time is proportional to the number of these jobs.
  std::vector<JobStanding> Of(absl::Span<const JobPlace> jobs) const;

 private:
  struct Ranked {
    uint32_t rank = 0;
    uint32_t row = 0;  // From the first one of the job.
  };

  const std::shared_ptr<const QueueState> state_;
  const absl::Time as_of_;
  std::vector<std::vector<Ranked>> ranked_;  // By chunk and job.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_STANDINGS_H_
