// A lookup by key that the planner cannot take another index for.
#ifndef PRIORITYD_STORAGE_KEY_RANGE_H_
#define PRIORITYD_STORAGE_KEY_RANGE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {

// The end of a SELECT of one row: that `column`, the last one of a unique index whose other columns
// are asked for before, is `value`. Of a cluster that is not in the statistics yet PostgreSQL
// believes that it has no row: then each index that begins with cluster_id seems as good for an
// equality, and it may read the whole cluster for each key. The order asked for is that of one
// index, and a range keeps it from being left out.
inline std::string IsByIndex(absl::string_view column, absl::string_view value) {
  return absl::StrCat(column, " >= ", value, " AND ", column, " <= ", value, " ORDER BY ", column,
                      " LIMIT 1");
}

}  // namespace priorityd::storage

#endif  // PRIORITYD_STORAGE_KEY_RANGE_H_
