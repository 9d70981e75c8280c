// ApplyPolicy: a policy given as text.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_POLICY_APPLICATION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_POLICY_APPLICATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/configured_cluster.h"
#include "server/administration/policy_change.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/slurm_conf.h"
#include "storage/database.h"

namespace priorityd::administration {

struct AppliedPolicy {
  PolicyChange change;
  slurm::SlurmConf conf;
};

struct PolicyOptions {
  std::string action = "ApplyPolicy";  // As the audit tells it.
  std::string comment;
  // The half-life timeline becomes the policy's alone, at once, as if there had
  // never been another half-life.
  bool retroactive = false;
  // Of the newest version, 0 = there is none; unset = whatever it is.
  std::optional<int64_t> expected_version;
};

// Applies files, the main one first, then those that it Includes, in one transaction. Takes
// effect at the next recalculation. Where the rules of decay change for usage that
// is stored already, the ledger is summed up again by the new ones: read ahead
// while usage is being recorded, completed and written in that one transaction.
// INVALID_ARGUMENT (INVALID_FILE) with file and
// line; NOT_FOUND (UNKNOWN_CLUSTER); ABORTED (POLICY_VERSION_MISMATCH) if the newest version is
// another one than expected; UNAVAILABLE, ABORTED the database.
absl::StatusOr<AppliedPolicy> ApplyPolicyFiles(storage::Database& database,
                                               const std::string& cluster,
                                               std::vector<slurm::SourceFile> files,
                                               const PolicyOptions& options,
                                               const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_POLICY_APPLICATION_H_
