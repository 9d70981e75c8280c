// Joins the records of a ledger to runs of jobs.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_LEDGER_RUNS_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_LEDGER_RUNS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::tables {

// A time limit of so many seconds, the longest duration of the API, is UNLIMITED.
inline constexpr int64_t kUnlimitedSeconds = 315'576'000'000;

// A job from a start to an end; a job that was requeued has several.
struct JobRun {
  // Names and job_id are the last record's.
  ::priority::v1::LedgerRecord last;
  // The last accounting of the job; empty = none.
  ::priority::v1::JobAccounting accounting;
  absl::Time start;
  absl::Time end;                      // Not before start.
  double wall = 0;                     // Charged seconds, without suspended ones.
  std::map<std::string, double> tres;  // Held while it was charged, on average.

  // 0 = not known.
  double Held(const std::string& name) const;
  // TotalCPU as a part of the allocated CPU time; below 0 = not known.
  double CpuEfficiency() const;
  // Memory of a node that MaxRSS is a part of, in MiB; 0 = not known.
  double NodeMemory() const;
  // MaxRSS as a part of NodeMemory; below 0 = not known.
  double MemoryEfficiency() const;
  // Of `wall`, else from start to end.
  double Seconds() const;
};

// TotalCPU; 0 = zero, or not known.
double TotalCpuSeconds(const ::priority::v1::JobAccounting& job);

// Unset = not known; infinite = UNLIMITED.
std::optional<absl::Duration> TimeLimitOf(const ::priority::v1::JobAccounting& job);

// Joins records, ordered by their end, of one source, job and start of the run; a record without
// accounting continues the run that ends where it begins. Runs are ordered by the end of their
// first records. Records without a job are left out.
std::vector<JobRun> RunsOf(
    const google::protobuf::RepeatedPtrField<::priority::v1::LedgerRecord>& records);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_LEDGER_RUNS_H_
