// Builds indexes while the tables are in use.
#ifndef STORAGE_SCHEMA_INDEX_BUILD_H_
#define STORAGE_SCHEMA_INDEX_BUILD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace priorityd::storage {

// Runs `script`, statements `CREATE [UNIQUE] INDEX CONCURRENTLY IF NOT EXISTS name ON
// priorityd.table ...;` with a semicolon at each one's end and none within, one after the other
// in no transaction, on a connection of its own to `url`. Readers and writers do not wait for
// them. What an earlier run that was killed left of an index is dropped first, so that it may be
// run again at any time.
//
// It waits for every transaction that has written to the table to end: UNAVAILABLE
// (IsLockTimeout) where one takes longer than `patience`; also where another program builds
// indexes.
absl::Status BuildIndexes(const std::string& url, const std::string& script,
                          absl::Duration patience);

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_INDEX_BUILD_H_
