// Random administration: whatever is added, modified, moved and deleted while usage is recorded,
// the tree, the usage, the export and the audit are those that a naive model says.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "storage/audit_store.h"
#include "storage/cluster_state.h"
#include "storage/cluster_store.h"
#include "tests/server/rpc/administered_site.h"
#include "tests/server/rpc/administration_model.h"
#include "tests/server/rpc/table_digests.h"

namespace priorityd::rpc {
namespace {

using Model = AdministrationModel;

class AdministrationPropertyTest : public AdministeredSite,
                                   public ::testing::WithParamInterface<uint32_t> {
 protected:
  AdministrationPropertyTest() : random_(GetParam()) {
    model_.weights = {0, 0};  // Of no version, and of the site's own.
    ApplyWeight(0);
    model_.qos = {{"double", 10}, {"normal", 0}};
    model_.partitions = {{"main", 1}};
    v1::AssociationFilter all = Where({"root"}, {});
    all.set_with_sub_accounts(true);
    Count(Remove(all));
    RecalculateAt(Hour(0));
  }

  int Below(int n) { return static_cast<int>(random_() % n); }
  template <typename Map>
  auto Any(Map& map) {
    auto it = map.begin();
    std::advance(it, Below(static_cast<int>(map.size())));
    return it;
  }
  void Count(const v1::ChangeResponse& response) {
    changes_ += response.created() + response.updated() + response.deleted();
  }

  void ApplyWeight(int weight) {
    v1::ApplyPolicyRequest policy;
    policy.set_text(absl::StrCat("Clock=manual\nPriorityDecayHalfLife=0\n",
                                 "PriorityUsageResetPeriod=NONE\nPriorityWeightAge=", weight,
                                 "\n"));
    policy.set_expected_version(static_cast<int64_t>(model_.weights.size()) - 1);
    const v1::ApplyPolicyResponse applied = ApplyPolicy(service_, policy);
    if (!applied.created()) return;
    model_.weights.push_back(weight);
    ++policies_;
  }

  void RollBackAny() {
    v1::RollbackPolicyRequest request;
    // Not to the first one, under which usage decays.
    request.set_version(2 + Below(static_cast<int>(model_.weights.size()) - 2));
    const auto response =
        Called<v1::ApplyPolicyResponse>(&v1::AdminService::Stub::RollbackPolicy, request, nullptr);
    if (!response.created()) return;
    model_.weights.push_back(model_.weights[request.version()]);
    ++policies_;
  }

  void ChangeAnyQos() {
    const int priority = Below(100);
    if (Below(3) == 0) {
      v1::CreateQosRequest request;
      request.add_names(absl::StrCat("q", ++names_));
      AddSettings({absl::StrCat("Priority=", priority)}, &request);
      Count(Changed(&v1::AdminService::Stub::CreateQos, request, nullptr));
      model_.qos[request.names(0)] = priority;
    } else if (Below(3) == 0 && model_.qos.size() > 2) {
      v1::DeleteQosRequest request;
      request.add_names(Any(model_.qos)->first);
      // They are on the list of root.
      if (request.names(0) == "normal" || request.names(0) == "double") return;
      Count(Changed(&v1::AdminService::Stub::DeleteQos, request, nullptr));
      model_.qos.erase(request.names(0));
    } else {
      v1::UpdateQosRequest request;
      request.add_names(Any(model_.qos)->first);
      AddSettings({absl::StrCat("Priority=", priority)}, &request);
      Count(Changed(&v1::AdminService::Stub::UpdateQos, request, nullptr));
      model_.qos[request.names(0)] = priority;
    }
  }

  void ChangeAnyPartition() {
    if (Below(3) == 0 && model_.partitions.size() > 1) {
      v1::DeletePartitionsRequest request;
      request.add_names(Any(model_.partitions)->first);
      if (request.names(0) == "main") return;
      Count(Changed(&v1::AdminService::Stub::DeletePartitions, request, nullptr));
      model_.partitions.erase(request.names(0));
      return;
    }
    v1::UpdatePartitionsRequest request;
    const int factor = 1 + Below(50);
    const bool is_new = Below(2) == 0;
    request.add_names(is_new ? absl::StrCat("p", ++names_) : Any(model_.partitions)->first);
    request.set_allow_missing(is_new);
    AddSettings({absl::StrCat("PriorityJobFactor=", factor)}, &request);
    Count(Changed(&v1::AdminService::Stub::UpdatePartitions, request, nullptr));
    model_.partitions[request.names(0)] = factor;
  }

  void SetAnyLevel() {
    if (model_.default_accounts.empty()) return;
    const std::string user = Any(model_.default_accounts)->first;
    const std::string level = Below(2) == 0 ? "Operator" : "Administrator";
    Count(ModifyUser(user, {"AdminLevel=" + level}));
    model_.levels[user] = level;
  }

  void ResetAny() {
    v1::ResetUsageRequest request;
    request.set_account(Any(model_.accounts)->first);
    Called<v1::ResetUsageResponse>(&v1::AdminService::Stub::ResetUsage, request, nullptr);
    model_.Reset(request.account());
  }

  void AddAnyAccount() {
    const std::string name = absl::StrCat("acc", ++names_);
    const std::string parent = Any(model_.accounts)->first;
    const int shares = Below(9);
    Count(AddAccount(name, parent, {absl::StrCat("Fairshare=", shares)}));
    model_.accounts[name] = {parent, shares, 0};
  }

  void AddAnyUser() {
    const std::string user = absl::StrCat("u", Below(8));
    const std::string account = Any(model_.accounts)->first;
    grpc::Status status;
    Count(AddUser(user, {account}, {}, &status));
    const bool is_new = !model_.users.contains({account, user});
    EXPECT_EQ(status.error_code(), is_new ? grpc::OK : grpc::ALREADY_EXISTS);
    if (!is_new) return;
    model_.users[{account, user}] = {};
    model_.default_accounts.try_emplace(user, account);
  }

  void ModifyAny() {
    if (model_.users.empty()) return;
    const int shares = Below(9);
    const auto one = Any(model_.users);
    Count(Modify(Where({one->first.first}, {one->first.second}),
                 {absl::StrCat("Fairshare=", shares)}));
    one->second.shares = shares;
  }

  void MoveAny() {
    const std::string account = Any(model_.accounts)->first;
    const std::string parent = Any(model_.accounts)->first;
    grpc::Status status;
    Count(Modify(Where({account}, {""}), {"Parent=" + parent}, &status));
    const bool is_possible = account != "root" && !model_.IsAtOrBelow(parent, account);
    EXPECT_EQ(status.ok(), is_possible) << account << " to " << parent << status.error_message();
    if (is_possible) model_.accounts[account].parent = parent;
  }

  void DeleteAny() {
    grpc::Status status;
    bool is_possible = false;
    if (Below(2) == 0 && !model_.users.empty()) {
      const auto name = Any(model_.users)->first;
      is_possible = model_.RemoveUsers({name});
      Count(Remove(Where({name.first}, {name.second}), &status));
    } else {
      const std::string account = Any(model_.accounts)->first;
      if (account == "root") return;
      is_possible = model_.RemoveAccount(account);
      Count(Remove(Where({account}, {""}), &status));
    }
    EXPECT_EQ(status.error_code(), is_possible ? grpc::OK : grpc::FAILED_PRECONDITION);
  }

  void SetAnyDefault() {
    if (model_.users.empty()) return;
    const auto [account, user] = Any(model_.users)->first;
    Count(ModifyUser(user, {"DefaultAccount=" + account}));
    model_.default_accounts[user] = account;
  }

  void RecordAny() {
    if (model_.users.empty()) return;
    const auto one = Any(model_.users);
    const int hours = 1 + Below(3);
    Record({Hour(-hours), Hour(0), 2}, one->first.second, one->first.first);
    if (!one->second.is_reset) one->second.used += 2.0 * 3600 * hours;
  }

  void Step() {
    switch (Below(18)) {
      case 0:
      case 1:
        return AddAnyAccount();
      case 2:
      case 3:
      case 4:
        return AddAnyUser();
      case 5:
        return ModifyAny();
      case 6:
        return MoveAny();
      case 7:
        return DeleteAny();
      case 8:
        return SetAnyDefault();
      case 9:
      case 10:
        return RecordAny();
      case 11:
      case 12:
        return ChangeAnyQos();
      case 13:
        return ChangeAnyPartition();
      case 14:
        return SetAnyLevel();
      case 15:
        return Below(4) == 0 ? ResetAny() : RecordAny();
      case 16:
        return Below(2) == 0 ? ApplyWeight(Below(5)) : RollBackAny();
      default:
        return RecalculateAt(Hour(0));
    }
  }

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
    std::map<std::string, std::string> defaults, levels;
    const v1::ListUsersResponse users = Users();
    for (const v1::ClusterUser& user : users.users()) {
      defaults[user.name()] = user.default_account();
      if (!user.admin_level().empty() && user.admin_level() != "None") {
        levels[user.name()] = user.admin_level();
      }
    }
    EXPECT_EQ(defaults, model_.default_accounts);
    EXPECT_EQ(levels, model_.levels);
  }

  static int Number(const google::protobuf::Map<std::string, std::string>& attributes,
                    const std::string& word) {
    const auto found = attributes.find(word);
    return found == attributes.end() ? 0 : std::stoi(found->second);
  }

  void ExpectTheQosPartitionsAndPolicyOfTheModel() {
    std::map<std::string, int> qos, partitions;
    const auto all_qos = Called<v1::ListQosResponse>(&v1::AdminService::Stub::ListQos,
                                                     v1::ListQosRequest(), nullptr);
    for (const v1::Qos& one : all_qos.qos()) qos[one.name()] = Number(one.attributes(), "Priority");
    EXPECT_EQ(qos, model_.qos);
    const auto all_partitions = Called<v1::ListPartitionsResponse>(
        &v1::AdminService::Stub::ListPartitions, v1::ListPartitionsRequest(), nullptr);
    for (const v1::Partition& one : all_partitions.partitions()) {
      partitions[one.name()] = Number(one.attributes(), "PriorityJobFactor");
    }
    EXPECT_EQ(partitions, model_.partitions);
    const auto policy =
        Called<v1::Policy>(&v1::AdminService::Stub::GetPolicy, v1::GetPolicyRequest(), nullptr);
    EXPECT_EQ(policy.version(), static_cast<int64_t>(model_.weights.size()) - 1);
    EXPECT_EQ(policy.parameters().weight_age(), static_cast<uint32_t>(model_.weights.back()));
  }

  // What the leader knew before each recalculation and changed since comes to what one knows who
  // reads all of it, and what it published to what is stored.
  void ExpectAReplicaThatStartsAgrees() {
    RecalculateAt(Hour(0));
    TestService other({.database_url = service_.database_url()});
    const v1::ListSharesResponse here = ListShares(service_);
    const v1::ListSharesResponse there = ListShares(other);
    EXPECT_EQ(there.ShortDebugString(), here.ShortDebugString());
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

  Model model_;
  int64_t changes_ = 0;
  int64_t policies_ = 0;

 private:
  std::mt19937 random_;
  int names_ = 0;
  int imports_ = 0;
};

TEST_P(AdministrationPropertyTest, TreeUsageExportAndAuditAreThoseOfTheModel) {
  for (int step = 1; step <= 200; ++step) {
    Step();
    if (step % 50 != 0) continue;
    ExpectTheTreeOfTheModel();
    ExpectTheQosPartitionsAndPolicyOfTheModel();
  }
  ExpectTheUsageOfTheModel();
  ExpectAReplicaThatStartsAgrees();
  ExpectAnAuditRowForEachChange();
  ExpectAnEqualImport();
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdministrationPropertyTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::rpc
