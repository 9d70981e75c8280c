#include "server/usage/price_books.h"

#include <utility>

#include "server/configuration/find_cluster.h"
#include "server/errors/bounds.h"
#include "storage/cluster_state.h"
#include "storage/configuration_store.h"
#include "storage/policy_store.h"
#include "storage/principal_store.h"
#include "storage/snapshot_store.h"
#include "storage/tres_store.h"

namespace priorityd::usage {

void PriceBooks::TakeIncarnation(int64_t incarnation) {
  if (std::exchange(incarnation_, incarnation) == incarnation) return;
  books_.clear();
  tres_numbers_.clear();
  principals_.clear();
}

PriceBooks::CachedBook PriceBooks::Cached(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  const auto found = books_.find(cluster);
  return found == books_.end() ? CachedBook() : found->second;
}

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::Latest(const std::string& cluster) {
  if (CachedBook cached = Cached(cluster); cached.book != nullptr) return cached.book;
  return AsStored(cluster);
}

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::AsStored(const std::string& cluster) {
  using Book = absl::StatusOr<std::shared_ptr<const PriceBook>>;
  return database_->Read([&](storage::Transaction& transaction) -> Book {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    return Current(transaction, found->id, cluster);
  });
}

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBooks::Current(
    storage::Transaction& transaction, int32_t cluster_id, const std::string& cluster) {
  absl::StatusOr<Revision> revision = RevisionOf(transaction, cluster_id);
  if (!revision.ok()) return revision.status();
  CachedBook cached = Cached(cluster);
  if (cached.book != nullptr && cached.revision == *revision) return cached.book;
  auto book = Read(transaction, cluster_id, cluster, *revision);
  if (!book.ok()) return book.status();
  absl::MutexLock lock(&mutex_);
  TakeIncarnation(revision->incarnation);
  CachedBook& kept = books_[cluster];
  // Of two who read at once the first one's book is everybody's.
  if (kept.book == nullptr || kept.revision != *revision) kept = {*revision, *std::move(book)};
  return kept.book;
}

absl::StatusOr<PriceBooks::Revision> PriceBooks::RevisionOf(storage::Transaction& transaction,
                                                            int32_t cluster_id) {
  auto configuration = storage::ConfigurationStore(transaction).Revision(cluster_id);
  if (!configuration.ok()) return configuration.status();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster_id);
  if (!snapshot.ok()) return snapshot.status();
  Revision revision{.incarnation = transaction.incarnation(),
                    .cluster_id = cluster_id,
                    .configuration = *configuration,
                    .policy_version = {}};
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
  auto tres = storage::TresStore(transaction).ListOf(cluster_id);
  if (!tres.ok()) return tres.status();
  state->tres = *std::move(tres);
  return PriceBook::Make(*state, in_force);
}

std::map<std::string, int32_t> PriceBooks::KnownNumbers(int32_t cluster_id,
                                                        const std::vector<std::string>& names,
                                                        bool* all) {
  std::map<std::string, int32_t> numbers;
  absl::MutexLock lock(&mutex_);
  const std::map<std::string, int32_t>& known = tres_numbers_[cluster_id];
  *all = known.size() >= errors::kMaxTresOfCluster + storage::kSlurmsOwnTres;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found != known.end()) numbers.insert(*found);
  }
  *all |= numbers.size() == names.size();
  return numbers;
}

absl::StatusOr<std::map<std::string, int32_t>> PriceBooks::NumberTres(
    int32_t cluster_id, const std::vector<std::string>& names) {
  bool all = false;
  std::map<std::string, int32_t> numbers = KnownNumbers(cluster_id, names, &all);
  if (all) return numbers;
  int64_t incarnation = 0;
  auto registered = database_->Write([&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::TresStore(transaction).Register(cluster_id, names, errors::kMaxTresOfCluster);
  });
  if (!registered.ok()) return registered.status();
  {
    absl::MutexLock lock(&mutex_);
    TakeIncarnation(incarnation);
    tres_numbers_[cluster_id] = *std::move(registered);
  }
  return KnownNumbers(cluster_id, names, &all);
}

absl::StatusOr<int32_t> PriceBooks::NumberPrincipal(const std::string& name) {
  {
    absl::MutexLock lock(&mutex_);
    const auto found = principals_.find(name);
    if (found != principals_.end()) return found->second;
  }
  int64_t incarnation = 0;
  auto number = database_->Write([&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::PrincipalStore(transaction).Register(name);
  });
  if (!number.ok()) return number;
  absl::MutexLock lock(&mutex_);
  TakeIncarnation(incarnation);
  if (principals_.size() >= kMaxPrincipals) principals_.clear();
  principals_[name] = *number;
  return number;
}

}  // namespace priorityd::usage
