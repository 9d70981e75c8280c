#include "server/usage/usage_columns.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/configuration/living_ancestors.h"

namespace priorityd::usage {
namespace {

// The column of every TRES with usage, by number.
class TresColumns {
 public:
  explicit TresColumns(int size) : size_(size) {}

  void Add(int32_t tres_id, priority::AssociationIndex i, double seconds) {
    columns_[tres_id].emplace_back(i, seconds);
  }

  priority::TresUsage ByName(const std::map<std::string, int32_t>& numbers) && {
    priority::TresUsage by_name;
    for (const auto& [name, id] : numbers) {
      const auto column = columns_.find(id);
      if (column != columns_.end()) by_name[name] = {std::move(column->second), size_};
    }
    return by_name;
  }

 private:
  int size_;
  absl::flat_hash_map<int32_t, priority::UsageColumn::Amounts> columns_;
};

}  // namespace

UsageColumns DecayTo(absl::Time time, const storage::ClusterState& state,
                     const priority::AssociationTree& tree, const priority::UsageDecay& decay) {
  UsageColumns columns;
  columns.usage.resize(tree.size());
  columns.wall_seconds.resize(tree.size());
  const configuration::LivingAncestors living(state.deleted_associations);
  TresColumns tres_columns(tree.size());
  for (const storage::UsageRow& row : state.association_usage) {
    const priority::AssociationIndex i = tree.FindId(living.Of(row.id));
    if (i == priority::kNoAssociation || row.as_of == absl::InfinitePast()) continue;
    const double kept = decay.Carry(1, row.as_of, time);
    columns.usage[i] += row.value * kept;
    columns.wall_seconds[i] += row.wall_seconds * kept;
    for (const storage::TresAmount& tres : row.tres_seconds) {
      tres_columns.Add(tres.tres_id, i, tres.amount * kept);
    }
  }
  for (const storage::OpeningUsage& opening : state.opening_usage) {
    const priority::AssociationIndex i = tree.FindId(living.Of(opening.association_id));
    if (i == priority::kNoAssociation) continue;
    // Opening usage of a time after a simulation's counts undecayed.
    columns.usage[i] += decay.Carry(opening.value, opening.as_of, std::max(time, opening.as_of));
  }
  columns.tres_seconds = std::move(tres_columns).ByName(state.tres);
  return columns;
}

absl::Time LatestUsage(const storage::ClusterState& state) {
  absl::Time latest = absl::InfinitePast();
  for (const storage::UsageRow& row : state.association_usage) latest = std::max(latest, row.as_of);
  for (const storage::UsageRow& row : state.qos_usage) latest = std::max(latest, row.as_of);
  return latest;
}

}  // namespace priorityd::usage
