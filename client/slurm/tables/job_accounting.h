// What sacct prints of a job beside what it was charged.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/slurm/tables/slurm_rows.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::tables {

// Of the columns State, ExitCode, Submit, Eligible, Timelimit (or TimelimitRaw), TotalCPU, MaxRSS,
// ReqTRES and NodeList those that are there and say something. What the service would not take is
// left out, so that the charge is not lost with it, and goes to `losses`: states that it does not
// know, a list of nodes that is too long; times are clamped to the start of `record`.
// INVALID_ARGUMENT names the place of a cell that cannot be read.
absl::StatusOr<::priority::v1::JobAccounting> ReadJobAccounting(
    const SlurmRow& row, const ::priority::v1::UsageRecord& record, absl::TimeZone zone,
    TableLosses* losses);

// Of a job or of a step; nullopt = it says none. INVALID_ARGUMENT names the place.
absl::StatusOr<std::optional<double>> MaxRssOf(const SlurmRow& row);

// MiB of 1234K, 1.5G or bytes; nullopt for anything else.
std::optional<double> ReadMaxRss(absl::string_view text);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_JOB_ACCOUNTING_H_
