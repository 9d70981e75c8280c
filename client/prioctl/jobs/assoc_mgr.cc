#include "client/prioctl/jobs/assoc_mgr.h"

#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/association_sheet.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

using Names = std::set<std::string>;

struct Selection {
  Names accounts;
  Names users;
  Names qos;
  Names flags;  // In lower case.

  bool Wants(const char* flag) const { return flags.empty() || flags.count(flag) > 0; }
};

absl::StatusOr<Selection> Read(const std::vector<std::string>& words) {
  Selection selection;
  const std::pair<const char*, Names Selection::*> lists[] = {{"accounts", &Selection::accounts},
                                                              {"users", &Selection::users},
                                                              {"qos", &Selection::qos},
                                                              {"flags", &Selection::flags}};
  for (const std::string& word : words) {
    const std::pair<std::string, std::string> part = absl::StrSplit(word, absl::MaxSplits('=', 1));
    const auto list = absl::c_find_if(lists, [&](const auto& one) {
      return !part.second.empty() && absl::EqualsIgnoreCase(one.first, part.first);
    });
    if (list == std::end(lists)) {
      return absl::InvalidArgumentError(
          absl::StrCat("show assoc_mgr: got \"", word,
                       "\", want accounts=, users=, qos= or flags=users,assoc,qos with names"));
    }
    selection.*list->second = absl::StrSplit(part.second, ',', absl::SkipEmpty());
  }
  Names flags;
  for (const std::string& flag : selection.flags) {
    flags.insert(absl::AsciiStrToLower(flag));
    if (absl::EqualsIgnoreCase(flag, "users") || absl::EqualsIgnoreCase(flag, "assoc") ||
        absl::EqualsIgnoreCase(flag, "qos")) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("flags: got \"", flag, "\", want users, assoc or qos"));
  }
  selection.flags = std::move(flags);
  return selection;
}

bool IsMeant(const Names& wanted, const std::string& name) {
  return wanted.empty() || wanted.count(name) > 0;
}

void ShowUsers(const Selection& selection, const v1::ListUsersResponse& users, std::ostream& out) {
  out << "\nUser Records\n\n";
  for (const v1::ClusterUser& user : users.users()) {
    if (IsMeant(selection.users, user.name())) out << UserSheet(user);
  }
}

absl::Status ShowAssociations(const Selection& selection, const v1::ListUsersResponse& users,
                              const client::PriorityClient& client, std::ostream& out) {
  const auto all = client.ListAllAssociations({});
  if (!all.ok()) return all.status();
  const auto shares = client.ListAllShares({});
  // Before the first recalculation there are none.
  if (!shares.ok() && !absl::IsFailedPrecondition(shares.status())) return shares.status();
  std::map<int64_t, const v1::AssociationShare*> share_of;
  if (shares.ok()) {
    for (const v1::AssociationShare& share : shares->shares()) {
      share_of[share.association_id()] = &share;
    }
  }
  std::map<std::string, const v1::ClusterUser*> user_of;
  for (const v1::ClusterUser& user : users.users()) user_of[user.name()] = &user;
  std::map<std::string, int64_t> account_ids;
  out << "\nAssociation Records\n\n";
  for (const v1::Association& row : all->associations()) {
    if (row.user().empty()) account_ids[row.account()] = row.id();
    const bool is_meant = IsMeant(selection.accounts, row.account()) &&
                          (selection.users.empty() || selection.users.count(row.user()) > 0);
    if (!is_meant) continue;
    const auto share = share_of.find(row.id());
    const auto user = user_of.find(row.user());
    out << AssociationSheet(
        all->cluster(), row,
        share == share_of.end() ? v1::AssociationShare::default_instance() : *share->second,
        user == user_of.end() ? nullptr : user->second, account_ids[row.parent_account()]);
  }
  return absl::OkStatus();
}

absl::Status ShowQos(const Selection& selection, const client::PriorityClient& client,
                     std::ostream& out) {
  const auto all = client.ListQos({});
  if (!all.ok()) return all.status();
  out << "\nQOS Records\n\n";
  for (const v1::Qos& qos : all->qos()) {
    if (IsMeant(selection.qos, qos.name())) out << QosSheet(qos);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ShowAssocMgr(const std::vector<std::string>& words,
                          const client::PriorityClient& client, std::ostream& out) {
  const auto selection = Read(words);
  if (!selection.ok()) return selection.status();
  const auto users = client.ListAllUsers({});
  if (!users.ok()) return users.status();
  out << "Current Association Manager state\n";
  absl::Status status;
  if (selection->Wants("users")) ShowUsers(*selection, *users, out);
  if (status.ok() && selection->Wants("assoc")) {
    status = ShowAssociations(*selection, *users, client, out);
  }
  if (status.ok() && selection->Wants("qos")) status = ShowQos(*selection, client, out);
  return status;
}

}  // namespace priorityd::jobs
