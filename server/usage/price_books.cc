#include "server/usage/price_books.h"

#include <optional>
#include <utility>

#include "server/configuration/find_cluster.h"
#include "storage/audit_store.h"
#include "storage/cluster_state.h"
#include "storage/policy_store.h"
#include "storage/snapshot_store.h"
#include "storage/tres_store.h"

namespace priorityd::usage {

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::Latest(const std::string& cluster) {
  {
    absl::MutexLock lock(&mutex_);
    const auto found = books_.find(cluster);
    if (found != books_.end()) return found->second.book;
  }
  absl::StatusOr<std::shared_ptr<const PriceBook>> book = nullptr;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    book = Current(transaction, found->id, cluster);
    return book.status();
  });
  if (!status.ok()) return status;
  return book;
}

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::Current(
    storage::Transaction& transaction, int32_t cluster_id, const std::string& cluster) {
  absl::StatusOr<Revision> revision = RevisionOf(transaction, cluster_id);
  if (!revision.ok()) return revision.status();
  CachedBook cached;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = books_.find(cluster);
    if (found != books_.end()) cached = found->second;
  }
  absl::StatusOr<bool> holds = StillHolds(transaction, cluster_id, cached, *revision);
  if (!holds.ok()) return holds.status();
  if (*holds) {
    absl::MutexLock lock(&mutex_);
    books_[cluster] = {*revision, cached.book};
    return cached.book;
  }
  auto book = Read(transaction, cluster_id, cluster, *revision);
  if (!book.ok()) return book.status();
  absl::MutexLock lock(&mutex_);
  books_[cluster] = {*revision, *book};
  return *book;
}

absl::StatusOr<bool> PriceBooks::StillHolds(storage::Transaction& transaction, int32_t cluster_id,
                                            const CachedBook& cached, const Revision& revision) {
  if (cached.book == nullptr) return false;
  if (cached.revision == revision) return true;
  if (cached.revision.policy_version != revision.policy_version) return false;
  auto changed =
      storage::AuditStore(transaction).HasChangeAfter(cluster_id, cached.revision.audit_event);
  if (!changed.ok()) return changed.status();
  return !*changed;
}

absl::StatusOr<PriceBooks::Revision> PriceBooks::RevisionOf(storage::Transaction& transaction,
                                                            int32_t cluster_id) {
  auto events = storage::AuditStore(transaction).List(cluster_id, 0, 1);
  if (!events.ok()) return events.status();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id);
  if (!snapshot.ok()) return snapshot.status();
  Revision revision;
  if (!events->empty()) revision.audit_event = events->front().id;
  if (snapshot->has_value()) revision.policy_version = (*snapshot)->policy_version;
  return revision;
}

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::Read(storage::Transaction& transaction,
                                                                  int32_t cluster_id,
                                                                  const std::string& cluster,
                                                                  const Revision& revision) {
  auto state = storage::ReadClusterConfiguration(transaction, cluster);
  if (!state.ok()) return state.status();
  std::optional<storage::PolicyVersion> in_force = state->policy;
  if (revision.policy_version.has_value()) {
    auto policy = storage::PolicyStore(transaction).Find(cluster_id, *revision.policy_version);
    if (!policy.ok()) return policy.status();
    in_force = *std::move(policy);
  }
  return PriceBook::Make(*state, in_force);
}

absl::StatusOr<std::map<std::string, int32_t>> PriceBooks::NumberTres(
    const std::vector<std::string>& names) {
  std::map<std::string, int32_t> numbers;
  std::vector<std::string> unknown;
  {
    absl::MutexLock lock(&mutex_);
    for (const std::string& name : names) {
      const auto found = tres_numbers_.find(name);
      found == tres_numbers_.end() ? unknown.push_back(name)
                                   : static_cast<void>(numbers.insert(*found));
    }
  }
  if (unknown.empty()) return numbers;
  absl::Status status = database_->Write([&](storage::Transaction& transaction) -> absl::Status {
    auto all = storage::TresStore(transaction).Register(unknown);
    if (!all.ok()) return all.status();
    numbers = *std::move(all);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  absl::MutexLock lock(&mutex_);
  tres_numbers_ = numbers;
  return numbers;
}

}  // namespace priorityd::usage
