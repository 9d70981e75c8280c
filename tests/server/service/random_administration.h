// Administration at random: each step changes something of a site by a verb, and the naive model
// alike.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_ADMINISTRATION_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_ADMINISTRATION_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/administration_model.h"

namespace priorityd::rpc {

// Calls answer as the model says.
class RandomAdministration : public AdministeredSite {
 protected:
  explicit RandomAdministration(uint32_t seed) : random_(seed) {
    model_.weights = {0, 0};  // Of no version, and of the site's own.
    ApplyWeight(1000);
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
                                 "PriorityUsageResetPeriod=NONE\nPriorityMaxAge=2-0\n",
                                 "PriorityWeightQOS=1000\nPriorityWeightPartition=1000\n",
                                 "PriorityWeightAge=", weight, "\n"));
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
    const auto response = Called<v1::ApplyPolicyResponse>(request, nullptr);
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
      Count(Changed(request, nullptr));
      model_.qos[request.names(0)] = priority;
    } else if (Below(3) == 0 && model_.qos.size() > 2) {
      v1::DeleteQosRequest request;
      request.add_names(Any(model_.qos)->first);
      // They are on the list of root.
      if (request.names(0) == "normal" || request.names(0) == "double") return;
      Count(Changed(request, nullptr));
      model_.RemoveQos(request.names(0));
    } else {
      v1::UpdateQosRequest request;
      request.add_names(Any(model_.qos)->first);
      AddSettings({absl::StrCat("Priority=", priority)}, &request);
      Count(Changed(request, nullptr));
      model_.qos[request.names(0)] = priority;
    }
  }

  void ChangeAnyPartition() {
    if (Below(3) == 0 && model_.partitions.size() > 1) {
      v1::DeletePartitionsRequest request;
      request.add_names(Any(model_.partitions)->first);
      if (request.names(0) == "main") return;
      Count(Changed(request, nullptr));
      model_.partitions.erase(request.names(0));
      return;
    }
    v1::UpdatePartitionsRequest request;
    const int factor = 1 + Below(50);
    const bool is_new = Below(2) == 0;
    request.add_names(is_new ? absl::StrCat("p", ++names_) : Any(model_.partitions)->first);
    request.set_allow_missing(is_new);
    AddSettings({absl::StrCat("PriorityJobFactor=", factor)}, &request);
    Count(Changed(request, nullptr));
    model_.partitions[request.names(0)] = factor;
  }

  void SetAnyLevel() {
    if (model_.default_accounts.empty()) return;
    const std::string user = Any(model_.default_accounts)->first;
    const std::string level = std::array{"None", "Operator", "Administrator"}[Below(3)];
    Count(ModifyUser(user, {"AdminLevel=" + level}));
    model_.levels.erase(user);
    if (level != "None") model_.levels[user] = level;
  }

  void SetAnyCoordinator() {
    if (model_.default_accounts.empty()) return;
    const std::string user = Any(model_.default_accounts)->first;
    const std::string account = Any(model_.accounts)->first;
    std::set<std::string>& coordinated = model_.coordinated[user];
    if (Below(3) == 0) {
      Count(ModifyUser(user, {"Coordinators-=" + account}));
      coordinated.erase(account);
    } else {
      Count(ModifyUser(user, {"Coordinators+=" + account}));
      coordinated.insert(account);
    }
    if (coordinated.empty()) model_.coordinated.erase(user);
  }

  // Of an account or of a user in one; `normal` stays on each list that there is.
  void SetAnyQosList() {
    const std::string name = Any(model_.qos)->first;
    const auto account = Any(model_.accounts);
    const bool is_user = Below(2) == 0 && !model_.users.empty();
    const auto user = is_user ? Any(model_.users) : model_.users.end();
    const v1::AssociationFilter where =
        is_user ? Where({user->first.first}, {user->first.second}) : Where({account->first}, {""});
    AdministrationModel::QosList& list = is_user ? user->second.qos : account->second.qos;
    if (!list.has_value() || Below(3) == 0) {
      Count(Modify(where, {"QOS=normal," + name}));
      list = {"normal", name};
    } else if (Below(2) == 0 && name != "normal" && name != "double") {
      Count(Modify(where, {"QOS-=" + name}));
      list->erase(name);
    } else {
      Count(Modify(where, {"QOS+=" + name}));
      list->insert(name);
    }
  }

  void ResetAny() {
    v1::ResetUsageRequest request;
    request.set_account(Any(model_.accounts)->first);
    Called<v1::ResetUsageResponse>(request, nullptr);
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
    model_.AddUser({account, user});
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

  void AdministerAny() {
    switch (Below(21)) {
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
        return Below(2) == 0 ? ApplyWeight(1000 * Below(5)) : RollBackAny();
      case 17:
        return SetAnyCoordinator();
      case 18:
      case 19:
        return SetAnyQosList();
      default:
        return RecalculateAt(Hour(0));
    }
  }

  AdministrationModel model_;
  int64_t changes_ = 0;   // Of associations, users, QOS and partitions.
  int64_t policies_ = 0;  // Versions made.

 private:
  std::mt19937 random_;
  int names_ = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_ADMINISTRATION_H_
