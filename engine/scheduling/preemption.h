// The running jobs that a waiting job would preempt, by Slurm's rules: PreemptType, PreemptMode,
// PreemptParameters and PreemptExemptTime of slurm.conf, PreemptMode and GraceTime of partitions
// and QOS, Preempt and PreemptExemptTime of QOS.
#ifndef PRIORITYD_ENGINE_SCHEDULING_PREEMPTION_H_
#define PRIORITYD_ENGINE_SCHEDULING_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/plan/occupancy.h"
#include "engine/plan/preemption.h"
#include "engine/plan/victim_work.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/site/policy.h"
#include "engine/scheduling/described_cluster.h"
#include "engine/scheduling/planned_queue.h"

namespace priorityd::scheduling {

struct PreemptionOptions {
  // The minimum run time of victims; nullopt = as configured.
  std::optional<absl::Duration> exempt;
  // Preempt as Slurm's backfill does, which takes whole nodes: all that the job may preempt on the
  // nodes that it gets, if it has to preempt any.
  bool whole_nodes = false;
};

// The fewest victims of one waiting job. Running jobs are numbered as in Ranking::running.
class Preemption {
 public:
  // Both references must outlive it.
  Preemption(const PlannedQueue& queue, const DescribedCluster& cluster,
             const PreemptionOptions& options);

  // Considers one row of the job. Call for each of its rows, in start order.
  void Try(const priority::RankedRow& row);

  // The victims of the first row that needs the fewest, whatever whole_nodes adds to them, and that
  // row; unset and null if preempting all that the job may preempt is not enough.
  const std::optional<plan::Victims>& victims() const { return victims_; }
  const priority::RankedRow* row() const { return row_; }

  // The number of jobs that it may preempt, in the row where it may preempt the most.
  size_t preemptible() const { return preemptible_; }

  // The priority that a running job would have if it waited, in its partition under its QOS.
  std::optional<uint32_t> PriorityOf(int running) const { return priorities_[running]; }

  // The action on a running job by PreemptMode: CANCEL, REQUEUE or SUSPEND; CANCEL instead of
  // REQUEUE for a job that may not be requeued, or that is interactive.
  std::string ModeOf(int running) const;

  // The time for which a preempted job may continue to run: GraceTime of its partition or QOS,
  // whichever PreemptType names. 0 under SUSPEND, which does not read it.
  absl::Duration GraceTimeOf(int running) const;

  // The outcome, in a sentence: the jobs to preempt, or the reason that there are none.
  std::string Sentence(absl::string_view job_id) const;

 private:
  // In the order in which they should be preempted.
  std::vector<int> Candidates(const priority::RankedRow& row) const;
  bool MayPreempt(const priority::RankedRow& row, int running) const;
  bool PartitionAllows(const priority::RankedRow& row, int running) const;
  bool QosAllows(const priority::RankedRow& row, int running) const;
  // PreemptMode of the job's partition or QOS, whichever PreemptType names, else of the policy.
  absl::string_view ModeWords(const priority::JobRow& row) const;
  // Whether PreemptMode of the policy or of the partition or QOS of the row has the word.
  bool HasMode(const priority::RankedRow& row, absl::string_view word) const;
  // Whether the licenses are free, or jobs are preempted for them.
  bool HasLicenses(const plan::Place& place) const;
  void AddWholeNodes(const std::vector<int>& candidates, plan::Victims* victims) const;
  bool GoesFirst(int a, int b) const;
  // The order of victims that precedes their priority.
  uint32_t Tier(const priority::JobRow& row) const;
  // The minimum run time before the job can be preempted.
  absl::Duration ExemptTime(int running) const;
  std::string WhyNot(absl::string_view job_id) const;

  const PlannedQueue& queue_;
  const DescribedCluster& cluster_;
  const PreemptionOptions options_;
  const std::vector<std::optional<uint32_t>> priorities_;
  std::vector<plan::RunningJob> running_;
  plan::Occupancy occupancy_;
  plan::VictimWork work_;  // Of all rows.
  bool needs_licenses_ = false;
  size_t preemptible_ = 0;
  std::optional<plan::Victims> victims_;
  size_t needed_ = 0;  // Of victims_, without those that whole_nodes adds.
  const priority::RankedRow* row_ = nullptr;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_PREEMPTION_H_
