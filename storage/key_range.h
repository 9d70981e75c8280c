// Look-ups in a cluster that is not in PostgreSQL's statistics yet.
#ifndef PRIORITYD_STORAGE_KEY_RANGE_H_
#define PRIORITYD_STORAGE_KEY_RANGE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {

// For a cluster created since the last ANALYZE, the planner assumes zero rows. Every index that
// begins with cluster_id then seems equally good for a look-up by key, and a join of two tables by
// keys may read all of one table for each row of the other.
//
// Statements that join many rows use `cluster_id = (SELECT $1::integer)`: the planner then does not
// know the value and assumes a cluster of average size.
//
// Statements that look up many keys use this function. It returns the end of a SELECT of one row:
// the condition that `column`, the last column of a unique index whose other columns are fixed by
// earlier conditions, equals `value`. Only that index has the requested order, and a range
// condition keeps the planner from removing the ORDER BY. If that index is higher than another one,
// it may still seem to cost more than the other one with a sort: transactions by_key
// (storage/transaction_kind.h), which do not sort, leave the planner no choice.
inline std::string IsByIndex(absl::string_view column, absl::string_view value) {
  return absl::StrCat(column, " >= ", value, " AND ", column, " <= ", value, " ORDER BY ", column,
                      " LIMIT 1");
}

}  // namespace priorityd::storage

#endif  // PRIORITYD_STORAGE_KEY_RANGE_H_
