#include "server/api/caller/get_caller.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "engine/priority/fair_share/association_tree.h"
#include "server/api/caller/validate_caller.h"
#include "server/authorization/rights_table.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Right;
using authorization::Role;
using identity::Credential;
using priority::AssociationIndex;
using priority::AssociationTree;

const char* NameOf(Credential credential) {
  switch (credential) {
    case Credential::kMunge:
      return "munge";
    case Credential::kToken:
      return "token";
    case Credential::kCertificate:
      return "certificate";
    case Credential::kNone:
      break;
  }
  return "none";
}

bool HasOneAbove(const AssociationTree& tree, absl::string_view account,
                 const absl::flat_hash_set<std::string>& accounts) {
  AssociationIndex i = tree.FindAccount(account);
  while (i > 0) {
    i = tree.parent()[i];
    if (accounts.contains(tree.account(i))) return true;
  }
  return false;
}

// Without accounts below another one, in order of names. An account missing in the tree stays.
std::vector<std::string> Topmost(std::vector<std::string> accounts, const AssociationTree& tree) {
  const absl::flat_hash_set<std::string> all(accounts.begin(), accounts.end());
  const auto is_below = [&](const std::string& account) {
    return HasOneAbove(tree, {account.data(), account.size()}, all);
  };
  std::erase_if(accounts, is_below);
  std::sort(accounts.begin(), accounts.end());
  return accounts;
}

// `PriorityService/RankJobs`
std::string ShortName(absl::string_view method) {
  return std::string(absl::StripPrefix(method, "priority.v1."));
}

}  // namespace

absl::Status GetCaller(const Boundary& boundary, const recalculation::SnapshotRegistry& registry,
                       const Caller& caller, const v1::GetCallerRequest& request,
                       v1::Caller* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const std::string& cluster = request.cluster();
  if (!cluster.empty()) {
    const auto known = registry.Resolve({cluster.data(), cluster.size()});
    if (!known.ok()) return known.status();
  }
  const identity::Principal& principal = caller.principal;
  if (principal.credential != Credential::kNone) response->set_name(principal.name);
  response->set_credential(NameOf(principal.credential));
  for (const Role role : authorization::kRoles) {
    if (caller.roles.Has(role)) response->add_roles(std::string(authorization::NameOf(role)));
  }
  std::vector<std::string> accounts = caller.coordinated;
  const auto snapshot = registry.Find({cluster.data(), cluster.size()});
  if (snapshot.ok()) accounts = Topmost(std::move(accounts), (*snapshot)->tree());
  for (std::string& account : accounts) response->add_coordinated_accounts(std::move(account));
  for (const Right& right : authorization::kRightsTable) {
    if (boundary.MayCall(right.rpc, caller)) response->add_methods(ShortName(right.method));
  }
  std::sort(response->mutable_methods()->begin(), response->mutable_methods()->end());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
