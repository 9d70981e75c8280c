// Converts the engine's Comparison to the API.
#ifndef PRIORITYD_SERVER_API_EXPLANATION_CONVERT_COMPARISON_H_
#define PRIORITYD_SERVER_API_EXPLANATION_CONVERT_COMPARISON_H_

#include "absl/types/span.h"
#include "engine/explanation/comparison.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/comparison.pb.h"

namespace priorityd::rpc {

// `jobs`: the jobs that contain the two compared ones.
void ToProto(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
             const explanation::Comparison& comparison, ::priority::v1::Comparison* proto);

::priority::v1::OrderRule ToProto(priority::OrderRule rule);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_EXPLANATION_CONVERT_COMPARISON_H_
