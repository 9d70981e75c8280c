// The waiting jobs of a simulation that the limits block.
#ifndef PRIORITYD_ENGINE_LABORATORY_LIMIT_GATE_H_
#define PRIORITYD_ENGINE_LABORATORY_LIMIT_GATE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/limit_counts.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {

// Counts the running jobs against the limits, and answers as LimitCheck does. An answer holds for
// all rows of a class, that is of one association and QOS with equal demands, and is kept while
// nothing has happened that could change it: a start for a row that is not blocked; for a blocked
// one an end of a job that counts against the exceeded limit, or time, in which past usage decays.
//
// From one recalculation to the next, the sums are kept up to date by additions and subtractions.
// Their rounding is far below the tolerance of a limit (Limits::kTolerance).
class LimitGate {
 public:
  // `idle`: a snapshot of the site; it must outlive this object.
  explicit LimitGate(const priority::Snapshot& idle);

  // Whether there are no limits, so that nothing is ever blocked.
  bool empty() const { return limits_->empty(); }

  // --- Running jobs -----------------------------------------------------------------

  // `running`: the job with the partition and the QOS in which it starts, and its start time.
  void Start(size_t job, const priority::Job& running);
  void End(size_t job);
  // From now on, uses the limits and the usage of `snapshot`, which is of the same site and must
  // remain until the next call. Usage is recorded until `recorded`.
  void SetSnapshot(const priority::Snapshot& snapshot, absl::Time recorded);
  // The time of the following questions. REQUIRES: SetSnapshot was called.
  void SetTime(absl::Time now);

  // --- Waiting jobs -----------------------------------------------------------------

  // The class of a row of a waiting job. Numbers are valid until ForgetClasses.
  int ClassOf(const priority::JobTable& table, const priority::LimitDemands& demands, size_t row);
  void ForgetClasses();

  // Whether the limits block the row. `of`: its class.
  bool Blocks(int of, const priority::JobTable& table, const priority::LimitDemands& demands,
              size_t row);
  // Whether the rows of the class are known to be blocked; false = unknown.
  bool IsKnownToBlock(int of) const;
  // The grant that blocks the rows of the class by the last answer, as an index into the snapshot's
  // grants; -1 = none.
  int32_t BlockingGrant(int of) const { return empty() ? -1 : answers_[of].grant; }

 private:
  struct Run {
    priority::CountedJob counted;
    std::vector<double> tres;  // Of `counted`.
    absl::Duration limit;
    absl::Time start;
    double usage_factor = 1;
  };
  // The last answer for a class.
  struct Answer {
    int64_t snapshot = -1;  // The number of the snapshot; -1 = there is no answer.
    int64_t change = 0;     // The number of changes at that time.
    absl::Time time;
    bool blocks = false;
    int32_t grant = -1;    // The grant of the exceeded limit.
    bool decays = false;   // The exceeded limit counts past usage that decays.
    int32_t counter = -1;  // The counter of the exceeded limit; -1 = it counts no other jobs.
  };

  void Count(const Run& run, bool there);
  bool Holds(const Answer& answer) const;

  const priority::Snapshot& idle_;
  const priority::FactorScale scale_;
  priority::JobTableBuilder builder_;
  const priority::Limits* limits_;
  const priority::Snapshot* snapshot_ = nullptr;
  priority::LimitCounts counts_;
  std::optional<priority::LimitCheck> check_;
  absl::btree_map<size_t, Run> runs_;
  absl::flat_hash_map<std::vector<double>, int> class_of_;
  std::vector<Answer> answers_;  // By class.
  absl::Time now_ = absl::InfinitePast();
  int64_t snapshots_ = 0;
  int64_t changes_ = 0;         // Starts and ends.
  int64_t last_start_ = 0;      // The number of changes at the last start.
  std::vector<int64_t> freed_;  // The same by counter, at the last end of a job that it counts.
  std::vector<int32_t> counters_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_LIMIT_GATE_H_
