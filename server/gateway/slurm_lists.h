// The lists of slurmrestd that this service supports.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_

#include <memory>

#include "server/gateway/slurm_list.h"

namespace priorityd::gateway {

// For the path's resource: shares; jobs, or job with a name; qos; associations, also as
// `association`. Null for any other.
std::unique_ptr<SlurmList> NewSlurmList(SlurmPath path);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_
