#include "server/api/policy/policy_versions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/imports/unused_settings.h"
#include "server/api/policy/convert_policy.h"
#include "server/api/policy/validate_policy.h"
#include "server/api/shared/convert_change.h"
#include "server/api/site_factor/site_factor_check.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kUsualPage = 100;
constexpr int kMostOfPage = 1000;

// A page starts with the versions below this one.
struct VersionPlace {
  int64_t before = 0;
  int64_t unused = 0;

  bool IsValid() const { return before > 0 && unused == 0; }
};

absl::StatusOr<std::vector<storage::PolicyVersion>> ReadHeads(storage::Database& database,
                                                              const std::string& cluster,
                                                              int64_t before, int64_t limit) {
  using Versions = absl::StatusOr<std::vector<storage::PolicyVersion>>;
  return database.Read([&](storage::Transaction& transaction) -> Versions {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    return storage::PolicyStore(transaction).ListHeads(found->id, before, limit);
  });
}

void HeadToProto(const std::string& cluster, const storage::PolicyVersion& version,
                 v1::Policy* proto) {
  proto->set_cluster(cluster);
  proto->set_version(version.version);
  ToProto(version.applied_at, proto->mutable_applied_at());
  proto->set_applied_by(version.applied_by);
  proto->set_comment(version.comment);
}

}  // namespace

absl::StatusOr<storage::PolicyVersion> ReadPolicy(storage::Database& database,
                                                  const std::string& cluster, int64_t version) {
  using Policy = std::optional<storage::PolicyVersion>;
  auto policy = database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Policy> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    storage::PolicyStore policies(transaction);
    return version == 0 ? policies.Newest(found->id) : policies.Find(found->id, version);
  });
  if (!policy.ok()) return policy.status();
  if (policy->has_value()) return **std::move(policy);
  return errors::WithReason(
      absl::NotFoundError(version == 0
                              ? absl::StrCat("cluster ", cluster, " has no policy yet")
                              : absl::StrCat("version: got ", version, ", want one that exists")),
      "UNKNOWN_POLICY_VERSION");
}

absl::StatusOr<std::vector<slurm::UnusedSetting>> ReadUnused(storage::Database& database,
                                                             const std::string& cluster,
                                                             int64_t version,
                                                             const slurm::SlurmConf& conf) {
  using Settings = absl::StatusOr<std::vector<slurm::UnusedSetting>>;
  const auto stored = database.Read([&](storage::Transaction& transaction) -> Settings {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    const auto newest = storage::PolicyStore(transaction).ListHeads(found->id, 0, 1);
    if (!newest.ok()) return newest.status();
    const bool is_newest = !newest->empty() && newest->front().version == version;
    if (!is_newest) return std::vector<slurm::UnusedSetting>();
    return administration::FindStoredUnused(transaction, found->id);
  });
  if (!stored.ok()) return stored.status();
  slurm::UnusedSettings unused;
  unused.Add(conf.unused);
  unused.Add(*stored);
  return unused.Sorted();
}

absl::Status ListPolicyVersions(const AdministrationCall& call,
                                const v1::ListPolicyVersionsRequest& request,
                                v1::ListPolicyVersionsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<VersionPlace> tokens(call.cluster, request);
  const absl::StatusOr<std::optional<VersionPlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  const int64_t before = given->has_value() ? (*given)->before : 0;
  const int64_t most = PageSizeOf(request.page_size(), kUsualPage, kMostOfPage);
  auto versions = ReadHeads(call.database, call.cluster, before, most);
  if (!versions.ok()) return versions.status();
  for (const storage::PolicyVersion& version : *versions) {
    v1::Policy* head = response->add_versions();
    HeadToProto(call.cluster, version, head);
    head->set_applied_by(ShownPrincipal(call.caller, version.applied_by));
  }
  const int64_t last = versions->empty() ? 1 : versions->back().version;
  // Versions count from 1, and single versions are never deleted.
  if (last > 1) response->set_next_page_token(tokens.Next({last, 0}));
  return absl::OkStatus();
}

absl::Status ApplyFiles(const PolicyService& service, const std::string& cluster,
                        std::vector<slurm::SourceFile> files,
                        const administration::PolicyOptions& how,
                        const administration::ChangeContext& context,
                        v1::ApplyPolicyResponse* response) {
  absl::Status allowed = CheckSiteFactorPlugin(files, *service.allowed_services);
  if (!allowed.ok()) return allowed;
  auto applied =
      administration::ApplyPolicyFiles(*service.database, cluster, std::move(files), how, context);
  if (!applied.ok()) return applied.status();
  ToProto(cluster, applied->change.version, applied->conf.policy, response->mutable_policy());
  response->set_created(applied->change.created);
  const std::string& named = applied->conf.cluster_name;
  if (!named.empty() && named != cluster) {
    response->add_warnings(absl::StrCat("the text is that of cluster ", slurm::Quoted(named),
                                        ", applied to ", slurm::Quoted(cluster),
                                        " as the request says"));
  }
  for (const std::string& loss : applied->conf.losses) response->add_warnings(loss);
  for (const std::string& warning : applied->conf.warnings) response->add_warnings(warning);
  for (const std::string& warning : administration::UnusedWarnings(applied->conf.unused)) {
    response->add_warnings(warning);
  }
  ToProto(applied->conf.unused, response->mutable_unused());
  if (!context.validate_only)
    PutInForce(*service.loop, cluster, recalculation::RecalculationLoop::Pace::kPeriodic, response);
  return absl::OkStatus();
}

absl::Status RollbackPolicy(const PolicyService& service, const std::string& cluster,
                            const v1::RollbackPolicyRequest& request,
                            const administration::ChangeContext& context,
                            v1::ApplyPolicyResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto version = ReadPolicy(*service.database, cluster, request.version());
  if (!version.ok()) return version.status();
  std::vector<slurm::SourceFile> files;
  for (storage::PolicyFile& file : version->files) {
    files.push_back({std::move(file.name), std::move(file.content)});
  }
  return ApplyFiles(service, cluster, std::move(files),
                    {.action = "RollbackPolicy",
                     .comment = request.comment(),
                     .expected_version = ExpectedVersion(request),
                     .unused = {.accept = {"*"}}},
                    context, response);
}

}  // namespace priorityd::rpc
