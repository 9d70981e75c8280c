// A naive model of a cluster that is administered at random.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTRATION_MODEL_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTRATION_MODEL_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace priorityd::rpc {

// What is there, kept by hand. Usage does not decay.
class AdministrationModel {
 public:
  using QosList = std::optional<std::set<std::string>>;  // Unset = that of what stands above.
  struct Account {
    std::string parent;
    int shares = 1;
    double own = 0;  // Used by the account itself, and left by what was deleted in it.
    QosList qos = std::nullopt;
  };
  struct User {
    int shares = 1;
    double used = 0;
    bool is_reset = false;  // Then usage until now counts no more, also if it is sent late.
    QosList qos = std::nullopt;
  };

  std::map<std::string, Account> accounts = {
      {"root", {.qos = std::set<std::string>{"double", "normal"}}}};
  std::map<std::pair<std::string, std::string>, User> users;  // By account and user.
  std::map<std::pair<std::string, std::string>, User> gone;   // Whose usage is the account's.
  std::map<std::string, std::string> default_accounts;
  std::map<std::string, std::string> levels;                 // AdminLevel; of users who have one.
  std::map<std::string, std::set<std::string>> coordinated;  // Accounts by user, of who has any.
  std::map<std::string, int> qos;                            // Priority.
  std::map<std::string, int> partitions;                     // PriorityJobFactor.
  std::vector<int> weights;  // PriorityWeightAge, by version of the policy.

  bool IsAtOrBelow(std::string account, const std::string& top) const {
    for (; !account.empty(); account = accounts.at(account).parent) {
      if (account == top) return true;
    }
    return false;
  }

  // Whether a job of the user that is charged to the account may run under the QOS.
  bool Allows(std::string account, const std::string& user, const std::string& name) const {
    const auto membership = users.find({account, user});
    if (membership == users.end() || !qos.contains(name)) return false;
    const QosList* list = &membership->second.qos;
    for (; !list->has_value(); account = accounts.at(account).parent) {
      list = &accounts.at(account).qos;
    }
    return (*list)->contains(name);
  }

  void RemoveQos(const std::string& name) {
    qos.erase(name);
    for (auto& [key, account] : accounts) {
      if (account.qos.has_value()) account.qos->erase(name);
    }
    for (auto& [key, user] : users) {
      if (user.qos.has_value()) user.qos->erase(name);
    }
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

  void Reset(const std::string& top) {
    for (auto& [name, account] : accounts) {
      if (IsAtOrBelow(name, top)) account.own = 0;
    }
    for (auto& [name, user] : users) {
      if (!IsAtOrBelow(name.first, top)) continue;
      user.used = 0;
      user.is_reset = true;
    }
    for (auto& [name, user] : gone) {
      if (!accounts.contains(name.first) || !IsAtOrBelow(name.first, top)) continue;
      user.used = 0;
      user.is_reset = true;
    }
  }

  // Who was there before takes the usage back from the account.
  void AddUser(const std::pair<std::string, std::string>& name) {
    User& user = users[name];
    const auto before = gone.find(name);
    if (before == gone.end()) return;
    user.used = before->second.used;
    user.is_reset = before->second.is_reset;
    accounts[name.first].own -= user.used;
    gone.erase(before);
  }

  // Returns false where a user who stays somewhere would lose their default account.
  bool RemoveUsers(const std::vector<std::pair<std::string, std::string>>& names) {
    AdministrationModel after = *this;
    for (const auto& name : names) {
      after.accounts[name.first].own += after.users[name].used;
      after.gone[name] = after.users[name];
      after.users.erase(name);
    }
    for (const auto& name : names) {
      const std::string& user = name.second;
      if (after.MembershipsOf(user) == 0) {
        after.default_accounts.erase(user);
        after.levels.erase(user);
        after.coordinated.erase(user);
      } else if (!after.users.contains({default_accounts[user], user})) {
        return false;
      }
    }
    *this = std::move(after);
    return true;
  }

  bool RemoveAccount(const std::string& top) {
    std::vector<std::pair<std::string, std::string>> leaving;
    for (const auto& [name, user] : users) {
      if (IsAtOrBelow(name.first, top)) leaving.push_back(name);
    }
    const double used = Usage(top);
    const std::string above = accounts[top].parent;
    std::vector<std::string> below;
    for (const auto& [name, account] : accounts) {
      if (IsAtOrBelow(name, top)) below.push_back(name);
    }
    if (!RemoveUsers(leaving)) return false;
    for (const std::string& name : below) {
      accounts.erase(name);
      for (auto& [user, coordinates] : coordinated) coordinates.erase(name);
    }
    std::erase_if(coordinated, [](const auto& entry) { return entry.second.empty(); });
    accounts[above].own += used;
    return true;
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTRATION_MODEL_H_
