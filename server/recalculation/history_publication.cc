#include "server/recalculation/history_publication.h"

#include <vector>

#include "storage/snapshots/factor_history_store.h"

namespace priorityd::recalculation {
namespace {

std::vector<storage::FactorSample> SamplesOf(const priority::Snapshot& snapshot) {
  const priority::FairShare& shares = snapshot.fair_share();
  std::vector<storage::FactorSample> samples(snapshot.tree().size());
  for (priority::AssociationIndex i = 0; i < snapshot.tree().size(); ++i) {
    samples[i] = {snapshot.tree().id()[i], snapshot.computed_at(), shares.usage[i],
                  shares.fair_share[i]};
  }
  return samples;
}

}  // namespace

absl::Status KeepHistory(storage::Transaction& transaction, int32_t cluster_id,
                         const priority::Snapshot& snapshot, const HistoryOptions& options) {
  if (options.interval == absl::InfiniteDuration()) return absl::OkStatus();
  storage::FactorHistoryStore history(transaction);
  const absl::Time time = snapshot.computed_at();
  absl::StatusOr<absl::Time> last = history.LastSample(cluster_id);
  if (!last.ok()) return last.status();
  if (time - *last < options.interval) return absl::OkStatus();
  absl::Status status =
      history.Sample(cluster_id, snapshot.generation(), time, SamplesOf(snapshot));
  if (status.ok()) status = history.DeleteBefore(cluster_id, time - options.retention);
  return status;
}

}  // namespace priorityd::recalculation
