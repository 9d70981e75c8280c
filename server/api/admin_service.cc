#include "server/api/admin_service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/priority/site/tres.h"
#include "server/administration/clusters/cluster_update.h"
#include "server/administration/imports/policy_application.h"
#include "server/administration/imports/site_files.h"
#include "server/administration/imports/site_import.h"
#include "server/api/administration/provisioning.h"
#include "server/api/administration/validate_cluster.h"
#include "server/api/policy/convert_policy.h"
#include "server/api/policy/policy_versions.h"
#include "server/api/policy/validate_policy.h"
#include "server/api/shared/convert_change.h"
#include "server/api/shared/convert_ranking.h"
#include "server/api/site_factor/site_factor_check.h"
#include "server/api/status/validate_status.h"
#include "server/api/usage/validate_usage.h"
#include "server/configuration/stored_policy.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/transport/call.h"
#include "server/transport/message_bytes.h"
#include "server/usage/forget_future.h"
#include "server/usage/usage_rebuild.h"
#include "server/usage/usage_reset.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

constexpr size_t kMaxDifferences = 1000;

// An import that changes or deletes so many objects begins with a backup.
constexpr int64_t kLargeImport = 100;

v1::RebuildUsageResponse RebuildToProto(const usage::RebuildResult& result) {
  v1::RebuildUsageResponse response;
  response.set_records(result.records);
  response.set_fraction(1);
  response.set_done(true);
  response.set_rows(result.rows);
  response.set_different_rows(static_cast<int64_t>(result.wrong.size()));
  for (size_t i = 0; i < std::min(kMaxDifferences, result.wrong.size()); ++i) {
    const usage::WrongRow& row = result.wrong[i];
    v1::UsageDifference* difference = response.add_differences();
    difference->set_account(row.account);
    difference->set_user(row.user);
    difference->set_partition(row.partition);
    difference->set_qos(row.qos);
    difference->set_stored(row.stored);
    difference->set_rebuilt(row.rebuilt);
  }
  return response;
}

// The objects that an import changes or deletes.
int64_t Overwritten(const administration::SiteImportResult& result) {
  int64_t objects = 0;
  for (const administration::Counts& counts :
       {result.associations, result.qos, result.partitions, result.opening_usage, result.grants,
        result.leases, result.user_merges, result.user_aliases}) {
    objects += counts.updated + counts.deleted;
  }
  return objects;
}

administration::FileKind ToKind(v1::FileKind kind) {
  switch (kind) {
    case v1::FILE_KIND_SACCTMGR_DUMP:
      return administration::FileKind::kSacctmgrDump;
    case v1::FILE_KIND_QOS:
      return administration::FileKind::kQos;
    case v1::FILE_KIND_SSHARE:
      return administration::FileKind::kSshare;
    case v1::FILE_KIND_USAGE:
      return administration::FileKind::kUsage;
    case v1::FILE_KIND_PRIORITYD:
      return administration::FileKind::kPriorityd;
    default:
      return administration::FileKind::kSlurmConf;
  }
}

priority::TresMap ToTres(const google::protobuf::Map<std::string, double>& tres) {
  priority::TresMap map;
  for (const auto& [name, count] : tres) {
    if (absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name); canonical.ok()) {
      map[*canonical] = count;
    }
  }
  return map;
}

administration::ClusterUpdate ToUpdate(const v1::UpdateClusterRequest& request) {
  const v1::Cluster& cluster = request.cluster();
  const auto& paths = request.update_mask().paths();
  const auto wanted = [&](const char* path, bool is_set) {
    return paths.empty() ? is_set : std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  administration::ClusterUpdate update;
  update.name = cluster.name();
  update.allow_missing = request.allow_missing();
  if (wanted("nodes", cluster.nodes() != 0)) update.nodes = cluster.nodes();
  if (wanted("cpus", cluster.cpus() != 0)) update.cpus = cluster.cpus();
  if (wanted("tres", !cluster.tres().empty())) update.tres = ToTres(cluster.tres());
  return update;
}

}  // namespace

AdminService::AdminService(Options options)
    : UnaryMethods(*options.boundary, {}),
      options_(std::move(options)),
      rebuild_type_{Rpc::kRebuildUsage, ScanOf(*v1::RebuildUsageRequest::descriptor())} {
  WorkerPool& operating = options_.pools->operating;
  Unary(Rpc::kImport, On(operating), this, &AdminService::DoImport);
  Unary(Rpc::kApplyPolicy, On(operating), this, &AdminService::DoApplyPolicy);
  Unary(Rpc::kRollbackPolicy, On(operating), this, &AdminService::DoRollbackPolicy);
  Unary(Rpc::kGetPolicy, On(operating), this, &AdminService::DoGetPolicy);
  Unary(Rpc::kUpdateCluster, On(operating), this, &AdminService::DoUpdateCluster);
  Unary(Rpc::kRecalculate, On(operating), this, &AdminService::DoRecalculate);
  Unary(Rpc::kResetUsage, On(operating), this, &AdminService::DoResetUsage);
  Unary(Rpc::kGetStatus, On(options_.pools->status), this, &AdminService::DoGetStatus);
  Add(Rpc::kRebuildUsage, [this](grpc::CallbackServerContext* context) {
    auto* stream =
        new Rebuild(rebuild_type_, *options_.boundary, context,
                    [this](Rebuild* begun, const Caller& caller) { BeginRebuild(begun, caller); });
    stream->Begin();
    return stream;
  });
  AddAdministration();
}

void AdminService::BeginRebuild(Rebuild* stream, const Caller& caller) const {
  const quotas::Holder holder = caller.holder();
  const absl::Status taken = options_.pools->operating.TrySchedule(
      holder, holder.name, [=, this, who = caller.ToString()] {
        stream->End(DoRebuildUsage(who, stream));
        return true;
      });
  if (!taken.ok()) stream->End(taken);
}

// The import is tried first: most change little.
absl::Status AdminService::BackUpBeforeImport(const administration::SiteFiles& site,
                                              const v1::ImportRequest& request,
                                              administration::ChangeContext context) const {
  if (options_.backups == nullptr || !options_.backups->makes_its_own() || context.validate_only) {
    return absl::OkStatus();
  }
  context.validate_only = true;
  const auto would = administration::ImportSite(*options_.database, site,
                                                {request.cluster(), request.clean()}, context);
  if (!would.ok()) return would.status();
  const int64_t changed = Overwritten(*would);
  if (would->cluster_created || changed < kLargeImport) return absl::OkStatus();
  return options_.backups->CreateBefore(
      absl::StrCat("an import that changes ", changed, " objects"), backups::kBeforeImport);
}

absl::Status AdminService::DoImport(const Caller& caller, const v1::ImportRequest& request,
                                    v1::ImportResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  std::vector<administration::SiteFile> files;
  for (const v1::File& file : request.files()) {
    files.push_back({{file.name(), file.content()}, ToKind(file.kind())});
  }
  auto site = administration::ReadSiteFiles(std::move(files), !request.cluster().empty(),
                                            UnusedRulesOf(request));
  if (!site.ok()) return site.status();
  const std::string& cluster = request.cluster().empty() ? site->cluster_name : request.cluster();
  if (absl::Status s = options_.boundary->CheckCluster(Rpc::kImport, caller, cluster); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckSiteFactorPlugin(site->slurm_conf_files, *options_.allowed_services);
      !s.ok()) {
    return s;
  }
  const administration::ChangeContext context{caller.ToString(), options_.clock(),
                                              request.validate_only()};
  if (absl::Status s = BackUpBeforeImport(*site, request, context); !s.ok()) return s;
  auto result = administration::ImportSite(*options_.database, *site,
                                           {request.cluster(), request.clean()}, context);
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  if (!request.validate_only())
    PutInForce(*options_.loop, result->cluster, recalculation::RecalculationLoop::Pace::kPeriodic,
               response);
  return absl::OkStatus();
}

absl::Status AdminService::DoApplyPolicy(const Caller& caller,
                                         const v1::ApplyPolicyRequest& request,
                                         v1::ApplyPolicyResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  const std::string file_name = request.file_name().empty() ? "slurm.conf" : request.file_name();
  return ApplyFiles(PolicyParts(), *cluster, {{file_name, request.text()}},
                    {.comment = request.comment(),
                     .retroactive = request.retroactive(),
                     .expected_version = ExpectedVersion(request),
                     .unused = UnusedRulesOf(request)},
                    {caller.ToString(), options_.clock(), request.validate_only()}, response);
}

absl::Status AdminService::DoRollbackPolicy(const Caller& caller,
                                            const v1::RollbackPolicyRequest& request,
                                            v1::ApplyPolicyResponse* response) const {
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  return rpc::RollbackPolicy(PolicyParts(), *cluster, request,
                             {caller.ToString(), options_.clock(), request.validate_only()},
                             response);
}

absl::Status AdminService::DoGetPolicy(const Caller& caller, const v1::GetPolicyRequest& request,
                                       v1::Policy* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  // The policy in force is known without the database, so this works while the database is
  // unreachable.
  const bool need_not_wait = request.version() == 0 &&
                             options_.registry->StaleFor() > absl::ZeroDuration() &&
                             options_.registry->Find(*cluster).ok();
  absl::StatusOr<storage::PolicyVersion> version = absl::UnavailableError("the database is away");
  if (!need_not_wait) version = ReadPolicy(*options_.database, *cluster, request.version());
  if (absl::IsUnavailable(version.status()) && request.version() == 0) {
    const auto snapshot = options_.registry->Find(*cluster);
    if (!snapshot.ok()) return version.status();
    ToProto(*cluster, {.version = (*snapshot)->policy_version()}, (*snapshot)->policy(), response);
    response->clear_applied_at();
    return absl::OkStatus();
  }
  if (!version.ok()) return version.status();
  auto conf = configuration::ParseStored(*version);
  if (!conf.ok()) return conf.status();
  ToProto(*cluster, *version, (*conf)->policy, response);
  response->set_applied_by(ShownPrincipal(caller, version->applied_by));
  const auto unused = ReadUnused(*options_.database, *cluster, version->version, **conf);
  if (!unused.ok()) return unused.status();
  ToProto(*unused, response->mutable_unused());
  return absl::OkStatus();
}

absl::Status AdminService::DoUpdateCluster(const Caller& caller,
                                           const v1::UpdateClusterRequest& request,
                                           v1::Cluster* response) const {
  if (absl::Status s = CheckProvision(caller, request); !s.ok()) return s;
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::ChangeContext context{caller.ToString(), options_.clock(),
                                              request.validate_only()};
  auto cluster = administration::UpdateCluster(*options_.database, ToUpdate(request), context);
  if (!cluster.ok()) return cluster.status();
  ToProto(*cluster, response);
  if (request.validate_only()) return absl::OkStatus();
  absl::StatusOr<std::optional<absl::Time>> when = options_.loop->ScheduleCluster(cluster->name);
  if (!when.ok()) {
    spdlog::error("{}: recalculation failed: {}", cluster->name, when.status().ToString());
  }
  return absl::OkStatus();
}

absl::Status AdminService::DoRecalculate(const Caller& caller,
                                         const v1::RecalculateRequest& request,
                                         v1::Snapshot* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  if (request.forget_future()) {
    auto forgotten = usage::ForgetFuture(*options_.database, {*cluster, caller.ToString()});
    if (!forgotten.ok()) return forgotten.status();
    spdlog::warn("{}: {} moved its snapshot back to the present time, and {} usage resets with it",
                 *cluster, caller.ToString(), forgotten->resets);
  }
  std::optional<absl::Time> as_of;
  if (request.has_as_of()) as_of = ToTime(request.as_of());
  auto snapshot = options_.loop->RecalculateNow(*cluster, as_of);
  if (!snapshot.ok()) return snapshot.status();
  options_.site_factors->RequestOnManualClock(*snapshot);
  ToProto(**snapshot, response);
  return absl::OkStatus();
}

absl::Status AdminService::DoResetUsage(const Caller& caller, const v1::ResetUsageRequest& request,
                                        v1::ResetUsageResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  auto result = usage::ResetUsage(*options_.database, {.cluster = *cluster,
                                                       .account = request.account(),
                                                       .user = request.user(),
                                                       .partition = request.partition(),
                                                       .comment = request.comment(),
                                                       .principal = caller.ToString(),
                                                       .now = options_.clock(),
                                                       .validate_only = request.validate_only()});
  if (!result.ok()) return result.status();
  ToProto(result->reset_at, response->mutable_reset_at());
  response->set_associations(result->associations);
  return absl::OkStatus();
}

absl::Status AdminService::DoRebuildUsage(const std::string& principal, Rebuild* stream) const {
  const v1::RebuildUsageRequest& request = stream->request();
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  auto result = usage::RebuildUsage(
      *options_.database,
      {.cluster = *cluster, .principal = principal, .validate_only = request.validate_only()},
      [&](const usage::Progress& progress) {
        v1::RebuildUsageResponse response;
        response.set_records(progress.records);
        response.set_fraction(progress.fraction);
        return stream->Send(std::move(response));
      });
  if (!result.ok()) return result.status();
  return stream->Send(RebuildToProto(*result));
}

absl::Status AdminService::DoGetStatus(const Caller& caller, const v1::GetStatusRequest& request,
                                       v1::GetStatusResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  std::string only;
  if (!request.cluster().empty()) {
    absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
    if (!cluster.ok()) return cluster.status();
    only = *std::move(cluster);
    absl::Status may = options_.boundary->CheckCluster(Rpc::kGetStatus, caller, only);
    if (!may.ok()) return may;
  }
  *response = options_.status->Read([&](const std::string& cluster) {
    if (!only.empty()) return cluster == only;
    return options_.boundary->CheckCluster(Rpc::kGetStatus, caller, cluster).ok();
  });
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
