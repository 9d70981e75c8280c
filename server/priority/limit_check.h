// Whether a job still fits the limits on usage.
#ifndef PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
#define PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/eligibility.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"
#include "server/priority/snapshot.h"
#include "server/priority/usage_limits.h"

namespace priorityd {

// The arithmetic of a limit that a job would exceed; TRES-seconds, or seconds
// for GrpWall.
struct ExceededLimit {
  const UsageLimit* limit = nullptr;
  double used = 0;     // So far, decayed.
  double running = 0;  // What running jobs may still use.
  double wanted = 0;   // The job's; infinite without a time limit.
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
  // `table` was built from `jobs`.
  LimitCheck(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table,
             absl::Time as_of);

  // The first limit that the job exceeds, in the order of
  // docs/semantics.md's reasons. `billing` only lends its memory.
  std::optional<ExceededLimit> FirstExceeded(const Job& job, AssociationIndex association,
                                             int partition, int qos, JobBilling& billing) const;

  // Puts the reason into every row of the table whose pair exceeds a limit,
  // unless an earlier one applies.
  void Apply(absl::Span<const Job> jobs, JobTable& table) const;

  static Reason ReasonOf(const UsageLimit& limit);

  // `account hpcstaff: GrpTRESMins billing=100: 80 used + 25 for this job = 105`;
  // all in minutes.
  std::string Message(const ExceededLimit& exceeded) const;

 private:
  class Demand;

  void AddRunning(absl::Span<const Job> jobs, const JobTable& table);
  double SecondsLeft(const Job& job, int partition) const;
  bool Concerned(AssociationIndex association, int qos) const;
  std::string Holder(const UsageLimit& limit) const;

  const Snapshot& snapshot_;
  const UsageLimits& limits_;
  double kept_ = 1;              // Of usage, from the snapshot's time to as_of.
  double kept_by_no_decay_ = 1;  // Of a QOS with NoDecay: resets alone.
  std::vector<double> running_;  // By limit.
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_PRIORITY_LIMIT_CHECK_H_
