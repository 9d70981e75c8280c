// Converts counters of running jobs into the intervals that the ledger keeps.
#ifndef PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_
#define PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_

#include <string>
#include <variant>

#include "absl/time/time.h"
#include "server/usage/usage_submission.h"
#include "storage/ledger/running_job_store.h"

namespace priorityd::usage {

// The maximum length of a run without known counters: those of a longer run may have been deleted
// (expiry.h), and the run would be charged twice.
inline constexpr absl::Duration kLongestUnknownRun = absl::Hours(24 * 366);

// The job's state before its first counters.
// REQUIRES: FindFault(counters) found none.
storage::RunningJob NewJob(const UsageSubmission& counters);

// The record_id of the interval that ends with these counters, unique by job and end.
std::string IntervalId(const UsageSubmission& counters);

// The interval from `job.as_of` to the counters' end with its average usage; its record_id is
// empty. Otherwise the result of the counters:
//   DUPLICATE           nothing is new: they are the last ones, or older than those
//                       and not above them, so that the ledger has it all
//   COUNTER_BACKWARDS   one is less than before
//   CONFLICT            read at the same time, or earlier, but higher
//   OVERLAP             of another start, before job.as_of
//   TOO_OLD             the first ones of a run longer than kLongestUnknownRun
// A different start at or after job.as_of is the job's next run, whose counters start at 0.
std::variant<UsageSubmission, RecordResult> IntervalOf(const UsageSubmission& counters,
                                                       const storage::RunningJob& job);

// Advances `job` past an interval.
void Advance(const UsageSubmission& counters, storage::RunningJob* job);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_
