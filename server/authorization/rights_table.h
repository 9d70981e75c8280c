// The rights table: the roles that may call each RPC, and the visible rows.
#ifndef PRIORITYD_SERVER_AUTHORIZATION_RIGHTS_TABLE_H_
#define PRIORITYD_SERVER_AUTHORIZATION_RIGHTS_TABLE_H_

#include <cstdint>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/authorization/private_data.h"
#include "server/authorization/role.h"

namespace priorityd::authorization {

enum class Rpc : uint8_t {
  kRankJobs,
  kExplainPriority,
  kWatchRanking,
  kSimulate,
  kLintPolicy,
  kPlanStarts,
  kForecastStarts,
  kScoreForecasts,
  kSuggestPreemption,
  kRecordUsage,
  kStreamUsage,
  kUpdateJobs,
  kTopJobs,
  kListJobs,
  kListShares,
  kListQosUsage,
  kListBudgets,
  kListBudgetEvents,
  kListGrants,
  kGetGrantStatement,
  kEstimateJobCost,
  kReportUsage,
  kListUsageRecords,
  kListShareHistory,
  kGetCaller,
  kImport,
  kApplyPolicy,
  kGetPolicy,
  kUpdateCluster,
  kRecalculate,
  kResetUsage,
  kRebuildUsage,
  kVoidUsage,
  kRestoreUsage,
  kGetStatus,
  kListAssociations,
  kCreateAssociations,
  kUpdateAssociations,
  kDeleteAssociations,
  kListUsers,
  kUpdateUsers,
  kListQos,
  kCreateQos,
  kUpdateQos,
  kDeleteQos,
  kListPartitions,
  kUpdatePartitions,
  kDeletePartitions,
  kListReservations,
  kUpdateReservations,
  kDeleteReservations,
  kListAliases,
  kUpdateAliases,
  kListUserMerges,
  kMergeUsers,
  kUnmergeUsers,
  kUpdateGrants,
  kRevokeGrants,
  kTransferGrant,
  kListDomains,
  kUpdateDomain,
  kListLeases,
  kEndLeases,
  kListClusters,
  kDeleteCluster,
  kMoveCluster,
  kReadClusterRows,
  kWriteClusterRows,
  kExport,
  kListPolicyVersions,
  kRollbackPolicy,
  kListAuditEvents,
  kListUsageSources,
  kUndoImport,
  kRestoreCluster,
  kCreateBackup,
  kVerifyBackup,
  kListBackups,
};

// The cluster in which the caller needs a role: roles from a cluster's association data apply only
// there.
enum class Scope : uint8_t {
  kRequest,  // The request's cluster, or the only one.
  kContent,  // The cluster named in the content: its reader checks again.
};

struct Right {
  Rpc rpc;
  absl::string_view method;  // In the form of the call's path: SERVICE/METHOD.
  RoleSet roles;
  // The words of PrivateData that hide rows of the answer from roles outside kSeeAll; see
  // Visibility.
  PrivateData reveals = {};
  Scope scope = Scope::kRequest;
};

// Any role.
inline constexpr RoleSet kEverybody = {Role::kUser,          Role::kCoordinator, Role::kOperator,
                                       Role::kAdministrator, Role::kCollector,   Role::kFrontend,
                                       Role::kDashboard,     Role::kProvisioner};
// All roles except collectors, which do not need it.
inline constexpr RoleSet kReaders = {Role::kUser,          Role::kCoordinator, Role::kOperator,
                                     Role::kAdministrator, Role::kFrontend,    Role::kDashboard};
// A creator of objects must see the existing ones.
inline constexpr RoleSet kReadersOfNames = {
    Role::kUser,     Role::kCoordinator, Role::kOperator,   Role::kAdministrator,
    Role::kFrontend, Role::kDashboard,   Role::kProvisioner};
inline constexpr RoleSet kOperators = {Role::kOperator, Role::kAdministrator};
inline constexpr RoleSet kAdministrators = {Role::kAdministrator};
inline constexpr RoleSet kObservers = {Role::kOperator, Role::kAdministrator, Role::kDashboard};
inline constexpr RoleSet kPlanners = {Role::kOperator, Role::kAdministrator, Role::kFrontend};
inline constexpr RoleSet kRecorders = {Role::kAdministrator, Role::kCollector};
// A collector sees the sources to which it is bound.
inline constexpr RoleSet kReadersOfSources = {Role::kOperator, Role::kAdministrator,
                                              Role::kCollector, Role::kDashboard};
// queue::JobRights decides which jobs the caller may change.
inline constexpr RoleSet kUpdaters = {Role::kUser, Role::kCoordinator, Role::kOperator,
                                      Role::kAdministrator, Role::kFrontend};
// administration::TreeRights decides which associations a coordinator may change.
inline constexpr RoleSet kTreeChangers = {Role::kCoordinator, Role::kOperator,
                                          Role::kAdministrator};
// A provisioner creates missing objects; see rpc/provisioning.h.
inline constexpr RoleSet kTreeMakers = {Role::kCoordinator, Role::kOperator, Role::kAdministrator,
                                        Role::kProvisioner};
inline constexpr RoleSet kMakers = {Role::kAdministrator, Role::kProvisioner};
// Users may set their own default account.
inline constexpr RoleSet kUserChangers = {Role::kUser, Role::kCoordinator, Role::kOperator,
                                          Role::kAdministrator};

// These roles see all rows, regardless of PrivateData. Coordinators see those of their accounts,
// and users their own.
inline constexpr RoleSet kSeeAll = {Role::kOperator, Role::kAdministrator, Role::kFrontend,
                                    Role::kDashboard};

inline constexpr PrivateData kJobs = {.jobs = true};
inline constexpr PrivateData kTree = {.accounts = true, .users = true};
inline constexpr PrivateData kShares = {.accounts = true, .usage = true, .users = true};
inline constexpr PrivateData kSharesInThePast = {
    .accounts = true, .events = true, .usage = true, .users = true};
inline constexpr PrivateData kJobsAndShares = {
    .accounts = true, .jobs = true, .usage = true, .users = true};

// In order of Rpc.
inline constexpr Right kRightsTable[] = {
    {Rpc::kRankJobs, "priority.v1.PriorityService/RankJobs", kReaders, kJobsAndShares},
    {Rpc::kExplainPriority, "priority.v1.PriorityService/ExplainPriority", kReaders,
     kJobsAndShares},
    {Rpc::kWatchRanking, "priority.v1.PriorityService/WatchRanking", kReaders, kJobsAndShares},
    {Rpc::kSimulate, "priority.v1.PriorityService/Simulate", kReaders, kJobsAndShares},
    {Rpc::kLintPolicy, "priority.v1.PriorityService/LintPolicy", kReaders, kShares},
    {Rpc::kPlanStarts, "priority.v1.PriorityService/PlanStarts", kReaders, kJobsAndShares},
    {Rpc::kForecastStarts, "priority.v1.PriorityService/ForecastStarts", kReaders, kJobsAndShares},
    // Lists groups of jobs, of users only the caller.
    {Rpc::kScoreForecasts, "priority.v1.PriorityService/ScoreForecasts", kReaders},
    // Victims are other users' jobs.
    {Rpc::kSuggestPreemption, "priority.v1.PriorityService/SuggestPreemption", kPlanners},
    {Rpc::kRecordUsage, "priority.v1.PriorityService/RecordUsage", kRecorders},
    {Rpc::kStreamUsage, "priority.v1.PriorityService/StreamUsage", kRecorders, {}, Scope::kContent},
    {Rpc::kUpdateJobs, "priority.v1.PriorityService/UpdateJobs", kUpdaters, kJobs},
    {Rpc::kTopJobs, "priority.v1.PriorityService/TopJobs", kUpdaters, kJobs},
    {Rpc::kListJobs, "priority.v1.PriorityService/ListJobs", kReaders, kJobs},
    {Rpc::kListShares, "priority.v1.PriorityService/ListShares", kReaders, kShares},
    {Rpc::kListQosUsage, "priority.v1.PriorityService/ListQosUsage", kReaders, kShares},
    {Rpc::kListBudgets, "priority.v1.PriorityService/ListBudgets", kReaders, kShares},
    {Rpc::kListBudgetEvents, "priority.v1.PriorityService/ListBudgetEvents", kReaders, kShares},
    {Rpc::kListGrants, "priority.v1.PriorityService/ListGrants", kReaders, kShares},
    {Rpc::kGetGrantStatement, "priority.v1.PriorityService/GetGrantStatement", kReaders, kShares},
    {Rpc::kEstimateJobCost, "priority.v1.PriorityService/EstimateJobCost", kReaders,
     kJobsAndShares},
    {Rpc::kReportUsage, "priority.v1.PriorityService/ReportUsage", kReaders, kShares},
    {Rpc::kListUsageRecords, "priority.v1.PriorityService/ListUsageRecords", kReaders, kShares},
    {Rpc::kListShareHistory, "priority.v1.PriorityService/ListShareHistory", kReaders,
     kSharesInThePast},
    {Rpc::kGetCaller, "priority.v1.PriorityService/GetCaller", kEverybody},
    {Rpc::kImport, "priority.v1.AdminService/Import", kAdministrators, {}, Scope::kContent},
    {Rpc::kApplyPolicy, "priority.v1.AdminService/ApplyPolicy", kAdministrators},
    {Rpc::kGetPolicy, "priority.v1.AdminService/GetPolicy", kReaders},
    {Rpc::kUpdateCluster, "priority.v1.AdminService/UpdateCluster", kMakers},
    {Rpc::kRecalculate, "priority.v1.AdminService/Recalculate", kOperators},
    {Rpc::kResetUsage, "priority.v1.AdminService/ResetUsage", kOperators},
    {Rpc::kRebuildUsage, "priority.v1.AdminService/RebuildUsage", kAdministrators},
    {Rpc::kVoidUsage, "priority.v1.AdminService/VoidUsage", kAdministrators},
    {Rpc::kRestoreUsage, "priority.v1.AdminService/RestoreUsage", kAdministrators},
    // Lists the clusters in which the caller has the role.
    {Rpc::kGetStatus, "priority.v1.AdminService/GetStatus", kObservers, {}, Scope::kContent},
    {Rpc::kListAssociations, "priority.v1.AdminService/ListAssociations", kReaders, kTree},
    {Rpc::kCreateAssociations, "priority.v1.AdminService/CreateAssociations", kTreeMakers},
    {Rpc::kUpdateAssociations, "priority.v1.AdminService/UpdateAssociations", kTreeChangers},
    {Rpc::kDeleteAssociations, "priority.v1.AdminService/DeleteAssociations", kTreeChangers},
    {Rpc::kListUsers, "priority.v1.AdminService/ListUsers", kReaders, kTree},
    {Rpc::kUpdateUsers, "priority.v1.AdminService/UpdateUsers", kUserChangers},
    {Rpc::kListQos, "priority.v1.AdminService/ListQos", kReaders},
    {Rpc::kCreateQos, "priority.v1.AdminService/CreateQos", kOperators},
    {Rpc::kUpdateQos, "priority.v1.AdminService/UpdateQos", kOperators},
    {Rpc::kDeleteQos, "priority.v1.AdminService/DeleteQos", kOperators},
    {Rpc::kListPartitions, "priority.v1.AdminService/ListPartitions", kReadersOfNames, kTree},
    {Rpc::kUpdatePartitions, "priority.v1.AdminService/UpdatePartitions", kMakers},
    {Rpc::kDeletePartitions, "priority.v1.AdminService/DeletePartitions", kAdministrators},
    {Rpc::kListReservations,
     "priority.v1.AdminService/ListReservations",
     kReaders,
     {.reservations = true}},
    {Rpc::kUpdateReservations, "priority.v1.AdminService/UpdateReservations", kOperators},
    {Rpc::kDeleteReservations, "priority.v1.AdminService/DeleteReservations", kOperators},
    // Has email addresses and the like.
    {Rpc::kListAliases, "priority.v1.AdminService/ListAliases", kOperators},
    {Rpc::kUpdateAliases, "priority.v1.AdminService/UpdateAliases", kOperators},
    {Rpc::kListUserMerges, "priority.v1.AdminService/ListUserMerges", kOperators},
    {Rpc::kMergeUsers, "priority.v1.AdminService/MergeUsers", kOperators},
    {Rpc::kUnmergeUsers, "priority.v1.AdminService/UnmergeUsers", kOperators},
    // administration::LimitRight decides which grants a coordinator makes and ends.
    {Rpc::kUpdateGrants, "priority.v1.AdminService/UpdateGrants", kTreeChangers},
    {Rpc::kRevokeGrants, "priority.v1.AdminService/RevokeGrants", kTreeChangers},
    // administration::CheckTransferRight decides between which grants a coordinator may.
    {Rpc::kTransferGrant, "priority.v1.AdminService/TransferGrant", kTreeChangers},
    {Rpc::kListDomains, "priority.v1.AdminService/ListDomains", kOperators, {}, Scope::kContent},
    // Also in each cluster that joins or leaves.
    {Rpc::kUpdateDomain, "priority.v1.AdminService/UpdateDomain", kOperators},
    // administration::MayEnd decides which leases a coordinator or a user sees and ends.
    {Rpc::kListLeases, "priority.v1.AdminService/ListLeases", kUserChangers},
    {Rpc::kEndLeases, "priority.v1.AdminService/EndLeases", kUserChangers},
    {Rpc::kListClusters,
     "priority.v1.AdminService/ListClusters",
     kReadersOfNames,
     {},
     Scope::kContent},
    {Rpc::kDeleteCluster,
     "priority.v1.AdminService/DeleteCluster",
     kAdministrators,
     {},
     Scope::kContent},
    {Rpc::kMoveCluster,
     "priority.v1.AdminService/MoveCluster",
     kAdministrators,
     {},
     Scope::kContent},
    {Rpc::kReadClusterRows,
     "priority.v1.AdminService/ReadClusterRows",
     kAdministrators,
     {},
     Scope::kContent},
    {Rpc::kWriteClusterRows,
     "priority.v1.AdminService/WriteClusterRows",
     kAdministrators,
     {},
     Scope::kContent},
    {Rpc::kExport, "priority.v1.AdminService/Export", kOperators},
    {Rpc::kListPolicyVersions, "priority.v1.AdminService/ListPolicyVersions", kReaders},
    {Rpc::kRollbackPolicy, "priority.v1.AdminService/RollbackPolicy", kAdministrators},
    {Rpc::kListAuditEvents, "priority.v1.AdminService/ListAuditEvents", kOperators},
    {Rpc::kListUsageSources, "priority.v1.AdminService/ListUsageSources", kReadersOfSources},
    {Rpc::kUndoImport, "priority.v1.AdminService/UndoImport", kAdministrators},
    {Rpc::kRestoreCluster,
     "priority.v1.AdminService/RestoreCluster",
     kAdministrators,
     {},
     Scope::kContent},
    // A backup has every cluster: where there are several, roles of one cluster do not count.
    {Rpc::kCreateBackup, "priority.v1.AdminService/CreateBackup", kAdministrators},
    {Rpc::kVerifyBackup, "priority.v1.AdminService/VerifyBackup", kAdministrators},
    {Rpc::kListBackups, "priority.v1.AdminService/ListBackups", kAdministrators},
};

constexpr const Right& RightOf(Rpc rpc) { return kRightsTable[static_cast<uint8_t>(rpc)]; }

// The last part of its method: `RankJobs`.
absl::string_view NameOf(Rpc rpc);

// Whether the RPC of this name (see NameOf) changes nothing, so that its work may end at any time.
bool OnlyReads(absl::string_view name);

// Whether the table is in order of Rpc, that is complete and without duplicates.
constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kRightsTable); ++i) {
    if (static_cast<size_t>(kRightsTable[i].rpc) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

// OK if one of `roles` may call it. PERMISSION_DENIED (ROLE_REQUIRED) states the caller, the
// caller's roles and the required ones.
absl::Status CheckRight(Rpc rpc, RoleSet roles, absl::string_view caller);

// PERMISSION_DENIED (ROLE_REQUIRED) for data that only kSeeAll may see: `events: got amy with the
// role user, want one of ...`. `what`: the field or the word of PrivateData.
absl::Status SeeAllRequired(absl::string_view what, RoleSet roles, absl::string_view caller);

}  // namespace priorityd::authorization

#endif  // PRIORITYD_SERVER_AUTHORIZATION_RIGHTS_TABLE_H_
