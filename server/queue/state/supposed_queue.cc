#include "server/queue/state/supposed_queue.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/queue/state/accrual.h"

namespace priorityd::queue {
namespace {

using PackedById = absl::flat_hash_map<absl::string_view, absl::string_view>;

std::shared_ptr<const PackedJobs> Changed(const JobChunk& chunk, const PackedById& changes) {
  auto jobs = std::make_shared<PackedJobs>();
  for (size_t i = 0; i < chunk.size(); ++i) {
    const auto changed = changes.find(chunk.table().job_id[i]);
    jobs->Add(changed == changes.end() ? chunk.jobs()->packed(i) : changed->second);
  }
  return jobs;
}

}  // namespace

std::shared_ptr<const QueueState> Suppose(const QueueState& queue,
                                          std::shared_ptr<const priority::Snapshot> snapshot,
                                          absl::Time since) {
  auto scale = std::make_shared<const QueueScale>(std::move(snapshot));
  std::vector<std::shared_ptr<const JobChunk>> chunks = Rescale(queue.chunks(), *scale);
  auto supposed = std::make_shared<const QueueState>(scale, chunks);
  const std::vector<JobChange> moved = MoveAccruals(*supposed, since);
  if (moved.empty()) return supposed;
  PackedById changes;
  for (const JobChange& change : moved) changes.emplace(change.job_id, change.packed);
  priority::JobTableBuilder builder(scale->factors, absl::InfinitePast());
  for (auto& chunk : chunks) {
    if (chunk->table().accrual_moved.empty()) continue;
    chunk = std::make_shared<const JobChunk>(Changed(*chunk, changes), *scale, builder);
  }
  return std::make_shared<const QueueState>(std::move(scale), std::move(chunks));
}

}  // namespace priorityd::queue
