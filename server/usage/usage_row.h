// Arithmetic on stored rows of decayed usage.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_ROW_H_
#define PRIORITYD_SERVER_USAGE_USAGE_ROW_H_

#include <vector>

#include "absl/time/time.h"
#include "server/priority/usage_decay.h"
#include "storage/ledger_store.h"
#include "storage/usage_store.h"

namespace priorityd::usage {

// Decays everything in `row` to `time`, forward only: a row that holds later
// stays as it is.
void CarryForward(absl::Time time, const priority::UsageDecay& decay, storage::UsageRow* row);

// Adds what a record used, as it counts at the row's as_of, to its usage,
// TRES-seconds (kept ascending by tres_id) and wall seconds.
void AddRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
               storage::UsageRow* row);

// Adds to `loss` how far off AddRecord may be at its as_of for the average of a
// bucket, which was used within its time but nobody knows when: usage counts most at
// the end of that time and least at its beginning, nothing if a reset lies between.
// REQUIRES: loss->as_of is not before the end of the bucket.
void AddLoss(const storage::UsageRecord& average, const priority::UsageDecay& decay,
             storage::UsageRow* loss);

// Takes out of `row` what AddRecord added; what rounding leaves of an amount that
// was all this record's becomes 0.
void TakeOutRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
                   storage::UsageRow* row);

// What the row was at `time`, before its as_of: usage from then on does not
// count. `later` are its records that end after `time`. Exact as long as decay
// between the two loses few digits; else (see NeedsWholeLedger) `later` must be
// all its records.
storage::UsageRow Rewind(const storage::UsageRow& row, absl::Time time,
                         const std::vector<const storage::UsageRecord*>& later,
                         const priority::UsageDecay& decay);

// Whether usage decays so much from `time` to the row's as_of that the way back
// is lost.
bool NeedsWholeLedger(const storage::UsageRow& row, absl::Time time,
                      const priority::UsageDecay& decay);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_ROW_H_
