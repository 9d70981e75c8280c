#include "server/domains/share_publication.h"

#include <utility>

#include "storage/ledger/domain_store.h"
#include "storage/snapshots/replica_store.h"

namespace priorityd::domains {
namespace {

// Programs of before this migration read names and shares from one row.
constexpr int32_t kNamesOfTheirOwnRow = 53;

// The last names, if the tree has the same.
NamesPtr NamesFor(const std::shared_ptr<const priority::AssociationTree>& tree,
                  const PublishedShares& known) {
  const NamesPtr last = known.stored.shares == nullptr ? nullptr : known.stored.shares->names();
  if (last != nullptr && known.tree == tree) return last;
  NamesPtr names = priority::DomainNamesOf(*tree);
  return last != nullptr && *last == *names ? last : names;
}

storage::DomainNameColumns ColumnsOf(const priority::DomainNames& names) {
  return {.accounts = names.accounts(), .user_names = names.users()};
}

// The version under which the names of the shares are stored, which this does if need be.
absl::StatusOr<int64_t> StoreNames(storage::Transaction& transaction, int32_t domain_id,
                                   const priority::DomainShares& shares, const StoredShares& last) {
  if (last.names_version.has_value() && last.shares->names() == shares.names()) {
    return *last.names_version;
  }
  absl::Status status =
      storage::DomainStore(transaction)
          .AppendNames(domain_id, shares.generation(), ColumnsOf(*shares.names()));
  if (!status.ok()) return status;
  return shares.generation();
}

}  // namespace

absl::Status PublishShares(storage::Transaction& transaction, int32_t domain_id,
                           const priority::Snapshot& snapshot,
                           const std::shared_ptr<const priority::AssociationTree>& tree,
                           PublishedShares* known) {
  if (known->incarnation != transaction.incarnation()) *known = {};
  auto old_replica = storage::ReplicaStore(transaction).AnyRunsWithout(kNamesOfTheirOwnRow);
  if (!old_replica.ok()) return old_replica.status();
  StoredShares stored;
  stored.shares = std::make_shared<const priority::DomainShares>(
      snapshot.cluster().name, snapshot.generation(), NamesFor(tree, *known),
      priority::DomainSharesOf(*tree, snapshot.fair_share().fair_share));
  storage::DomainShareRow row{.domain_id = domain_id,
                              .generation = snapshot.generation(),
                              .fair_shares = stored.shares->fair_shares()};
  if (*old_replica) {
    row.names = ColumnsOf(*stored.shares->names());
  } else {
    auto version = StoreNames(transaction, domain_id, *stored.shares, known->stored);
    if (!version.ok()) return version.status();
    row.names_version = stored.names_version = *version;
  }
  *known = {transaction.incarnation(), tree, std::move(stored)};
  return storage::DomainStore(transaction).AppendShares(row);
}

}  // namespace priorityd::domains
