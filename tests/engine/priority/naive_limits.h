// All limits that make jobs wait a second time (docs/semantics.md, sections 7 and 8).
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_LIMITS_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_LIMITS_H_

#include <string>

#include "tests/engine/priority/naive_jobs.h"

namespace priorityd::priority {

// Slurm's word for the first limit that the pair exceeds; empty if it fits all.
std::string NaiveLimitReason(const NaiveJobs& queue, const NaivePair& pair);

// Whether the job alone exceeds a limit of the pair's on nodes, or its MaxWall.
bool NaiveOverNodesOrTime(const NaiveJobs& queue, const NaivePair& pair);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_LIMITS_H_
