// Whether a job still fits the limits on usage.
#ifndef PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
#define PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"
#include "server/priority/reason.h"
#include "server/priority/snapshot.h"
#include "server/priority/usage_limits.h"

namespace priorityd::priority {

// What the rows of a table want of everything that has a limit, and what its
// running jobs may still use: all that checking needs of the jobs. Depends on the
// snapshot, not on the moment. Empty when default-constructed.
class LimitDemands {
 public:
  LimitDemands() = default;
  // `table` was built from `jobs`.
  LimitDemands(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table);

  // Of a limit's TRES, in its unit; infinite without a time limit. 0 for rows that
  // no limit concerns.
  double Of(size_t row, const UsageLimit& limit) const {
    return wanted_[row * width_ + (limit.tres - UsageLimit::kWall)];
  }
  // By limit; empty = there are no limits.
  absl::Span<const double> running() const { return running_; }

  // The most that a row which nothing else keeps back wants of a limit.
  struct Most {
    int32_t limit;  // Index into UsageLimits::limits().
    double wanted;
  };
  // One for each limit that concerns such a row.
  absl::Span<const Most> most() const { return most_; }

 private:
  void AddWanted(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table);
  void AddRunning(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table);
  void FindMost(const Snapshot& snapshot, const JobTable& table);

  size_t width_ = 0;             // TRES with limits, and one for GrpWall.
  std::vector<double> wanted_;   // [row * width_ + TRES + 1].
  std::vector<double> running_;  // By limit.
  std::vector<Most> most_;
};

// Checks GrpTRESMins and GrpWall at one moment: what was used so far + what
// running jobs may still use + the job's TRES times its time limit must not
// exceed them; equal (to 1e-9) fits. Each pending job is checked alone. A job
// without a time limit has its partition's DefaultTime, else its MaxTime. What a
// job has 0 of never adds up to anything, however long it runs. UsageFactor does
// not lower or raise what a job wants.
//
// Running and suspended jobs may still use their TRES times what is left of
// their time limit since the latest end recorded for them, or since their start;
// they count in the first partition and QOS that they name.
//
// Everything given must outlive it. Thread-compatible: all const.
class LimitCheck {
 public:
  // `running`: LimitDemands::running(), added up over the whole queue.
  LimitCheck(const Snapshot& snapshot, absl::Span<const double> running, absl::Time as_of);

  // Whether there is any limit.
  bool empty() const { return limits_.empty(); }

  // Whether no row of that table exceeds any limit; rows that other reasons keep back are
  // not looked at.
  bool AllFit(const LimitDemands& demands) const;

  // The first limit that the pending job of a row exceeds, in the order of
  // docs/semantics.md's reasons.
  std::optional<ExceededLimit> FirstExceeded(const JobTable& table, const LimitDemands& demands,
                                             size_t row) const;

  // The same as a reason, kNone if none is; kNone too where an earlier reason
  // applies already, and for running jobs.
  Reason ReasonAt(const JobTable& table, const LimitDemands& demands, size_t row) const;

  // Puts the reason into every row of the table whose pair exceeds a limit,
  // unless an earlier one applies.
  void Apply(const LimitDemands& demands, JobTable& table) const;

  static Reason ReasonOf(const UsageLimit& limit);

 private:
  // What the limit comes to with `wanted` on top.
  ExceededLimit SumOf(int32_t index, double wanted) const;
  // Never true for more where it is not for less.
  static bool Exceeded(const ExceededLimit& sum);

  const Snapshot& snapshot_;
  const UsageLimits& limits_;
  double kept_ = 1;                   // Of usage, from the snapshot's time to as_of.
  double kept_by_no_decay_ = 1;       // Of a QOS with NoDecay: resets alone.
  absl::Span<const double> running_;  // By limit.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
