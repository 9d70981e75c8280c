// The paths of slurmrestd, for the tools that are written for it.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_

#include <memory>

#include "server/gateway/origins.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::gateway {

// GET /slurm/v0.0.4x/shares, jobs, job/ID and /slurmdb/v0.0.4x/qos, qos/NAME, associations,
// association, with a `/` behind or without. Each is a call of an RPC, or one for each page of it,
// so that who asks, and what she is told, is as everywhere. Thread-safe.
class SlurmRoutes {
 public:
  // What calls are made with; all of it must outlive them.
  struct Means {
    Stub* stub = nullptr;
    const Origins* origins = nullptr;
    rpc::WorkerPool* answering = nullptr;
  };
  explicit SlurmRoutes(const Means& means) : means_(means) {}

  // Must outlive them.
  void AddRoutes(http::Routes* routes) const;

 private:
  void Serve(const std::shared_ptr<http::Exchange>& exchange) const;

  const Means means_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_ROUTES_H_
