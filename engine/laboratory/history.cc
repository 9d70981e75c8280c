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

Schedule Recorded(absl::Span<const HistoryJob> jobs) {
  Schedule schedule;
  for (const HistoryJob& job : jobs) schedule.starts.push_back(job.start);
  return schedule;
}

}  // namespace priorityd::laboratory
