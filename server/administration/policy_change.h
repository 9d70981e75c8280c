// A new policy, and what else its slurm.conf tells of the cluster.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_POLICY_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_POLICY_CHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/configured_cluster.h"
#include "server/administration/import_audit.h"
#include "server/administration/reconciliation.h"
#include "server/slurm/slurm_conf.h"
#include "storage/cluster_state.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/transaction.h"

namespace priorityd::administration {

struct PolicyChange {
  storage::PolicyVersion version;  // The newest one afterwards.
  bool created = false;            // Whether it is new: the text was another one.
  Counts partitions;
  bool totals_changed = false;
};

// Appends a version unless `files` are what the newest one was made from; takes
// in the partitions (with `clean` the others are deleted) and the cluster's
// totals. `conf` is what `files` say. `audit` is told of the partitions and the totals.
// REQUIRES: the cluster is locked.
absl::StatusOr<PolicyChange> ApplyPolicy(storage::Transaction& transaction,
                                         const storage::Cluster& cluster,
                                         const std::vector<storage::PolicyFile>& files,
                                         const slurm::SlurmConf& conf, const ChangeContext& context,
                                         const std::string& comment, bool clean,
                                         ImportAudit* audit);

// What the audit says of the version that there was and of the one there is: `policy version 3`
// with ` NAME=VALUE` of each parameter in which they differ. `policy`: that of change.version.
struct VersionTexts {
  std::string before;  // Empty = there was none.
  std::string after;
};
absl::StatusOr<VersionTexts> TellVersions(storage::Transaction& transaction, int32_t cluster_id,
                                          const PolicyChange& change,
                                          const priority::Policy& policy);

// What ApplyPolicy without `clean` would make of `state` at `now`, whole
// microseconds, by the real clock: its policy, partitions and cluster. INTERNAL if its policy
// can no longer be read.
absl::Status SupposePolicy(const std::vector<storage::PolicyFile>& files,
                           const slurm::SlurmConf& conf, absl::Time now,
                           storage::ClusterState* state);

// The reset anchor and floor of a policy that is applied at `time` after `old`
// (null = it is the first). `latest_usage`: the newest as_of of any usage row;
// what PriorityUsageResetPeriod=NOW wipes out reaches up to it.
struct ResetTimes {
  absl::Time anchor;
  absl::Time floor = absl::InfinitePast();
};
ResetTimes ResetTimesOf(const priority::Policy& policy, const priority::Policy& old_policy,
                        const storage::PolicyVersion* old, absl::Time time,
                        absl::Time latest_usage);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_POLICY_CHANGE_H_
