#include "server/administration/tree/deletion_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/administration/tree/association_attributes.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;

constexpr size_t kNamed = 10;

// The first names, with the number of further ones.
std::string Named(const std::vector<std::string>& names) {
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + std::min(names.size(), kNamed));
  return absl::StrCat(
      absl::StrJoin(first, ", "),
      names.size() > kNamed ? absl::StrCat(" and ", names.size() - kNamed, " more") : "");
}

// One deletion of many associations.
class DeletionPlan {
 public:
  DeletionPlan(TreeState state, const TreeRights& rights, ChangeList* list)
      : state_(std::move(state)), rights_(rights), list_(list) {}

  absl::StatusOr<TreePlan> Make(const std::vector<int64_t>& ids) {
    for (const int64_t id : ids) {
      const Row& row = *state_.tree.ById(id);
      if (IsRoot(row)) continue;
      if (absl::Status s = rights_.CheckRow(state_.tree, row); !s.ok()) return s;
    }
    Collect(ids);
    if (plan_.deletions.empty()) {
      return errors::WithReason(absl::FailedPreconditionError("account root: cannot be deleted"),
                                "ROOT_STAYS");
    }
    ListDeletions();
    before_ = state_.tree;
    for (const int64_t id : plan_.deletions) state_.tree.Remove(id);
    if (absl::Status s = CheckDefaultAccounts(); !s.ok()) return s;
    if (absl::Status s = ForgetUsers(); !s.ok()) return s;
    ForgetCoordinated();
    return std::move(plan_);
  }

 private:
  void Collect(std::vector<int64_t> ids) {
    ids.erase(std::remove_if(ids.begin(), ids.end(),
                             [&](int64_t id) { return IsRoot(*state_.tree.ById(id)); }),
              ids.end());
    plan_.deletions = state_.tree.WithBelow(ids);
    for (const int64_t id : plan_.deletions) {
      const Row& row = *state_.tree.ById(id);
      if (row.user_name.empty()) {
        accounts_.insert(row.account);
      } else {
        users_.insert(row.user_name);
      }
    }
  }

  // Children before parents.
  void ListDeletions() {
    for (auto id = plan_.deletions.rbegin(); id != plan_.deletions.rend(); ++id) {
      const Row& row = *state_.tree.ById(*id);
      list_->Deleted(ObjectName(row), WithParent(state_.tree, row));
    }
  }

  // The accounts that still have users.
  std::map<std::string, std::set<std::string>> Remaining() const {
    std::map<std::string, std::set<std::string>> accounts;
    for (const auto& [id, row] : state_.tree.rows()) {
      if (users_.count(row.user_name) > 0) accounts[row.user_name].insert(row.account);
    }
    return accounts;
  }

  absl::Status CheckDefaultAccounts() {
    remaining_ = Remaining();
    std::vector<std::string> in_the_way;
    for (const std::string& name : users_) {
      const auto user = state_.users.find(name);
      const auto accounts = remaining_.find(name);
      if (user == state_.users.end() || accounts == remaining_.end()) continue;
      const std::string& account = user->second.default_account;
      if (account.empty() || accounts->second.count(account) > 0) continue;
      in_the_way.push_back(absl::StrCat(name, " (", account, ")"));
    }
    if (in_the_way.empty()) return absl::OkStatus();
    return errors::WithReason(
        absl::FailedPreconditionError(absl::StrCat(
            "got the default account of users who have other accounts: ", Named(in_the_way),
            ", want another DefaultAccount of theirs first")),
        "DEFAULT_ACCOUNT");
  }

  absl::Status ForgetUsers() {
    for (const std::string& name : users_) {
      const auto user = state_.users.find(name);
      if (user == state_.users.end() || remaining_.count(name) > 0) continue;
      if (absl::Status s = rights_.CheckDeletedUser(before_, user->second); !s.ok()) return s;
      list_->Deleted(absl::StrCat("user ", name), AttributesOf(user->second));
      plan_.gone_users.push_back(name);
    }
    return absl::OkStatus();
  }

  // Deleted accounts have no coordinators.
  void ForgetCoordinated() {
    for (const auto& [name, before] : state_.users) {
      if (absl::c_linear_search(plan_.gone_users, name)) continue;
      storage::ClusterUser after = before;
      NameList& coordinated = after.coordinated;
      coordinated.erase(
          std::remove_if(coordinated.begin(), coordinated.end(),
                         [&](const std::string& a) { return accounts_.count(a) > 0; }),
          coordinated.end());
      if (after == before) continue;
      list_->Updated(absl::StrCat("user ", name), AttributesOf(before), AttributesOf(after));
      plan_.users.push_back(std::move(after));
    }
  }

  TreeState state_;
  TreeSlice before_;
  const TreeRights& rights_;
  ChangeList* const list_;
  TreePlan plan_;
  std::set<std::string> accounts_;  // Deleted accounts.
  std::set<std::string> users_;     // Users who lose associations.
  std::map<std::string, std::set<std::string>> remaining_;
};

}  // namespace

absl::StatusOr<TreePlan> PlanDeletion(TreeState state, const std::vector<int64_t>& ids,
                                      const TreeRights& rights, ChangeList* list) {
  return DeletionPlan(std::move(state), rights, list).Make(ids);
}

}  // namespace priorityd::administration
