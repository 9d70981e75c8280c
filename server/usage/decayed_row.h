// All arithmetic on stored rows of decayed usage.
#ifndef PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_
#define PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/usage_decay.h"
#include "storage/ledger_store.h"
#include "storage/usage_store.h"

namespace priorityd::usage {

using Records = std::vector<const storage::UsageRecord*>;
using RecordSpan = absl::Span<const storage::UsageRecord* const>;

// Views of `records`, which must outlive them.
Records PointersTo(absl::Span<const storage::UsageRecord> records);

// The records that count in a row from now on, and those that counted in it and do so no
// more.
struct RowChange {
  Records added;
  Records removed;
};

// By id of the association or QOS, each in the order given.
using RowChanges = absl::btree_map<int64_t, RowChange>;
RowChanges ChangesOf(storage::UsageOf of, RecordSpan added, RecordSpan removed = {});

// Carries `row` to the newest end of the added records and to the floor of the resets,
// unless it is there already; then adds what those used and takes out what the removed
// ones used: usage, TRES-seconds (kept ascending by tres_id) and wall seconds, each times
// its UsageFactor. The order of the records makes no difference beyond rounding, and what
// rounding leaves of an amount that was all one removed record's becomes 0.
void Apply(const RowChange& change, const priority::UsageDecay& decay, storage::UsageRow* row);

// Decays everything in `row` to `time`, forward only: a row that holds later
// stays as it is.
void CarryForward(absl::Time time, const priority::UsageDecay& decay, storage::UsageRow* row);

// How much is left at `at` of each 1 in a row; 0 for a row without usage.
// REQUIRES: the row does not hold later.
double Kept(const storage::UsageRow& row, const priority::UsageDecay& decay, absl::Time at);

// Carries `loss` to `as_of` and adds to it how far off the average of a bucket may be
// there: it was used within its time, but nobody knows when; usage counts most at the end
// of that time and least at its beginning, nothing if a reset lies between.
// REQUIRES: as_of is not before the end of the bucket.
void AddLoss(const storage::UsageRecord& average, absl::Time as_of,
             const priority::UsageDecay& decay, storage::UsageRow* loss);

// How far two rows may be apart and still agree: relative to the larger amount, and by
// the amounts of a row (null = none) besides.
struct Slack {
  double relative = 0;
  const storage::UsageRow* amounts = nullptr;
};

// Whether two rows say the same of `at`, at which none of them holds later.
bool Agree(const storage::UsageRow& a, const storage::UsageRow& b, const Slack& slack,
           const priority::UsageDecay& decay, absl::Time at);

// What the row was at `time`, before its as_of: usage from then on does not
// count. `later` are its records that end after `time`. Exact as long as decay
// between the two loses few digits; else (see NeedsWholeLedger) `later` must be
// all its records.
storage::UsageRow Rewind(const storage::UsageRow& row, absl::Time time, RecordSpan later,
                         const priority::UsageDecay& decay);

// Whether usage decays so much from `time` to the row's as_of that the way back
// is lost.
bool NeedsWholeLedger(const storage::UsageRow& row, absl::Time time,
                      const priority::UsageDecay& decay);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_
