// Recalculations of the clusters, by the leader.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/kept_input.h"
#include "server/recalculation/recalculation_input.h"
#include "server/recalculation/recalculation_report.h"
#include "server/recalculation/usage_publication.h"
#include "storage/database.h"

namespace priorityd::recalculation {

// How fair-share and usage are kept for plots: every `interval` of computed_at,
// for `retention`. An interval of InfiniteDuration() = not at all.
struct HistoryOptions {
  absl::Duration interval = absl::Hours(1);
  absl::Duration retention = absl::Hours(24 * 30);
};

// Keeps what it has read of each cluster, so that a recalculation reads only what
// changed since the one before. Thread-safe, but of one cluster one call at a time.
class Recalculator {
 public:
  // `database` must outlive it.
  Recalculator(storage::Database* database, HistoryOptions history)
      : database_(database), history_(history) {}

  // Brings what it knows of the cluster up to date, as of one moment, decays
  // usage to T, computes fair-share, and publishes the new generation with the
  // usage that it follows from in one transaction, which also extends the half-life timeline
  // where the policy's half-life is another one, and notifies the replicas.
  //
  // T has microseconds and is never before that of the last recalculation: on the
  // real clock it is `now` or that, whichever is later.
  //
  // UNAVAILABLE (NOT_LEADER): this process does not lead in `epoch` any more;
  // nothing was published. FAILED_PRECONDITION: as_of on a real clock
  // (CLOCK_IS_REAL), before the last recalculation (TIME_GOES_BACK), missing at the
  // first one on a manual clock (AS_OF_NEEDED). NOT_FOUND: no such cluster.
  // ABORTED: a change of the configuration came between; try again. UNAVAILABLE:
  // the database.
  //
  // `stages` is filled as far as it comes; null = nobody asks.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Recalculate(
      const std::string& cluster, const RecalculationTime& time, int64_t epoch,
      RecalculationStages* stages = nullptr);

  // Publishes the numbers of a newest snapshot too, which a replica asked for because it
  // comes to others.
  absl::Status PublishNumbersOf(const priority::Snapshot& snapshot, int64_t epoch);

  // Everything is read again: for a new leader, whose knowledge may be old.
  void Forget() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Takes it away, so that after an error everything is read again; nullopt = nothing is kept.
  // `forgotten`: how many times everything was.
  std::optional<KeptInput> TakeKept(const std::string& cluster, int64_t* forgotten)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps it, unless everything was forgotten since.
  void Keep(const std::string& cluster, KeptInput kept, int64_t forgotten)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Publish(const RecalculationInput& input, const priority::Snapshot& snapshot,
                       int64_t epoch, PublishedUsage* published);

  storage::Database* const database_;
  const HistoryOptions history_;
  absl::Mutex mutex_;
  int64_t forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::btree_map<std::string, KeptInput> kept_ ABSL_GUARDED_BY(mutex_);
};

// UNAVAILABLE (NOT_LEADER), and whether `status` is that.
absl::Status NotLeaderError();
bool IsNotLeader(const absl::Status& status);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_
