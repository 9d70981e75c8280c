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
#include "storage/cluster_store.h"
#include "tests/server/rpc/administered_site.h"
#include "tests/server/rpc/table_digests.h"

namespace priorityd::rpc {
namespace {

// What is there, kept by hand. Usage does not decay.
class Model {
 public:
  struct Account {
    std::string parent;
    int shares = 1;
    double own = 0;  // Used by the account itself, and left by what was deleted in it.
  };
  struct User {
    int shares = 1;
    double used = 0;
  };

  std::map<std::string, Account> accounts = {{"root", {"", 1, 0}}};
  std::map<std::pair<std::string, std::string>, User> users;  // By account and user.
  std::map<std::string, std::string> default_accounts;

  bool IsAtOrBelow(std::string account, const std::string& top) const {
    for (; !account.empty(); account = accounts.at(account).parent) {
      if (account == top) return true;
    }
    return false;
  }

  double Usage(const std::string& top) const {
    double usage = 0;
    for (const auto& [name, account] : accounts) {
      if (IsAtOrBelow(name, top)) usage += account.own;
    }
    for (const auto& [name, user] : users) {
      if (IsAtOrBelow(name.first, top)) usage += user.used;
    }
    return usage;
  }

  int MembershipsOf(const std::string& user) const {
    int count = 0;
    for (const auto& [name, value] : users) count += name.second == user ? 1 : 0;
    return count;
  }

  // Returns false where a user who stays somewhere would lose her default account.
  bool RemoveUsers(const std::vector<std::pair<std::string, std::string>>& gone) {
    Model after = *this;
    for (const auto& name : gone) {
      after.accounts[name.first].own += after.users[name].used;
      after.users.erase(name);
    }
    for (const auto& name : gone) {
      const std::string& user = name.second;
      if (after.MembershipsOf(user) == 0) {
        after.default_accounts.erase(user);
      } else if (!after.users.contains({default_accounts[user], user})) {
        return false;
      }
    }
    *this = std::move(after);
    return true;
  }

  bool RemoveAccount(const std::string& top) {
    std::vector<std::pair<std::string, std::string>> gone;
    for (const auto& [name, user] : users) {
      if (IsAtOrBelow(name.first, top)) gone.push_back(name);
    }
    const double used = Usage(top);
    const std::string above = accounts[top].parent;
    std::vector<std::string> below;
    for (const auto& [name, account] : accounts) {
      if (IsAtOrBelow(name, top)) below.push_back(name);
    }
    if (!RemoveUsers(gone)) return false;
    for (const std::string& name : below) accounts.erase(name);
    accounts[above].own += used;
    return true;
  }
};

class AdministrationPropertyTest : public AdministeredSite,
                                   public ::testing::WithParamInterface<uint32_t> {
 protected:
  AdministrationPropertyTest() : random_(GetParam()) {
    v1::ApplyPolicyRequest policy;
    policy.set_text("Clock=manual\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n");
    ApplyPolicy(service_, policy);
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
    one->second.used += 2.0 * 3600 * hours;
  }

  void Step() {
    switch (Below(12)) {
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
    std::map<std::string, std::string> defaults;
    const v1::ListUsersResponse users = Users();
    for (const v1::ClusterUser& user : users.users()) {
      defaults[user.name()] = user.default_account();
    }
    EXPECT_EQ(defaults, model_.default_accounts);
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
    for (const storage::AuditEvent& row : *rows) {
      const bool is_verb = row.action == "CreateAssociations" ||
                           row.action == "UpdateAssociations" ||
                           row.action == "DeleteAssociations" || row.action == "UpdateUsers";
      told += is_verb ? 1 : 0;
    }
    EXPECT_EQ(told, changes_);
  }

  Model model_;
  int64_t changes_ = 0;

 private:
  std::mt19937 random_;
  int names_ = 0;
  int imports_ = 0;
};

TEST_P(AdministrationPropertyTest, TreeUsageExportAndAuditAreThoseOfTheModel) {
  for (int step = 1; step <= 150; ++step) {
    Step();
    if (step % 50 == 0) ExpectTheTreeOfTheModel();
  }
  ExpectTheUsageOfTheModel();
  ExpectAnAuditRowForEachChange();
  ExpectAnEqualImport();
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdministrationPropertyTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::rpc
