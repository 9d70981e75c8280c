// Applies, lists and rolls back versions of a policy.
#ifndef PRIORITYD_SERVER_API_POLICY_POLICY_VERSIONS_H_
#define PRIORITYD_SERVER_API_POLICY_POLICY_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/file_violations.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/policy.pb.h"
#include "server/administration/imports/policy_application.h"
#include "server/api/shared/administration_call.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/site_factor/allowed_services.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Reads a version of a cluster's policy, 0 = the newest. NOT_FOUND (UNKNOWN_POLICY_VERSION).
absl::StatusOr<storage::PolicyVersion> ReadPolicy(storage::Database& database,
                                                  const std::string& cluster, int64_t version);

// The settings of `conf`, the parsed text of that version, that have no effect here; of the newest
// version also those of the stored QOS and associations. Errors of the database.
absl::StatusOr<std::vector<slurm::UnusedSetting>> ReadUnused(storage::Database& database,
                                                             const std::string& cluster,
                                                             int64_t version,
                                                             const slurm::SlurmConf& conf);

// INVALID_ARGUMENT with the violations; errors of the database.
absl::Status ListPolicyVersions(const AdministrationCall& call,
                                const ::priority::v1::ListPolicyVersionsRequest& request,
                                ::priority::v1::ListPolicyVersionsResponse* response);

// The options in an ApplyPolicyRequest or RollbackPolicyRequest.
template <typename Request>
std::optional<int64_t> ExpectedVersion(const Request& request) {
  if (!request.has_expected_version()) return std::nullopt;
  return request.expected_version();
}

// The dependencies of applying a policy.
struct PolicyService {
  storage::Database* database;
  recalculation::RecalculationLoop* loop;
  const site_factor::AllowedServices* allowed_services;
};

// Applies files, the main one first. Errors of CheckSiteFactorPlugin and
// administration::ApplyPolicyFiles.
absl::Status ApplyFiles(const PolicyService& service, const std::string& cluster,
                        std::vector<slurm::SourceFile> files,
                        const administration::PolicyOptions& how,
                        const administration::ChangeContext& context,
                        ::priority::v1::ApplyPolicyResponse* response);

// Applies the files of an older version. Also errors of ReadPolicy.
absl::Status RollbackPolicy(const PolicyService& service, const std::string& cluster,
                            const ::priority::v1::RollbackPolicyRequest& request,
                            const administration::ChangeContext& context,
                            ::priority::v1::ApplyPolicyResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_POLICY_POLICY_VERSIONS_H_
