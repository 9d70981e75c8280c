// The priorities of slurmctld's last pass, and their parameters.
#ifndef PRIORITYD_CLIENT_SLURM_SLURM_PRIORITIES_H_
#define PRIORITYD_CLIENT_SLURM_SLURM_PRIORITIES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/slurm/tables/sprio_table.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::slurm_frontend {

// The parameters of sprio's columns, from scontrol show config.
struct PriorityRules {
  std::map<std::string, double> weights;  // by names of PriorityFactors, without tres
  absl::Duration max_age = absl::Hours(7 * 24);
  absl::Duration half_life = absl::InfiniteDuration();
  bool multifactor = true;  // else priority/basic, which sprio does not support
  bool normalized = true;   // no NO_NORMAL flag: factors are 0 to 1
};

// INVALID_ARGUMENT names a parameter that is no number or time.
absl::StatusOr<PriorityRules> ReadPriorityRules(const std::string& config);

// By job id, as squeue prints it; jobs that accrue no age are left out.
std::map<std::string, absl::Time> AccrueTimes(const ::priority::v1::InlineJobs& jobs);

// The time at which slurmctld computed the row: its age has not changed since. nullopt if the age
// gives no time: it is 0, 1 or without weight.
std::optional<absl::Time> ComputedAt(const tables::SprioRow& row, const PriorityRules& rules,
                                     const std::map<std::string, absl::Time>& accrue_times);

// The time of slurmctld's last pass, in which it computed most rows. nullopt if no age gives a
// time.
std::optional<absl::Time> LastPass(const std::vector<tables::SprioRow>& rows,
                                   const PriorityRules& rules,
                                   const std::map<std::string, absl::Time>& accrue_times);

// Copies the priorities set by hand, which only sprio shows, to admin_priority of `jobs`.
void CopySetByHand(const std::vector<tables::SprioRow>& rows, ::priority::v1::InlineJobs* jobs);

// Whether another job of `jobs` depends on this one.
bool IsAwaited(const std::string& job_id, const ::priority::v1::InlineJobs& jobs);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_SLURM_PRIORITIES_H_
