// What becomes of usage records, given what the ledger holds.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/usage/decayed_row.h"
#include "server/usage/usage_submission.h"
#include "storage/ledger_store.h"

namespace priorityd::usage {

enum class Outcome {
  kNew,              // It is in the ledger once the transaction commits.
  kDuplicate,        // The ledger has it, with the same content.
  kConflict,         // The ledger has that record with other content.
  kUnknownTarget,    // It replaces a record that the ledger does not have.
  kAlreadyReplaced,  // It replaces a record that another one replaces.
  kTargetTooOld,     // It replaces a record that ended before the horizon.
  kUnpriced,         // New, but without an association to charge it to.
  kOtherPrincipal,   // It replaces what another principal recorded, and may not.
};

// That a record would replace what another principal recorded.
struct ByAnother {
  size_t place = 0;  // Among the records.
  const storage::UsageRecord* target = nullptr;
  bool allowed = false;
};

// What is to be done with a batch. Views of the records that Decide was given.
struct LedgerDecision {
  std::vector<Outcome> outcomes;  // One for each record, in their order.
  Records inserted;               // The new ones, in their order.
  // What changes in usage rows: those that count from now on, and those that counted
  // until now and do so no more. A record that another one of the same batch replaces is
  // in neither, as it counts at no time.
  Records counted;
  Records replaced;
  // In the order of the records.
  std::vector<ByAnother> by_another;
};

// The names of what the ledger must be asked for before Decide: the records and those
// that they replace, each once. Views of `records`.
std::vector<storage::RecordKey> WantedKeys(RecordSpan records);

// Decides record by record, in their order: of several with one (source, record_id) the
// first counts, and what a record replaces must be held or earlier among `records`.
// Records are compared by their submitted fields only, so a resend is a duplicate even if
// it would be priced otherwise today, or not at all.
//
// `held` is what the ledger has of WantedKeys(records). `horizon` is the cluster's: a
// target that is not in the ledger is taken for one that is rolled up where the record
// that replaces it starts before the horizon. REQUIRES: no record ends before it.
//
// What a principal recorded another one replaces only if `others_replace`; what was recorded by
// nobody knows whom, everybody.
LedgerDecision Decide(absl::Span<const storage::HeldRecord> held, RecordSpan records,
                      absl::Time horizon, bool others_replace = false);

// What the collector is answered; `unpriced` where the record cannot be charged.
RecordResult ResultOf(Outcome outcome, const RecordResult& unpriced);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_DECISION_H_
