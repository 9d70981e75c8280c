// Adds usage records to the decayed usage of their associations and QOS.
#ifndef PRIORITYD_SERVER_USAGE_SETTLEMENT_H_
#define PRIORITYD_SERVER_USAGE_SETTLEMENT_H_

#include "absl/types/span.h"
#include "server/priority/usage_decay.h"
#include "server/usage/price_book.h"
#include "storage/ledger_store.h"
#include "storage/usage_store.h"

namespace priorityd::usage {

// Carries `row` to the newest end of `records` and to the floor of the resets,
// unless it is there already, and adds what they used: usage, TRES-seconds and wall seconds, each
// times its UsageFactor. The order of the records makes no difference beyond rounding.
void AddUsage(absl::Span<const storage::UsageRecord* const> records,
              const priority::UsageDecay& decay, storage::UsageRow* row);

// Adds every record that counts from now on to the row of its association and of
// its QOS, and takes those out that are replaced.
void Settle(const PriceBook& book, storage::Settlement* settlement);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_SETTLEMENT_H_
