// Settles the ledger into the usage of grants' owners, at each recalculation.
#ifndef PRIORITYD_SERVER_GRANTS_SETTLEMENT_H_
#define PRIORITYD_SERVER_GRANTS_SETTLEMENT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "server/grants/grant_book.h"
#include "server/grants/pool_usage.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::grants {

// One owner's usage, as it is settled.
struct Pool {
  Owner owner;
  int64_t id = 0;  // 0 = not stored yet.
  int64_t settled_seq = 0;
  int64_t stored_seq = 0;  // As the database has it; no record in between is of this owner.
  bool is_stale = false;
  std::vector<Period> stored;  // As the database has them.
  PoolUsage usage;
  bool has_changed = true;  // Since its standing was computed (kept_standings.h).
};

// The steps of a settlement for one pool.
struct PoolPlan {
  std::vector<absl::Time> boundaries;   // The times at which periods must begin.
  std::optional<absl::Time> read_from;  // The ledger is read again from then on.
  bool is_written_whole = false;        // The periods are others than the stored ones.
};

struct SettlementPlan {
  std::vector<PoolPlan> of_pools;
  std::map<std::string, int32_t> tres;  // The numbers of TRES that anybody uses.
  bool reads_windows = false;           // Whether any has read_from, or is new.
};

// The changes that a settlement writes.
struct SettlementWriting {
  SettlementPlan plan;
  int64_t end = 0;       // The pools were read up to there.
  bool is_full = false;  // Also how far pools are settled whose periods stay.
};

// The grants of a cluster and the usage of their owners, kept between recalculations.
struct Settled {
  // Of the configuration that all this was read for; -1 = nothing was read.
  int64_t revision = -1;
  GrantBook book;
  std::vector<Pool> pools;  // Of each stack of the book, once they were settled.
  absl::Time next_planning = absl::InfinitePast();  // The next search for windows that come near.
  absl::Time next_storing = absl::InfinitePast();   // The next write of the progress of all pools.
  std::optional<SettlementWriting> unwritten;       // See WriteSettled.
};

// A cluster at the time of a recalculation. All members must outlive the settlement.
struct SettlementInput {
  int32_t cluster_id = 0;
  const priority::AssociationTree& tree;
  absl::TimeZone zone;
  absl::Time time;
};

// Brings the pools up to the present end of the ledger. A record counts for the owners to which its
// association belongs, from the settlement that reads it first; a record that is replaced or voided
// is taken out again. Each is settled once, whatever fails between: the periods and how far they
// are settled are written together, in the transaction that publishes the recalculation
// (WriteSettled). Where there are many pools, those whose periods stay are written once an hour
// only: until then the ledger's horizon waits for them, and a new leader reads a little of the
// ledger in vain.
//
// The cluster is locked for a moment, to find the end; and while the ledger is read from the begin
// of a new window on, if a grant was created or changed, or an account has moved: what that changes
// is written at once. While the cluster is being moved to another database, or somebody else keeps
// it locked, the pools are as they are stored.
//
// `check`: run in each transaction that writes; its error ends the settlement. UNAVAILABLE,
// ABORTED: the database; ABORTED: the configuration has changed. INTERNAL: an amount that cannot be
// read. `settled` is unusable after an error. REQUIRES: the book is the cluster's; the pools are
// empty, or as the last call and MarkWritten left them, and nobody else has settled or changed the
// configuration since.
absl::Status Settle(storage::Database& database, const SettlementInput& input,
                    absl::FunctionRef<absl::Status(storage::Transaction&)> check, Settled* settled);

// Writes what the last Settle left to be written. REQUIRES: this process leads; the configuration
// is still that of settled.revision, and locked. ABORTED: somebody else has settled since the pools
// were read.
absl::Status WriteSettled(storage::Transaction& transaction, int32_t cluster_id,
                          const Settled& settled);

// Once that is committed.
void MarkWritten(Settled* settled);

// The pools of a book's stacks as they are stored. REQUIRES: as ReadGrantBook.
absl::StatusOr<std::vector<Pool>> ReadPools(storage::Transaction& transaction, int32_t cluster_id,
                                            const GrantBook& book);

// The periods of each stack, for the functions of standings.h.
using StackPeriods = std::vector<absl::Span<const Period>>;
StackPeriods PeriodsOf(const std::vector<Pool>& pools);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_SETTLEMENT_H_
