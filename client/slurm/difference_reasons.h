// The reasons of differences between priorityd and slurmctld, in sentences.
#ifndef PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_
#define PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_

#include <map>
#include <string>
#include <utility>

#include "client/slurm/priority_comparison.h"
#include "client/slurm/tables/sprio_table.h"

namespace priorityd::slurm_frontend {

// By job and partition.
using SprioRows = std::map<std::pair<std::string, std::string>, const tables::SprioRow*>;

// For a job without a priority in priorityd; `reason` is Slurm's reason.
std::string NoPriorityReason(const std::string& reason);

// Adds to each difference the reasons that the data prove. None is guessed: a difference of unknown
// cause has none.
void AddReasons(const ComparisonInput& input, const LookUpJobs& look_up, const SprioRows& rows,
                Comparison* comparison);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_
