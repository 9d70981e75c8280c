// The hypothetical changes of a simulation.
#ifndef PRIORITYD_SERVER_SIMULATION_SUPPOSITION_H_
#define PRIORITYD_SERVER_SIMULATION_SUPPOSITION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/grants/supposed_grants.h"
#include "server/grants/grant_book.h"
#include "storage/database/database.h"

namespace priorityd::simulation {

// An existing association; user and partition may be empty.
struct AssociationName {
  std::string account;
  std::string user;
  std::string partition;
};

struct SupposedShares {
  AssociationName association;
  std::optional<uint32_t> raw_shares;  // nullopt = parent.
};

// Additional billing-seconds of an association, all used in the last microsecond before the present
// under its default QOS.
struct SupposedUsage {
  AssociationName association;
  double usage = 0;  // Finite, at least 0; UsageFactor included.
};

struct Supposition {
  std::optional<slurm::SourceFile> policy;
  std::vector<SupposedShares> shares;
  std::vector<SupposedUsage> usage;
  std::vector<administration::SupposedGrant> grants;  // Each name once.
  std::vector<administration::SupposedTransfer> transfers;
  // Usage of their owners that is not settled is read if all accounts of the owner are among these;
  // nullopt = always.
  std::optional<absl::flat_hash_set<std::string>> readable_accounts;
  absl::Time present;
  absl::Time time;  // Not before `present`.
  absl::Time now;   // The real clock.
};

// An owner of supposed grants or transfers.
struct SupposedOwner {
  grants::Owner owner;
  // The standing of its grants then; nullopt = none with a consequence is in force.
  std::optional<priority::GrantStanding> standing;
  // False: the usage of a window is not settled and not read (SupposedStandings); the snapshot has
  // the standing of the last recalculation.
  bool is_known = true;
};

struct Supposed {
  std::shared_ptr<const priority::Snapshot> snapshot;
  std::vector<SupposedOwner> owners;  // Of the supposed grants.
};

// The snapshot of a recalculation at supposition.time (or the last recalculation's time, if later)
// after applying the policy, changing the shares, recording the usage and changing the grants at
// present, in this order. The usage does not count against grants.
// If the time is later than the present, a recalculation at present is simulated first, from which
// a changed half-life takes effect. Reads one moment of the database and changes nothing.
//
// INVALID_ARGUMENT: (INVALID_FILE) errors of ApplyPolicyFiles; (UNKNOWN_ASSOCIATION) fields
// `shares[2].account`. Those of administration::SupposeGrants. NOT_FOUND: unknown cluster.
// UNAVAILABLE: the database.
absl::StatusOr<Supposed> Suppose(storage::Database& database, const std::string& cluster,
                                 const Supposition& supposition);

}  // namespace priorityd::simulation

#endif  // PRIORITYD_SERVER_SIMULATION_SUPPOSITION_H_
