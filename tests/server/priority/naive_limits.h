// The limits on usage a second time (docs/semantics.md, section 7, "Limits").
#ifndef PRIORITYD_TESTS_SERVER_PRIORITY_NAIVE_LIMITS_H_
#define PRIORITYD_TESTS_SERVER_PRIORITY_NAIVE_LIMITS_H_

#include <string>

#include "tests/server/priority/naive_jobs.h"

namespace priorityd::priority {

// Slurm's word for the first limit that the pair exceeds; empty if it fits all.
std::string NaiveLimitReason(const NaiveJobs& queue, const NaivePair& pair);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_SERVER_PRIORITY_NAIVE_LIMITS_H_
