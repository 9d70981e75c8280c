#include "server/administration/grant_rights.h"

#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "server/administration/grant_change.h"
#include "server/administration/tree_reading.h"

namespace priorityd::administration {
namespace {

using grants::StoredGrant;

absl::Status MayNotTransfer(absl::string_view field, absl::string_view got,
                            absl::string_view want) {
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat(field, ": got ", got, ", want ", want)),
      "ROLE_REQUIRED");
}

// A user's association is below the account in which it is.
bool IsOwnerBelow(const TreeSlice& tree, const StoredGrant& grant,
                  const std::set<std::string>& coordinated) {
  return absl::c_all_of(grant.row.accounts, [&](const std::string& name) {
    const TreeSlice::Row* row = tree.Account(name);
    if (row != nullptr && grant.row.user_name.empty()) row = tree.Parent(*row);
    return row != nullptr && tree.IsAtOrBelow(*row, coordinated);
  });
}

// How many accounts of the owner of `below` have their usage charged to `above`.
size_t ChargedTo(const TreeSlice& tree, const StoredGrant& below, const StoredGrant& above) {
  const std::set<std::string> accounts(above.row.accounts.begin(), above.row.accounts.end());
  return absl::c_count_if(below.row.accounts, [&](const std::string& name) {
    if (above.row.user_name.empty()) return tree.IsAtOrBelow(*tree.Account(name), accounts);
    return accounts.contains(name) && below.row.user_name == above.row.user_name;
  });
}

// A grant in force or to come from which the transfer would take an amount away that it bounds.
const StoredGrant* FindLeft(const TreeSlice& tree, const grants::GrantBook& book, absl::Time now,
                            const StoredGrant& from, const StoredGrant& to) {
  const auto found = absl::c_find_if(book.grants, [&](const StoredGrant& other) {
    return other.row.tres == from.row.tres && other.grant.end > now && &other != &from &&
           ChargedTo(tree, from, other) > 0 && ChargedTo(tree, to, other) < to.row.accounts.size();
  });
  return found == book.grants.end() ? nullptr : &*found;
}

Attributes SharedSettings(const StoredGrant& grant) {
  Attributes cells = AttributesOf(grant);
  for (const char* name : {"Accounts", "User", "Amount", "Begin"}) cells.erase(name);
  return cells;
}

}  // namespace

absl::Status CheckTransferRight(storage::Transaction& transaction, int32_t cluster_id,
                                const TreeRights& rights, const grants::GrantBook& book,
                                absl::Time now, const StoredGrant* from, const StoredGrant* to) {
  if (rights.is_operator) return absl::OkStatus();
  TreeState state;
  state.cluster_id = cluster_id;
  std::vector<std::string> accounts;
  for (const StoredGrant* grant : {from, to}) {
    if (grant == nullptr) continue;
    accounts.insert(accounts.end(), grant->row.accounts.begin(), grant->row.accounts.end());
  }
  absl::Status status = TreeReading(transaction, &state).AddAccounts(accounts);
  if (!status.ok()) return status;
  const TreeSlice& tree = state.tree;
  const auto is_below = [&](const StoredGrant* grant) {
    return grant != nullptr && IsOwnerBelow(tree, *grant, rights.coordinated);
  };
  if (!is_below(from) || !is_below(to)) {
    return MayNotTransfer("from, to", rights.caller,
                          "an operator, or grants below the accounts that the caller coordinates");
  }
  if (ChargedTo(tree, *from, *to) > 0 || ChargedTo(tree, *to, *from) > 0) {
    return MayNotTransfer("to",
                          "a grant to which usage of the grant of `from` is charged too, or "
                          "the reverse",
                          "an operator, or a grant of other users and accounts");
  }
  if (const StoredGrant* left = FindLeft(tree, book, now, *from, *to); left != nullptr) {
    return MayNotTransfer("to",
                          absl::StrCat("a grant of which usage is not charged to grant ",
                                       left->row.name, ", to which that of `from` is"),
                          "an operator, or a grant that is charged to it as well");
  }
  if (SharedSettings(*from) == SharedSettings(*to)) return absl::OkStatus();
  return MayNotTransfer(
      "to", "a grant with other settings than that of `from`",
      "an operator, or one that differs only in Accounts, User, Amount and Begin");
}

}  // namespace priorityd::administration
