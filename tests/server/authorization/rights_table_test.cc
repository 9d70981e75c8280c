#include "server/authorization/rights_table.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/errors/error_details.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"

namespace priorityd::authorization {
namespace {

// SERVICE/METHOD of every RPC that the service offers.
std::set<std::string> Methods() {
  // Else the files need not be linked.
  EXPECT_NE(&descriptor_table_priority_2fv1_2fpriority_5fservice_2eproto, nullptr);
  EXPECT_NE(&descriptor_table_priority_2fv1_2fadmin_5fservice_2eproto, nullptr);
  std::set<std::string> methods;
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  for (const char* name : {"priority.v1.PriorityService", "priority.v1.AdminService"}) {
    const auto* service = pool->FindServiceByName(name);
    for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
      methods.insert(service->full_name() + "/" + service->method(i)->name());
    }
  }
  return methods;
}

TEST(RightsTableTest, EveryRpcHasARowAndEveryRowAnRpc) {
  std::set<std::string> rows;
  for (const Right& right : kRightsTable) rows.insert(std::string(right.method));
  EXPECT_EQ(rows, Methods());
  EXPECT_GE(rows.size(), 19);
}

TEST(RightsTableTest, AnAdministratorMayDoAllAndNobodyElse) {
  for (const Right& right : kRightsTable) {
    EXPECT_TRUE(CheckRight(right.rpc, {Role::kAdministrator}, "root").ok()) << right.method;
    EXPECT_FALSE(CheckRight(right.rpc, {}, "nobody").ok()) << right.method;
  }
}

// A plain user must not change settings of all.
TEST(RightsTableTest, AUserReadsAndUpdatesJobsAndTheirOwnUserAndNothingElse) {
  const std::set<Rpc> allowed = {
      Rpc::kRankJobs,          Rpc::kExplainPriority,    Rpc::kWatchRanking,
      Rpc::kSimulate,          Rpc::kLintPolicy,         Rpc::kUpdateJobs,
      Rpc::kTopJobs,           Rpc::kListJobs,           Rpc::kListShares,
      Rpc::kListQosUsage,      Rpc::kListBudgets,        Rpc::kListBudgetEvents,
      Rpc::kEstimateJobCost,   Rpc::kReportUsage,        Rpc::kListUsageRecords,
      Rpc::kGetPolicy,         Rpc::kListShareHistory,   Rpc::kGetCaller,
      Rpc::kListAssociations,  Rpc::kListUsers,          Rpc::kUpdateUsers,
      Rpc::kListQos,           Rpc::kListPartitions,     Rpc::kListReservations,
      Rpc::kListClusters,      Rpc::kListPolicyVersions, Rpc::kPlanStarts,
      Rpc::kForecastStarts,    Rpc::kScoreForecasts,     Rpc::kListGrants,
      Rpc::kGetGrantStatement, Rpc::kListLeases,         Rpc::kEndLeases};
  for (const Right& right : kRightsTable) {
    EXPECT_EQ(CheckRight(right.rpc, {Role::kUser}, "amy").ok(), allowed.contains(right.rpc))
        << right.method;
  }
}

TEST(RightsTableTest, AProvisionerMakesWhatJobsNameAndLooksForIt) {
  const std::set<Rpc> allowed = {Rpc::kCreateAssociations, Rpc::kListPartitions,
                                 Rpc::kUpdatePartitions,   Rpc::kUpdateCluster,
                                 Rpc::kListClusters,       Rpc::kGetCaller};
  for (const Right& right : kRightsTable) {
    EXPECT_EQ(CheckRight(right.rpc, {Role::kProvisioner}, "k8s").ok(), allowed.contains(right.rpc))
        << right.method;
  }
}

// Work of the others must not be ended halfway.
TEST(RightsTableTest, WhatOnlyReadsIsAllThatChangesNothing) {
  const std::set<Rpc> changing = {Rpc::kRecordUsage,
                                  Rpc::kStreamUsage,
                                  Rpc::kUpdateJobs,
                                  Rpc::kTopJobs,
                                  Rpc::kImport,
                                  Rpc::kApplyPolicy,
                                  Rpc::kUpdateCluster,
                                  Rpc::kRecalculate,
                                  Rpc::kResetUsage,
                                  Rpc::kRebuildUsage,
                                  Rpc::kVoidUsage,
                                  Rpc::kRestoreUsage,
                                  Rpc::kCreateAssociations,
                                  Rpc::kUpdateAssociations,
                                  Rpc::kDeleteAssociations,
                                  Rpc::kUpdateUsers,
                                  Rpc::kCreateQos,
                                  Rpc::kUpdateQos,
                                  Rpc::kDeleteQos,
                                  Rpc::kUpdatePartitions,
                                  Rpc::kDeletePartitions,
                                  Rpc::kUpdateReservations,
                                  Rpc::kDeleteReservations,
                                  Rpc::kUpdateAliases,
                                  Rpc::kMergeUsers,
                                  Rpc::kUnmergeUsers,
                                  Rpc::kUpdateGrants,
                                  Rpc::kRevokeGrants,
                                  Rpc::kTransferGrant,
                                  Rpc::kUpdateDomain,
                                  Rpc::kEndLeases,
                                  Rpc::kDeleteCluster,
                                  Rpc::kMoveCluster,
                                  Rpc::kWriteClusterRows,
                                  Rpc::kRollbackPolicy,
                                  Rpc::kUndoImport,
                                  Rpc::kRestoreCluster,
                                  Rpc::kCreateBackup,
                                  Rpc::kVerifyBackup,
                                  Rpc::kReadClusterRows};  // A step of a move.
  for (const Right& right : kRightsTable) {
    EXPECT_EQ(OnlyReads(NameOf(right.rpc)), !changing.contains(right.rpc)) << right.method;
  }
}

TEST(RightsTableTest, ARefusalSaysWhoHasWhichRoleAndWhichIsWanted) {
  const absl::Status denied = CheckRight(Rpc::kResetUsage, {Role::kUser}, "amy (MUNGE, uid 7)");
  EXPECT_EQ(denied.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(denied.message(),
            "ResetUsage: got amy (MUNGE, uid 7) with the role user, want one of operator, "
            "administrator");
  EXPECT_EQ(errors::ReasonOf(denied), "ROLE_REQUIRED");
  EXPECT_EQ(CheckRight(Rpc::kImport, {Role::kUser}, "amy").message(),
            "Import: got amy with the role user, want administrator");
}

// Words that are about rows of the answer.
TEST(RightsTableTest, WhatUsersCallSaysWhichWordsKeepRowsBack) {
  // Their answers are about no user and no account, or about the caller alone.
  const std::set<Rpc> about_nobody = {
      Rpc::kGetPolicy,      Rpc::kListPolicyVersions, Rpc::kListQos,
      Rpc::kListClusters,   Rpc::kUpdateUsers,        Rpc::kGetCaller,
      Rpc::kScoreForecasts, Rpc::kListLeases,         Rpc::kEndLeases};
  for (const Right& right : kRightsTable) {
    const bool tells = right.roles.Has(Role::kUser) && !about_nobody.contains(right.rpc);
    EXPECT_EQ(right.reveals.any(), tells) << right.method;
  }
}

TEST(RightsTableTest, WhatOnlyThoseSeeWhoSeeAllNamesThem) {
  const absl::Status denied = SeeAllRequired("events", {Role::kUser}, "amy");
  EXPECT_EQ(denied.message(),
            "events: got amy with the role user, want one of operator, administrator, frontend, "
            "dashboard");
  EXPECT_EQ(errors::ReasonOf(denied), "ROLE_REQUIRED");
}

}  // namespace
}  // namespace priorityd::authorization
