#include "server/administration/grants/grant_rights.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "engine/grants/settings.h"
#include "server/administration/grants/grant_change.h"
#include "server/administration/tree/merge_change.h"
#include "server/administration/tree/tree_reading.h"

namespace priorityd::administration {
namespace {

using grants::StoredGrant;

constexpr int32_t kMigrationOfLimits = 54;

absl::Status MayNotTransfer(absl::string_view field, absl::string_view got,
                            absl::string_view want) {
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat(field, ": got ", got, ", want ", want)),
      "ROLE_REQUIRED");
}

// A user's association is below the account in which it is.
bool IsOwnerBelow(const TreeSlice& tree, const storage::Grant& grant,
                  const std::set<std::string>& coordinated) {
  return absl::c_all_of(grant.accounts, [&](const std::string& name) {
    const TreeSlice::Row* row = tree.Account(name);
    if (row != nullptr && grant.user_name.empty()) row = tree.Parent(*row);
    return row != nullptr && tree.IsAtOrBelow(*row, coordinated);
  });
}

// The number of accounts of the owner of `below` whose usage is charged to `above`.
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

// The names in the Accounts of the settings.
std::vector<std::string> AccountsMeant(const std::vector<Setting>& settings) {
  std::vector<std::string> accounts;
  for (const Setting& setting : settings) {
    const auto word = grants::FindSetting(setting.name);
    if (!word.ok() || *word != "Accounts") continue;
    for (const absl::string_view name :
         absl::StrSplit(setting.value, ',', absl::SkipWhitespace())) {
      accounts.emplace_back(absl::StripAsciiWhitespace(name));
    }
  }
  return accounts;
}

// ACCOUNT of `ACCOUNT/...`: nobody takes names that others mean to use. Empty = it has none.
std::string AccountInName(const std::string& name) {
  const size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

// These with the accounts in the names of coordinators' grants of any of them.
std::vector<std::string> WithAccountsInNames(const grants::GrantBook& book,
                                             const std::vector<std::string>& accounts) {
  const std::set<std::string> meant(accounts.begin(), accounts.end());
  std::set<std::string> all = meant;
  for (const StoredGrant& stored : book.grants) {
    const bool is_of_any = absl::c_any_of(
        stored.row.accounts, [&](const std::string& name) { return meant.contains(name); });
    if (stored.row.by_coordinator && is_of_any) all.insert(AccountInName(stored.row.name));
  }
  all.erase("");
  return {all.begin(), all.end()};
}

// Whether its account is at or below the coordinated ones. REQUIRES: `tree` has it, if it exists.
bool IsNameOf(const TreeSlice& tree, const std::string& name,
              const std::set<std::string>& coordinated) {
  const TreeSlice::Row* account = tree.Account(AccountInName(name));
  return account != nullptr && tree.IsAtOrBelow(*account, coordinated);
}

// Whether one of the authors made it. They are named: an empty begin would be any author.
bool IsMadeBy(const StoredGrant& stored, const storage::LeaseAuthors& authors) {
  return !stored.versions.empty() && !authors.begin.empty() &&
         absl::StartsWith(stored.versions.front().changed_by, authors.begin) &&
         absl::EndsWith(stored.versions.front().changed_by, authors.end);
}

const StoredGrant* FindByName(const grants::GrantBook& book, const std::string& name) {
  const auto found = absl::c_find_if(
      book.grants, [&](const StoredGrant& grant) { return grant.row.name == name; });
  return found == book.grants.end() ? nullptr : &*found;
}

bool IsSameOwner(const storage::Grant& a, const storage::Grant& b) {
  return a.accounts == b.accounts && a.user_name == b.user_name && a.tres == b.tres;
}

// Another one of the owner and TRES at the time of `row` that the coordinator may not change: of
// grants that are used one after another, the consequence of the last one holds. Null = none.
const StoredGrant* FindForeign(const TreeSlice& tree, const grants::GrantBook& book,
                               const storage::Grant& row,
                               const std::set<std::string>& coordinated) {
  const auto found = absl::c_find_if(book.grants, [&](const StoredGrant& other) {
    return IsSameOwner(other.row, row) && other.grant.begin < other.grant.end &&
           row.begin_time < other.grant.end && other.grant.begin < row.end_time &&
           !(other.row.by_coordinator && IsNameOf(tree, other.row.name, coordinated));
  });
  return found == book.grants.end() ? nullptr : &*found;
}

// Of a transfer between grants of coordinators.
absl::Status CheckNoneForeign(const TreeSlice& tree, const grants::GrantBook& book,
                              const StoredGrant& from, const StoredGrant& to,
                              const std::set<std::string>& coordinated) {
  for (const auto& [field, grant] : {std::pair("from", &from), std::pair("to", &to)}) {
    const StoredGrant* foreign = FindForeign(tree, book, grant->row, coordinated);
    if (foreign == nullptr && IsNameOf(tree, grant->row.name, coordinated)) continue;
    return MayNotTransfer(field,
                          absl::StrCat("the owner of grant ",
                                       foreign == nullptr ? grant->row.name : foreign->row.name),
                          "an operator, or an owner whose grants of the TRES all have names of "
                          "coordinated accounts or of accounts below");
  }
  return absl::OkStatus();
}

absl::Status MayNotLimit(absl::string_view setting, absl::string_view got, absl::string_view want) {
  return MayNotTransfer(setting, got, absl::StrCat("an operator, or ", want));
}

// Whether the usage of the owner counts for accounts of `above` that are at or below the
// coordinated ones.
bool IsOfAccountsOf(const TreeSlice& tree, const storage::Grant& row, const storage::Grant& above,
                    const std::set<std::string>& coordinated) {
  std::set<std::string> accounts;
  for (const std::string& name : above.accounts) {
    const TreeSlice::Row* account = tree.Account(name);
    if (account != nullptr && tree.IsAtOrBelow(*account, coordinated)) accounts.insert(name);
  }
  return above.user_name.empty() && absl::c_all_of(row.accounts, [&](const std::string& name) {
           return tree.IsAtOrBelow(*tree.Account(name), accounts);
         });
}

absl::Status TooManyLimits(const char* whose, size_t count, const std::string& most) {
  return errors::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                                "names: got ", count, " grants ", whose, ", want at most ", most)),
                            "TOO_MANY_GRANTS");
}

// The most that all coordinators may have, and the most if the caller has at most `of_each` of
// them.
struct SharedBound {
  size_t most;
  size_t of_each;
  size_t most_with_each;
};

absl::Status CheckShared(const char* whose, size_t own, size_t all, const SharedBound& bound) {
  if (all <= (own <= bound.of_each ? bound.most_with_each : bound.most)) return absl::OkStatus();
  return TooManyLimits(
      whose, all,
      absl::StrCat(bound.most, ", or ", bound.most_with_each, " if the caller made at most ",
                   bound.of_each, " (got ", own, ")"));
}

}  // namespace

absl::Status LimitRight::Denied() const {
  return MayNotTransfer("names", rights_.caller,
                        "an operator, or names ACCOUNT/... of a coordinated account or of one "
                        "below, of grants that coordinators made for accounts and users below");
}

absl::Status LimitRight::CheckMeant(storage::Transaction& transaction, int32_t cluster_id,
                                    const std::string& name, const std::vector<Setting>& settings) {
  if (absl::Status s = ReadAccounts(transaction, cluster_id, name, settings); !s.ok()) return s;
  return IsNameOf(tree_, name, rights_.coordinated) ? absl::OkStatus() : Denied();
}

absl::Status LimitRight::CheckMeantToEnd(storage::Transaction& transaction, int32_t cluster_id,
                                         const std::string& name,
                                         const storage::LeaseAuthors& own) {
  if (absl::Status s = ReadAccounts(transaction, cluster_id, name, {}); !s.ok()) return s;
  if (IsNameOf(tree_, name, rights_.coordinated)) return absl::OkStatus();
  const StoredGrant* stored = FindByName(book_, name);
  const bool was_deleted = tree_.Account(AccountInName(name)) == nullptr;
  const bool is_own = stored != nullptr && IsMadeBy(*stored, own);
  return was_deleted && is_own && !rights_.coordinated.empty() ? absl::OkStatus() : Denied();
}

absl::Status LimitRight::ReadAccounts(storage::Transaction& transaction, int32_t cluster_id,
                                      const std::string& name,
                                      const std::vector<Setting>& settings) {
  std::vector<std::string> accounts = AccountsMeant(settings);
  const size_t meant = accounts.size();  // The others are those of the present grant.
  const StoredGrant* stored = FindByName(book_, name);
  if (stored != nullptr) {
    if (!stored->row.by_coordinator) return Denied();
    accounts.insert(accounts.end(), stored->row.accounts.begin(), stored->row.accounts.end());
  }
  if (accounts.size() > grants::kMaxAccounts * 2) return Denied();
  TreeState state;
  state.cluster_id = cluster_id;
  std::vector<std::string> read = WithAccountsInNames(book_, accounts);
  read.push_back(AccountInName(name));
  if (absl::Status s = TreeReading(transaction, &state).AddAccounts(read); !s.ok()) return s;
  tree_ = std::move(state.tree);
  for (size_t i = 0; i < accounts.size(); ++i) {
    const TreeSlice::Row* row = tree_.Account(accounts[i]);
    const bool was_deleted = row == nullptr && i >= meant;
    if (was_deleted) continue;
    if (row == nullptr || !tree_.IsAtOrBelow(*row, rights_.coordinated)) return Denied();
  }
  return absl::OkStatus();
}

absl::Status LimitRight::CheckWanted(const storage::Grant& before, const storage::Grant& row,
                                     grants::Amount amount) const {
  if (!IsOwnerBelow(tree_, row, rights_.coordinated)) return Denied();
  const bool begins_early = row.begin_time < now_ - absl::Seconds(1);
  if (begins_early && row.begin_time != before.begin_time) {
    return MayNotLimit("Begin", "a time that has passed", "`now` or a later time");
  }
  const StoredGrant* foreign = FindForeign(tree_, book_, row, rights_.coordinated);
  if (foreign != nullptr) {
    return MayNotLimit("Accounts", absl::StrCat("the owner of grant ", foreign->row.name),
                       "an owner without a grant of an operator, or of a coordinator of an account "
                       "above, at that time");
  }
  const bool is_covered = absl::c_any_of(book_.grants, [&](const StoredGrant& other) {
    return other.row.tres == row.tres && !IsSameOwner(other.row, row) &&
           !other.grant.versions.empty() && other.grant.begin <= row.begin_time &&
           row.end_time <= other.grant.end && amount <= other.grant.versions.back().amount &&
           IsOfAccountsOf(tree_, row, other.row, rights_.coordinated);
  });
  if (is_covered) return absl::OkStatus();
  return MayNotLimit("Accounts", "no grant above that covers it",
                     absl::StrCat("a grant of ", row.tres,
                                  " of a coordinated account above, with at least this Amount, "
                                  "that begins no later and ends no earlier"));
}

absl::Status LimitRight::CheckRevoked(const storage::Grant& row) const {
  storage::Grant existing = row;
  std::erase_if(existing.accounts,
                [&](const std::string& name) { return tree_.Account(name) == nullptr; });
  return IsOwnerBelow(tree_, existing, rights_.coordinated) ? absl::OkStatus() : Denied();
}

absl::Status CheckLimitsKnown(storage::Transaction& transaction, absl::string_view field) {
  return CheckReplicas(transaction, absl::StrCat(field, ": got a grant of a coordinator"),
                       kMigrationOfLimits);
}

absl::Status CheckLimitBounds(const grants::GrantBook& book, const storage::LeaseAuthors& share) {
  size_t own = 0, own_ever = 0, all = 0, all_ever = 0;
  for (const StoredGrant& stored : book.grants) {
    if (!stored.row.by_coordinator) continue;
    const bool is_own = stored.versions.empty() || IsMadeBy(stored, share);
    const bool lives = !stored.row.revoked_at.has_value();
    all_ever += 1;
    all += lives ? 1 : 0;
    own_ever += is_own ? 1 : 0;
    own += is_own && lives ? 1 : 0;
  }
  const std::tuple<const char*, size_t, size_t> bounds[] = {
      {"of one coordinator", own, kMaxGrantsOfCoordinator},
      {"of one coordinator with revoked ones", own_ever, kMaxGrantsOfCoordinatorEver}};
  for (const auto& [whose, count, most] : bounds) {
    if (count > most) return TooManyLimits(whose, count, absl::StrCat(most));
  }
  absl::Status status = CheckShared(
      "of coordinators", own, all,
      {kMaxGrantsForCoordinators, kGrantsOfEachCoordinator, kMaxGrantsForEachCoordinator});
  if (!status.ok()) return status;
  return CheckShared("of coordinators with revoked ones", own_ever, all_ever,
                     {kMaxGrantsForCoordinatorsEver, kGrantsOfEachCoordinatorEver,
                      kMaxGrantsForEachCoordinatorEver});
}

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
  accounts = WithAccountsInNames(book, accounts);
  absl::Status status = TreeReading(transaction, &state).AddAccounts(accounts);
  if (!status.ok()) return status;
  const TreeSlice& tree = state.tree;
  const auto is_below = [&](const StoredGrant* grant) {
    return grant != nullptr && IsOwnerBelow(tree, grant->row, rights.coordinated);
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
  if (from->row.by_coordinator != to->row.by_coordinator) {
    return MayNotTransfer("to", "a grant of an operator beside one of a coordinator",
                          "an operator, or two grants of the same kind of author");
  }
  if (from->row.by_coordinator) {
    status = CheckNoneForeign(tree, book, *from, *to, rights.coordinated);
    if (!status.ok()) return status;
  }
  if (SharedSettings(*from) == SharedSettings(*to)) return absl::OkStatus();
  return MayNotTransfer(
      "to", "a grant with other settings than that of `from`",
      "an operator, or one that differs only in Accounts, User, Amount and Begin");
}

}  // namespace priorityd::administration
