// The lists of slurmrestd that the service has.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_

#include <memory>

#include "server/gateway/slurm_list.h"

namespace priorityd::gateway {

// Of the path's resource: shares; jobs, and job with a name; qos; associations, which `association`
// is too. Null for any other.
std::unique_ptr<SlurmList> NewSlurmList(SlurmPath path);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_LISTS_H_
