// The tables of a cluster that moves to another database.
#ifndef STORAGE_SCHEMA_MOVED_TABLES_H_
#define STORAGE_SCHEMA_MOVED_TABLES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::storage {

// The stage in which the rows of a table are copied.
enum class MoveStage {
  kLive,     // While the cluster changes: rows that are appended and stay.
  kFrozen,   // While nothing of the cluster changes.
  kHistory,  // After the target has taken over.
};

struct MovedTable {
  const char* name;
  MoveStage stage;
  // The order of its rows within the cluster: expressions whose values are never NULL and differ
  // from row to row; empty = a cluster has at most one row.
  std::vector<const char*> key;
  std::vector<const char*> key_types;  // PostgreSQL's.
  int rows = 5000;                     // Of a page, at most.
};

// In the order of copying: a table follows those that it refers to.
absl::Span<const MovedTable> MovedTables();
// The pass over `association` that gives rows their parents.
inline constexpr char kLaterParents[] = "association_parent";
// nullptr = no table of that name is copied.
const MovedTable* FindMovedTable(absl::string_view name);

// The tables that have rows of clusters and are not copied: what they have is only for this
// database, or is derived at the target.
absl::Span<const absl::string_view> TablesThatStay();

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_MOVED_TABLES_H_
