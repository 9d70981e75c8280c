#include "server/metrics/job_counts.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "server/queue/state/job_counts.h"

namespace priorityd::metrics {
namespace {

// Tasks by the labels state and reason.
using Tasks = std::map<std::pair<std::string, std::string>, int64_t>;

void Add(const queue::JobCounts& counts, Tasks* sum) {
  (*sum)[{"running", ""}] += counts.running.tasks;
  (*sum)[{"pending", "Priority"}] += counts.startable.tasks;
  for (const auto& [reason, count] : counts.waiting) {
    (*sum)[{"pending", std::string(reason)}] += count.tasks;
  }
}

}  // namespace

void AddTrackedJobs(queue::TrackedQueues& queues, absl::Time now, ClusterLabels* labels,
                    Families* families) {
  std::map<std::string, Tasks> by_label;
  for (const auto& [cluster, queue] : queues.Loaded()) {
    Add(queue::CountJobs(*queue, now), &by_label[labels->Of(cluster)]);
  }
  Family jobs =
      families->Gauge("priorityd_tracked_jobs", "Tracked jobs; each array task counts as one");
  for (const auto& [label, tasks] : by_label) {
    for (const auto& [state_and_reason, count] : tasks) {
      const auto& [state, reason] = state_and_reason;
      jobs.Add(static_cast<double>(count),
               {{"cluster", label}, {"state", state}, {"reason", reason}});
    }
  }
}

}  // namespace priorityd::metrics
