#include "server/transport/viewer.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/fair_share/association_tree.h"
#include "server/authorization/rights_table.h"

namespace priorityd::rpc {
namespace {

using authorization::AccountSet;
using authorization::PrivateData;
using authorization::Viewer;
using authorization::Visibility;
using priority::AssociationIndex;
using priority::AssociationTree;

// By association: whether it is at or below an account of these names.
std::vector<bool> AtOrBelow(const AssociationTree& tree, const std::vector<std::string>& accounts) {
  const absl::flat_hash_set<std::string> wanted(accounts.begin(), accounts.end());
  std::vector<bool> below(tree.size());
  if (wanted.empty()) return below;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    below[i] = (i > 0 && below[tree.parent()[i]]) ||
               (!tree.is_user(i) && wanted.contains(tree.account(i)));
  }
  return below;
}

// These accounts and all above them.
AccountSet WaysTo(const AssociationTree& tree, absl::string_view user, std::vector<bool> ends) {
  AccountSet accounts;
  for (AssociationIndex i = tree.size() - 1; i >= 0; --i) {
    const bool is_own = !user.empty() && tree.is_user(i) && tree.user(i) == user;
    if (!is_own && !ends[i]) continue;
    if (!tree.is_user(i)) accounts.emplace(tree.account(i));
    if (i > 0 && (is_own || !tree.is_user(i))) ends[tree.parent()[i]] = true;
  }
  return accounts;
}

AccountSet Named(const AssociationTree& tree, const std::vector<bool>& which) {
  AccountSet accounts;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (which[i] && !tree.is_user(i)) accounts.emplace(tree.account(i));
  }
  return accounts;
}

// Of a job in a request.
absl::Status PrivateShares(const Caller& caller, size_t job, absl::string_view field) {
  return authorization::SeeAllRequired(
      absl::StrCat("jobs[", job, "].", field, ", whose shares are private"), caller.roles,
      caller.ToString());
}

}  // namespace

PrivateData HiddenBy(const priority::Policy& policy, const PrivateData& reveals) {
  const priority::PrivateData& words = policy.private_data;
  const PrivateData hidden = {.accounts = words.accounts,
                              .events = words.events,
                              .jobs = words.jobs,
                              .reservations = words.reservations,
                              .usage = words.usage,
                              .users = words.users};
  return hidden & reveals;
}

std::shared_ptr<const Visibility> VisibilityOf(const PrivateData& reveals, const std::string& user,
                                               const std::vector<std::string>& coordinated,
                                               const priority::Snapshot& snapshot) {
  const PrivateData hidden = HiddenBy(snapshot.policy(), reveals);
  if (!hidden.any()) return nullptr;
  Viewer viewer = {.user = user, .on_her_ways = {}, .coordinated = {}};
  const bool by_ways = hidden.accounts || hidden.usage || hidden.users;
  if (by_ways || !coordinated.empty()) {
    std::vector<bool> below = AtOrBelow(snapshot.tree(), coordinated);
    viewer.coordinated = Named(snapshot.tree(), below);
    if (by_ways) viewer.on_her_ways = WaysTo(snapshot.tree(), user, std::move(below));
  }
  return std::make_shared<const Visibility>(hidden, std::move(viewer));
}

AccountSet WithAllBelow(const std::vector<std::string>& accounts, const AssociationTree& tree) {
  if (accounts.empty()) return {};
  return Named(tree, AtOrBelow(tree, accounts));
}

absl::string_view AccountOf(const priority::Snapshot& snapshot, const priority::Job& job) {
  return job.account.empty() ? snapshot.DefaultAccount(job.user) : job.account;
}

// A job of a merged user is also the surviving one's.
bool SeesJob(const Visibility& sees, const priority::Snapshot& snapshot, const priority::Job& job) {
  const absl::string_view account = AccountOf(snapshot, job);
  return sees.sees_all_jobs() || sees.SeesJob(job.user, account) ||
         sees.SeesJob(snapshot.tree().SurvivorOf(job.user), account);
}

// The shares of a merged user's job are the surviving user's.
bool SeesShares(const Visibility& sees, const priority::Snapshot& snapshot,
                const priority::Job& job) {
  return sees.sees_all_shares() ||
         sees.SeesShares(snapshot.tree().SurvivorOf(job.user), AccountOf(snapshot, job));
}

queue::JobFilter ShownJobs(const Visibility& sees, const priority::Snapshot& snapshot) {
  if (sees.sees_all_jobs()) return nullptr;
  return [&](const priority::Job& job) { return SeesJob(sees, snapshot, job); };
}

queue::JobFilter ShownShares(const Visibility& sees, const priority::Snapshot& snapshot) {
  if (sees.sees_all_shares()) return nullptr;
  return [&](const priority::Job& job) { return SeesShares(sees, snapshot, job); };
}

std::vector<bool> ShownQos(const Visibility& sees, const priority::Snapshot& snapshot) {
  std::vector<bool> shown(snapshot.qos().size(), sees.sees_all_shares());
  if (sees.sees_all_shares()) return shown;
  const priority::AssociationTree& tree = snapshot.tree();
  // A merged user may use the QOS of the surviving one.
  const absl::string_view own = tree.SurvivorOf(sees.user());
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    if (!tree.is_user(i)) continue;
    if (tree.user(i) != own && !sees.SeesShares(tree.user(i), tree.account(i))) continue;
    if (tree.allowed_qos(i).empty()) return std::vector<bool>(shown.size(), true);
    for (const std::string& name : tree.allowed_qos(i)) {
      const int qos = snapshot.FindQos(name);
      if (qos >= 0) shown[qos] = true;
    }
  }
  return shown;
}

absl::Status CheckInlineJobs(const Caller& caller, const priority::Snapshot& snapshot,
                             absl::Span<const priority::Job> jobs) {
  const Visibility& sees = caller.sees();
  if (sees.sees_all_shares()) return absl::OkStatus();
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!SeesShares(sees, snapshot, jobs[i])) return PrivateShares(caller, i, "user");
  }
  return absl::OkStatus();
}

absl::Status CheckInlineAccounts(const Caller& caller, const priority::Snapshot& snapshot,
                                 absl::Span<const priority::Job> jobs) {
  for (size_t i = 0; i < jobs.size(); ++i) {
    const absl::string_view account = AccountOf(snapshot, jobs[i]);
    if (account.empty() || caller.sees().SeesShares("", account)) continue;
    return PrivateShares(caller, i, "account");
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
