// The published recalculations and the numbers of the newest one.
#ifndef STORAGE_SNAPSHOTS_SNAPSHOT_STORE_H_
#define STORAGE_SNAPSHOTS_SNAPSHOT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"
#include "storage/ledger/report_store.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct SnapshotRecord {
  int32_t cluster_id = 0;
  int64_t generation = 0;  // 1, 2, ... in each cluster
  absl::Time computed_at;
  int64_t policy_version = 0;  // 0 = every parameter at its default
  double linear_capacity = 0;  // See SnapshotSource of the engine.
  bool operator==(const SnapshotRecord&) const = default;
};

// The results of a recalculation for one association; usage is that of the association and
// everything below it, except own_usage.
struct AssociationFactor {
  int64_t association_id = 0;
  double norm_shares = 0;
  double own_usage = 0;
  double raw_usage = 0;
  double norm_usage = 0;
  double effective_usage = 0;
  std::optional<double> level_fs;  // nullopt = not Fair Tree
  double fair_share = 0;
  std::vector<TresAmount> tres_seconds;
  double wall_seconds = 0;
  bool operator==(const AssociationFactor&) const = default;
};

// The columns of the table.
const ColumnTable<AssociationFactor>& AssociationFactorColumns();

// Usage of one QOS, decayed to computed_at.
struct SnapshotQosUsage {
  int64_t qos_id = 0;
  double usage = 0;
  std::vector<TresAmount> tres_seconds;
  double wall_seconds = 0;
  bool operator==(const SnapshotQosUsage&) const = default;
};

// The columns of the table.
const ColumnTable<SnapshotQosUsage>& SnapshotQosUsageColumns();

// The reserve of the running jobs of one association, without the associations below it:
// billing-seconds.
struct SnapshotReserve {
  int64_t association_id = 0;
  double billing_seconds = 0;
  bool operator==(const SnapshotReserve&) const = default;
};

// The columns of the table.
const ColumnTable<SnapshotReserve>& SnapshotReserveColumns();

// The state of a cluster.
struct ClusterStanding {
  std::string name;
  int64_t generation = 0;  // Of the newest snapshot; 0 = there is none.
  absl::Time computed_at = absl::InfinitePast();
  int64_t revision = 0;  // Of the configuration; see ConfigurationStore.
  // Whether a replica wants the numbers of the newest snapshot; see PublicationStore.
  bool lacks_numbers = false;
  // Differs if the cluster was deleted and created again.
  int32_t id = 0;
  bool operator==(const ClusterStanding&) const = default;
};

class SnapshotStore {
 public:
  explicit SnapshotStore(Transaction& transaction) : transaction_(transaction) {}

  // nullopt before the first.
  absl::StatusOr<std::optional<SnapshotRecord>> Newest(int32_t cluster_id);

  // Returns the generation it got: the newest one's plus 1.
  // snapshot.generation is ignored. Two at once collide: ALREADY_EXISTS.
  absl::StatusOr<int64_t> Append(const SnapshotRecord& snapshot);

  // Makes `factors` the newest snapshot's; those of earlier ones are deleted. They are kept
  // if a replica wants them (see PublicationStore).
  absl::Status ReplaceFactors(int32_t cluster_id, absl::Span<const AssociationFactor> factors);

  // By association_id. Doubles are the very ones that were written.
  absl::StatusOr<std::vector<AssociationFactor>> ListFactors(int32_t cluster_id);

  // The same for QOS, by qos_id; any order will do to write.
  absl::Status ReplaceQosUsage(int32_t cluster_id, absl::Span<const SnapshotQosUsage> rows);
  absl::StatusOr<std::vector<SnapshotQosUsage>> ListQosUsage(int32_t cluster_id);

  // The same for jobs, which must differ; lists in no order. Writes only what is
  // another than before.
  absl::Status ReplaceJobEnds(int32_t cluster_id, absl::Span<const JobEnd> jobs);
  absl::StatusOr<std::vector<JobEnd>> ListJobEnds(int32_t cluster_id);

  // The same for what running jobs reserve, by association_id; any order will do to write.
  absl::Status ReplaceReserves(int32_t cluster_id, absl::Span<const SnapshotReserve> reserves);
  absl::StatusOr<std::vector<SnapshotReserve>> ListReserves(int32_t cluster_id);

  // Every cluster, in the order of creation.
  absl::StatusOr<std::vector<ClusterStanding>> Standings();
  // The existing clusters of these names.
  absl::StatusOr<std::vector<ClusterStanding>> StandingsOf(const std::vector<std::string>& names);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_SNAPSHOT_STORE_H_
