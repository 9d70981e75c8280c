// Rolled-up usage of the ledger, as records.
#ifndef STORAGE_LEDGER_USAGE_BUCKET_H_
#define STORAGE_LEDGER_USAGE_BUCKET_H_

#include <cstdint>

#include "storage/database/row_reader.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::storage {

// The records of an hour of one association, QOS, user and UsageFactor.
struct UsageBucket {
  int64_t records = 0;  // The records that ended in it.
  // A record that used as much as they did, evenly from the first one's start to
  // the last one's end: its counts, its billing_rate and its wall_rate are averages.
  // Of what was submitted it has times and TRES.
  UsageRecord average;
};

// Reads the columns records, start_time, end_time, tres_ids, tres_seconds,
// billing_seconds, wall_seconds, association_id, qos_id, usage_factor.
UsageBucket DecodeBucket(RowReader& row);

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_USAGE_BUCKET_H_
