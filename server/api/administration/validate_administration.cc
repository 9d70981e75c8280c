#include "server/api/administration/validate_administration.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/api/administration/check_names.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"
#include "storage/schema/moved_tables.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void CheckFilter(const v1::AssociationFilter& where, RequestViolations* violations) {
  violations->CheckTexts("where.accounts", where.accounts());
  violations->CheckTexts("where.users", where.users());
  violations->CheckTexts("where.partitions", where.partitions());
  violations->CheckTexts("where.parents", where.parents());
  violations->CheckTexts("where.qos", where.qos());
  violations->CheckTexts("where.default_qos", where.default_qos());
  if (where.with_sub_accounts() && where.accounts().empty()) {
    violations->Add("where.with_sub_accounts", "got it without accounts, want accounts too");
  }
}

void CheckFilter(const v1::UserFilter& where, RequestViolations* violations) {
  violations->CheckTexts("where.names", where.names());
  violations->CheckTexts("where.accounts", where.accounts());
  violations->CheckTexts("where.default_accounts", where.default_accounts());
  violations->CheckTexts("where.admin_levels", where.admin_levels());
  violations->CheckTexts("where.coordinated_accounts", where.coordinated_accounts());
}

// The required fields of a change.
template <typename Filter>
void CheckSomeFilter(const Filter& where, RequestViolations* violations) {
  CheckFilter(where, violations);
  if (where.ByteSizeLong() > 0) return;
  violations->Add("where", "got none, want which; all by accounts root and with_sub_accounts");
}

void CheckMove(const std::string& cluster, const std::string& move_id,
               RequestViolations* violations) {
  if (cluster.empty()) violations->Add("cluster", "got none, want the cluster's name");
  violations->CheckClusterName("cluster", cluster);
  violations->CheckText("move_id", move_id, errors::kMaxNameBytes);
}

// A cell is named in a header and in the map of the load balancer.
bool IsCellName(const std::string& name) {
  return !name.empty() && absl::c_all_of(name, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
  });
}

void CheckTable(const std::string& field, const std::string& table, RequestViolations* violations) {
  if (storage::FindMovedTable(table) != nullptr) return;
  violations->Add(field, absl::StrCat("got \"", absl::Utf8SafeCEscape(table),
                                      "\", want a table that MoveCluster lists"));
}

template <typename Request>
void CheckList(const Request& request, RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  CheckFilter(request.where(), violations);
  // A token of associations contains the path to one.
  violations->CheckText("page_token", request.page_token(), errors::kMaxExpressionBytes);
  if (request.page_size() >= 0) return;
  violations->Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
}

template <typename Request>
void CheckUpdate(const Request& request, RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  CheckSomeFilter(request.where(), violations);
  CheckSettings(request.settings(), violations);
  if (request.settings().empty()) violations->Add("settings", "got none, want one at least");
  CheckOptions(request.options(), violations, /*may_lease=*/true);
}

// The fields of requests that list QOS, partitions or reservations.
template <typename Request>
RequestViolations CheckedNames(const Request& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("names", request.names());
  return violations;
}

// With settings or, for a deletion, without.
template <typename Request>
absl::Status ValidateChange(const Request& request) {
  RequestViolations violations;
  CheckChange(request, &violations);
  if constexpr (requires { request.settings(); }) CheckSettings(request.settings(), &violations);
  return violations.ToStatus();
}

}  // namespace

absl::Status Validate(const v1::ListAssociationsRequest& request) {
  RequestViolations violations;
  CheckList(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListUsersRequest& request) {
  RequestViolations violations;
  CheckList(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::CreateAssociationsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  const int count = request.associations_size();
  if (count == 0) violations.Add("associations", "got none, want one at least");
  violations.CheckCount("associations", count, static_cast<int>(errors::kMaxNewAssociations));
  for (int i = 0; i < count; ++i) {
    const v1::NewAssociation& wanted = request.associations(i);
    const auto check = [&](const char* name, const std::string& text) {
      if (text.size() <= errors::kMaxNameBytes && text.find('\0') == std::string::npos) return;
      violations.CheckText(absl::StrCat("associations[", i, "].", name), text,
                           errors::kMaxNameBytes);
    };
    check("account", wanted.account());
    check("user", wanted.user());
    check("partition", wanted.partition());
    check("parent_account", wanted.parent_account());
  }
  CheckSettings(request.settings(), &violations);
  CheckOptions(request.options(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateAssociationsRequest& request) {
  RequestViolations violations;
  CheckUpdate(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::DeleteAssociationsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckSomeFilter(request.where(), &violations);
  CheckOptions(request.options(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateUsersRequest& request) {
  RequestViolations violations;
  CheckUpdate(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ExportRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListQosRequest& request) {
  return CheckedNames(request).ToStatus();
}

absl::Status Validate(const v1::CreateQosRequest& request) { return ValidateChange(request); }

absl::Status Validate(const v1::UpdateQosRequest& request) { return ValidateChange(request); }

absl::Status Validate(const v1::DeleteQosRequest& request) { return ValidateChange(request); }

absl::Status Validate(const v1::ListPartitionsRequest& request) {
  RequestViolations violations = CheckedNames(request);
  violations.CheckText("user", request.user());
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdatePartitionsRequest& request) {
  return ValidateChange(request);
}

absl::Status Validate(const v1::DeletePartitionsRequest& request) {
  return ValidateChange(request);
}

absl::Status Validate(const v1::ListReservationsRequest& request) {
  return CheckedNames(request).ToStatus();
}

absl::Status Validate(const v1::UpdateReservationsRequest& request) {
  return ValidateChange(request);
}

absl::Status Validate(const v1::DeleteReservationsRequest& request) {
  return ValidateChange(request);
}

absl::Status Validate(const v1::ListLeasesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("objects", request.objects());
  violations.CheckCount("states", request.states_size(), v1::LeaseState_ARRAYSIZE - 1);
  for (int i = 0; i < request.states_size(); ++i) {
    const bool is_known = v1::LeaseState_IsValid(request.states(i)) &&
                          request.states(i) != v1::LEASE_STATE_UNSPECIFIED;
    if (is_known) continue;
    violations.Add(
        absl::StrCat("states[", i, "]"),
        absl::StrCat("got ", static_cast<int>(request.states(i)), ", want a LeaseState"));
    break;
  }
  violations.CheckText("page_token", request.page_token());
  if (request.page_size() < 0) {
    violations.Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::EndLeasesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.ids().empty()) violations.Add("ids", "got none, want at least one");
  violations.CheckCount("ids", request.ids_size(), kMaxChangedNames);
  CheckOptions(request.options(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListClustersRequest& request) {
  RequestViolations violations;
  violations.CheckTexts("names", request.names());
  return violations.ToStatus();
}

absl::Status Validate(const v1::DeleteClusterRequest& request) {
  RequestViolations violations;
  if (request.name().empty()) violations.Add("name", "got none, want the cluster's name");
  violations.CheckClusterName("name", request.name());
  return violations.ToStatus();
}

absl::Status Validate(const v1::MoveClusterRequest& request) {
  RequestViolations violations;
  CheckMove(request.cluster(), request.move_id(), &violations);
  violations.CheckText("cell", request.cell(), errors::kMaxNameBytes);
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  const bool names_cell =
      request.step() == v1::MOVE_STEP_LEAVE || request.step() == v1::MOVE_STEP_ARRIVE;
  if (names_cell && !IsCellName(request.cell())) {
    violations.Add("cell", "got another text, want a name of letters, digits, '.', '_' and '-'");
  }
  const bool is_known =
      v1::MoveStep_IsValid(request.step()) && request.step() != v1::MOVE_STEP_UNSPECIFIED;
  if (!is_known) {
    violations.Add("step",
                   absl::StrCat("got ", static_cast<int>(request.step()), ", want a MoveStep"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ReadClusterRowsRequest& request) {
  RequestViolations violations;
  CheckMove(request.cluster(), request.move_id(), &violations);
  CheckTable("table", request.table(), &violations);
  violations.CheckTexts("after", request.after());
  return violations.ToStatus();
}

absl::Status Validate(const v1::WriteClusterRowsRequest& request) {
  RequestViolations violations;
  CheckMove(request.cluster(), request.move_id(), &violations);
  CheckTable("rows.table", request.rows().table(), &violations);
  violations.CheckTexts("after", request.after());
  violations.CheckTexts("rows.last", request.rows().last());
  const auto& tres = request.rows().tres();
  if (tres.size() > errors::kMaxTresOfCluster) {
    violations.Add("rows.tres", absl::StrCat("got ", tres.size(), " names, want at most ",
                                             errors::kMaxTresOfCluster));
  }
  for (const auto& [number, name] : tres) {
    violations.CheckText(absl::StrCat("rows.tres[", number, "]"), name, errors::kMaxNameBytes);
  }
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
