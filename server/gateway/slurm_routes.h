// The paths of slurmrestd, for tools written for it.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_

#include "server/gateway/origins.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {

// The dependencies of the calls; all must outlive the routes.
struct SlurmMeans {
  Stub* stub = nullptr;
  const Origins* origins = nullptr;
  rpc::WorkerPool* answering = nullptr;
  rpc::Admission* admission = nullptr;
};

// GET /slurm/v0.0.4x/shares, jobs, job/ID and /slurmdb/v0.0.4x/qos, qos/NAME, associations,
// association, with or without a trailing `/`. Each makes a call of an RPC, or one per page, so
// that authentication and visibility are the same as in the API.
void AddSlurmRoutes(const SlurmMeans& means, http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
