// Lookups in a cluster that PostgreSQL's statistics do not know.
#ifndef PRIORITYD_STORAGE_KEY_RANGE_H_
#define PRIORITYD_STORAGE_KEY_RANGE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {

// Of a cluster that is not in PostgreSQL's statistics yet the planner believes that it has no rows.
// Then each index that begins with cluster_id seems as good for a lookup by key, and a join of
// two tables by keys may read all of one for each row of the other.
//
// Statements that join many rows say `cluster_id = (SELECT $1::integer)`: what it is the planner
// does not know then, and it takes the cluster for one of average size.
//
// Those that look up many keys, which this is for, leave it no choice. The end of a SELECT of one
// row: that `column`, the last one of a unique index whose other columns are asked for before, is
// `value`. The order asked for is that of one index, and a range keeps it from being left out.
inline std::string IsByIndex(absl::string_view column, absl::string_view value) {
  return absl::StrCat(column, " >= ", value, " AND ", column, " <= ", value, " ORDER BY ", column,
                      " LIMIT 1");
}

}  // namespace priorityd::storage

#endif  // PRIORITYD_STORAGE_KEY_RANGE_H_
