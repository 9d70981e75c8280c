// Where clusters stand in the database: what is published of them, and when they are due.
#ifndef PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_
#define PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/priority/policy.h"
#include "storage/database.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {

// Errors of all: those of the database.

// Where clusters stand in one incarnation of the database.
struct Standings {
  int64_t incarnation = 0;  // See storage::Transaction.
  std::vector<storage::ClusterStanding> clusters;
};

// Of all clusters.
absl::StatusOr<Standings> ReadStandings(storage::Database& database);

// Of those of these names that there are.
absl::StatusOr<Standings> ReadStandings(storage::Database& database,
                                        const absl::btree_set<std::string>& names);

// What tells when a cluster is recalculated.
struct Timing {
  priority::Policy policy;                // The newest.
  std::optional<absl::Time> computed_at;  // Of the last recalculation.
};

// NOT_FOUND (UNKNOWN_CLUSTER); INTERNAL if its policy can no longer be read.
absl::StatusOr<Timing> ReadTiming(storage::Database& database, const std::string& cluster);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_
