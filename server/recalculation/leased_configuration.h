// The configuration with the leases that are in effect at a time, and with merged users.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEASED_CONFIGURATION_H_
#define PRIORITYD_SERVER_RECALCULATION_LEASED_CONFIGURATION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/lease_values.h"
#include "server/configuration/configuration.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/transaction.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::recalculation {

// The leases of one revision of a configuration that may still change something, the rows of that
// revision over which they are folded, and its merged users.
struct LeaseBook {
  int64_t revision = -1;  // -1 = not read.
  std::vector<storage::Lease> open;
  administration::LeasedRows rows;
  std::vector<storage::UserMerge> merges;
};

// Reads the present leases, rows and merges. REQUIRES: in Database::Read, with the revision of that
// moment.
absl::StatusOr<LeaseBook> ReadLeaseBook(storage::Transaction& transaction, int32_t cluster_id,
                                        int64_t revision);

// A configuration as stored, and as it is with leases and merged users. Both are the same object
// without these.
class LeasedConfiguration {
 public:
  using Shared = std::shared_ptr<const configuration::Configuration>;

  // Folds the leases of `book` that are in effect at `time` over `base`, unless exactly these were
  // folded over it before; logs settings that cannot be applied. If book and base do not fit
  // together, no lease of the base's objects is in effect, which is logged. Those of jobs become
  // Configuration::leased_nices. Then merges users. REQUIRES: the same base
  // comes with the same merges.
  absl::Status Update(const LeaseBook& book, Shared base, absl::Time time);

  const Shared& base() const { return base_; }
  const Shared& configuration() const { return configuration_; }
  // The rows of leased objects, as folded, merged users' too.
  const configuration::Overlay& overlay() const { return overlay_; }

 private:
  // `base_` with these leases, none of which is of a job.
  Shared Fold(const LeaseBook& book, const administration::LeasePointers& leases);

  Shared base_;
  std::vector<int64_t> in_effect_;  // The ids of the leases.
  configuration::Overlay overlay_;
  Shared configuration_;
};

// The ids of the leases of jobs that have not ended at `time` and whose jobs are not in the book.
std::vector<int64_t> OrphansAt(const LeaseBook& book, absl::Time time);

// The first begin or end after `time`; InfiniteFuture() if there is none.
absl::Time NextPassage(const LeaseBook& book, absl::Time time);

// Notes in `book` that a recalculation has passed these, as it has noted in the database.
void MarkPassed(const std::vector<administration::LeasePassage>& passages, LeaseBook* book);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEASED_CONFIGURATION_H_
