// Validation of a SimulateRequest, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_SIMULATION_VALIDATE_SIMULATION_H_
#define PRIORITYD_SERVER_API_SIMULATION_VALIDATE_SIMULATION_H_

#include "absl/status/status.h"
#include "priority/v1/simulation.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// As the functions of validate.h.
absl::Status Validate(const ::priority::v1::SimulateRequest& request, const RequestLimits& limits);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SIMULATION_VALIDATE_SIMULATION_H_
