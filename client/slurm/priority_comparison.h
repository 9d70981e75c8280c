// Our priorities against slurmctld's, job by job and factor by factor.
#ifndef PRIORITYD_CLIENT_SLURM_PRIORITY_COMPARISON_H_
#define PRIORITYD_CLIENT_SLURM_PRIORITY_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/slurm/slurm_priorities.h"
#include "client/slurm/tables/sprio_table.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::slurm_frontend {

struct FactorDifference {
  std::string name;  // of PriorityFactors; `tres`
  double ours = 0;
  double theirs = 0;
};

struct JobDifference {
  std::string job_id;
  std::string partition;
  std::optional<int64_t> ours;  // nullopt: priorityd computes none
  std::optional<int64_t> theirs;
  std::vector<FactorDifference> factors;
  std::vector<std::string> reasons;  // Empty = none is known.
};

struct Comparison {
  std::optional<absl::Time> pass;  // slurmctld's last
  int64_t compared = 0;            // rows of a job in a partition
  int64_t equal = 0;               // of these, those of equal priority
  int64_t agree = 0;               // those within the tolerance
  int64_t largest = 0;             // difference of two priorities
  std::vector<JobDifference> differences;

  int64_t Unexplained() const;
};

struct ComparisonInput {
  PriorityRules rules;
  std::vector<tables::SprioRow> theirs;
  ::priority::v1::RankJobsResponse ours;  // FULL
  ::priority::v1::InlineJobs queue;       // as squeue printed it
  int64_t tolerance = 0;                  // points of priority
  bool site_changed = false;              // since the comparison before
  bool usage_of_records = false;          // not sshare's
  std::string usage_clusters;             // others whose usage counts too; empty = none
  absl::TimeZone zone;                    // of times in reasons
};

// The jobs of priorityd, by id; requested for jobs whose ages differ.
using LookUpJobs = std::function<std::map<std::string, ::priority::v1::TrackedJob>(
    const std::vector<std::string>&)>;

// A row agrees if the priorities differ by at most the tolerance and each factor of nonzero weight
// is the same to the digits that sprio shows.
Comparison Compare(const ComparisonInput& input, const LookUpJobs& look_up);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_PRIORITY_COMPARISON_H_
