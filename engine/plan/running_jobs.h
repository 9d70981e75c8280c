// The running jobs of a cluster, and the resources that they leave free over time.
#ifndef PRIORITYD_ENGINE_PLAN_RUNNING_JOBS_H_
#define PRIORITYD_ENGINE_PLAN_RUNNING_JOBS_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/plan/cluster_profile.h"

namespace priorityd::plan {

// A job past its end is assumed to end so long after the time of a plan.
inline constexpr absl::Duration kOverdue = absl::Minutes(1);

// Kept by a caller that makes one plan after another, as a start or an end changes the profile of a
// few nodes only.
class RunningJobs {
 public:
  // `cluster` must outlive this object.
  explicit RunningJobs(const Cluster& cluster);
  RunningJobs(const RunningJobs&) = delete;
  RunningJobs& operator=(const RunningJobs&) = delete;

  // The job runs from now on. `number`: chosen by the caller, not that of a running job.
  void Start(size_t number, RunningJob job);
  // REQUIRES: the job runs.
  void End(size_t number);
  const RunningJob& job(size_t number) const { return jobs_.find(number)->second.job; }

  const Cluster& cluster() const { return cluster_; }
  // The free resources from `now` on, with which `now` must never be earlier than before. A caller
  // that reserves some of them for a plan releases them before the next call of this object.
  ClusterProfile& FreeFrom(absl::Time now);
  // The first job, by number, that uses one of the nodes, ascending, until `end` as it was assumed
  // by FreeFrom; nullopt = none.
  std::optional<size_t> HolderUntil(absl::Time end, absl::Span<const int> nodes) const;

 private:
  struct Run {
    RunningJob job;
    std::vector<int> nodes;  // The nodes of the job, or assumed ones.
    absl::Time end;          // As assumed.
  };

  void Reserve(size_t number, Run& run);
  void Release(size_t number, const Run& run);
  // Assumes nodes again for jobs whose nodes are unknown.
  void AssumeNodes();
  void ExtendOverdue(absl::Time now);

  const Cluster& cluster_;
  ClusterProfile free_;
  absl::node_hash_map<size_t, Run> jobs_;  // By number.
  absl::btree_map<std::pair<absl::Time, size_t>, Run*> ends_;
  absl::btree_set<size_t> unknown_;  // Jobs whose nodes are unknown.
  bool is_assumed_ = true;           // Whether these have nodes, if there are enough.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_RUNNING_JOBS_H_
