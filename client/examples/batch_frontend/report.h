// The summary and samples of a simulation as text, JSON and CSV.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REPORT_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REPORT_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/examples/batch_frontend/share_sample.h"
#include "client/examples/batch_frontend/summary.h"

namespace priorityd::batch_frontend {

// A table of users and their sums, as text.
std::string ToTable(const Summary& summary);

// The same, one object. Times in seconds.
std::string ToJson(const Summary& summary);

// A line for each sample and user under `time,user,usage_share,entitlement,due_share`;
// due_share is empty for users without enough demand (`window`) at that time.
std::string ToCsv(const std::vector<ShareSample>& samples, absl::Duration window);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_REPORT_H_
