#include "server/rpc/admin_service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/administration/cluster_update.h"
#include "server/administration/policy_application.h"
#include "server/administration/site_files.h"
#include "server/administration/site_import.h"
#include "server/configuration/stored_policy.h"
#include "server/priority/tres.h"
#include "server/rpc/call.h"
#include "server/rpc/convert_change.h"
#include "server/rpc/convert_policy.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/policy_versions.h"
#include "server/rpc/provisioning.h"
#include "server/rpc/site_factor_check.h"
#include "server/rpc/validate.h"
#include "server/rpc/view.h"
#include "server/usage/forget_future.h"
#include "server/usage/usage_rebuild.h"
#include "server/usage/usage_reset.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

constexpr size_t kMaxDifferences = 1000;

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

absl::Status AdminService::DoImport(const Caller& caller, const v1::ImportRequest& request,
                                    v1::ImportResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  std::vector<administration::SiteFile> files;
  for (const v1::File& file : request.files()) {
    files.push_back({{file.name(), file.content()}, ToKind(file.kind())});
  }
  auto site =
      administration::ReadSiteFiles(std::move(files), !request.cluster().empty(), request.strict());
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
  auto result = administration::ImportSite(*options_.database, *site,
                                           {request.cluster(), request.clean()}, context);
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  if (!request.validate_only())
    PutInForce(*options_.loop, result->cluster, recalculation::RecalculationLoop::Pace::kPeriodic,
               response);
  return absl::OkStatus();
}

absl::Status AdminService::DoApplyPolicy(const std::string& principal,
                                         const v1::ApplyPolicyRequest& request,
                                         v1::ApplyPolicyResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  const std::string file_name = request.file_name().empty() ? "slurm.conf" : request.file_name();
  return ApplyFiles(PolicyParts(), *cluster, {{file_name, request.text()}},
                    {.comment = request.comment(),
                     .retroactive = request.retroactive(),
                     .expected_version = ExpectedVersion(request)},
                    {principal, options_.clock(), request.validate_only()}, response);
}

absl::Status AdminService::DoRollbackPolicy(const std::string& principal,
                                            const v1::RollbackPolicyRequest& request,
                                            v1::ApplyPolicyResponse* response) {
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  return rpc::RollbackPolicy(PolicyParts(), *cluster, request,
                             {principal, options_.clock(), request.validate_only()}, response);
}

absl::Status AdminService::DoGetPolicy(const v1::GetPolicyRequest& request, v1::Policy* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  // What is in force is known without the database, which need not answer that it is away.
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
  return absl::OkStatus();
}

absl::Status AdminService::DoUpdateCluster(const std::string& principal,
                                           const v1::UpdateClusterRequest& request,
                                           v1::Cluster* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::ChangeContext context{principal, options_.clock(), request.validate_only()};
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

absl::Status AdminService::DoRecalculate(const std::string& principal,
                                         const v1::RecalculateRequest& request,
                                         v1::Snapshot* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  if (request.forget_future()) {
    auto forgotten = usage::ForgetFuture(*options_.database, {*cluster, principal});
    if (!forgotten.ok()) return forgotten.status();
    spdlog::warn("{}: {} set its snapshot back to the present time; {} resets of usage too",
                 *cluster, principal, forgotten->resets);
  }
  std::optional<absl::Time> as_of;
  if (request.has_as_of()) as_of = ToTime(request.as_of());
  auto snapshot = options_.loop->RecalculateNow(*cluster, as_of);
  if (!snapshot.ok()) return snapshot.status();
  options_.site_factors->AskOnManualClock(*snapshot);
  ToProto(**snapshot, response);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* AdminService::Import(grpc::CallbackServerContext* context,
                                               const v1::ImportRequest* request,
                                               v1::ImportResponse* response) {
  return RunCall(*options_.boundary, Rpc::kImport, *options_.operating, context, *request,
                 *response,
                 [=, this](const Caller& caller) { return DoImport(caller, *request, response); });
}

grpc::ServerUnaryReactor* AdminService::ApplyPolicy(grpc::CallbackServerContext* context,
                                                    const v1::ApplyPolicyRequest* request,
                                                    v1::ApplyPolicyResponse* response) {
  return RunCall(*options_.boundary, Rpc::kApplyPolicy, *options_.operating, context, *request,
                 *response, [=, this](const Caller& caller) {
                   return DoApplyPolicy(caller.ToString(), *request, response);
                 });
}

grpc::ServerUnaryReactor* AdminService::GetPolicy(grpc::CallbackServerContext* context,
                                                  const v1::GetPolicyRequest* request,
                                                  v1::Policy* response) {
  return RunCall(*options_.boundary, Rpc::kGetPolicy, *options_.operating, context, *request,
                 *response,
                 [=, this](const Caller& caller) { return DoGetPolicy(*request, response); });
}

grpc::ServerUnaryReactor* AdminService::UpdateCluster(grpc::CallbackServerContext* context,
                                                      const v1::UpdateClusterRequest* request,
                                                      v1::Cluster* response) {
  return RunCall(*options_.boundary, Rpc::kUpdateCluster, *options_.operating, context, *request,
                 *response, [=, this](const Caller& caller) {
                   if (absl::Status s = CheckProvision(caller, *request); !s.ok()) return s;
                   return DoUpdateCluster(caller.ToString(), *request, response);
                 });
}

grpc::ServerUnaryReactor* AdminService::Recalculate(grpc::CallbackServerContext* context,
                                                    const v1::RecalculateRequest* request,
                                                    v1::Snapshot* response) {
  return RunCall(*options_.boundary, Rpc::kRecalculate, *options_.operating, context, *request,
                 *response, [=, this](const Caller& caller) {
                   return DoRecalculate(caller.ToString(), *request, response);
                 });
}

absl::Status AdminService::DoResetUsage(const std::string& principal,
                                        const v1::ResetUsageRequest& request,
                                        v1::ResetUsageResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  auto result = usage::ResetUsage(*options_.database, {.cluster = *cluster,
                                                       .account = request.account(),
                                                       .user = request.user(),
                                                       .partition = request.partition(),
                                                       .comment = request.comment(),
                                                       .principal = principal,
                                                       .now = options_.clock(),
                                                       .validate_only = request.validate_only()});
  if (!result.ok()) return result.status();
  ToProto(result->reset_at, response->mutable_reset_at());
  response->set_associations(result->associations);
  return absl::OkStatus();
}

absl::Status AdminService::DoRebuildUsage(const std::string& principal,
                                          const v1::RebuildUsageRequest& request,
                                          MessageStream<v1::RebuildUsageResponse>* stream) {
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

grpc::ServerUnaryReactor* AdminService::ResetUsage(grpc::CallbackServerContext* context,
                                                   const v1::ResetUsageRequest* request,
                                                   v1::ResetUsageResponse* response) {
  return RunCall(*options_.boundary, Rpc::kResetUsage, *options_.operating, context, *request,
                 *response, [=, this](const Caller& caller) {
                   return DoResetUsage(caller.ToString(), *request, response);
                 });
}

absl::Status AdminService::DoGetStatus(const Caller& caller, const v1::GetStatusRequest& request,
                                       v1::GetStatusResponse* response) {
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

grpc::ServerUnaryReactor* AdminService::GetStatus(grpc::CallbackServerContext* context,
                                                  const v1::GetStatusRequest* request,
                                                  v1::GetStatusResponse* response) {
  return RunCall(
      *options_.boundary, Rpc::kGetStatus, telling_, context, *request, *response,
      [=, this](const Caller& caller) { return DoGetStatus(caller, *request, response); });
}

grpc::ServerWriteReactor<v1::RebuildUsageResponse>* AdminService::RebuildUsage(
    grpc::CallbackServerContext* context, const v1::RebuildUsageRequest* request) {
  auto place = options_.boundary->admission().Admit(*request);
  auto* stream = new MessageStream<v1::RebuildUsageResponse>(
      options_.boundary->Begin(Rpc::kRebuildUsage, request->cluster(), *context),
      place.ok() ? *place : nullptr);
  if (!place.ok()) {
    stream->End(place.status());
    return stream;
  }
  const auto go_on = [=, this](absl::StatusOr<Caller> caller) {
    if (!caller.ok()) return stream->End(caller.status());
    const bool taken = options_.operating->TrySchedule([=, this, who = caller->ToString()] {
      stream->End(DoRebuildUsage(who, *request, stream));
    });
    if (!taken) stream->End(BusyError());
  };
  options_.boundary->Pass(&stream->call(), context, go_on);
  return stream;
}

}  // namespace priorityd::rpc
