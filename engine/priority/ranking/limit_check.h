// Checks whether a job fits the limits of associations and QOS.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_CHECK_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_CHECK_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/limit_counts.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

class LimitRooms;

// The time limit of a row of a job, as LimitDemands describes it.
absl::Duration TimeLimitOf(const Snapshot& snapshot, const Job& job, const JobTable& table,
                           size_t row);
// The seconds of a time limit that a running job may still use, after `recorded` of them.
double SecondsLeft(absl::Duration limit, absl::Duration recorded);

// The demand of each row of a table for everything that has a limit. Depends on the snapshot, not
// on the time of the check. Empty if default-constructed or without limits.
//
// The time limit of a job without one is MaxWall of its QOS or association, else DefaultTime of
// its partition, else MaxTime. A running or suspended job may still use its TRES for the rest of
// its time limit, counted from the latest end recorded for it, else from its start; it counts in
// the first partition and QOS that it names.
class LimitDemands {
 public:
  LimitDemands() = default;
  // REQUIRES: `table` was built from `jobs` with `snapshot`.
  LimitDemands(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table);
  // Adds a pending job, the last one of the table. The demands of all others were added before.
  void Append(const Snapshot& snapshot, const Job& job, const JobTable& table);

  bool empty() const { return width_ == 0; }
  // The row's demand under a limit, in the unit of Limit::limit; infinite without a time limit. It
  // is 0 for a TRES of which the row requests 0, whatever the time.
  double Of(size_t row, const Limit& limit) const;

  // The demand of one row.
  struct Wanted {
    double seconds;
    double nodes;
    absl::Span<const double> tres;  // Counts, in the order of Limits::tres().
  };
  Wanted WantedBy(size_t row) const {
    const absl::Span<const double> columns = Columns(row);
    return {columns[kSeconds], columns[kNodes], columns.subspan(kColumns)};
  }

  // Adds all jobs of the table to `counts`; subtracts them if `there` is false.
  void CountAll(const Snapshot& snapshot, const JobTable& table, bool there,
                LimitCounts* counts) const;
  // Adds the running jobs alone, which is enough for ranking.
  void CountRunning(const Snapshot& snapshot, const JobTable& table, LimitCounts* counts) const;
  CountedJob Counted(const Snapshot& snapshot, const JobTable& table, uint32_t job) const;

 private:
  enum Column : size_t { kSeconds, kNodes, kColumns };
  class Reader;

  absl::Span<const double> Columns(size_t row) const {
    return absl::MakeConstSpan(wanted_).subspan(row * width_, width_);
  }

  size_t width_ = 0;            // The number of TRES with limits, plus kColumns.
  std::vector<double> wanted_;  // By row, then by without_rows_; for running jobs what they may
                                // still use.
  std::vector<uint32_t> without_rows_;  // Running jobs with an association, ascending.
  std::vector<uint32_t> tasks_;         // By job.
};

// Checks all limits that can make a job wait, at one time. A demand equal to the limit (relative
// tolerance 1e-9) fits. GrpTRESMins and GrpWall: past usage must be below the limit; under
// AccountingStorageEnforce=safe the sum of past usage, what running jobs may still use and the
// job's own demand must not exceed it. A TRES of which a job requests 0 is not checked. UsageFactor
// does not change a job's demand; if it is 0, past usage does not count against GrpTRESMins.
// Grants are compared in the same way, those of a usage domain by past usage alone; money by the
// price of a job that starts at the time of the snapshot. Pending jobs are checked independently of
// one another.
//
// All arguments must outlive it. Thread-compatible: all methods are const.
class LimitCheck {
 public:
  // `counts`: the sums over the whole queue.
  LimitCheck(const Snapshot& snapshot, const LimitCounts& counts, absl::Time as_of);

  // Whether there are no limits.
  bool empty() const { return limits_.empty(); }
  const Limits& limits() const { return limits_; }
  const LimitCounts& counts() const { return counts_; }

  // The first limit that the pending job of a row exceeds, in the order of
  // docs/semantics.md, section 8.
  std::optional<ExceededLimit> FirstExceeded(const JobTable& table, const LimitDemands& demands,
                                             size_t row) const;
  // The first limit that the job would exceed if no job ran and nothing had been used. Does not
  // check limits on the number of jobs, nor grants, which make jobs wait only. DenyOnLimit rejects
  // such a job at submission.
  std::optional<ExceededLimit> FirstExceededAlone(const JobTable& table,
                                                  const LimitDemands& demands, size_t row) const;

  // The part of the snapshot's usage that is left at the time of the check, after decay and resets;
  // `no_decay` is for QOS with the flag NoDecay.
  struct Kept {
    double usage = 1;
    double no_decay = 1;
  };
  const Kept& kept() const { return kept_; }
  // Raises `fits` to the largest part of usage at which the limit is no longer exceeded; leaves it
  // if usage does not matter or does not decay, as that of grants.
  void RaiseTo(const ExceededLimit& sum, Kept* fits) const;
  // Calls `found` for each row of a pending job that a limit blocks and no earlier reason does.
  // `rooms` was made from this check.
  void ForEachLimited(const JobTable& table, const LimitDemands& demands, LimitRooms& rooms,
                      absl::FunctionRef<void(size_t row, const ExceededLimit&)> found) const;

  // Sets kLimit as the reason of every row that exceeds a limit, unless an earlier reason applies.
  void Apply(const LimitDemands& demands, JobTable& table) const;

  // The largest demand that fits the limit, in its unit, for a job of that association and those
  // QOS; rounded down, below 0 if nothing fits. Running jobs count unless `running` is false.
  // REQUIRES: !limit.rule().is_least.
  double RoomUnder(const Limit& limit, const Limits::QosChain& qos, AssociationIndex association,
                   bool running) const;

 private:
  // A row to be checked.
  struct Judged {
    const LimitDemands& demands;
    size_t row;
    AssociationIndex association;
    const Limits::QosChain& qos;
    bool alone;
  };

  Judged Judge(const JobTable& table, const LimitDemands& demands, size_t row, bool alone) const;
  std::optional<ExceededLimit> First(const Judged& judged) const;
  std::optional<ExceededLimit> FirstOf(const Judged& judged, absl::Span<const int32_t> chain,
                                       bool of_nodes) const;
  // Whether past usage does not count against the limit under the QOS.
  bool IsFree(const Limit& limit, const Limits::QosChain& qos) const;
  // Whether usage that counts against the limit decays. REQUIRES: not of a grant, whose usage is
  // neither decayed nor reset.
  bool Decays(const Limit& limit) const;
  // Whether the demand of jobs counts against a limit on usage.
  bool CountsDemand(const Limit& limit) const { return safe_ && !limit.by_usage_alone; }
  // Usage that counts against the limit, at the time of the check.
  double UsedOf(const Limit& limit) const {
    if (limit.of_grant()) return limit.used;
    return limit.used * (Decays(limit) ? kept_.usage : kept_.no_decay);
  }
  // The arithmetic of the limit for the row.
  ExceededLimit SumOf(const Judged& judged, const Limit& limit, bool alone) const;
  bool Exceeded(const Judged& judged, const ExceededLimit& sum, bool alone) const;

  const Snapshot& snapshot_;
  const Limits& limits_;
  const LimitCounts& counts_;
  const bool safe_;
  Kept kept_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_CHECK_H_
