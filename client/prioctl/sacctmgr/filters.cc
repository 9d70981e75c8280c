#include "client/prioctl/sacctmgr/filters.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "client/prioctl/sacctmgr/row.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

constexpr char kRoot[] = "root";

void Fill(const Names& names, google::protobuf::RepeatedPtrField<std::string>* list) {
  list->Add(names.begin(), names.end());
}

bool Fits(const Names& wanted, const std::string& value) {
  return wanted.empty() || absl::c_any_of(wanted, [&](const std::string& name) {
           return absl::EqualsIgnoreCase(name, value);
         });
}

}  // namespace

v1::AssociationFilter AssociationsOf(const Selection& selection) {
  v1::AssociationFilter filter;
  Fill(selection.accounts, filter.mutable_accounts());
  Fill(selection.users, filter.mutable_users());
  Fill(selection.partitions, filter.mutable_partitions());
  Fill(selection.parents, filter.mutable_parents());
  Fill(selection.qos, filter.mutable_qos());
  Fill(selection.default_qos, filter.mutable_default_qos());
  filter.set_with_sub_accounts(selection.with_sub_accounts && !selection.accounts.empty());
  filter.set_only_defaults(selection.only_defaults);
  return filter;
}

v1::UserFilter UsersOf(const Selection& selection) {
  v1::UserFilter filter;
  Fill(selection.users, filter.mutable_names());
  Fill(selection.accounts, filter.mutable_accounts());
  Fill(selection.default_accounts, filter.mutable_default_accounts());
  Fill(selection.admin_levels, filter.mutable_admin_levels());
  return filter;
}

absl::StatusOr<v1::AssociationFilter> AccountFilter(const Selection& selection,
                                                    const client::PriorityClient& client) {
  v1::AssociationFilter filter = AssociationsOf(selection);
  filter.clear_users();
  filter.add_users("");
  if (!selection.descriptions.empty() || !selection.organizations.empty()) {
    v1::ListAssociationsRequest request;
    request.set_cluster(selection.cluster());
    *request.mutable_where() = filter;
    const auto accounts = client.ListAllAssociations(request);
    if (!accounts.ok()) return accounts.status();
    filter.clear_accounts();
    for (const v1::Association& account : accounts->associations()) {
      if (IsDescribed(selection, account)) filter.add_accounts(account.account());
    }
    if (filter.accounts().empty()) return absl::NotFoundError("no account is described so");
  }
  if (!selection.names_things()) {
    filter.add_accounts(kRoot);
    filter.set_with_sub_accounts(true);
  }
  return filter;
}

absl::StatusOr<v1::AssociationFilter> UserAssociationFilter(const Selection& selection,
                                                            const client::PriorityClient& client) {
  v1::AssociationFilter filter = AssociationsOf(selection);
  if (!selection.users.empty() && selection.admin_levels.empty() &&
      selection.default_accounts.empty()) {
    return filter;
  }
  v1::ListUsersRequest request;
  request.set_cluster(selection.cluster());
  *request.mutable_where() = UsersOf(selection);
  if (selection.with_sub_accounts) request.mutable_where()->clear_accounts();
  const auto users = client.ListAllUsers(request);
  if (!users.ok()) return users.status();
  filter.clear_users();
  for (const v1::ClusterUser& user : users->users()) filter.add_users(user.name());
  if (filter.users().empty()) return absl::NotFoundError("no such user");
  return filter;
}

bool IsDescribed(const Selection& selection, const v1::Association& account) {
  return Fits(selection.organizations, AttributeOf(account, "Organization")) &&
         Fits(selection.descriptions, AttributeOf(account, "Description"));
}

}  // namespace priorityd::sacctmgr
