#include "server/api/administration/validate_cluster.h"

#include <google/protobuf/map.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "server/authorization/rights_table.h"
#include "server/backups/backup.h"
#include "server/messages/convert_time.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// 9000-01-01T00:00:00+00:00. Times that a recalculation computes from its own, such as the ends of
// windows of grants, are then within the years of a Timestamp.
constexpr int64_t kMostAsOfSeconds = 221845392000;

void CheckAsOf(const google::protobuf::Timestamp& as_of, RequestViolations* violations) {
  violations->CheckTime("as_of", as_of);
  const absl::Time most = absl::FromUnixSeconds(kMostAsOfSeconds);
  if (!IsValid(as_of) || ToTime(as_of) <= most) return;
  const auto text = [](absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); };
  violations->Add("as_of",
                  absl::StrCat("got ", text(ToTime(as_of)), ", want at most ", text(most)));
}

void CheckTres(const google::protobuf::Map<std::string, double>& tres,
               RequestViolations* violations) {
  if (tres.size() > errors::kMaxTresOfCluster) {
    return violations->Add(
        "cluster.tres",
        absl::StrCat("got ", tres.size(), " names, want at most ", errors::kMaxTresOfCluster));
  }
  absl::flat_hash_set<std::string> names;
  for (const auto& [name, count] : tres) {
    const std::string field = absl::StrCat(
        "cluster.tres[\"", absl::CHexEscape(name.substr(0, errors::kShownBytes)), "\"]");
    violations->CheckText(field, name);
    violations->CheckAmount(field, count);
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) {
      violations->Add(field,
                      "got an unknown type, want cpu, mem, node, gres/NAME, license/NAME, ...");
    } else if (!priority::FitsTresList(name)) {
      violations->Add(field, priority::kUnfitTresName);
    } else if (!names.insert(*canonical).second) {
      violations->Add(field, "got it twice, want it once");
    }
  }
}

// Actions of the audit that are no RPC of AdminService.
constexpr absl::string_view kOtherActions[] = {"LeaseBegin",   "LeaseEnd",     "MoveLedgerHorizon",
                                               "PurgeCluster", "ReplaceUsage", "UpdateJobs"};

std::set<absl::string_view> AuditActions() {
  std::set<absl::string_view> actions(std::begin(kOtherActions), std::end(kOtherActions));
  for (const authorization::Right& right : authorization::kRightsTable) {
    const absl::string_view name = authorization::NameOf(right.rpc);
    const bool administers = absl::StrContains(right.method, ".AdminService/");
    if (administers && !authorization::OnlyReads(name)) actions.insert(name);
  }
  return actions;
}

// Adds a violation for the first unknown action; the list of actions is long.
void CheckActions(const v1::ListAuditEventsRequest& request, RequestViolations* violations) {
  const std::set<absl::string_view> known = AuditActions();
  for (int i = 0; i < request.actions_size(); ++i) {
    const std::string& action = request.actions(i);
    if (known.contains(action)) continue;
    return violations->Add(
        absl::StrCat("actions[", i, "]"),
        absl::StrCat("got \"", absl::CHexEscape(action.substr(0, errors::kShownBytes)),
                     "\", want one of ", absl::StrJoin(known, ", ")));
  }
}

}  // namespace

absl::Status Validate(const v1::ImportRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckCount("accept", request.accept_size(), errors::kMaxAccepted);
  violations.CheckTexts("accept", request.accept());
  if (request.files().empty()) violations.Add("files", "got none, want at least one");
  for (int i = 0; i < request.files_size(); ++i) {
    const v1::File& file = request.files(i);
    const std::string field = absl::StrCat("files[", i, "]");
    violations.CheckText(field + ".name", file.name());
    violations.CheckText(field + ".content", file.content(), SIZE_MAX);
    if (file.name().empty()) violations.Add(field + ".name", "got none, want the file's name");
    if (!v1::FileKind_IsValid(file.kind()) || file.kind() == v1::FILE_KIND_UNSPECIFIED) {
      violations.Add(field + ".kind", absl::StrCat("got ", static_cast<int>(file.kind()),
                                                   ", want what the file is"));
    }
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateClusterRequest& request) {
  RequestViolations violations;
  const v1::Cluster& cluster = request.cluster();
  if (cluster.name().empty()) violations.Add("cluster.name", "got none, want the cluster's name");
  violations.CheckClusterName("cluster.name", cluster.name());
  violations.CheckAmount("cluster.cpus", cluster.cpus());
  CheckTres(cluster.tres(), &violations);
  for (int i = 0; i < request.update_mask().paths_size(); ++i) {
    const std::string& path = request.update_mask().paths(i);
    if (path == "nodes" || path == "cpus" || path == "tres") continue;
    violations.Add(absl::StrCat("update_mask.paths[", i, "]"),
                   absl::StrCat("got \"", absl::CHexEscape(path.substr(0, errors::kShownBytes)),
                                "\", want nodes, cpus or tres"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RecalculateRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.has_as_of()) CheckAsOf(request.as_of(), &violations);
  if (request.has_as_of() && request.forget_future()) {
    violations.Add("forget_future", "got it beside as_of, want one of the two");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListAuditEventsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  violations.CheckTexts("principals", request.principals());
  violations.CheckTexts("actions", request.actions());
  CheckActions(request, &violations);
  violations.CheckText("object_contains", request.object_contains());
  violations.CheckTimes(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UndoImportRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.import_id() < 0) {
    violations.Add("import_id", absl::StrCat("got ", request.import_id(), ", want at least 0"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RestoreClusterRequest& request) {
  RequestViolations violations;
  if (request.name().empty()) violations.Add("name", "got none, want the cluster's name");
  violations.CheckClusterName("name", request.name());
  return violations.ToStatus();
}

absl::Status Validate(const v1::CreateBackupRequest&) { return absl::OkStatus(); }

absl::Status Validate(const v1::VerifyBackupRequest& request) {
  RequestViolations violations;
  if (!request.name().empty() && !backups::IsBackupName(request.name())) {
    violations.Add(
        "name",
        absl::StrCat("got \"", absl::CHexEscape(request.name().substr(0, errors::kShownBytes)),
                     "\", want a name that `prioctl backup list` prints"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListBackupsRequest&) { return absl::OkStatus(); }

}  // namespace priorityd::rpc
