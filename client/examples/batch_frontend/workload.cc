#include "client/examples/batch_frontend/workload.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace priorityd::batch_frontend {
namespace {

NodeRequest RequestFor(int64_t processors, int cpus_per_node) {
  const int64_t nodes = (processors + cpus_per_node - 1) / cpus_per_node;
  const int64_t on_each = (processors + nodes - 1) / nodes;
  return {.nodes = static_cast<int>(nodes), .cpus_per_node = static_cast<int>(on_each)};
}

absl::Duration TimeLimit(const swf::SwfJob& job, double overestimate) {
  if (job.requested_time.has_value() && *job.requested_time > absl::ZeroDuration()) {
    return *job.requested_time;
  }
  return absl::Ceil(std::max(*job.run_time, absl::Seconds(1)) * overestimate, absl::Minutes(1));
}

bool Ran(const swf::SwfJob& job) { return job.run_time.has_value() && job.processors > 0; }

}  // namespace

std::vector<Job> MakeWorkload(const std::vector<swf::SwfJob>& trace,
                              const WorkloadOptions& options) {
  std::vector<Job> jobs;
  absl::Time first = absl::InfiniteFuture();
  for (const swf::SwfJob& job : trace) first = std::min(first, job.submit_time);
  for (const swf::SwfJob& job : trace) {
    if (!Ran(job)) continue;
    if (options.max_jobs > 0 && jobs.size() == options.max_jobs) break;
    const absl::Duration after = (job.submit_time - first) / options.load_factor;
    jobs.push_back({.id = absl::StrCat(job.number),
                    .user = job.user < 0 ? "unknown" : absl::StrCat("u", job.user),
                    .submit_time = first + absl::Floor(after, absl::Seconds(1)),
                    .time_limit = TimeLimit(job, options.overestimate),
                    .run_time = std::max(*job.run_time, absl::Seconds(1)),
                    .request = RequestFor(job.processors, options.cpus_per_node)});
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.submit_time < b.submit_time; });
  return jobs;
}

}  // namespace priorityd::batch_frontend
