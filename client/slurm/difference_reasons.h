// Why priorityd and slurmctld differ, in sentences.
#ifndef PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_
#define PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_

#include <map>
#include <string>
#include <utility>

#include "client/slurm/comparison.h"
#include "client/slurm/tables/sprio_table.h"

namespace priorityd::slurm_frontend {

// By job and partition.
using SprioRows = std::map<std::pair<std::string, std::string>, const tables::SprioRow*>;

// Of a job for which priorityd computes no priority; `reason` is Slurm's word for why.
std::string NoPriorityReason(const std::string& reason);

// Gives each difference the reasons that can be told from what is known. None is guessed: a
// difference whose cause is not seen keeps none.
void AddReasons(const ComparisonInput& input, const LookUpJobs& look_up, const SprioRows& rows,
                Comparison* comparison);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DIFFERENCE_REASONS_H_
