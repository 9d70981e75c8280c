#include "server/recalculation/usage_publication.h"

#include <utility>

#include "server/configuration/find_cluster.h"
#include "server/recalculation/published_snapshot.h"
#include "server/recalculation/snapshot_digest.h"
#include "storage/configuration/tres_store.h"
#include "storage/snapshots/publication_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {
namespace {

// The maximum number of generations whose parts a starting replica must read.
constexpr int64_t kMaxGenerations = 1000;

absl::Status LearnPublished(storage::PublicationStore& store, int32_t cluster_id,
                            int64_t generation, PublishedUsage* known) {
  if (known->generation == generation) return absl::OkStatus();
  auto parts = store.ListParts(cluster_id, 0);
  if (!parts.ok()) return parts.status();
  known->generation = generation;
  known->hashes.clear();
  known->standings.reset();
  known->no_reserves = false;
  known->domain.reset();
  known->domain_grants.reset();
  known->shares = {};
  return storage::ApplyUsage(*parts, &known->hashes);
}

// Whether this generation, counted in, should contain all of so many entries.
bool IsTimeForAll(const storage::Publication& publication, size_t entries) {
  return publication.first_generation == 0 ||
         publication.generation - publication.first_generation >= kMaxGenerations ||
         publication.changed_entries > static_cast<int64_t>(entries);
}

// Writes association_factor, or empties it if no replica wants it any more.
absl::Status WriteNumbers(storage::Transaction& transaction, int32_t cluster_id,
                          const priority::Snapshot& snapshot, const TresNumbers& tres,
                          storage::Publication* publication) {
  storage::SnapshotStore snapshots(transaction);
  if (publication->numbers_wanted) {
    publication->numbers_generation = snapshot.generation();
    return snapshots.ReplaceFactors(cluster_id, ToFactors(snapshot, tres));
  }
  if (std::exchange(publication->numbers_generation, 0) == 0) return absl::OkStatus();
  return snapshots.ReplaceFactors(cluster_id, {});
}

}  // namespace

absl::Status PublishUsage(storage::Transaction& transaction, const storage::ClusterState& state,
                          const priority::Snapshot& snapshot, PublishedUsage* known) {
  const int32_t id = state.cluster.id;
  storage::PublicationStore store(transaction);
  auto publication = store.Lock(id);
  if (!publication.ok()) return publication.status();
  absl::Status status = LearnPublished(store, id, publication->generation, known);
  if (!status.ok()) return status;
  storage::PackedUsage packed = storage::PackUsage(state, known->hashes);
  publication->changed_entries += packed.entries;
  publication->generation = snapshot.generation();
  publication->digest = DigestOf(snapshot);
  if (IsTimeForAll(*publication, packed.hashes.size())) {
    packed.parts = packed.whole;
    packed.entries = static_cast<int64_t>(packed.hashes.size());
    publication->first_generation = snapshot.generation();
    publication->changed_entries = 0;
    status = store.DeleteParts(id);
  }
  if (status.ok()) status = store.AppendParts(id, snapshot.generation(), packed.parts);
  if (status.ok()) status = WriteNumbers(transaction, id, snapshot, state.tres, &*publication);
  if (status.ok()) status = store.Write(id, *publication);
  known->generation = snapshot.generation();
  known->written = packed.entries;
  known->hashes = std::move(packed.hashes);
  known->whole = std::move(packed.whole);
  return status;
}

absl::Status PublishNumbersOf(storage::Transaction& transaction,
                              const priority::Snapshot& snapshot) {
  auto cluster = configuration::FindCluster(transaction, snapshot.cluster().name);
  if (!cluster.ok()) return cluster.status();
  auto tres = storage::TresStore(transaction).ListOf(cluster->id);
  if (!tres.ok()) return tres.status();
  storage::PublicationStore store(transaction);
  auto publication = store.Lock(cluster->id);
  if (!publication.ok()) return publication.status();
  if (publication->generation != snapshot.generation()) return absl::OkStatus();
  absl::Status status = WriteNumbers(transaction, cluster->id, snapshot, *tres, &*publication);
  if (status.ok()) status = store.Write(cluster->id, *publication);
  return status;
}

}  // namespace priorityd::recalculation
