// What jobs have used, as sacct prints it.
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
  std::vector<std::string> places;  // of the records, as errors call them
  int64_t steps = 0;                // left out: the job's row counts
  int64_t unstarted = 0;            // left out: they have used nothing
  int64_t running = 0;              // left out: they are not over
  // What could not be taken, or is not in the table, though it has a meaning; see TableLosses.
  std::vector<std::string> losses;
};

// Reads what `sacct --json`, or `sacct -P` with a heading printed. Columns wanted are JobID (or
// JobIDRaw), User, Account, Start and End; Partition, QOS, AllocTRES, AllocCPUS (or NCPUS),
// AllocNodes (or NNodes), AllocGRES, ReqTRES, ReqGRES and Suspended are read too, see SetResources,
// and what ReadJobAccounting reads; of the rows of steps, which follow that of their job, MaxRSS. A
// job without a size makes no record, and is among the losses. Times are of `zone`. A
// record's id is the job's with the second in which it started, so that the same file again changes
// nothing and a job that was requeued has a record for each run. The record's billing is the one
// that Slurm allocated, where AllocTRES tells it. INVALID_ARGUMENT names the line.
absl::StatusOr<SacctRecords> ReadSacctRecords(const std::string& name, absl::string_view content,
                                              const std::string& source, absl::TimeZone zone);

// What a job of sacct --json held, as AllocTRES has it: there it is a list of
// {"type": "gres", "name": "gpu", "count": 1}.
std::string AllocatedTresText(const google::protobuf::Struct& job);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RECORDS_H_
