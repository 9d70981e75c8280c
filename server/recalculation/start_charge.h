// Charge at the start (ChargeAtStart): what running jobs reserve until their records charge it.
#ifndef PRIORITYD_SERVER_RECALCULATION_START_CHARGE_H_
#define PRIORITYD_SERVER_RECALCULATION_START_CHARGE_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/usage/row_decay.h"
#include "storage/ledger/started_job_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// A running job of the tracked queue, and the time until which its records charge it
// (InfinitePast() = it has none; ends long ago are not known, so a time that all of them precede).
struct StartedRun {
  storage::StartedJob job;
  absl::Time recorded_until = absl::InfinitePast();
};

// The billing-seconds that each association itself reserves at the snapshot's time T, by
// AssociationIndex; empty if that is nothing. A job reserves its rate, as a record of it would be
// priced now, for the time after `recorded_until` (and after its start): until T, decayed and reset
// as a record would be, and from T to the part of its time limit that ChargeAtStart names. Without
// any limit that is an hour. Nothing after its time limit. A job of which a record would be
// rejected reserves nothing. `snapshot`: without reserves.
std::vector<double> ReservesOf(const priority::Snapshot& snapshot,
                               const std::vector<StartedRun>& runs, const usage::RowDecay& decay);

// The reserves of a snapshot as rows, without those of 0, and back: empty if there are no rows.
std::vector<storage::SnapshotReserve> ToReserveRows(const priority::Snapshot& snapshot);
std::vector<double> FromReserveRows(const std::vector<storage::SnapshotReserve>& rows,
                                    const priority::AssociationTree& tree);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_START_CHARGE_H_
