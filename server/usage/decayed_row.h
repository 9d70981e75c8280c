// All arithmetic on stored rows of decayed usage.
#ifndef PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_
#define PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::usage {

using Records = std::vector<const storage::UsageRecord*>;
using RecordSpan = absl::Span<const storage::UsageRecord* const>;

// Views of `records`, which must outlive them.
Records PointersTo(absl::Span<const storage::UsageRecord> records);

// The records that start to count in a row, and those that no longer count.
struct RowChange {
  Records added;
  Records removed;
};

// By id of the association or QOS, each in the order given.
using RowChanges = absl::btree_map<int64_t, RowChange>;
RowChanges ChangesOf(storage::UsageOf of, RecordSpan added, RecordSpan removed = {});

// Decays `row` to the newest end of the added records and to the floor of the resets, unless its
// as_of is later; then adds the usage of the added records and subtracts that of the removed ones:
// usage, TRES-seconds (kept ascending by tres_id) and wall seconds, each times its UsageFactor. The
// order of the records matters only by rounding; if a removed record was the only source of an
// amount, the rounding residue becomes 0.
void Apply(const RowChange& change, const priority::UsageDecay& decay, storage::UsageRow* row);

// Decays everything in `row` to `time`, only forward: a row with a later as_of stays unchanged.
void CarryForward(absl::Time time, const priority::UsageDecay& decay, storage::UsageRow* row);

// The fraction of the row's usage that is left at `at`; 0 for a row without usage. REQUIRES: the
// row's as_of is not later.
double Kept(const storage::UsageRow& row, const priority::UsageDecay& decay, absl::Time at);

// Decays `loss` to `as_of` and adds the possible error of a bucket's average there. The time of
// usage within the bucket is unknown: usage counts most at the bucket's end and least at its start,
// and 0 if a reset lies between. REQUIRES: as_of is not before the end of the bucket.
void AddLoss(const storage::UsageRecord& average, absl::Time as_of,
             const priority::UsageDecay& decay, storage::UsageRow* loss);

// The difference up to which two rows agree: relative to the larger amount, plus the amounts of a
// row (null = none).
struct Slack {
  double relative = 0;
  const storage::UsageRow* amounts = nullptr;
};

// Whether two rows agree at `at`. REQUIRES: neither as_of is later.
bool Agree(const storage::UsageRow& a, const storage::UsageRow& b, const Slack& slack,
           const priority::UsageDecay& decay, absl::Time at);

// The row at `time`, before its as_of, without later usage. `later`: its records that end after
// `time`. Exact while the decay between the two times loses few digits; otherwise (see
// NeedsWholeLedger) `later` must be all its records.
storage::UsageRow Rewind(const storage::UsageRow& row, absl::Time time, RecordSpan later,
                         const priority::UsageDecay& decay);

// Whether usage decays too much from `time` to the row's as_of to be rewound.
bool NeedsWholeLedger(const storage::UsageRow& row, absl::Time time,
                      const priority::UsageDecay& decay);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_DECAYED_ROW_H_
