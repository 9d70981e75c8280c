// The standings of supposed grants, and the jobs that they concern.
#ifndef PRIORITYD_SERVER_API_SIMULATION_GRANTED_OWNERS_H_
#define PRIORITYD_SERVER_API_SIMULATION_GRANTED_OWNERS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include "absl/types/span.h"
#include "priority/v1/simulation.pb.h"
#include "server/queue/state/queue_state.h"
#include "server/simulation/supposition.h"

namespace priorityd::rpc {

// Of each owner, `before` by the snapshot of the queue.
void AddGrantEffects(
    const queue::QueueState& queue, absl::Span<const simulation::SupposedOwner> owners,
    google::protobuf::RepeatedPtrField<::priority::v1::SupposedGrantEffect>* effects);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SIMULATION_GRANTED_OWNERS_H_
