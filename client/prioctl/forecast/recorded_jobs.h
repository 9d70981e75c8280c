// The jobs of a history for a backtest, those that never started included.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_RECORDED_JOBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_RECORDED_JOBS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/replay/history_file.h"
#include "engine/forecast/backtest.h"

namespace priorityd::prioctl {

struct RecordedJobs {
  std::vector<forecast::RecordedJob> jobs;  // In the order of the file.
  double cpus = 0;                          // Of the cluster; 0 = the file does not say.
  std::vector<std::string> notes;           // In sentences.
};

// Reads a trace in the Standard Workload Format, what `sacct -P` with a heading or `sacct --json`
// printed (times are of `zone`), or usage records as `priorityd-collect --dry-run --json` prints
// them.
//
// In a trace a job without a wait time has not started, or was cancelled, if it did not run; if no
// job has one, all started when they were submitted. A job of unknown size counts as one CPU.
// INVALID_ARGUMENT names file and line.
absl::StatusOr<RecordedJobs> ReadRecordedJobs(const std::string& name, absl::string_view content,
                                              absl::TimeZone zone);

// The jobs of a ledger. Jobs that wait or run are not among them.
RecordedJobs RecordedJobsOf(const replay::History& history);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_RECORDED_JOBS_H_
