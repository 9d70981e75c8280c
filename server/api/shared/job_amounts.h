// The bounds on the CPUs and the counts of TRES of a job.
#ifndef PRIORITYD_SERVER_API_SHARED_JOB_AMOUNTS_H_
#define PRIORITYD_SERVER_API_SHARED_JOB_AMOUNTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// The violation of an amount of a TRES, without its field: `: got X, want at most 1e12`; empty if
// there is none. CPUs and nodes are at most numbers::kMostAmount, others numbers::kMostCount.
// `tres`: in any case.
std::string AmountFault(absl::string_view tres, double amount);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_JOB_AMOUNTS_H_
