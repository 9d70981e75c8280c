// The engine's Comparison to proto.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_COMPARISON_H_
#define PRIORITYD_SERVER_RPC_CONVERT_COMPARISON_H_

#include "absl/types/span.h"
#include "priority/v1/comparison.pb.h"
#include "server/explanation/comparison.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::rpc {

// `jobs` are those that two were compared of.
void ToProto(const Snapshot& snapshot, absl::Span<const Job> jobs, const Comparison& comparison,
             priority::v1::Comparison* proto);

priority::v1::OrderRule ToProto(OrderRule rule);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_COMPARISON_H_
