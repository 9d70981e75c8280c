// Random administration: whatever is added, modified, moved and deleted while usage is recorded
// and jobs come, change and go, the tree, the usage, the queue, its order, the export and the audit
// are those that a naive model says, in every replica.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/snapshots/cluster_state.h"
#include "tests/server/service/random_queue.h"
#include "tests/server/service/table_digests.h"

namespace priorityd::rpc {
namespace {

class AdministrationPropertyTest : public RandomQueue,
                                   public ::testing::WithParamInterface<uint32_t> {
 protected:
  AdministrationPropertyTest() : RandomQueue(GetParam()) {}

  void Step() { return Below(3) == 0 ? ChangeAnyJob() : AdministerAny(); }

  void ExpectTheTreeOfTheModel() {
    std::map<std::string, std::string> expected;
    for (const auto& [name, account] : model_.accounts) {
      expected[name + "/"] = absl::StrCat(account.parent, " ", account.shares);
    }
    for (const auto& [name, user] : model_.users) {
      expected[name.first + "/" + name.second] = absl::StrCat(name.first, " ", user.shares);
    }
    std::map<std::string, std::string> listed;
    const v1::ListAssociationsResponse list = List();
    for (const v1::Association& row : list.associations()) {
      listed[row.account() + "/" + row.user()] =
          absl::StrCat(row.parent_account(), " ", row.attributes().at("Fairshare"));
    }
    EXPECT_EQ(listed, expected);
    ExpectTheUsersOfTheModel();
  }

  void ExpectTheUsersOfTheModel() {
    std::map<std::string, std::string> defaults, levels;
    std::map<std::string, std::set<std::string>> coordinated;
    const v1::ListUsersResponse users = Users();
    for (const v1::ClusterUser& user : users.users()) {
      defaults[user.name()] = user.default_account();
      if (!user.admin_level().empty() && user.admin_level() != "None") {
        levels[user.name()] = user.admin_level();
      }
      for (const std::string& account : user.coordinated_accounts()) {
        coordinated[user.name()].insert(account);
      }
    }
    EXPECT_EQ(defaults, model_.default_accounts);
    EXPECT_EQ(levels, model_.levels);
    EXPECT_EQ(coordinated, model_.coordinated);
  }

  static int Number(const google::protobuf::Map<std::string, std::string>& attributes,
                    const std::string& word) {
    const auto found = attributes.find(word);
    return found == attributes.end() ? 0 : std::stoi(found->second);
  }

  void ExpectTheQosPartitionsAndPolicyOfTheModel() {
    std::map<std::string, int> qos, partitions;
    const auto all_qos = Called<v1::ListQosResponse>(v1::ListQosRequest(), nullptr);
    for (const v1::Qos& one : all_qos.qos()) qos[one.name()] = Number(one.attributes(), "Priority");
    EXPECT_EQ(qos, model_.qos);
    const auto all_partitions =
        Called<v1::ListPartitionsResponse>(v1::ListPartitionsRequest(), nullptr);
    for (const v1::Partition& one : all_partitions.partitions()) {
      partitions[one.name()] = Number(one.attributes(), "PriorityJobFactor");
    }
    EXPECT_EQ(partitions, model_.partitions);
    const auto policy = Called<v1::Policy>(v1::GetPolicyRequest(), nullptr);
    EXPECT_EQ(policy.version(), static_cast<int64_t>(model_.weights.size()) - 1);
    EXPECT_EQ(policy.parameters().weight_age(), static_cast<uint32_t>(model_.weights.back()));
  }

  // As sent, without what the service adds.
  static std::map<std::string, std::string> Told(const v1::ListJobsResponse& list) {
    google::protobuf::FieldMask mask;
    for (const char* field : {"job_id", "user", "account", "partitions", "qos", "state", "name",
                              "submit_time", "hold", "nice", "admin_priority", "time_limit"}) {
      mask.add_paths(field);
    }
    std::map<std::string, std::string> told;
    for (const v1::TrackedJob& row : list.jobs()) {
      told[row.job().job_id()] = OnlyFields(mask, row.job()).ShortDebugString();
    }
    return told;
  }

  void ExpectTheQueueOfTheModel() {
    std::map<std::string, std::string> expected;
    for (const auto& [id, job] : jobs_) expected[id] = job.ShortDebugString();
    for (TestService* replica : {&service_, &other_}) {
      EXPECT_TRUE(replica->queues().ReadChanges().ok());
      EXPECT_EQ(Told(ListJobs(*replica)), expected);
    }
  }

  static v1::RankJobsRequest Tracked() {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    return request;
  }

  void ExpectTheOrderOfTheModel() {
    RecalculateAt(Hour(0));
    std::map<std::string, double> expected;
    for (const auto& [id, job] : jobs_) {
      const std::optional<double> priority = PriorityInModel(job);
      if (job.state() == v1::JOB_STATE_PENDING && priority.has_value()) expected[id] = *priority;
    }
    const v1::RankJobsResponse order = RankJobs(service_, Tracked());
    double above = UINT32_MAX;
    for (const v1::RankedJob& row : order.ranked()) {
      ASSERT_TRUE(expected.contains(row.job_id())) << jobs_[row.job_id()].ShortDebugString();
      EXPECT_NEAR(row.priority(), expected[row.job_id()], 1);
      EXPECT_LE(row.priority(), above);
      above = row.priority();
    }
    EXPECT_EQ(order.ranked_size(), static_cast<int>(expected.size()));
    EXPECT_EQ(order.running_size() + order.ineligible_size() + order.ranked_size(),
              static_cast<int>(jobs_.size()));
    ranked_ += order.ranked_size();
    ExpectTheSameOrderOfASentQueue(order);
  }

  // Built from scratch: the jobs of the model, sent with the call.
  void ExpectTheSameOrderOfASentQueue(const v1::RankJobsResponse& order) {
    v1::RankJobsRequest request;
    request.mutable_jobs();
    const v1::ListJobsResponse list = ListJobs(service_);
    for (const v1::TrackedJob& row : list.jobs()) {
      *request.mutable_jobs()->add_jobs() = jobs_[row.job().job_id()];
    }
    EXPECT_EQ(RankJobs(service_, request).ShortDebugString(), order.ShortDebugString());
  }

  // What the leader knew before each recalculation and changed since comes to what one knows who
  // reads all of it, and what it published to what is stored.
  void ExpectAReplicaThatStartsAgrees() {
    RecalculateAt(Hour(0));
    TestService other({.database_url = service_.database_url()});
    const v1::ListSharesResponse here = ListShares(service_);
    const v1::ListSharesResponse there = ListShares(other);
    EXPECT_EQ(there.ShortDebugString(), here.ShortDebugString());
    EXPECT_EQ(ListJobs(other).ShortDebugString(), ListJobs(service_).ShortDebugString());
    EXPECT_EQ(RankJobs(other, Tracked()).ShortDebugString(),
              RankJobs(service_, Tracked()).ShortDebugString());
    const auto state = [&](auto read) {
      return service_.database()
          .Read([&](storage::Transaction& transaction) { return read(transaction, "c"); })
          .value();
    };
    const storage::ClusterState current = state(storage::ReadClusterConfiguration);
    const storage::ClusterState published = state(storage::ReadPublishedConfiguration);
    EXPECT_EQ(published.associations, current.associations);
    EXPECT_EQ(published.users, current.users);
    EXPECT_EQ(published.qos, current.qos);
    EXPECT_EQ(published.partitions, current.partitions);
  }

  void ExpectTheUsageOfTheModel() {
    RecalculateAt(Hour(0));
    const v1::ListSharesResponse shares = ListShares(service_);
    for (const auto& [name, account] : model_.accounts) {
      EXPECT_NEAR(ShareOf(shares, name).raw_usage(), model_.Usage(name), 1e-6) << name;
    }
    for (const auto& [name, user] : model_.users) {
      EXPECT_NEAR(ShareOf(shares, name.first, name.second).raw_usage(), user.used, 1e-6);
    }
    EXPECT_EQ(Rebuild(true).different_rows(), 0);
  }

  // Built from scratch in another cluster.
  void ExpectAnEqualImport() {
    v1::ImportRequest import;
    *import.mutable_files() = ExportAll().files();
    import.set_cluster(absl::StrCat("again", ++imports_));
    Import(service_, import);
    const auto here = TableDigests(service_.database(), "c");
    auto there = TableDigests(service_.database(), import.cluster());
    for (const char* table : {"association", "cluster_user", "qos"}) {
      EXPECT_EQ(here.at(table), there.at(table)) << table;
    }
  }

  void ExpectAnAuditRowForEachChange() {
    const auto rows = service_.database().Read([](storage::Transaction& transaction) {
      const int32_t id = storage::ClusterStore(transaction).Require("c")->id;
      return storage::AuditStore(transaction).List(id, 0, 100'000);
    });
    int64_t told = 0;
    int64_t policies = 0;
    for (const storage::AuditEvent& row : *rows) {
      const bool is_policy = row.action == "ApplyPolicy" || row.action == "RollbackPolicy";
      policies += is_policy ? 1 : 0;
      told += is_policy || row.action == "Import" || row.action == "ResetUsage" ||
                      row.action == "RebuildUsage"
                  ? 0
                  : 1;
    }
    EXPECT_EQ(told, changes_);
    EXPECT_EQ(policies, policies_);
  }

  int ranked_ = 0;

 private:
  int imports_ = 0;
};

TEST_P(AdministrationPropertyTest, TreeUsageQueueExportAndAuditAreThoseOfTheModel) {
  for (int step = 1; step <= 300; ++step) {
    Step();
    if (step % 50 != 0) continue;
    ExpectTheTreeOfTheModel();
    ExpectTheQosPartitionsAndPolicyOfTheModel();
    ExpectTheQueueOfTheModel();
    ExpectTheOrderOfTheModel();
  }
  EXPECT_GT(ranked_, 20) << "too few jobs could start to tell anything";
  ExpectTheUsageOfTheModel();
  ExpectAReplicaThatStartsAgrees();
  ExpectAnAuditRowForEachChange();
  ExpectAnEqualImport();
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdministrationPropertyTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::rpc
