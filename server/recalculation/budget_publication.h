// What a recalculation finds of budgets: which parts of them usage has reached.
#ifndef PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_
#define PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/priority/snapshot.h"
#include "storage/transaction.h"

namespace priorityd::recalculation {

// Writes an event for each threshold that usage of the snapshot has reached, once each: in the
// transaction that publishes the snapshot, of which there is one for each, whoever leads. Deletes
// events older than `retention` where it writes some. Asks nothing where there is no budget.
// REQUIRES: this process leads (LockLeadership).
absl::Status PublishBudgetEvents(storage::Transaction& transaction, int32_t cluster_id,
                                 const priority::Snapshot& snapshot, absl::Duration retention);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_BUDGET_PUBLICATION_H_
