// The runs of jobs that records of a ledger are of.
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
  // What was told of it last; empty = nothing.
  ::priority::v1::JobAccounting told;
  bool is_told = false;
  absl::Time start;
  absl::Time end;   // Not before start.
  double wall = 0;  // Seconds that were charged; what was suspended is not among them.
  std::map<std::string, double> tres;  // Held while it was charged, on average.

  // 0 = nothing is known of it.
  double Held(const std::string& name) const;
  // TotalCPU as a part of the CPU time that it held; below 0 = not known.
  double CpuEfficiency() const;
  // Memory of a node that MaxRSS is a part of, in MiB; 0 = not known.
  double NodeMemory() const;
  // MaxRSS as a part of NodeMemory; below 0 = not known.
  double MemoryEfficiency() const;
  // Of `wall`, else from start to end.
  double Seconds() const;
};

// TotalCPU; 0 = nothing, or not told.
double TotalCpuSeconds(const ::priority::v1::JobAccounting& job);

// Unset = not told; infinite = UNLIMITED.
std::optional<absl::Duration> TimeLimitOf(const ::priority::v1::JobAccounting& job);

// Of records by their end, those of one source, job and start of the run together; a record that
// tells nothing of its job goes on with the run that ends where it begins. By the end of their
// first records. Records of no job are left out.
std::vector<JobRun> RunsOf(
    const google::protobuf::RepeatedPtrField<::priority::v1::LedgerRecord>& records);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_LEDGER_RUNS_H_
