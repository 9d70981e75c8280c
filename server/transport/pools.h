// All pools of threads that run calls.
#ifndef PRIORITYD_SERVER_TRANSPORT_POOLS_H_
#define PRIORITYD_SERVER_TRANSPORT_POOLS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/threads/clock.h"
#include "server/transport/recent_cpu.h"
#include "server/transport/worker_pool.h"

namespace priorityd::rpc {

// Sizes that depend on the host, or that a test chooses.
struct PoolSizes {
  int cpus = 2;     // Of the host, at least 2.
  int storing = 8;  // Threads, as the following.
  int operating = 8;
  size_t max_queued_operations = kMaxQueuedCalls;
};

// Each pool has room for kMaxQueuedCalls waiting calls, unless stated otherwise, and a caller has
// lanes of its own in it; see WorkerPool. What refers to its own work in a pool waits until the
// pool is idle before it is destroyed. Thread-safe.
struct Pools {
  Pools(const PoolSizes& sizes, const quotas::Parts& parts, threads::Clock real_clock);

  // The CPU that callers have used on `computing` and `background`. Before them, as their threads
  // add to it after the end of a call, until they are joined.
  RecentCpu recent_cpu;

  // Ranks and lists; never waits for the database.
  WorkerPool computing;
  // The same for watchers, and for callers other than services who have used much CPU lately.
  WorkerPool background;
  // Compares, plans and estimates costs: may compute for seconds; never waits for the database.
  WorkerPool planning;
  // Reports, simulates and lists from the database: may read a year of the ledger.
  WorkerPool reporting;
  // Changes tracked queues. A lane is a cluster: updates of one queue wait for each other and delay
  // nothing else.
  WorkerPool updating;
  // Prices usage and builds its answers; must not wait for long.
  WorkerPool storing;
  // Serves administrators: waits for the database, and for recalculations.
  WorkerPool operating;
  // Returns the service's status, even while all other calls wait.
  WorkerPool status;
  // Waits for munged.
  WorkerPool proving;
  // Reads the nodes of a policy for calls that must not wait for the database.
  WorkerPool reading;
  // Converts answers to JSON, to keep that off gRPC's threads. Half of the CPUs, so that the others
  // can rank while dashboards are answered.
  WorkerPool answering;
  // Converts events to JSON, so that one peer's streams delay neither calls nor the streams of
  // others.
  WorkerPool converting;

  // The pool that computes for this caller now.
  WorkerPool& ComputingFor(const quotas::Holder& caller);

  struct Named {
    const char* name;  // In the metrics.
    const WorkerPool& pool;
    bool has_parts;  // Callers take places in it.
  };
  std::vector<Named> all() const;

  // Waits until each pool was idle once.
  void AwaitIdle() const;

  // By name.
  std::vector<std::pair<std::string, PoolActivity>> Activities() const;
  // The callers' use of the pools: `calls_planning`.
  std::vector<quotas::Usage> Usages() const;
};

// Waits for the pools in its destructor. Declared between the services and what sends them calls,
// it ends the work that is left of ended calls before the services.
class IdleAtEnd {
 public:
  // `pools` must outlive it.
  explicit IdleAtEnd(const Pools* pools) : pools_(pools) {}
  ~IdleAtEnd() { pools_->AwaitIdle(); }
  IdleAtEnd(const IdleAtEnd&) = delete;
  IdleAtEnd& operator=(const IdleAtEnd&) = delete;

 private:
  const Pools* const pools_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_POOLS_H_
