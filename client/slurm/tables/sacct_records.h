// The usage of jobs, from the output of sacct.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RECORDS_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RECORDS_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::tables {

struct SacctRecords {
  std::vector<::priority::v1::UsageRecord> records;
  std::vector<std::string> places;  // of the records, as in errors
  int64_t steps = 0;                // left out: the job's row includes them
  int64_t unstarted = 0;            // left out: without usage
  int64_t running = 0;              // left out: not ended
  // Relevant values that are missing or could not be used; see TableLosses.
  std::vector<std::string> losses;
};

// Reads the output of `sacct --json`, or of `sacct -P` with a heading. Required columns are JobID
// (or JobIDRaw), User, Account, Start and End; Partition, QOS, AllocTRES, AllocCPUS (or NCPUS),
// AllocNodes (or NNodes), AllocGRES, ReqTRES, ReqGRES and Suspended are read too, see SetResources,
// and what ReadJobAccounting reads; of the rows of steps, which follow that of their job, MaxRSS. A
// job without a size makes no record, and is among the losses. Times are of `zone`. A
// record's id is the job's with the second of its start, so that reading a file again changes
// nothing and a requeued job has a record for each run. The record's billing is Slurm's, if
// AllocTRES has it. INVALID_ARGUMENT names the line; with `faults`, a row that cannot be read is
// left out, and named there.
absl::StatusOr<SacctRecords> ReadSacctRecords(const std::string& name, absl::string_view content,
                                              const std::string& source, absl::TimeZone zone,
                                              std::vector<std::string>* faults = nullptr);

// The TRES of a job of sacct --json, in the form of AllocTRES. In JSON they are a list of
// {"type": "gres", "name": "gpu", "count": 1}.
std::string AllocatedTresText(const google::protobuf::Struct& job);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RECORDS_H_
