// The standing of clusters in the database: their publications and due times.
#ifndef PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_
#define PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/policy.h"
#include "storage/database/database.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// All functions return errors of the database.

// The standings of clusters in one incarnation of the database.
struct Standings {
  int64_t incarnation = 0;  // See storage::Transaction.
  std::vector<storage::ClusterStanding> clusters;
  // The deleted clusters that can be restored, and until when; empty if names were given.
  absl::btree_map<std::string, absl::Time> deleted;
  absl::btree_map<std::string, std::string> moved;  // All clusters in another cell, with that cell.
};

// The standings of all clusters.
absl::StatusOr<Standings> ReadStandings(storage::Database& database);

// The standings of the existing clusters among these names.
absl::StatusOr<Standings> ReadStandings(storage::Database& database,
                                        const absl::btree_set<std::string>& names);

// The inputs that determine the time of a cluster's next recalculation.
struct Timing {
  priority::Policy policy;                // The newest.
  std::optional<absl::Time> computed_at;  // Of the last recalculation.
  // The first begin or end of a lease after that.
  absl::Time next_lease = absl::InfiniteFuture();
  bool lags_domain = false;  // Its usage domain has published since.
};

// NOT_FOUND (UNKNOWN_CLUSTER); INTERNAL if its stored policy cannot be parsed.
absl::StatusOr<Timing> ReadTiming(storage::Database& database, const std::string& cluster);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_STANDINGS_H_
