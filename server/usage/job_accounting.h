// The accounting data of a job in a usage record, in addition to the charge.
#ifndef PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_
#define PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_

#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "server/usage/usage_submission.h"
#include "storage/ledger/job_accounting_store.h"

namespace priorityd::usage {

// Larger exit codes and signals are refused.
inline constexpr int32_t kMaxExitCode = 65535;

// The first fault; nullopt if there is none or the record has no accounting data. `latest`: the
// latest valid end. REQUIRES: the record's own times are valid.
std::optional<Rejection> FindJobFault(const UsageSubmission& record, absl::Time latest);

// The data to store: missing times are the record's, truncated to PostgreSQL's resolution. Null if
// there is none. REQUIRES: FindJobFault found no fault.
std::shared_ptr<const storage::JobAccounting> WholeAccounting(const UsageSubmission& record);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_
