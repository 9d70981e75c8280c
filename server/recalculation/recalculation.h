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
#include "engine/priority/snapshot/snapshot.h"
#include "server/domains/settlement.h"
#include "server/domains/share_cache.h"
#include "server/recalculation/history_publication.h"
#include "server/recalculation/kept_input.h"
#include "server/recalculation/recalculation_input.h"
#include "server/recalculation/recalculation_report.h"
#include "server/recalculation/usage_publication.h"
#include "server/usage/price_books.h"
#include "storage/database/database.h"

namespace priorityd::recalculation {

// Keeps each cluster's input, so that a recalculation reads only the changes since the previous
// one. Thread-safe, with at most one call at a time per cluster.
class Recalculator {
 public:
  // `database` must outlive it.
  Recalculator(storage::Database* database, HistoryOptions history)
      : database_(database), history_(history), books_(database) {}

  // If the cluster is a usage domain, settles its members' ledgers into its own first. Updates the
  // cluster's input as of one moment, decays usage to T, computes fair-share, and
  // publishes the new generation with its usage in one transaction. That transaction also extends
  // the half-life timeline if the policy's half-life has changed, and notifies the replicas. T has
  // a resolution of microseconds and never precedes the last recalculation's: on the real clock it
  // is the later of `now` and that time.
  //
  // UNAVAILABLE (NOT_LEADER): this process does not lead in `epoch` any more;
  // nothing was published. FAILED_PRECONDITION: as_of on a real clock
  // (CLOCK_IS_REAL), before the last recalculation (TIME_GOES_BACK), missing at the
  // first one on a manual clock (AS_OF_NEEDED). NOT_FOUND: no such cluster.
  // ABORTED: a change of the configuration came between; retry. UNAVAILABLE:
  // the database.
  // `stages` is filled as far as the recalculation gets; null = not wanted.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Recalculate(
      const std::string& cluster, const RecalculationTime& time, int64_t epoch,
      RecalculationStages* stages = nullptr);

  // Also publishes the numbers of the newest snapshot, for a replica that computes others.
  absl::Status PublishNumbersOf(const priority::Snapshot& snapshot, int64_t epoch);

  // Forces everything to be read again: a new leader's kept input may be stale.
  void Forget() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The input that a leader keeps, with its epoch: between two epochs another process may have led.
  struct KeptSince {
    int64_t epoch = 0;
    KeptInput input;
  };

  // Removes the kept input, so that everything is read again after an error; nullopt = none is
  // kept of this epoch. `forgotten`: the number of Forget calls so far.
  std::optional<KeptInput> TakeKept(const std::string& cluster, int64_t epoch, int64_t* forgotten)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps the input unless Forget has been called since.
  void Keep(const std::string& cluster, KeptSince kept, int64_t forgotten)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Settles the members of a usage domain; fills stages->hastened.
  absl::StatusOr<bool> SettleMembers(const std::string& cluster, int64_t epoch,
                                     RecalculationStages* stages);
  // Fills input->domain.
  absl::Status ReadDomain(RecalculationInput* input);
  // `notes_passages`: also that leases began and ended, and ends those of jobs that have left.
  absl::Status Publish(const RecalculationInput& input, const priority::Snapshot& snapshot,
                       bool is_domain, int64_t epoch, bool notes_passages,
                       PublishedUsage* published);

  storage::Database* const database_;
  const HistoryOptions history_;
  usage::PriceBooks books_;            // Of usage domains.
  domains::ShareCache domain_shares_;  // For members.
  absl::Mutex mutex_;
  int64_t forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::btree_map<std::string, KeptSince> kept_ ABSL_GUARDED_BY(mutex_);
};

// UNAVAILABLE (NOT_LEADER), and whether `status` is that.
absl::Status NotLeaderError();
bool IsNotLeader(const absl::Status& status);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_
