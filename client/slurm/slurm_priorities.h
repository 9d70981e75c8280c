// What slurmctld computed at its last pass, and by which rules.
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

// The parameters that sprio's columns go by, as scontrol show config tells them.
struct PriorityRules {
  std::map<std::string, double> weights;  // by names of PriorityFactors, but for tres
  absl::Duration max_age = absl::Hours(7 * 24);
  absl::Duration half_life = absl::InfiniteDuration();
  bool multifactor = true;  // else priority/basic, of which there is no sprio
  bool normalized = true;   // no NO_NORMAL flag: factors are 0 to 1
};

// INVALID_ARGUMENT names a parameter that is no number or time.
absl::StatusOr<PriorityRules> ReadPriorityRules(const std::string& config);

// By job id, as squeue tells it; jobs that accrue no age are left out.
std::map<std::string, absl::Time> AccrueTimes(const priority::v1::InlineJobs& jobs);

// When slurmctld computed the row: since then its age has not moved. nullopt where the age does
// not tell: it is 0, 1 or without weight.
std::optional<absl::Time> ComputedAt(const tables::SprioRow& row, const PriorityRules& rules,
                                     const std::map<std::string, absl::Time>& accrue_times);

// When most rows were computed: the time of slurmctld's last pass. nullopt where no age tells.
std::optional<absl::Time> LastPass(const std::vector<tables::SprioRow>& rows,
                                   const PriorityRules& rules,
                                   const std::map<std::string, absl::Time>& accrue_times);

// Tells `jobs` what somebody set by hand, which sprio alone shows: admin_priority.
void TellSetByHand(const std::vector<tables::SprioRow>& rows, priority::v1::InlineJobs* jobs);

// Whether another job of `jobs` waits for this one.
bool IsAwaited(const std::string& job_id, const priority::v1::InlineJobs& jobs);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_SLURM_PRIORITIES_H_
