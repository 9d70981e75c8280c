// Look-ups in a cluster that is not in PostgreSQL's statistics yet.
#ifndef PRIORITYD_STORAGE_DATABASE_KEY_RANGE_H_
#define PRIORITYD_STORAGE_DATABASE_KEY_RANGE_H_

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
// (storage/database/transaction_kind.h), which do not sort, leave the planner no choice.
inline std::string IsByIndex(absl::string_view column, absl::string_view value) {
  return absl::StrCat(column, " >= ", value, " AND ", column, " <= ", value, " ORDER BY ", column,
                      " LIMIT 1");
}

// The condition that the record `u` of usage_record counts: that none replaces it, of those `of`
// the replacements `r`. As in the view counted_usage, but looked up for each record: the planner
// makes no join of a subquery with OFFSET. After many records were replaced, until the next
// ANALYZE, it expects none, and a join would compare each record with each replacement.
inline std::string IsCounted(absl::string_view of = "true") {
  return absl::StrCat(
      "NOT EXISTS (SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
      "AND r.source = u.source AND r.replaces_record_id = u.record_id "
      "AND r.replaces_record_id <> '' AND ",
      of, " OFFSET 0)");
}

}  // namespace priorityd::storage

#endif  // PRIORITYD_STORAGE_DATABASE_KEY_RANGE_H_
