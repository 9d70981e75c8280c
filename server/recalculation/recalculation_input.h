// What one recalculation starts from.
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
#include "server/configuration/configuration.h"
#include "server/recalculation/job_ends.h"
#include "storage/cluster_state.h"
#include "storage/database.h"
#include "storage/ledger_store.h"
#include "storage/policy_store.h"
#include "storage/transaction.h"
#include "storage/usage_store.h"

namespace priorityd::recalculation {

// The time to recalculate for.
struct RecalculationTime {
  absl::Time now;  // The real clock.
  // `now` stands for the database's clock: where that says less, it is T.
  bool by_database = false;
  // What this host's clock allows, the second witness: a later T is refused, unless an earlier
  // recalculation had it.
  absl::Time latest = absl::InfiniteFuture();
  // On a manual clock; unset = the time of the last recalculation.
  std::optional<absl::Time> as_of;
};

// The edition of the configuration that this process published last.
struct PublishedEdition {
  int64_t revision = -1;  // -1 = none.
  int64_t watermark = 0;  // What differs from it was written since; see storage::WrittenSince.
};

struct RecalculationInput {
  int64_t incarnation = 0;  // Of the database that it was read from; see storage::Transaction.
  // As of one moment, but no usage row holds later than `time`: usage from then
  // on is taken out.
  storage::ClusterState state;
  // What `state` says; nullptr = not made yet.
  std::shared_ptr<const configuration::Configuration> configuration;
  std::optional<storage::PolicyVersion> first_policy;
  absl::Time time;  // T, whole microseconds.
  // See ReadRecordedUntil.
  JobEnds job_ends;
  absl::flat_hash_map<std::string, absl::Time> recorded_until;
  // The rows that hold later than `time`, as they are stored.
  std::vector<storage::UsageRow> ahead;
  // Whether any association or QOS has a limit on usage, or had one since all of the configuration
  // was read.
  bool limits_usage = false;
  PublishedEdition published;
};

// Puts the rows that are ahead back to their place in `state`.
void PutBackAhead(RecalculationInput* input);

// Reads what is stored now, no usage taken out; what depends on `time` is not brought up to
// date. `input` is new or was read before. `configuration` becomes what the state says, where what
// changed of it could be read alone; else all of the state was read, and it is nullptr.
// REQUIRES: in Database::Read.
absl::Status ReadStored(storage::Transaction& transaction, const std::string& cluster,
                        RecalculationInput* input);

// Sets T, cut to microseconds, and what depends on it: takes out of the usage rows what
// was used from then on. `unrecorded`: records that are in the rows and not in the
// ledger, none of which ends after T. REQUIRES: in the Database::Read of ReadStored,
// after it.
absl::Status SetTime(storage::Transaction& transaction, absl::Time time,
                     absl::Span<const storage::UsageRecord> unrecorded, RecalculationInput* input);

// Brings `input`, which is new or that of the recalculation before, up to date
// and to another time, reading only what changed. On an error it is of no use any
// more. Errors of Recalculator.
absl::Status BringUpToDate(storage::Database& database, const std::string& cluster,
                           const RecalculationTime& time, RecalculationInput* input);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_INPUT_H_
