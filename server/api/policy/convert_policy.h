// Converts stored policy versions and import results to the API.
#ifndef PRIORITYD_SERVER_API_POLICY_CONVERT_POLICY_H_
#define PRIORITYD_SERVER_API_POLICY_CONVERT_POLICY_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/site/policy.h"
#include "engine/slurm/words/unused_setting.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/policy.pb.h"
#include "server/administration/imports/site_import.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"

namespace priorityd::rpc {

// The parameters in force as text, one per entry of slurm::PolicyParameterTable(). The machine's
// time zone has its IANA name if there is one.
std::vector<std::string> ParameterValues(const priority::Policy& policy);

// `policy`: the parsed text of the version.
void ToProto(const std::string& cluster, const storage::PolicyVersion& version,
             const priority::Policy& policy, ::priority::v1::Policy* proto);

void ToProto(const storage::Cluster& cluster, ::priority::v1::Cluster* proto);

void ToProto(const administration::SiteImportResult& result,
             ::priority::v1::ImportResponse* response);

void ToProto(absl::Span<const slurm::UnusedSetting> unused,
             google::protobuf::RepeatedPtrField<::priority::v1::UnusedSetting>* proto);

// The rules in an ImportRequest or ApplyPolicyRequest.
template <typename Request>
administration::UnusedRules UnusedRulesOf(const Request& request) {
  return {request.strict(), {request.accept().begin(), request.accept().end()}};
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_POLICY_CONVERT_POLICY_H_
