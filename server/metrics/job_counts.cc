#include "server/metrics/job_counts.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/site/policy.h"
#include "server/queue/state/job_chunk.h"

namespace priorityd::metrics {
namespace {

using priority::Reason;

void CountChunk(const queue::JobChunk& chunk, int64_t now_us, JobCounts* counts) {
  const priority::JobTable& table = chunk.table();
  for (size_t job = 0; job < table.jobs(); ++job) {
    Reason best = table.unresolved[job];
    bool running = false;
    const uint32_t end = table.first_row[job + 1];
    for (uint32_t row = table.first_row[job]; row < end; ++row) {
      const Reason reason = table.ReasonAt(row, now_us);
      best = row == table.first_row[job] ? reason : std::max(best, reason);
      running |= table.Running(row);
    }
    (running ? counts->running : counts->pending[static_cast<size_t>(best)]) += chunk.tasks(job);
  }
}

void Add(const JobCounts& counts, JobCounts* sum) {
  sum->running += counts.running;
  for (size_t i = 0; i < kReasons; ++i) sum->pending[i] += counts.pending[i];
}

// Slurm's name of the reason; a job that can start has Priority.
std::string NameOf(size_t reason) {
  const absl::string_view name = priority::ReasonName(static_cast<Reason>(reason));
  return name.empty() ? "Priority" : std::string(name);
}

}  // namespace

JobCounts CountJobs(const queue::QueueState& queue, absl::Time now) {
  const bool is_manual = queue.snapshot().policy().clock == priority::ClockMode::kManual;
  const absl::Time time = is_manual ? queue.snapshot().computed_at() : now;
  JobCounts counts;
  for (const auto& chunk : queue.chunks()) CountChunk(*chunk, absl::ToUnixMicros(time), &counts);
  return counts;
}

void AddTrackedJobs(queue::TrackedQueues& queues, absl::Time now, ClusterLabels* labels,
                    Families* families) {
  std::map<std::string, JobCounts> by_label;
  for (const auto& [cluster, queue] : queues.Loaded()) {
    Add(CountJobs(*queue, now), &by_label[labels->Of(cluster)]);
  }
  Family jobs =
      families->Gauge("priorityd_tracked_jobs", "Tracked jobs; each array task counts as one");
  for (const auto& [label, counts] : by_label) {
    jobs.Add(static_cast<double>(counts.running),
             {{"cluster", label}, {"state", "running"}, {"reason", ""}});
    for (size_t reason = 0; reason < kReasons; ++reason) {
      const bool can_start = reason + 1 == kReasons;
      if (counts.pending[reason] == 0 && !can_start) continue;
      jobs.Add(static_cast<double>(counts.pending[reason]),
               {{"cluster", label}, {"state", "pending"}, {"reason", NameOf(reason)}});
    }
  }
}

}  // namespace priorityd::metrics
