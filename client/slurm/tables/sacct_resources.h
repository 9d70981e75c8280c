// The resources of a job, from the columns of sacct that have them.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RESOURCES_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RESOURCES_H_

#include "absl/status/status.h"
#include "client/slurm/tables/slurm_rows.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::tables {

// Sets `tres` and `billing` of the record. AllocTRES has both; without it, AllocCPUS (or NCPUS) and
// AllocNodes (or NNodes) have the size. Where AllocTRES names no generic resource, AllocGRES has
// them; without that column and without AllocTRES, ReqTRES or else ReqGRES, for each node. The
// record has neither `tres` nor `billing` if the row has no size. Counts the losses.
// INVALID_ARGUMENT names the place.
absl::Status SetResources(const SlurmRow& row, TableLosses* losses,
                          ::priority::v1::UsageRecord* record);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SACCT_RESOURCES_H_
