// Limits on running jobs and their TRES as pools of a plan.
#ifndef PRIORITYD_ENGINE_SCHEDULING_LIMIT_POOLS_H_
#define PRIORITYD_ENGINE_SCHEDULING_LIMIT_POOLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/plan/cluster.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/tres_reader.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::scheduling {

// Whether a plan can hold a limit: it bounds the jobs that run at one time, or their TRES.
bool IsPool(const priority::Limit& limit);

// The pools that the jobs of a plan share by such limits, one for each limit and each owner of
// running jobs that it counts. Under a LimitFactor, the pool has the largest bound.
class LimitPools {
 public:
  // The most jobs that can share a pool. A plan ignores a limit that more jobs share: the time that
  // a pool takes grows with the square of its jobs.
  static constexpr int kMostJobs = 2'000;

  // Pools are numbered from `first` on. `snapshot` must outlive it.
  LimitPools(const priority::Snapshot& snapshot, int first);

  // The amount that a job takes of each pool; the row gives its partition, QOS and association.
  std::vector<plan::PoolNeed> NeedsOf(const priority::Job& job, const priority::JobRow& row);

  // By pool: the sizes.
  const std::vector<int64_t>& sizes() const { return sizes_; }
  // Whether the needs so far are more than the pool has; otherwise no job ever waits for it.
  bool CanFill(int pool) const;

 private:
  struct Wanted {
    int64_t amount = 0;
    int jobs = 0;
  };

  void Add(const priority::Limit& limit, int32_t index, const priority::Limits::QosChain& qos,
           const priority::JobRow& row, double amount, std::vector<plan::PoolNeed>* needs);

  const priority::Limits& limits_;
  const priority::Snapshot& snapshot_;
  const int first_;
  priority::TresReader tres_;
  priority::JobBilling billing_;
  const int billing_column_;
  // By the number of a limit and the counter of its jobs.
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int> pool_of_;
  std::vector<int64_t> sizes_;
  std::vector<Wanted> wanted_;  // By pool.
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_LIMIT_POOLS_H_
