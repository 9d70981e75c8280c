// Associations and QOS in slurmrestd's format.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_SETTINGS_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_SETTINGS_H_

#include <string>

#include "priority/v1/administration.pb.h"
#include "server/gateway/slurm_shapes.h"

namespace priorityd::gateway {

// A row of `associations`; `with_inherited`: including inherited limits.
Json AssociationShape(int version, const std::string& cluster,
                      const ::priority::v1::Association& association, bool with_inherited);

// A row of `qos`.
Json QosShape(const ::priority::v1::Qos& qos);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_SETTINGS_H_
