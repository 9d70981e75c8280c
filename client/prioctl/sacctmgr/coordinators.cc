#include "client/prioctl/sacctmgr/coordinators.h"

#include "absl/strings/str_join.h"

namespace priorityd::sacctmgr {
namespace {

std::string Joined(const std::map<std::string, std::set<std::string>>& lists,
                   const std::string& key) {
  const auto found = lists.find(key);
  return found == lists.end() ? "" : absl::StrJoin(found->second, ",");
}

}  // namespace

Coordinators::Coordinators(
    const google::protobuf::RepeatedPtrField<::priority::v1::ClusterUser>& users,
    const google::protobuf::RepeatedPtrField<::priority::v1::Association>& accounts) {
  std::map<std::string, std::string> parents;
  for (const auto& account : accounts) {
    if (account.user().empty()) parents[account.account()] = account.parent_account();
  }
  std::map<std::string, std::set<std::string>> direct;
  for (const auto& user : users) {
    for (const std::string& account : user.coordinated_accounts()) {
      direct[account].insert(user.name());
      accounts_[user.name()].insert(account);
    }
  }
  for (const auto& [account, parent] : parents) {
    std::string above = account;
    for (size_t steps = 0; !above.empty() && steps <= parents.size(); ++steps) {
      for (const std::string& user : direct[above]) {
        users_[account].insert(user);
        accounts_[user].insert(account);
      }
      const auto next = parents.find(above);
      above = next == parents.end() ? "" : next->second;
    }
  }
}

std::string Coordinators::OfAccount(const std::string& account) const {
  return Joined(users_, account);
}

std::string Coordinators::AccountsOf(const std::string& user) const {
  return Joined(accounts_, user);
}

}  // namespace priorityd::sacctmgr
