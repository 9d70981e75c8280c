// Counters of running jobs into the intervals that the ledger keeps.
#ifndef PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_
#define PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_

#include <string>
#include <variant>

#include "absl/time/time.h"
#include "server/usage/usage_submission.h"
#include "storage/running_job_store.h"

namespace priorityd::usage {

// Of a run that nothing is known of: the counters of a longer one may have been deleted
// (expiry.h), and would be charged again.
inline constexpr absl::Duration kLongestUnknownRun = absl::Hours(24 * 366);

// The job's state before its first counters.
// REQUIRES: FindFault(counters) found none.
storage::RunningJob NewJob(const UsageSubmission& counters);

// The record_id of the interval that ends with these counters: one of its own for
// each end of each job.
std::string IntervalId(const UsageSubmission& counters);

// The interval from `job.as_of` to the counters' end, at the average of what was
// used in it; its record_id is empty. Else what becomes of the counters:
//   DUPLICATE           nothing is new: they are the last ones, or older than those
//                       and not above them, so that the ledger has it all
//   COUNTER_BACKWARDS   one is less than before
//   CONFLICT            read at the same time, or earlier, but higher
//   OVERLAP             of another start, before job.as_of
//   TOO_OLD             the first ones of a run longer than kLongestUnknownRun
// Another start from job.as_of on is the job's next run, whose counters begin at 0.
std::variant<UsageSubmission, RecordResult> IntervalOf(const UsageSubmission& counters,
                                                       const storage::RunningJob& job);

// `job` after an interval was taken.
void Advance(const UsageSubmission& counters, storage::RunningJob* job);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RUNNING_JOBS_H_
