// The input of one recalculation.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/site/grant_standings.h"
#include "engine/priority/site/job_prices.h"
#include "engine/priority/snapshot/domain_shares.h"
#include "server/budgets/thresholds.h"
#include "server/configuration/configuration.h"
#include "server/grants/kept_standings.h"
#include "server/grants/settlement.h"
#include "server/recalculation/job_ends.h"
#include "server/recalculation/leased_configuration.h"
#include "server/recalculation/start_charge.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::recalculation {

// The time to recalculate for.
struct RecalculationTime {
  absl::Time now;  // By the real clock.
  // `now` estimates the database's clock: if that clock reads less, its reading is T.
  bool by_database = false;
  // The latest T that this host's clock, the second source, allows: a later T is refused, unless an
  // earlier recalculation had it.
  absl::Time latest = absl::InfiniteFuture();
  // On a manual clock; unset = the time of the last recalculation.
  std::optional<absl::Time> as_of;
};

// The revision of the configuration that this process published last.
struct PublishedEdition {
  int64_t revision = -1;  // -1 = none.
  int64_t watermark = 0;  // Changes were written after it; see storage::WrittenSince.
};

struct RecalculationInput {
  int64_t incarnation = 0;  // Of the source database; see storage::Transaction.
  // As of one moment, except that usage after `time` is removed from the usage rows.
  storage::ClusterState state;
  // Built from `state`, as stored; nullptr = not built yet.
  std::shared_ptr<const configuration::Configuration> base;
  // `base` with the leases in effect at `time`.
  std::shared_ptr<const configuration::Configuration> configuration;
  LeaseBook lease_book;
  LeasedConfiguration leased;
  // The begins and ends of leases up to `time` that are to be audited.
  std::vector<administration::LeasePassage> passages;
  // The leases of jobs that have left the queue or have ended.
  std::vector<int64_t> orphans;
  std::optional<storage::PolicyVersion> first_policy;
  absl::Time time;  // T, whole microseconds.
  // See ReadRecordedUntil.
  JobEnds job_ends;
  absl::flat_hash_map<std::string, absl::Time> recorded_until;
  // The running jobs of the tracked queue, under ChargeAtStart only.
  std::vector<StartedRun> started;
  // The stored rows that include usage after `time`, of associations, then of QOS.
  std::vector<storage::UsageRow> ahead;
  std::vector<storage::UsageRow> qos_ahead;
  // Whether any association or QOS has a limit on usage, or had one since the configuration was
  // last read in full; a grant is one.
  bool limits_usage = false;
  PublishedEdition published;
  grants::Settled grants;
  // By the price books of the configuration.
  std::shared_ptr<const priority::JobPrices> prices;
  // The standings of the grants at `time`; filled after their usage was settled.
  priority::GrantStandings standings;
  std::vector<budgets::GrantLevel> grant_levels;  // Of the grants in force.
  grants::KeptStandings kept_standings;           // Computes those that change.
  // The newest snapshot of the usage domain of which the cluster is a member, and its shares, which
  // are filled for each computation; null = it is not a member.
  storage::DomainGeneration domain_generation;
  std::shared_ptr<const priority::DomainShares> domain;
  // The grants of that domain that are used up.
  std::vector<storage::GrantStanding> domain_grants;
};

// Restores the rows of `ahead` and `qos_ahead` in `state`.
void PutBackAhead(RecalculationInput* input);

// Reads the present state with all usage; does not update what depends on `time`. `input` is new or
// was read before. If reading only the configuration's changes was possible, `base` is updated;
// otherwise the whole state was read and `base` is nullptr. REQUIRES: called in
// Database::Read.
absl::Status ReadStored(storage::Transaction& transaction, const std::string& cluster,
                        RecalculationInput* input);

// Sets T, truncated to microseconds, and what depends on it: removes usage after T from the usage
// rows. `unrecorded`: records that are in the rows but not in the ledger; none ends after T.
// REQUIRES: called after ReadStored in the same Database::Read, with `configuration` built.
absl::Status SetTime(storage::Transaction& transaction, absl::Time time,
                     absl::Span<const storage::UsageRecord> unrecorded, RecalculationInput* input);

// Updates `input`, which is new or the previous recalculation's, to the present state and to
// another time, reading only changes. Unusable after an error. Errors of Recalculator.
absl::Status BringUpToDate(storage::Database& database, const std::string& cluster,
                           const RecalculationTime& time, RecalculationInput* input);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_
