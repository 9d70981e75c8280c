// The paths of slurmrestd, for the tools that are written for it.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_

#include "server/gateway/origins.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/rpc/admission.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::gateway {

// What calls are made with; all of it must outlive the routes.
struct SlurmMeans {
  Stub* stub = nullptr;
  const Origins* origins = nullptr;
  rpc::WorkerPool* answering = nullptr;
  rpc::Admission* admission = nullptr;
};

// GET /slurm/v0.0.4x/shares, jobs, job/ID and /slurmdb/v0.0.4x/qos, qos/NAME, associations,
// association, with a `/` behind or without. Each is a call of an RPC, or one for each page of it,
// so that who asks, and what she is told, is as everywhere.
void AddSlurmRoutes(const SlurmMeans& means, http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
