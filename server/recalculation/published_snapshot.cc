#include "server/recalculation/published_snapshot.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "storage/cluster_store.h"
#include "storage/configuration_store.h"
#include "storage/tres_store.h"

namespace priorityd::recalculation {
namespace {

// What one load reads.
struct Published {
  // Without it the configuration is the known one.
  std::optional<storage::ClusterState> state;
  storage::SnapshotRecord record;
  TresNumbers tres;
  std::vector<storage::AssociationFactor> factors;
  std::vector<storage::SnapshotQosUsage> qos_usage;
  std::vector<storage::JobEnd> job_ends;
};

// What belongs to the newest snapshot of a cluster.
absl::Status ReadNumbers(storage::Transaction& transaction, int32_t cluster_id,
                         Published* published) {
  auto tres = storage::TresStore(transaction).List();
  if (!tres.ok()) return tres.status();
  published->tres = *std::move(tres);
  storage::SnapshotStore snapshots(transaction);
  auto factors = snapshots.ListFactors(cluster_id);
  if (!factors.ok()) return factors.status();
  published->factors = *std::move(factors);
  auto qos_usage = snapshots.ListQosUsage(cluster_id);
  if (!qos_usage.ok()) return qos_usage.status();
  published->qos_usage = *std::move(qos_usage);
  auto job_ends = snapshots.ListJobEnds(cluster_id);
  if (job_ends.ok()) published->job_ends = *std::move(job_ends);
  return job_ends.status();
}

absl::Status Read(storage::Transaction& transaction, const std::string& cluster,
                  const configuration::Configuration* known, Published* published) {
  *published = Published();
  auto row = storage::ClusterStore(transaction).Find(cluster, storage::Edition::kPublished);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return absl::NotFoundError("cluster: nothing is published");
  const int32_t id = (*row)->id;
  auto revision = storage::ConfigurationStore(transaction).PublishedRevision(id);
  if (!revision.ok()) return revision.status();
  if (known == nullptr || known->revision != *revision) {
    auto state = storage::ReadPublishedConfiguration(transaction, cluster);
    if (!state.ok()) return state.status();
    published->state = *std::move(state);
  }
  auto record = storage::SnapshotStore(transaction).Newest(id);
  if (!record.ok()) return record.status();
  if (!record->has_value()) return absl::NotFoundError("cluster: it has no snapshot");
  published->record = **record;
  return ReadNumbers(transaction, id, published);
}

// Writes the factors of the association at `i` into the columns.
void Take(const storage::AssociationFactor& factor, priority::AssociationIndex i,
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
    const configuration::Configuration& configuration, const Published& published) {
  const priority::AssociationTree& tree = *configuration.tree;
  if (published.factors.size() != static_cast<size_t>(tree.size())) {
    return absl::InternalError("published factors do not fit the published associations");
  }
  priority::SnapshotNumbers numbers = EmptyNumbers(configuration);
  const bool fair_tree = !numbers.fair_share.level_fs.empty();
  absl::flat_hash_map<int32_t, priority::UsageColumn::Amounts> tres_columns;
  for (const storage::AssociationFactor& factor : published.factors) {
    const priority::AssociationIndex i = tree.FindId(factor.association_id);
    if (i == priority::kNoAssociation || factor.level_fs.has_value() != fair_tree) {
      return absl::InternalError("published factors do not fit the published associations");
    }
    Take(factor, i, &numbers);
    for (const storage::TresAmount& amount : factor.tres_seconds) {
      tres_columns[amount.tres_id].emplace_back(i, amount.amount);
    }
  }
  for (const auto& [name, number] : published.tres) {
    const auto column = tres_columns.find(number);
    if (column == tres_columns.end()) continue;
    numbers.tres_usage[name] = {std::move(column->second), tree.size()};
  }
  return numbers;
}

absl::StatusOr<std::vector<priority::QosUsage>> ToQosUsage(
    const configuration::Configuration& configuration, const Published& published) {
  absl::flat_hash_map<int64_t, size_t> index;
  for (size_t i = 0; i < configuration.qos_ids.size(); ++i) index[configuration.qos_ids[i]] = i;
  absl::flat_hash_map<int32_t, absl::string_view> names;
  for (const auto& [name, number] : published.tres) names[number] = name;
  std::vector<priority::QosUsage> usage(configuration.qos.size());
  for (const storage::SnapshotQosUsage& row : published.qos_usage) {
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

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> ToSnapshot(
    const configuration::Configuration& configuration, const Published& published) {
  absl::StatusOr<priority::SnapshotNumbers> numbers = ToNumbers(configuration, published);
  if (!numbers.ok()) return numbers.status();
  absl::StatusOr<std::vector<priority::QosUsage>> qos_usage = ToQosUsage(configuration, published);
  if (!qos_usage.ok()) return qos_usage.status();
  priority::SnapshotSource source = configuration::SourceOf(configuration);
  source.generation = published.record.generation;
  source.computed_at = published.record.computed_at;
  source.linear_capacity = published.record.linear_capacity;
  source.qos_usage = *std::move(qos_usage);
  for (const storage::JobEnd& job : published.job_ends) {
    source.recorded_until.emplace(job.job_id, job.end_time);
  }
  return priority::Snapshot::Restore(std::move(source), *std::move(numbers));
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
    factor.own_usage = snapshot.own_usage()[i];
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

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> SnapshotLoader::Load(
    const std::string& cluster) {
  std::shared_ptr<const configuration::Configuration>& known = known_[cluster];
  Published published;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) {
    return Read(transaction, cluster, known.get(), &published);
  });
  if (!status.ok()) return status;
  if (published.state.has_value()) {
    absl::StatusOr<std::shared_ptr<const configuration::Configuration>> read =
        configuration::Configure(*published.state);
    if (!read.ok()) return read.status();
    known = *std::move(read);
  }
  return ToSnapshot(*known, published);
}

}  // namespace priorityd::recalculation
