// Whether a job still fits the limits.
#ifndef PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
#define PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"
#include "server/priority/limit_counts.h"
#include "server/priority/limits.h"
#include "server/priority/reason.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

class LimitRooms;

// What the rows of a table want of everything that has a limit: all that checking
// needs of the jobs. Depends on the snapshot, not on the moment. Empty when
// default-constructed, and without limits.
//
// A job without a time limit has that of its QOS's or association's MaxWall, else its
// partition's DefaultTime, else its MaxTime. A running or suspended job may still use its TRES
// times what is left of its time limit since the latest end recorded for it, or since its start;
// it counts in the first partition and QOS that it names.
class LimitDemands {
 public:
  LimitDemands() = default;
  // `table` was built from `jobs`.
  LimitDemands(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table);

  bool empty() const { return width_ == 0; }
  // Of a limit, in its unit; infinite without a time limit. The time itself is never a factor of
  // what the row has 0 of.
  double Of(size_t row, const Limit& limit) const;

  // What a row wants at all.
  struct Wanted {
    double seconds;
    double nodes;
    absl::Span<const double> tres;  // Counts, as Limits::tres().
  };
  Wanted WantedBy(size_t row) const {
    const absl::Span<const double> columns = Columns(row);
    return {columns[kSeconds], columns[kNodes], columns.subspan(kColumns)};
  }

  // Counts all jobs of the table, or (`there` false) takes them away.
  void CountAll(const Snapshot& snapshot, const JobTable& table, bool there,
                LimitCounts* counts) const;
  // Counts those that run: all that ranking needs.
  void CountRunning(const Snapshot& snapshot, const JobTable& table, LimitCounts* counts) const;
  CountedJob Counted(const Snapshot& snapshot, const JobTable& table, uint32_t job) const;

 private:
  enum Column : size_t { kSeconds, kNodes, kColumns };
  class Reader;

  absl::Span<const double> Columns(size_t row) const {
    return absl::MakeConstSpan(wanted_).subspan(row * width_, width_);
  }

  size_t width_ = 0;            // TRES with limits, and kColumns.
  std::vector<double> wanted_;  // By row, then by without_rows_; of running jobs what they may
                                // still use.
  std::vector<uint32_t> without_rows_;  // Running jobs with an association, ascending.
  std::vector<uint32_t> tasks_;         // By job.
};

// Checks all limits that make a job wait, at one moment. Equal (to 1e-9) fits.
// GrpTRESMins and GrpWall: what was used so far must stay below; under
// AccountingStorageEnforce=safe what running jobs may still use and the job's own count too, and
// together may not exceed it. What a job has 0 of is not limited. UsageFactor does not lower or
// raise what a job wants; where it is 0, what was used does not count against GrpTRESMins.
// Each pending job is checked alone.
//
// Everything given must outlive it. Thread-compatible: all const.
class LimitCheck {
 public:
  // `counts`: of the whole queue.
  LimitCheck(const Snapshot& snapshot, const LimitCounts& counts, absl::Time as_of);

  // Whether there is any limit.
  bool empty() const { return limits_.empty(); }
  const Limits& limits() const { return limits_; }
  const LimitCounts& counts() const { return counts_; }

  // The first limit that the pending job of a row exceeds, in the order of
  // docs/semantics.md, section 8.
  std::optional<ExceededLimit> FirstExceeded(const JobTable& table, const LimitDemands& demands,
                                             size_t row) const;
  // The first one that the job would exceed if nothing ran and nothing had been used, and that is
  // not of time or place alone: what DenyOnLimit refuses at submission.
  std::optional<ExceededLimit> FirstExceededAlone(const JobTable& table,
                                                  const LimitDemands& demands, size_t row) const;

  // How much of the usage is kept at this moment, and that of a QOS with NoDecay.
  struct Kept {
    double usage = 1;
    double no_decay = 1;
  };
  const Kept& kept() const { return kept_; }
  // Raises `fits` to how much may be kept at most for the limit not to be exceeded any more; as it
  // is where that does not depend on usage.
  void RaiseTo(const ExceededLimit& sum, Kept* fits) const;
  // Calls `found` for each row of the table whose pair a limit keeps back: no earlier reason does,
  // and the job does not run. `rooms` are of this check.
  void ForEachLimited(const JobTable& table, const LimitDemands& demands, LimitRooms& rooms,
                      absl::FunctionRef<void(size_t row, const ExceededLimit&)> found) const;

  // Puts kLimit into every row of the table whose pair exceeds one, unless an earlier reason
  // applies.
  void Apply(const LimitDemands& demands, JobTable& table) const;

  // What may be wanted under the limit, in its unit, by a job of that association and those QOS;
  // never too much, and less than 0 where nothing may. What runs counts unless `running` is false.
  // REQUIRES: the limit is not a least one.
  double RoomUnder(const Limit& limit, const Limits::QosChain& qos, AssociationIndex association,
                   bool running) const;

 private:
  // What is to be judged of a row.
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
  // Whether what was used of it does.
  bool Decays(const Limit& limit) const;
  // What was used against it so far.
  double UsedOf(const Limit& limit) const {
    return limit.used * (Decays(limit) ? kept_.usage : kept_.no_decay);
  }
  // What the limit comes to.
  ExceededLimit SumOf(const Judged& judged, const Limit& limit, bool alone) const;
  bool Exceeded(const Judged& judged, const ExceededLimit& sum, bool alone) const;

  const Snapshot& snapshot_;
  const Limits& limits_;
  const LimitCounts& counts_;
  const bool safe_;
  Kept kept_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
