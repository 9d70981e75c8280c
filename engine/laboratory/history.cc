#include "engine/laboratory/history.h"

#include <algorithm>

#include "engine/priority/jobs/job_id.h"

namespace priorityd::laboratory {

void SortHistory(std::vector<HistoryJob>* jobs) {
  std::sort(jobs->begin(), jobs->end(), [](const HistoryJob& a, const HistoryJob& b) {
    if (a.eligible != b.eligible) return a.eligible < b.eligible;
    if (a.submit != b.submit) return a.submit < b.submit;
    return priority::CompareJobIds(a.id, b.id) < 0;
  });
}

absl::Duration TimeLimitOf(const Site& site, const HistoryJob& job, int partition) {
  absl::Duration limit = job.run_time;
  if (job.time_limit.has_value()) {
    limit = *job.time_limit;
  } else if (partition >= 0) {
    const priority::Partition& of = site.partitions[partition];
    const absl::Duration of_partition = of.default_time.value_or(of.max_time);
    if (of_partition < absl::InfiniteDuration()) limit = of_partition;
  }
  return std::max(limit, absl::Seconds(1));
}

Schedule Recorded(absl::Span<const HistoryJob> jobs) {
  Schedule schedule;
  for (const HistoryJob& job : jobs) schedule.starts.push_back(job.start);
  return schedule;
}

}  // namespace priorityd::laboratory
