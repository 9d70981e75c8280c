#include "server/domains/share_cache.h"

#include <utility>

#include "absl/status/status.h"

namespace priorityd::domains {
namespace {

absl::StatusOr<NamesPtr> ToNames(storage::DomainNameColumns columns) {
  if (columns.accounts.size() != columns.user_names.size()) {
    return absl::InternalError("domain names: got columns of different lengths, want one length");
  }
  return std::make_shared<const priority::DomainNames>(std::move(columns.accounts),
                                                       std::move(columns.user_names));
}

absl::Status ReplacedShares() {
  return absl::AbortedError("the domain has published other shares");
}

}  // namespace

SharesPtr ShareCache::FindKept(int64_t incarnation, const storage::DomainGeneration& of) {
  absl::MutexLock lock(&mutex_);
  const auto found = kept_.find(of.domain_id);
  if (found == kept_.end() || found->second.incarnation != incarnation) return nullptr;
  const SharesPtr& shares = found->second.stored.shares;
  return shares->generation() == of.generation ? shares : nullptr;
}

NamesPtr ShareCache::FindNames(int64_t incarnation, int32_t domain_id, int64_t version) {
  absl::MutexLock lock(&mutex_);
  const auto found = kept_.find(domain_id);
  if (found == kept_.end() || found->second.incarnation != incarnation) return nullptr;
  const StoredShares& stored = found->second.stored;
  return stored.names_version == version ? stored.shares->names() : nullptr;
}

void ShareCache::Keep(int64_t incarnation, int32_t domain_id, StoredShares stored) {
  absl::MutexLock lock(&mutex_);
  kept_[domain_id] = {incarnation, std::move(stored)};
}

void ShareCache::Forget() {
  absl::btree_map<int32_t, Kept> dropped;  // Freed after the mutex.
  absl::MutexLock lock(&mutex_);
  kept_.swap(dropped);
}

void ShareCache::Forget(const std::string& domain) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(kept_,
                 [&](const auto& kept) { return kept.second.stored.shares->domain() == domain; });
}

absl::StatusOr<NamesPtr> ShareCache::NamesOf(storage::Transaction& transaction,
                                             storage::DomainShareRow* row) {
  if (!row->names_version.has_value()) return ToNames(std::move(row->names));
  const int64_t version = *row->names_version;
  NamesPtr kept = FindNames(transaction.incarnation(), row->domain_id, version);
  if (kept != nullptr) return kept;
  auto names = storage::DomainStore(transaction).FindNames(row->domain_id, version);
  if (!names.ok()) return names.status();
  if (!names->has_value()) return ReplacedShares();
  return ToNames(**std::move(names));
}

absl::StatusOr<SharesPtr> ShareCache::Find(storage::Transaction& transaction,
                                           const storage::DomainGeneration& of) {
  if (of.domain_id == 0) return nullptr;
  if (SharesPtr kept = FindKept(transaction.incarnation(), of); kept != nullptr) return kept;
  auto row = storage::DomainStore(transaction).FindShares(of);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return ReplacedShares();
  auto names = NamesOf(transaction, &**row);
  if (!names.ok()) return names.status();
  if ((*names)->size() != (*row)->fair_shares.size()) {
    return absl::InternalError("domain_share: got shares and names of different numbers, want one");
  }
  auto shares = std::make_shared<const priority::DomainShares>(
      std::move((*row)->domain), of.generation, *std::move(names), std::move((*row)->fair_shares));
  Keep(transaction.incarnation(), of.domain_id, {shares, (*row)->names_version});
  return shares;
}

}  // namespace priorityd::domains
