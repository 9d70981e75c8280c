// Decides the outcome of usage records from the ledger's contents.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/usage/decayed_row.h"
#include "server/usage/usage_submission.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::usage {

enum class Outcome {
  kNew,              // In the ledger once the transaction commits.
  kDuplicate,        // The ledger has it with the same content.
  kConflict,         // The ledger has that record with other content.
  kUnknownTarget,    // Replaces a record that the ledger does not have.
  kAlreadyReplaced,  // Replaces a record that another one replaces.
  kTargetTooOld,     // Replaces a record that ended before the horizon.
  kUnpriced,         // New, but without an association to charge it to.
  kOtherPrincipal,   // Would replace another principal's record without the right.
};

// A record that would replace another principal's record.
struct ByAnother {
  size_t place = 0;  // Among the records.
  const storage::UsageRecord* target = nullptr;
  bool allowed = false;
};

// The decision for a batch. Points to the records passed to Decide.
struct LedgerDecision {
  std::vector<Outcome> outcomes;  // By record, in order.
  Records inserted;               // The new records, in order.
  // The changes of usage rows: records that start to count, and records that no longer count. A
  // record replaced within the same batch never counts and is in neither.
  Records counted;
  Records replaced;
  // In the order of the records.
  std::vector<ByAnother> by_another;
};

// The keys to query in the ledger before Decide: the records and those that they replace, without
// duplicates. Points to `records`.
std::vector<storage::RecordKey> WantedKeys(RecordSpan records);

// Decides record by record, in order: of several with one (source, record_id), the first counts; a
// replaced record must be in `held` or earlier in `records`. Records are compared by their
// submitted fields only, so a resend is a duplicate even if its price would differ today, or it
// would have none.
// `held`: the ledger's records for WantedKeys(records). `horizon`: the cluster's. A target missing
// in the ledger counts as rolled up if the record that replaces it starts before the horizon.
// REQUIRES: no record ends before the horizon.
// Principals may replace each other's records only if `others_replace`; records of unknown
// principals may be replaced by any.
LedgerDecision Decide(absl::Span<const storage::HeldRecord> held, RecordSpan records,
                      absl::Time horizon, bool others_replace = false);

// The record that replaces `of` and uses nothing. Its time is the end of `of`, so that the job's
// last record stays known.
storage::UsageRecord Nothing(const storage::UsageRecord& of, std::string record_id);

// The collector's result; `unpriced` if the record cannot be charged.
RecordResult ResultOf(Outcome outcome, const RecordResult& unpriced);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_
