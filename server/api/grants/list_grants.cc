#include "server/api/grants/list_grants.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/site/tres_sum.h"
#include "server/administration/changes/configuration_change.h"
#include "server/api/grants/convert_grant.h"
#include "server/api/shared/convert_ranking.h"
#include "server/budgets/grant_running.h"
#include "server/grants/settlement.h"
#include "server/grants/standings.h"
#include "server/grants/stored_prices.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using grants::Balance;
using grants::StoredGrant;
using priority::AssociationIndex;
using priority::Snapshot;

constexpr size_t kMaxWindows = 1000;

// All grants of a cluster and their windows up to the time of a snapshot.
struct Ledger {
  grants::GrantBook book;
  grants::GrantWindows windows;
  std::string etag;
  std::optional<storage::DomainMember> member;  // Of the cluster in a usage domain.
  grants::PriceBooks prices;                    // If a grant is of one.
};

bool IsMoney(const StoredGrant& stored) { return priority::IsPrice(stored.row.tres); }

// Of the wanted grants, and those that share their usage.
absl::StatusOr<Ledger> ReadLedger(storage::Database& database, const Snapshot& snapshot,
                                  absl::FunctionRef<bool(const StoredGrant&)> is_wanted) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Ledger> {
    auto found = administration::FindWithEtag(transaction, snapshot.cluster().name);
    if (!found.ok()) return found.status();
    auto all = grants::ReadGrantBook(transaction, found->cluster.id);
    if (!all.ok()) return all.status();
    grants::GrantBook book = grants::Select(*std::move(all), is_wanted);
    auto pools = grants::ReadPools(transaction, found->cluster.id, book);
    if (!pools.ok()) return pools.status();
    auto member = storage::DomainStore(transaction).Find(found->cluster.id);
    if (!member.ok()) return member.status();
    Ledger ledger{std::move(book), {}, std::move(found->etag), *std::move(member), {}};
    if (absl::c_any_of(ledger.book.grants, IsMoney)) {
      auto prices = grants::ReadPriceBooks(transaction, found->cluster.id);
      if (!prices.ok()) return prices.status();
      ledger.prices = *std::move(prices);
    }
    ledger.windows = grants::WindowsOf(ledger.book, grants::PeriodsOf(*pools),
                                       snapshot.policy().time_zone, snapshot.computed_at());
    return ledger;
  });
}

bool IsShown(const authorization::Visibility& sees, const storage::Grant& row) {
  return absl::c_all_of(row.accounts, [&](const std::string& account) {
    return sees.SeesShares(row.user_name, account);
  });
}

// The accounts, the user and the TRES whose usage the grant counts.
priority::GrantStanding OwnerOf(const storage::Grant& row) {
  priority::GrantStanding owner;
  owner.accounts = row.accounts;
  owner.user = row.user_name;
  owner.tres = row.tres;
  return owner;
}

class GrantLists {
 public:
  GrantLists(const Snapshot& snapshot, const budgets::RunningUsage& running, const Ledger& ledger)
      : snapshot_(snapshot), ledger_(ledger), running_(snapshot, running, ledger.prices) {}

  void Add(const StoredGrant& stored, v1::Grant* proto) {
    const std::vector<Balance>& windows = WindowsOf(stored);
    GrantToProto(stored, windows, snapshot_.computed_at(), proto);
    proto->set_running_minutes(running_.SecondsOf(OwnerOf(stored.row)) / 60);
    if (IsMoney(stored)) AddMoney(stored, proto);
  }

  const std::vector<Balance>& WindowsOf(const StoredGrant& stored) const {
    return ledger_.windows[&stored - ledger_.book.grants.data()];
  }

 private:
  void AddMoney(const StoredGrant& stored, v1::Grant* proto) {
    proto->set_running_tres_seconds(running_.MoneyOf(OwnerOf(stored.row)).ToDecimal());
    const auto book = ledger_.prices.find(stored.row.tres);
    if (book != ledger_.prices.end()) proto->set_currency(book->second.currency());
  }

  const Snapshot& snapshot_;
  const Ledger& ledger_;
  budgets::GrantRunning running_;
};

// Whether the grant is of one of the accounts, or of an account above one.
bool IsOfAccounts(const priority::AssociationTree& tree, const storage::Grant& row,
                  const v1::ListGrantsRequest& request) {
  return absl::c_any_of(request.accounts(), [&](const std::string& account) {
    if (absl::c_linear_search(row.accounts, account)) return true;
    for (AssociationIndex i = tree.FindAccount(account); i != priority::kNoAssociation;
         i = tree.parent()[i]) {
      if (absl::c_linear_search(row.accounts, tree.account(i))) return true;
    }
    return false;
  });
}

bool IsWanted(const Snapshot& snapshot, const StoredGrant& stored,
              const v1::ListGrantsRequest& request) {
  const storage::Grant& row = stored.row;
  if (!request.names().empty()) return absl::c_linear_search(request.names(), row.name);
  if (!request.include_past() && stored.grant.end <= snapshot.computed_at()) return false;
  if (request.accounts().empty() && request.users().empty()) return true;
  return IsOfAccounts(snapshot.tree(), row, request) ||
         absl::c_linear_search(request.users(), row.user_name);
}

void SetDomain(const storage::DomainMember& member, v1::ListGrantsResponse* response) {
  response->set_domain(member.domain);
  for (const storage::NamedAmount& price : member.prices) {
    (*response->mutable_domain_prices())[price.name] = price.amount;
  }
}

absl::Status Unknown(const std::string& field, const std::string& name) {
  return errors::WithReason(absl::NotFoundError(absl::StrCat(
                                field, ": got \"", name, "\", want the name of an existing grant")),
                            "UNKNOWN_GRANT");
}

}  // namespace

absl::Status ListGrants(const Snapshot& snapshot, const budgets::RunningUsage& running,
                        storage::Database& database, const authorization::Visibility& sees,
                        const v1::ListGrantsRequest& request, v1::ListGrantsResponse* response) {
  const auto is_wanted = [&](const StoredGrant& stored) {
    return IsShown(sees, stored.row) && IsWanted(snapshot, stored, request);
  };
  auto ledger = ReadLedger(database, snapshot, is_wanted);
  if (!ledger.ok()) return ledger.status();
  response->set_cluster(snapshot.cluster().name);
  response->set_etag(ledger->etag);
  if (ledger->member.has_value()) SetDomain(*ledger->member, response);
  ToProto(snapshot, response->mutable_snapshot());
  GrantLists lists(snapshot, running, *ledger);
  absl::flat_hash_set<std::string> listed;
  for (const StoredGrant& stored : ledger->book.grants) {
    if (!is_wanted(stored)) continue;
    lists.Add(stored, response->add_grants());
    listed.insert(stored.row.name);
  }
  for (int i = 0; i < request.names_size(); ++i) {
    if (listed.contains(request.names(i))) continue;
    return Unknown(absl::StrCat("names[", i, "]"), request.names(i));
  }
  return absl::OkStatus();
}

absl::Status GetGrantStatement(const Snapshot& snapshot, const budgets::RunningUsage& running,
                               storage::Database& database, const Caller& caller,
                               const v1::GetGrantStatementRequest& request,
                               v1::GetGrantStatementResponse* response) {
  const auto is_wanted = [&](const StoredGrant& stored) {
    return stored.row.name == request.name() && IsShown(caller.sees(), stored.row);
  };
  auto ledger = ReadLedger(database, snapshot, is_wanted);
  if (!ledger.ok()) return ledger.status();
  const auto found = absl::c_find_if(ledger->book.grants, is_wanted);
  if (found == ledger->book.grants.end()) return Unknown("name", request.name());
  GrantLists lists(snapshot, running, *ledger);
  lists.Add(*found, response->mutable_grant());
  VersionsToProto(*found, caller, response->mutable_grant());
  const std::vector<Balance>& windows = lists.WindowsOf(*found);
  for (size_t i = windows.size() - std::min(windows.size(), kMaxWindows); i < windows.size(); ++i) {
    BalanceToProto(windows[i], response->add_windows());
  }
  ToProto(snapshot, response->mutable_snapshot());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
