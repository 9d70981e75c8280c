#include "server/domains/share_cache.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace priorityd::domains {

MaybeShares ReadShares(storage::Transaction& transaction, const storage::DomainGeneration& of) {
  if (of.domain_id == 0) return nullptr;
  auto row = storage::DomainStore(transaction).FindShares(of);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return absl::AbortedError("the domain has published other shares");
  storage::DomainShareRow& shares = **row;
  if (shares.accounts.size() != shares.fair_shares.size() ||
      shares.user_names.size() != shares.fair_shares.size()) {
    return absl::InternalError("domain_share: got columns of different lengths, want one length");
  }
  return std::make_shared<const priority::DomainShares>(
      std::move(shares.domain), shares.generation,
      priority::DomainShares::Columns{std::move(shares.accounts), std::move(shares.user_names),
                                      std::move(shares.fair_shares)});
}

storage::DomainShareRow SharesOf(int32_t domain_id, const priority::Snapshot& snapshot) {
  priority::DomainShares::Columns columns =
      priority::ShareColumnsOf(snapshot.tree(), snapshot.fair_share().fair_share);
  return {.domain_id = domain_id,
          .domain = snapshot.cluster().name,
          .generation = snapshot.generation(),
          .accounts = std::move(columns.accounts),
          .user_names = std::move(columns.users),
          .fair_shares = std::move(columns.fair_shares)};
}

MaybeShares ShareCache::Find(storage::Transaction& transaction,
                             const storage::DomainGeneration& of) {
  if (of.domain_id == 0) return nullptr;
  {
    absl::MutexLock lock(&mutex_);
    const Kept& kept = kept_[of.domain_id];
    if (kept.shares != nullptr && kept.of == of && kept.incarnation == transaction.incarnation()) {
      return kept.shares;
    }
  }
  MaybeShares shares = ReadShares(transaction, of);
  if (!shares.ok()) return shares;
  absl::MutexLock lock(&mutex_);
  kept_[of.domain_id] = {transaction.incarnation(), of, *shares};
  return shares;
}

}  // namespace priorityd::domains
