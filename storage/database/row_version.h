// Finds rows that were written since a watermark, in tables without a column for it.
#ifndef STORAGE_DATABASE_ROW_VERSION_H_
#define STORAGE_DATABASE_ROW_VERSION_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {

// The condition, in SQL, that a row was written by a transaction that had not ended at a watermark
// (UsageStore::Watermark), which is parameter `number`, a bigint. A row that has not been written
// for so long that transaction numbers have wrapped around may match as well, so it is a condition
// for what is compared or read again, not for what is counted. A row that is gone has none.
inline std::string WrittenSince(int number) {
  return absl::StrCat("age(xmin) <= age($", number, "::bigint::text::xid8::xid)");
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_ROW_VERSION_H_
