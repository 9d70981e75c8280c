// The queue of a simulation: the waiting jobs, ranked.
#ifndef PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_
#define PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/limit_gate.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/start_order.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {

// The engine's job for a recorded one, pending. `from` must outlive the result.
priority::Job ToEngine(const HistoryJob& from);

// A job that waited for a grant, used up or not, while free nodes fitted it; indices.
struct HeldJob {
  size_t grant = 0;
  size_t job = 0;

  friend auto operator<=>(const HeldJob&, const HeldJob&) = default;
};

// The waiting jobs as rows, in columns that are kept from one ranking to the next: each pair of a
// partition and a QOS in which a job may start is a row. Ranks them as priority::Rank does. Jobs
// are named by their index in the history.
class JobQueue {
 public:
  // A row to be started in one place.
  struct Row {
    size_t job = 0;
    int kind = 0;    // Of Machine.
    int nodes = 0;   // Requested by the job.
    int limits = 0;  // Its class of LimitGate.
  };

  // `idle`: a snapshot of the site. All must outlive this object.
  JobQueue(absl::Span<const HistoryJob> history, const priority::Snapshot& idle, LimitGate* gate);

  // The job begins to wait. `kinds`: the kind of Machine for each partition as resolved, in order.
  void Add(size_t job, absl::Span<const int> kinds, int nodes);
  // The job starts.
  void Remove(size_t job);
  // From now on, ranks by `snapshot`, which is of the same site and must remain until the next
  // call.
  void SetSnapshot(const priority::Snapshot& snapshot);

  size_t waiting() const { return place_of_.size(); }
  // The waiting jobs.
  std::vector<priority::Job> Jobs() const;

  const Row& row(uint32_t number) const { return rows_[number]; }
  // Index into the partitions and QOS of the snapshot; -1 = none.
  int PartitionOf(uint32_t row) const { return table_.partition[row]; }
  int QosOf(uint32_t row) const { return table_.qos[row]; }
  priority::AssociationIndex AssociationOf(uint32_t row) const {
    return table_.association[table_.job[row]];
  }
  // 0 under priority/basic.
  uint32_t PriorityOf(uint32_t row) const { return priorities_[row]; }
  // Whether the job has other rows.
  bool IsOneOfMany(uint32_t row) const {
    const uint32_t job = table_.job[row];
    return table_.first_row[job + 1] - table_.first_row[job] > 1;
  }
  // Whether the limits block the row at the time of the gate.
  bool IsBlocked(uint32_t row) const {
    return gate_.Blocks(rows_[row].limits, table_, demands_, row);
  }

  // Whether `fits` is true for a row of a waiting job.
  bool AnyFits(absl::FunctionRef<bool(const Row& row)> fits) const;
  // The same for a row that can start. REQUIRES: SetSnapshot and SetTime of the gate were called.
  bool AnyStarts(absl::FunctionRef<bool(const Row& row)> fits) const;
  // Adds the waiting jobs for a row of which `fits` is true, and which a grant blocks. REQUIRES: as
  // for AnyStarts.
  void NoteHeld(absl::FunctionRef<bool(const Row& row)> fits, std::set<HeldJob>* held) const;
  // The rows that can start at `now`, in start order, without those that are known to be blocked.
  // Their numbers are valid until a job is added. REQUIRES: as for AnyStarts.
  std::vector<uint32_t> Ranked(absl::Time now);

 private:
  // Sets what depends on the current snapshot, from a row on.
  void Update(size_t first_row);
  // Drops the rows of jobs that have started.
  void Compact();
  bool MayStart(uint32_t row) const {
    return table_.reason[row] == priority::Reason::kNone && !table_.Running(row);
  }

  const absl::Span<const HistoryJob> history_;
  const priority::Snapshot& idle_;
  LimitGate& gate_;
  const priority::FactorScale idle_scale_;
  priority::JobTableBuilder builder_;
  const bool accrue_limited_;
  const std::shared_ptr<const priority::StartOrder::Tiers> tiers_;
  std::optional<priority::FactorScale> scale_;  // Of the current snapshot.
  // Jobs that have started keep their rows, as running ones, until the next Compact.
  std::vector<size_t> jobs_;  // By job of the table.
  priority::JobTable table_;
  priority::LimitDemands demands_;
  std::vector<Row> rows_;  // By row of the table.
  std::vector<uint32_t> priorities_;
  absl::flat_hash_map<size_t, uint32_t> place_of_;  // Of waiting jobs: the job of the table.
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_JOB_QUEUE_H_
