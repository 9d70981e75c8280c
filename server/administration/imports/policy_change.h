// A new policy, and the other data of the cluster in its slurm.conf.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_CHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/frame/reconciliation.h"
#include "server/administration/imports/import_audit.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/transaction.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::administration {

struct PolicyChange {
  storage::PolicyVersion version;  // The resulting newest version.
  bool created = false;            // Whether it is new, since the text differs.
  Counts partitions;
  bool totals_changed = false;
};

// Appends a version unless the newest one was made from the same `files`, nothing else. `conf`: the
// parsed `files`. REQUIRES: the cluster is locked.
absl::StatusOr<PolicyChange> AppendPolicy(storage::Transaction& transaction, int32_t cluster_id,
                                          const std::vector<storage::PolicyFile>& files,
                                          const slurm::SlurmConf& conf,
                                          const ChangeContext& context, const std::string& comment);

// AppendPolicy; imports the partitions
// (with `clean` the others are deleted) and the cluster's totals. `conf`: the parsed `files`.
// Records partitions and totals in `audit`. REQUIRES: the cluster is locked.
absl::StatusOr<PolicyChange> ApplyPolicy(storage::Transaction& transaction,
                                         const storage::Cluster& cluster,
                                         const std::vector<storage::PolicyFile>& files,
                                         const slurm::SlurmConf& conf, const ChangeContext& context,
                                         const std::string& comment, bool clean,
                                         ImportAudit* audit);

// The audit's texts of the previous and the new version: `policy version 3` with ` NAME=VALUE` of
// each parameter that differs. `policy`: the one of change.version.
struct VersionTexts {
  std::string before;  // Empty = none.
  std::string after;
};
absl::StatusOr<VersionTexts> DescribeVersions(storage::Transaction& transaction, int32_t cluster_id,
                                              const PolicyChange& change,
                                              const priority::Policy& policy);

// Applies the policy to `state` as ApplyPolicy without `clean` would at `now`, whole microseconds,
// by the real clock: its policy, partitions and cluster. INTERNAL for an invalid stored policy.
absl::Status SupposePolicy(const std::vector<storage::PolicyFile>& files,
                           const slurm::SlurmConf& conf, absl::Time now,
                           storage::ClusterState* state);

// The reset anchor and floor of a policy applied at `time` after `old` (null = the first policy).
// `time` is InfinitePast() on a manual clock that was never set; the first recalculation then
// becomes the anchor.
// `latest_usage`: the newest as_of of any usage row, up to which PriorityUsageResetPeriod=NOW
// resets.
struct ResetTimes {
  absl::Time anchor;
  absl::Time floor = absl::InfinitePast();
};
ResetTimes ResetTimesOf(const priority::Policy& policy, const priority::Policy& old_policy,
                        const storage::PolicyVersion* old, absl::Time time,
                        absl::Time latest_usage);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_CHANGE_H_
