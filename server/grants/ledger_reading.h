// Reads from the ledger what pools lack.
#ifndef PRIORITYD_SERVER_GRANTS_LEDGER_READING_H_
#define PRIORITYD_SERVER_GRANTS_LEDGER_READING_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "server/grants/settlement.h"
#include "server/grants/settlement_plan.h"
#include "storage/database/transaction.h"

namespace priorityd::grants {

// Adds to each pool the records after its settled_seq, up to `end`, and takes out those that they
// replace; then sums up again, where the plan says so, what the ledger has from read_from on.
// REQUIRES: the pools are those of the stacks of the book; everything up to `end` is committed
// (LedgerScan::End); if plan.reads_windows, the cluster is locked by ClusterStore::Lock.
absl::Status ReadLedger(storage::Transaction& transaction, const SettlementInput& input,
                        const GrantBook& book, int64_t end, const SettlementPlan& plan,
                        std::vector<Pool>* pools);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_LEDGER_READING_H_
