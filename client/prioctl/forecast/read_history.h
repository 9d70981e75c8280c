// The sources of the commands on recorded jobs: files, or a server's ledger.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_READ_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_READ_HISTORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/prioctl/forecast/recorded_jobs.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// The jobs of all files, `-` = standard input, as ReadRecordedJobs reads each. Of a job that
// several files have, by id and time of submission, that of the last one, as it knows more of a job
// that ran across the end of the one before; a note says how many these are.
absl::StatusOr<RecordedJobs> ReadFiles(const std::vector<std::string>& files);

// The jobs of the server's ledger that the caller may see and that ended at `from` or later, unset
// = all; at most 2,000,000 records, otherwise INVALID_ARGUMENT.
absl::StatusOr<RecordedJobs> ReadLedger(std::optional<absl::Time> from,
                                        const client::PriorityClient& client);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_READ_HISTORY_H_
