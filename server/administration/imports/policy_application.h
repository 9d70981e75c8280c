// ApplyPolicy: applies a policy given as text.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_APPLICATION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_APPLICATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/imports/policy_change.h"
#include "server/administration/imports/site_files.h"
#include "storage/database/database.h"

namespace priorityd::administration {

struct AppliedPolicy {
  PolicyChange change;
  slurm::SlurmConf conf;
};

struct PolicyOptions {
  std::string action = "ApplyPolicy";  // For the audit.
  std::string comment;
  // Replaces the half-life timeline by the policy's half-life, as if there had never been another
  // one.
  bool retroactive = false;
  // The expected newest version, 0 = none; unset = not checked.
  std::optional<int64_t> expected_version;
  UnusedRules unused;
};

// Applies the files, the main one first, then its Includes, in one transaction. Takes effect at the
// next recalculation. If the rules of decay change for stored usage, the ledger is summed up again
// by the new rules: read beforehand while usage is being recorded, completed and written in that
// transaction. INVALID_ARGUMENT (INVALID_FILE) with file and line; NOT_FOUND (UNKNOWN_CLUSTER);
// ABORTED (POLICY_VERSION_MISMATCH) if the newest version is not the expected one; UNAVAILABLE,
// ABORTED: the database.
absl::StatusOr<AppliedPolicy> ApplyPolicyFiles(storage::Database& database,
                                               const std::string& cluster,
                                               std::vector<slurm::SourceFile> files,
                                               const PolicyOptions& options,
                                               const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_POLICY_APPLICATION_H_
