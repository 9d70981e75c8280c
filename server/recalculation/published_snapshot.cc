#include "server/recalculation/published_snapshot.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "engine/priority/site/tres_sum.h"
#include "server/grants/book_prices.h"
#include "server/grants/domain_grants.h"
#include "server/grants/standings.h"
#include "server/recalculation/snapshot_digest.h"
#include "server/recalculation/start_charge.h"
#include "server/usage/usage_columns.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/configuration_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/notification.h"
#include "storage/grants/domain_grant_store.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/snapshots/packed_usage.h"
#include "storage/snapshots/publication_store.h"

namespace priorityd::recalculation {
// The result of one load's queries.
struct SnapshotLoader::Published {
  // Unset = the configuration is the known one; otherwise with its leases and merges.
  std::optional<storage::ClusterState> state;
  std::vector<storage::Lease> leases;
  std::vector<storage::UserMerge> merges;
  storage::SnapshotRecord record;
  storage::Publication publication;
  TresNumbers tres;
  std::vector<std::string> parts;  // Parts that the known usage lacks.
  std::vector<storage::AssociationFactor> factors;
  std::vector<storage::SnapshotQosUsage> qos_usage;
  std::vector<storage::JobEnd> job_ends;
  std::vector<storage::GrantStanding> standings;
  std::vector<storage::SnapshotReserve> reserves;
  int64_t revision = -1;  // Of the configuration.
  std::shared_ptr<const priority::JobPrices> prices;
  std::shared_ptr<const priority::DomainShares> domain;
  std::vector<storage::GrantStanding> domain_grants;

  // True: compute the snapshot; false: `factors` are its numbers.
  bool is_usage = true;
};

namespace {

// Moves the value of `read` to `field`, or returns its error.
template <typename T>
absl::Status Assign(absl::StatusOr<T> read, T* field) {
  if (read.ok()) *field = *std::move(read);
  return read.status();
}

// If a grant is of money, the prices of its book.
absl::Status ReadPrices(storage::Transaction& transaction, int32_t cluster_id,
                        const std::vector<storage::GrantStanding>& standings,
                        std::shared_ptr<const priority::JobPrices>* prices) {
  const bool has_money = absl::c_any_of(standings, [](const storage::GrantStanding& standing) {
    return priority::IsPrice(standing.tres);
  });
  if (!has_money || *prices != nullptr) return absl::OkStatus();
  return Assign(grants::ReadJobPrices(transaction, cluster_id), prices);
}

// Writes the factors of the association at `i` into the columns.
void SetFactor(const storage::AssociationFactor& factor, priority::AssociationIndex i,
               priority::SnapshotNumbers* numbers) {
  priority::FairShare& shares = numbers->fair_share;
  numbers->own_usage[i] = factor.own_usage;
  shares.usage[i] = factor.raw_usage;
  shares.norm_usage[i] = factor.norm_usage;
  shares.effective_usage[i] = factor.effective_usage;
  if (factor.level_fs.has_value()) shares.level_fs[i] = *factor.level_fs;
  shares.fair_share[i] = factor.fair_share;
  numbers->wall_seconds[i] = factor.wall_seconds;
}

priority::SnapshotNumbers EmptyNumbers(const configuration::Configuration& configuration) {
  const size_t size = configuration.tree->size();
  priority::SnapshotNumbers numbers;
  numbers.fair_share.algorithm = configuration.policy.algorithm;
  numbers.own_usage.resize(size);
  numbers.fair_share.usage.resize(size);
  numbers.fair_share.norm_usage.resize(size);
  numbers.fair_share.effective_usage.resize(size);
  if (configuration.policy.algorithm == priority::FairShareAlgorithm::kFairTree) {
    numbers.fair_share.level_fs.resize(size);
  }
  numbers.fair_share.fair_share.resize(size);
  numbers.wall_seconds.resize(size);
  return numbers;
}

absl::StatusOr<priority::SnapshotNumbers> ToNumbers(
    const configuration::Configuration& configuration,
    const std::vector<storage::AssociationFactor>& factors, const TresNumbers& tres) {
  const priority::AssociationTree& tree = *configuration.tree;
  if (factors.size() != static_cast<size_t>(tree.size())) {
    return absl::InternalError("published factors do not fit the published associations");
  }
  priority::SnapshotNumbers numbers = EmptyNumbers(configuration);
  const bool fair_tree = !numbers.fair_share.level_fs.empty();
  absl::flat_hash_map<int32_t, priority::UsageColumn::Amounts> tres_columns;
  for (const storage::AssociationFactor& factor : factors) {
    const priority::AssociationIndex i = tree.FindId(factor.association_id);
    if (i == priority::kNoAssociation || factor.level_fs.has_value() != fair_tree) {
      return absl::InternalError("published factors do not fit the published associations");
    }
    SetFactor(factor, i, &numbers);
    for (const storage::TresAmount& amount : factor.tres_seconds) {
      tres_columns[amount.tres_id].emplace_back(i, amount.amount);
    }
  }
  for (const auto& [name, number] : tres) {
    const auto column = tres_columns.find(number);
    if (column == tres_columns.end()) continue;
    numbers.tres_usage[name] = {std::move(column->second), tree.size()};
  }
  return numbers;
}

absl::StatusOr<std::vector<priority::QosUsage>> ToQosUsage(
    const configuration::Configuration& configuration,
    const std::vector<storage::SnapshotQosUsage>& rows, const TresNumbers& tres) {
  absl::flat_hash_map<int64_t, size_t> index;
  for (size_t i = 0; i < configuration.qos_ids.size(); ++i) index[configuration.qos_ids[i]] = i;
  absl::flat_hash_map<int32_t, absl::string_view> names;
  for (const auto& [name, number] : tres) names[number] = name;
  std::vector<priority::QosUsage> usage(configuration.qos.size());
  for (const storage::SnapshotQosUsage& row : rows) {
    const auto found = index.find(row.qos_id);
    if (found == index.end()) {
      return absl::InternalError("published usage does not fit the published QOS");
    }
    priority::QosUsage& of = usage[found->second];
    of.usage = row.usage;
    of.wall_seconds = row.wall_seconds;
    for (const storage::TresAmount& amount : row.tres_seconds) {
      of.tres_seconds[std::string(names[amount.tres_id])] = amount.amount;
    }
  }
  return usage;
}

// The snapshot's source, with usage decayed to its time.
priority::SnapshotSource WithUsage(priority::SnapshotSource source,
                                   const storage::ClusterState& state) {
  usage::UsageColumns own = usage::DecayTo(source.computed_at, state, *source.tree, *source.decay);
  source.own_usage = std::move(own.usage);
  source.own_tres_usage = std::move(own.tres_seconds);
  source.own_wall_seconds = std::move(own.wall_seconds);
  return source;
}

// Requests the numbers of the leader's snapshots, once.
absl::Status RequestNumbers(storage::Database& database, int32_t cluster_id,
                            const std::string& cluster) {
  return database.Write([&](storage::Transaction& transaction) -> absl::Status {
    auto asked = storage::PublicationStore(transaction).WantNumbers(cluster_id);
    if (!asked.ok() || !*asked) return asked.status();
    return storage::Notify(transaction, {storage::Subject::kNumbers, cluster});
  });
}

}  // namespace

std::vector<storage::AssociationFactor> ToFactors(const priority::Snapshot& snapshot,
                                                  const TresNumbers& tres) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::FairShare& shares = snapshot.fair_share();
  const bool fair_tree = shares.algorithm == priority::FairShareAlgorithm::kFairTree;
  std::vector<storage::AssociationFactor> factors(tree.size());
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    storage::AssociationFactor& factor = factors[i];
    factor.association_id = tree.id()[i];
    factor.norm_shares = fair_tree ? tree.level_norm_shares()[i] : tree.path_norm_shares()[i];
    factor.own_usage = snapshot.own_recorded_usage()[i];
    factor.raw_usage = shares.usage[i];
    factor.norm_usage = shares.norm_usage[i];
    factor.effective_usage = shares.effective_usage[i];
    if (fair_tree) factor.level_fs = shares.level_fs[i];
    factor.fair_share = shares.fair_share[i];
    if (!snapshot.wall_seconds().empty()) factor.wall_seconds = snapshot.wall_seconds()[i];
  }
  for (const auto& [name, column] : snapshot.tres_usage()) {
    const auto number = tres.find(name);
    if (number == tres.end()) continue;
    column.ForEach([&factors, id = number->second](priority::AssociationIndex i, double seconds) {
      factors[i].tres_seconds.push_back({id, seconds});
    });
  }
  return factors;
}

std::vector<storage::SnapshotQosUsage> ToRows(absl::Span<const priority::QosUsage> usage,
                                              const std::vector<int64_t>& ids,
                                              const TresNumbers& tres) {
  std::vector<storage::SnapshotQosUsage> rows;
  for (size_t i = 0; i < usage.size(); ++i) {
    storage::SnapshotQosUsage& row = rows.emplace_back();
    row.qos_id = ids[i];
    row.usage = usage[i].usage;
    row.wall_seconds = usage[i].wall_seconds;
    for (const auto& [name, seconds] : usage[i].tres_seconds) {
      const auto number = tres.find(name);
      if (number != tres.end()) row.tres_seconds.push_back({number->second, seconds});
    }
  }
  return rows;
}

std::vector<storage::JobEnd> ToRows(
    const absl::flat_hash_map<std::string, absl::Time>& recorded_until) {
  std::vector<storage::JobEnd> rows;
  rows.reserve(recorded_until.size());
  for (const auto& [job_id, end_time] : recorded_until) rows.push_back({job_id, end_time});
  return rows;
}

absl::Status SnapshotLoader::Read(storage::Transaction& transaction, const std::string& cluster,
                                  const Known& known, Published* published) {
  auto row = storage::ClusterStore(transaction).Find(cluster, storage::Edition::kPublished);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return absl::NotFoundError("cluster: nothing is published");
  const int32_t id = (*row)->id;
  auto revision = storage::ConfigurationStore(transaction).PublishedRevision(id);
  if (!revision.ok()) return revision.status();
  published->revision = *revision;
  published->prices = known.prices_revision == *revision ? known.prices : nullptr;
  published->state.reset();
  const auto& base = known.leased.base();
  if (base == nullptr || base->revision != *revision) {
    auto state = storage::ReadPublishedConfiguration(transaction, cluster);
    if (!state.ok()) return state.status();
    published->state = *std::move(state);
    absl::Status s =
        Assign(storage::LeaseStore(transaction).ListOpen(id, storage::Edition::kPublished),
               &published->leases);
    if (s.ok()) {
      s = Assign(storage::UserMergeStore(transaction).List(id, storage::Edition::kPublished),
                 &published->merges);
    }
    if (!s.ok()) return s;
  }
  storage::SnapshotStore snapshots(transaction);
  auto record = snapshots.Newest(id);
  if (!record.ok()) return record.status();
  if (!record->has_value()) return absl::NotFoundError("cluster: it has no snapshot");
  published->record = **record;
  storage::PublicationStore publications(transaction);
  absl::Status status = Assign(publications.Find(id), &published->publication);
  const storage::Publication& publication = published->publication;
  if (publication.generation != published->record.generation) published->is_usage = false;
  if (status.ok()) status = Assign(storage::TresStore(transaction).ListOf(id), &published->tres);
  if (status.ok() && published->is_usage) {
    const bool follows = known.generation >= publication.first_generation;
    status = Assign(publications.ListParts(id, follows ? known.generation : 0), &published->parts);
  } else if (status.ok()) {
    status = Assign(snapshots.ListFactors(id), &published->factors);
  }
  if (status.ok()) status = Assign(snapshots.ListQosUsage(id), &published->qos_usage);
  if (status.ok()) status = Assign(snapshots.ListJobEnds(id), &published->job_ends);
  if (status.ok()) {
    status = Assign(storage::UsagePoolStore(transaction).ListStandings(id), &published->standings);
  }
  if (status.ok()) status = ReadPrices(transaction, id, published->standings, &published->prices);
  if (status.ok()) status = Assign(snapshots.ListReserves(id), &published->reserves);
  if (!status.ok()) return status;
  auto domain = storage::DomainStore(transaction).PublishedFor(id);
  if (!domain.ok()) return domain.status();
  status = Assign(storage::DomainGrantStore(transaction).List(id), &published->domain_grants);
  if (!status.ok()) return status;
  return Assign(domain_shares_.Find(transaction, *domain), &published->domain);
}

absl::Status SnapshotLoader::Configure(Published* published, Known* known) {
  std::shared_ptr<const configuration::Configuration> base = known->leased.base();
  if (published->state.has_value()) {
    auto configured = configuration::Configure(*published->state);
    if (!configured.ok()) return configured.status();
    base = *std::move(configured);
    LeaseBook& book = known->lease_book;
    book.revision = base->revision;
    book.open = std::move(published->leases);
    book.rows = administration::LeasedRowsOf(*published->state, book.open);
    book.merges = std::move(published->merges);
  }
  return known->leased.Update(known->lease_book, std::move(base), published->record.computed_at);
}

absl::Status SnapshotLoader::Apply(Published* published, Known* known,
                                   storage::ClusterState* usage) {
  if (absl::Status s = Configure(published, known); !s.ok()) return s;
  known->prices = published->prices;
  known->prices_revision = published->revision;
  if (!published->is_usage) return absl::OkStatus();
  // Stays 0 if an error occurs below.
  const int64_t generation = std::exchange(known->generation, 0);
  absl::Status status;
  if (generation >= published->publication.first_generation) status = known->usage.PutBack(usage);
  if (status.ok()) status = storage::ApplyUsage(published->parts, usage);
  return status;
}

absl::StatusOr<priority::SnapshotSource> SnapshotLoader::SourceOf(
    const configuration::Configuration& configuration, const Published& published) {
  auto qos_usage = ToQosUsage(configuration, published.qos_usage, published.tres);
  if (!qos_usage.ok()) return qos_usage.status();
  auto standings = grants::FromRows(published.standings);
  if (!standings.ok()) return standings.status();
  priority::SnapshotSource source = configuration::SourceOf(configuration);
  source.generation = published.record.generation;
  source.computed_at = published.record.computed_at;
  source.linear_capacity = published.record.linear_capacity;
  source.qos_usage = *std::move(qos_usage);
  source.grants = *std::move(standings);
  source.prices = published.prices;
  source.own_reserve = FromReserveRows(published.reserves, *configuration.tree);
  source.domain = published.domain;
  if (published.domain != nullptr) {
    absl::Status added = grants::AddDomainGrants(published.domain_grants,
                                                 published.domain->domain(), &source.grants);
    if (!added.ok()) return added;
  }
  for (const storage::JobEnd& job : published.job_ends) {
    source.recorded_until.emplace(job.job_id, job.end_time);
  }
  return source;
}

SnapshotLoader::MaybeSnapshot SnapshotLoader::Load(const std::string& cluster) {
  Known& known = known_[cluster];
  Published published;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) {
    published.is_usage = true;
    return Read(transaction, cluster, known, &published);
  });
  storage::ClusterState usage;
  if (status.ok()) status = Apply(&published, &known, &usage);
  if (!status.ok()) return status;
  auto source = SourceOf(*known.leased.configuration(), published);
  if (!source.ok()) return source.status();
  if (!published.is_usage)
    return Restored(*known.leased.configuration(), *std::move(source), published);
  usage.tres = std::move(published.tres);
  std::shared_ptr<const priority::Snapshot> snapshot =
      priority::Snapshot::Compute(WithUsage(*std::move(source), usage));
  // With another digest, the kept data may be wrong.
  if (DigestOf(*snapshot) != published.publication.digest) return LoadNumbers(cluster, &known);
  known.usage = KeptUsage(&usage);
  known.generation = published.publication.generation;
  return snapshot;
}

SnapshotLoader::MaybeSnapshot SnapshotLoader::LoadNumbers(const std::string& cluster,
                                                          Known* known) {
  Published published;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) {
    published.is_usage = false;
    return Read(transaction, cluster, *known, &published);
  });
  if (status.ok()) status = Apply(&published, known, nullptr);
  if (!status.ok()) return status;
  const storage::Publication& publication = published.publication;
  if (publication.generation == published.record.generation &&
      publication.numbers_generation != publication.generation) {
    status = RequestNumbers(*database_, published.record.cluster_id, cluster);
    if (!status.ok()) return status;
    return nullptr;
  }
  auto source = SourceOf(*known->leased.configuration(), published);
  if (!source.ok()) return source.status();
  return Restored(*known->leased.configuration(), *std::move(source), published);
}

SnapshotLoader::MaybeSnapshot SnapshotLoader::Restored(
    const configuration::Configuration& configuration, priority::SnapshotSource source,
    const Published& published) {
  auto numbers = ToNumbers(configuration, published.factors, published.tres);
  if (!numbers.ok()) return numbers.status();
  return priority::Snapshot::Restore(std::move(source), *std::move(numbers));
}

}  // namespace priorityd::recalculation
