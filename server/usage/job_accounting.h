// What a usage record tells of its job beside the charge.
#ifndef PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_
#define PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "server/usage/usage_submission.h"
#include "storage/job_accounting_store.h"

namespace priorityd::usage {

// A hostlist of more is refused.
inline constexpr size_t kMaxNodeListBytes = 32 << 10;
// Exit codes and signals above this are.
inline constexpr int32_t kMaxExitCode = 65535;

// What is wrong with it, nullopt if nothing is or it tells nothing. `latest`: when anything may
// have ended. REQUIRES: the record's own times are in order.
std::optional<Rejection> FindJobFault(const UsageSubmission& record, absl::Time latest);

// As it is stored: with the record's times where it tells none of its own, cut to what PostgreSQL
// keeps. Null where it tells nothing. REQUIRES: no FindJobFault.
std::shared_ptr<const storage::JobAccounting> WholeAccounting(const UsageSubmission& record);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_JOB_ACCOUNTING_H_
