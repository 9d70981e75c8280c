// The accounting columns of sacct beside the charge.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/slurm/tables/slurm_rows.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::tables {

// Reads the nonempty ones of the columns State, ExitCode, Submit, Eligible, Timelimit (or
// TimelimitRaw), TotalCPU, MaxRSS, ReqTRES and NodeList. A value that the service would reject is
// left out, so that the charge is still recorded, and goes to `losses`: unknown states, a list of
// nodes that is too long; times are clamped to the start of `record`. INVALID_ARGUMENT names the
// place of an unreadable cell.
absl::StatusOr<::priority::v1::JobAccounting> ReadJobAccounting(
    const SlurmRow& row, const ::priority::v1::UsageRecord& record, absl::TimeZone zone,
    TableLosses* losses);

// Of a job or of a step; nullopt = none. INVALID_ARGUMENT names the place.
absl::StatusOr<std::optional<double>> MaxRssOf(const SlurmRow& row);

// MiB of 1234K, 1.5G or bytes; nullopt for anything else.
std::optional<double> ReadMaxRss(absl::string_view text);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_
