#include "server/queue/state/job_counts.h"

#include <memory>
#include <utility>
#include <vector>

#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/site/policy.h"
#include "server/queue/state/job_chunk.h"

namespace priorityd::queue {
namespace {

using priority::Reason;

class JobCounter {
 public:
  JobCounter(const QueueState& queue, absl::Time as_of)
      : queue_(queue),
        as_of_us_(absl::ToUnixMicros(as_of)),
        check_(queue.snapshot(), queue.counts(), as_of),
        marks_(queue.LimitMarksBy(check_)) {}

  JobCounts Count() && {
    for (size_t i = 0; i < queue_.chunks().size(); ++i) CountChunk(i);
    return std::move(counts_);
  }

 private:
  void CountChunk(size_t index) {
    const JobChunk& chunk = *queue_.chunks()[index];
    const std::vector<uint8_t> none;
    const std::vector<uint8_t>& limited = marks_ == nullptr ? none : marks_->limited[index];
    for (uint32_t job = 0; job < chunk.table().jobs(); ++job) {
      JobCount& count = CountOf(chunk, limited, job);
      ++count.jobs;
      count.tasks += chunk.tasks(job);
    }
  }

  JobCount& CountOf(const JobChunk& chunk, const std::vector<uint8_t>& limited, uint32_t job) {
    const priority::JobTable& table = chunk.table();
    const uint32_t end = table.first_row[job + 1];
    Reason best = table.unresolved[job];
    uint32_t best_row = end;
    for (uint32_t row = table.first_row[job]; row < end; ++row) {
      if (table.Running(row)) return counts_.running;
      const bool is_limited = !limited.empty() && limited[row] != 0;
      Reason reason = table.ReasonAt(row, as_of_us_);
      if (reason == Reason::kNone && is_limited) reason = Reason::kLimit;
      if (best_row != end && reason <= best) continue;
      best = reason;
      best_row = row;
    }
    // Jobs without a row are few: an invalid account, QOS or partition.
    if (best_row == end && chunk.job(job).job.state != priority::JobState::kPending) {
      return counts_.running;
    }
    if (best == Reason::kNone) return counts_.startable;
    return counts_.waiting[NameOf(chunk, best, best_row)];
  }

  absl::string_view NameOf(const JobChunk& chunk, Reason reason, uint32_t row) const {
    priority::Ineligibility why{reason, {}};
    if (reason == Reason::kLimit) {
      why.exceeded = check_.FirstExceeded(chunk.table(), chunk.demands(), row);
    }
    return priority::ReasonName(queue_.snapshot().limits(), why);
  }

  const QueueState& queue_;
  const int64_t as_of_us_;
  const priority::LimitCheck check_;
  const std::shared_ptr<const LimitMarks> marks_;
  JobCounts counts_;
};

}  // namespace

JobCounts CountJobs(const QueueState& queue, absl::Time now) {
  const bool is_manual = queue.snapshot().policy().clock == priority::ClockMode::kManual;
  return JobCounter(queue, is_manual ? queue.snapshot().computed_at() : now).Count();
}

}  // namespace priorityd::queue
