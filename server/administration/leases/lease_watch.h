// Warns of values that an import changes under leases.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_WATCH_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_WATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/leases/lease_fold.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Warnings of one import by name; the rest is counted in one more.
inline constexpr size_t kMostLeaseWarnings = 100;

// The leased objects of a cluster, and their stored rows at one moment.
struct LeaseWatch {
  std::vector<storage::Lease> open;
  LeasedRows rows;
};

absl::StatusOr<LeaseWatch> WatchLeases(storage::Transaction& transaction, int32_t cluster_id);

// A warning for each setting under a lease whose stored value has changed since `before`, as the
// verbs warn; `time` by the cluster's clock.
absl::StatusOr<std::vector<std::string>> WarningsSince(storage::Transaction& transaction,
                                                       int32_t cluster_id, const LeaseWatch& before,
                                                       absl::Time time, absl::TimeZone zone);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_WATCH_H_
