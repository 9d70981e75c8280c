// Budget events: usage that has reached a threshold of its budget or grant.
#ifndef PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_
#define PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/thresholds.h"
#include "storage/database/transaction.h"

namespace priorityd::recalculation {

// Writes one event for each threshold that the snapshot's usage has reached. Runs in the
// transaction that publishes the snapshot, which happens once per snapshot even if the leader
// changes, so each event is written once. When it writes events, it deletes those older than
// `retention`. Sends no query if there is no budget and no grant. REQUIRES: this process leads
// (LockLeadership).
absl::Status PublishBudgetEvents(storage::Transaction& transaction, int32_t cluster_id,
                                 const priority::Snapshot& snapshot,
                                 const std::vector<budgets::GrantLevel>& grants,
                                 absl::Duration retention);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_
