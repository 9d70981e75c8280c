#include "server/usage/price_books.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/configuration_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/principal_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/ledger/job_end_store.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

std::map<std::string, int32_t> NumbersAmong(const std::map<std::string, int32_t>& known,
                                            const std::vector<PriceBooks::NamedTres>& tres) {
  std::map<std::string, int32_t> numbers;
  for (const PriceBooks::NamedTres& one : tres) {
    const auto found = known.find(one.name);
    if (found != known.end()) numbers.insert(*found);
  }
  return numbers;
}

}  // namespace

void PriceBooks::TakeIncarnation(int64_t incarnation) {
  if (std::exchange(incarnation_, incarnation) == incarnation) return;
  books_.clear();
  tres_numbers_.clear();
  added_.clear();
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
  // Of two concurrent reads, the first one's book is shared.
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
  auto job_ends_since = storage::JobEndStore(transaction).Since(cluster_id);
  if (!job_ends_since.ok()) return job_ends_since.status();
  const auto aliases = storage::UserAliasStore(transaction).List(cluster_id);
  if (!aliases.ok()) return aliases.status();
  const auto merges = storage::UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok()) return merges.status();
  return PriceBook::Make(*state, in_force, *job_ends_since, configuration::AliasMap(*aliases),
                         *merges);
}

std::map<std::string, int32_t> PriceBooks::KnownNumbers(int32_t cluster_id,
                                                        const std::vector<NamedTres>& tres,
                                                        bool* all) {
  absl::MutexLock lock(&mutex_);
  const std::map<std::string, int32_t>& known = tres_numbers_[cluster_id];
  std::map<std::string, int32_t> numbers = NumbersAmong(known, tres);
  *all = numbers.size() == tres.size() ||
         known.size() >= errors::kMaxTresOfCluster + storage::kSlurmsOwnTres;
  return numbers;
}

PriceBooks::AddedTres::AddedTres(const quotas::Parts& parts)
    : quota({.name = quotas::kTresNames,
             .capacity = quotas::kUnbounded,  // The database enforces the cluster's maximum.
             .of_holder = parts.Of(quotas::kTresNames, errors::kMaxTresOfCluster),
             .advice = "use those that the cluster has"}) {}

PriceBooks::AddedTres& PriceBooks::AddedTo(int32_t cluster_id) {
  std::unique_ptr<AddedTres>& added = added_[cluster_id];
  if (added == nullptr) added = std::make_unique<AddedTres>(parts_);
  return *added;
}

std::vector<PriceBooks::NamedTres> PriceBooks::ChooseNew(
    int32_t cluster_id, const std::map<std::string, int32_t>& known,
    const std::vector<NamedTres>& tres, std::map<std::string, std::string>* refused) {
  std::vector<NamedTres> chosen;
  std::map<std::string, size_t> more;  // By source.
  absl::MutexLock lock(&mutex_);
  const quotas::Quota& quota = AddedTo(cluster_id).quota;
  for (const NamedTres& one : tres) {
    if (known.contains(one.name)) continue;
    const quotas::Holder source = {absl::StrCat("source ", one.source)};
    const quotas::Held held = {.of_holder = quota.HeldBy(source).of_holder + more[one.source]};
    const absl::Status room = quota.rule().Check(held, source, 1);
    if (!room.ok()) {
      refused->emplace(one.name, room.message());
      ++refused_;
      continue;
    }
    ++more[one.source];
    chosen.push_back(one);
  }
  return chosen;
}

absl::StatusOr<PriceBooks::NumberedTres> PriceBooks::NumberTres(
    int32_t cluster_id, const std::vector<NamedTres>& tres) {
  bool all = false;
  NumberedTres numbered{.numbers = KnownNumbers(cluster_id, tres, &all), .refused = {}};
  if (all) return numbered;
  // Another replica may have registered some of them.
  int64_t incarnation = 0;
  auto known = database_->Read([&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::TresStore(transaction).ListOf(cluster_id);
  });
  if (!known.ok()) return known.status();
  const std::vector<NamedTres> chosen = ChooseNew(cluster_id, *known, tres, &numbered.refused);
  std::vector<std::string> names;
  for (const NamedTres& one : chosen) names.push_back(one.name);
  const auto write = [&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::TresStore(transaction).Register(cluster_id, names, errors::kMaxTresOfCluster);
  };
  auto registered = chosen.empty() ? std::move(known) : database_->Write(write);
  if (!registered.ok()) return registered.status();
  numbered.numbers = NumbersAmong(*registered, tres);
  absl::MutexLock lock(&mutex_);
  TakeIncarnation(incarnation);
  NoteAdded(cluster_id, chosen, *registered);
  tres_numbers_[cluster_id] = *std::move(registered);
  return numbered;
}

void PriceBooks::NoteAdded(int32_t cluster_id, const std::vector<NamedTres>& chosen,
                           const std::map<std::string, int32_t>& registered) {
  AddedTres& added = AddedTo(cluster_id);
  for (const NamedTres& one : chosen) {
    if (!registered.contains(one.name)) continue;
    auto share = added.shares.try_emplace(one.source, &added.quota,
                                          quotas::Holder{absl::StrCat("source ", one.source)});
    // Two concurrent batches may both have been admitted.
    share.first->second.GrowTo(share.first->second.size() + 1).IgnoreError();
  }
}

quotas::Usage PriceBooks::tres_usage() const {
  quotas::Usage all = {.name = quotas::kTresNames};
  absl::MutexLock lock(&mutex_);
  for (const auto& [cluster_id, added] : added_) {
    all.used += added->quota.usage().used;
    all.limit += errors::kMaxTresOfCluster;
  }
  all.refused = refused_;
  return all;
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
