// The columns of sacct.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_FIELDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/prioctl/text/slurm_table.h"
#include "client/slurm/tables/ledger_runs.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// A job as the ledger and the queue know it.
struct AccountedJob {
  const ::priority::v1::UsageReportRow& used;
  const ::priority::v1::TrackedJob* tracked;  // Null = the queue does not have it.
  const tables::JobRun* run;                  // The last run on record; null = none.
  const std::string& cluster;
  absl::TimeZone zone;

  double wall() const { return used.wall_seconds(); }
  // The average amount that it held.
  double Held(const std::string& tres) const {
    const auto seconds = used.tres_seconds().find(tres);
    return seconds == used.tres_seconds().end() || wall() <= 0 ? 0 : seconds->second / wall();
  }
};

// A column with sacct's name and width. An unknown time is `Unknown`, as in sacct; another unknown
// value is blank.
struct AccountingField {
  SlurmField field;
  SlurmCell (*cell)(const AccountedJob&);
};

// `JobID,NodeList%30`: names, case-insensitive, each with a width if wanted; a negative width is
// for text on the left. INVALID_ARGUMENT.
absl::StatusOr<std::vector<AccountingField>> ParseAccountingFormat(const std::string& format);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_FIELDS_H_
