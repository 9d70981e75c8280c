#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/slurm/conf/policy_parameter_table.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class PolicyTest : public ::testing::Test {
 protected:
  PolicyTest() { Import(service_, SmallSite()); }

  v1::ApplyPolicyResponse Apply(const std::string& text, grpc::Status* status = nullptr) {
    v1::ApplyPolicyRequest request;
    request.set_text(text);
    return ApplyPolicy(service_, request, status);
  }

  v1::Policy Get(int64_t version, grpc::Status* status) {
    v1::GetPolicyRequest request;
    request.set_version(version);
    v1::Policy policy;
    *status = CallUnary(service_, request, &policy);
    return policy;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(PolicyTest, AnotherTextMakesAVersionAndTheSameTextNone) {
  const v1::ApplyPolicyResponse first = Apply("PriorityWeightAge=7\n");
  EXPECT_TRUE(first.created());
  EXPECT_EQ(first.policy().version(), 2);
  EXPECT_EQ(first.policy().parameters().weight_age(), 7u);
  const v1::ApplyPolicyResponse again = Apply("PriorityWeightAge=7\n");
  EXPECT_FALSE(again.created());
  EXPECT_EQ(again.policy().version(), 2);
}

TEST_F(PolicyTest, ATextOfAnotherClusterIsAppliedWithAWarning) {
  EXPECT_EQ(Apply("ClusterName=c\nPriorityWeightAge=7\n").warnings_size(), 0);
  const v1::ApplyPolicyResponse response = Apply("ClusterName=d\nPriorityWeightAge=8\n");
  EXPECT_TRUE(response.created());
  ASSERT_EQ(response.warnings_size(), 1);
  EXPECT_EQ(response.warnings(0),
            "the text is that of cluster \"d\", applied to \"c\" as the request says");
}

TEST_F(PolicyTest, AVersionIsInForceFromTheNextRecalculation) {
  Apply("FairShareAlgorithm=classic\n");
  EXPECT_EQ(ListShares(service_).fair_share_algorithm(), "fair_tree");
  EXPECT_EQ(Recalculate(service_).policy_version(), 2);
  EXPECT_EQ(ListShares(service_).fair_share_algorithm(), "classic");
}

TEST_F(PolicyTest, WhatHasNoEffectIsListedOfTheTextAndOfTheNewestAlsoOfTheSite) {
  v1::ImportRequest site;
  AddFile(v1::FILE_KIND_QOS, "qos", "Name|Flags\nslow|UsageFactorSafe\n", &site);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\n"
          "Account - 'a':Fairshare=1:MinPrioThresh=5\n",
          &site);
  site.set_cluster("c");
  Import(service_, site);
  const v1::ApplyPolicyResponse applied = Apply("PriorityWeightAge=7\nMaxTasksPerNode=5\n");
  ASSERT_EQ(applied.unused_size(), 1);
  EXPECT_EQ(applied.unused(0).name(), "MaxTasksPerNode");
  const v1::Policy newest = Get(0, &status_);
  ASSERT_EQ(newest.unused_size(), 3);
  EXPECT_EQ(newest.unused(0).place(), "QOS slow");
  EXPECT_EQ(newest.unused(1).place(), "slurm.conf line 2");
  EXPECT_EQ(newest.unused(2).place(), "account a");
  Apply("PriorityWeightAge=8\n");
  EXPECT_EQ(Get(2, &status_).unused_size(), 1);
  EXPECT_EQ(Get(3, &status_).unused_size(), 2);
}

TEST_F(PolicyTest, WhatChangesNumbersNeedsAWordAndARollbackNeedsNone) {
  const std::string text = "PrioritySiteFactorPlugin=site_factor/example\n";
  Apply(text, &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::ApplyPolicyRequest request;
  request.set_text(text);
  request.add_accept("PrioritySiteFactorPlugin");
  EXPECT_TRUE(ApplyPolicy(service_, request).created());
  Apply("PriorityWeightAge=8\n");
  v1::RollbackPolicyRequest back;
  back.set_version(2);
  v1::ApplyPolicyResponse response;
  status_ = CallUnary(service_, back, &response);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(response.unused_size(), 1);
}

TEST_F(PolicyTest, StrictRefusesLossesAndWhatLimitsJobs) {
  v1::ApplyPolicyRequest request;
  request.set_strict(true);
  for (const char* text :
       {"PriorityFlags=TICKET_BASED\n", "PriorityWeightAge=1\nMaxTasksPerNode=5\n"}) {
    request.set_text(text);
    ApplyPolicy(service_, request, &status_);
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << text;
  }
}

TEST_F(PolicyTest, VersionsCanBeReadBack) {
  Apply("PriorityWeightAge=7\nTimeZone=Europe/Berlin\n");
  const v1::Policy newest = Get(0, &status_);
  EXPECT_EQ(newest.version(), 2);
  EXPECT_EQ(newest.text(), "PriorityWeightAge=7\nTimeZone=Europe/Berlin\n");
  EXPECT_EQ(newest.parameters().time_zone(), "Europe/Berlin");
  EXPECT_EQ(newest.parameters().priority_type(), "priority/multifactor");
  EXPECT_EQ(newest.parameters().calc_period().seconds(), 300);
  EXPECT_EQ(newest.applied_at().seconds(), absl::ToUnixSeconds(TestEpoch()));
  EXPECT_NE(newest.applied_by(), "");
  EXPECT_EQ(Get(1, &status_).parameters().weight_age(), 0u);
  Get(3, &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_POLICY_VERSION");
}

TEST_F(PolicyTest, EveryParameterIsThereAsText) {
  Apply(
      "PreemptType=preempt/qos\nPrioritySiteFactorPlugin=localhost:7412\nPrivateData=usage\n"
      "PrioritySiteFactorParameters=timeout=2s\nTimeZone=Europe/Berlin\n");
  std::map<std::string, v1::PolicyParameter> all;
  const v1::Policy policy = Get(0, &status_);
  for (const v1::PolicyParameter& parameter : policy.parameters().all()) {
    EXPECT_NE(parameter.description(), "") << parameter.name();
    all[parameter.name()] = parameter;
  }
  EXPECT_EQ(all.size(), slurm::PolicyParameterTable().size());
  EXPECT_EQ(all["PreemptType"].value(), "preempt/qos");
  EXPECT_EQ(all["PreemptType"].default_value(), "preempt/none");
  EXPECT_EQ(all["PrioritySiteFactorPlugin"].value(), "localhost:7412");
  EXPECT_EQ(all["PrioritySiteFactorParameters"].value(), "timeout=2");
  EXPECT_EQ(all["TimeZone"].value(), "Europe/Berlin");
  EXPECT_EQ(all["PriorityCalcPeriod"].value(), "00:05:00");
  EXPECT_TRUE(all["PriorityCalcPeriod"].acted_on());
  EXPECT_EQ(all["PrivateData"].value(), "usage");
  EXPECT_TRUE(all["PrivateData"].acted_on());
}

TEST_F(PolicyTest, AnErrorNamesFileAndLineAndMakesNoVersion) {
  Apply("\nPriorityWeightAge=NONSENSE\n", &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status_).Fields(), "slurm.conf line 2");
  EXPECT_EQ(Get(0, &status_).version(), 1);
}

TEST_F(PolicyTest, ATextWithoutAnyParameterIsRefused) {
  for (const char* text : {"", "\n  \n", "# PriorityWeightAge=7\n"}) {
    Apply(text, &status_);
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << text;
    EXPECT_EQ(status_.error_message(),
              "text: got no parameter, want lines of slurm.conf, such as PriorityType=...");
  }
  EXPECT_EQ(Get(0, &status_).version(), 1);
}

TEST_F(PolicyTest, ValidateOnlyMakesNoVersion) {
  v1::ApplyPolicyRequest request;
  request.set_text("PriorityWeightAge=7\n");
  request.set_validate_only(true);
  EXPECT_TRUE(ApplyPolicy(service_, request).created());
  EXPECT_EQ(Get(0, &status_).version(), 1);
}

class UpdateClusterTest : public PolicyTest {
 protected:
  v1::Cluster Update(const v1::UpdateClusterRequest& request) {
    v1::Cluster cluster;
    status_ = CallUnary(service_, request, &cluster);
    return cluster;
  }
};

TEST_F(UpdateClusterTest, SetsWhatTheMaskNames) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("c");
  request.mutable_cluster()->set_cpus(2.5);
  (*request.mutable_cluster()->mutable_tres())["GRES/gpu"] = 4;
  v1::Cluster cluster = Update(request);
  EXPECT_EQ(cluster.nodes(), 10u);
  EXPECT_DOUBLE_EQ(cluster.cpus(), 2.5);
  EXPECT_DOUBLE_EQ(cluster.tres().at("gres/gpu"), 4);
  request.mutable_update_mask()->add_paths("nodes");
  cluster = Update(request);
  EXPECT_EQ(cluster.nodes(), 0u);
  EXPECT_DOUBLE_EQ(cluster.cpus(), 2.5);
}

TEST_F(UpdateClusterTest, AClusterIsCreatedOnlyWhenAskedFor) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("k8s");
  request.mutable_cluster()->set_cpus(8);
  Update(request);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_allow_missing(true);
  Update(request);
  EXPECT_TRUE(status_.ok());
  v1::ListSharesRequest list;
  list.set_cluster("k8s");
  EXPECT_EQ(ListShares(service_, list).shares_size(), 1);
}

TEST_F(UpdateClusterTest, FaultsNameTheirFields) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_cpus(-1);
  (*request.mutable_cluster()->mutable_tres())["x"] = 4;
  request.mutable_update_mask()->add_paths("name");
  Update(request);
  EXPECT_EQ(DetailsOf(status_).Fields(),
            "cluster.name,cluster.cpus,cluster.tres[\"x\"],update_mask.paths[0]");
}

TEST_F(UpdateClusterTest, ATresThatNoListCanHoldIsRefused) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("c");
  (*request.mutable_cluster()->mutable_tres())["gres/g pu"] = 4;
  Update(request);
  EXPECT_EQ(DetailsOf(status_).Fields(), "cluster.tres[\"gres/g pu\"]");
}

}  // namespace
}  // namespace priorityd::rpc
