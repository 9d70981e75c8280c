// Reconciles stored rows with an import.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_FRAME_RECONCILIATION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_FRAME_RECONCILIATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::administration {

// Counts of an import's changes of one kind of object.
struct Counts {
  int64_t created = 0;
  int64_t updated = 0;
  int64_t unchanged = 0;
  int64_t deleted = 0;

  bool changed() const { return created + updated + deleted > 0; }
  bool operator==(const Counts&) const = default;
};

// For Reconcile without a listener.
struct IgnoreChange {
  template <typename Row>
  void operator()(const Row* before, const Row* after) const {}
};

// Inserts, updates and, with `clean`, deletes rows by name, so that the stored rows become
// `wanted`. Store is QosStore or PartitionStore, Row its row; the ids of `wanted` are ignored.
// Calls `on_change` for each changed row with the old one (null = new) and the new one (null =
// deleted).
template <typename Store, typename Row, typename OnChange = IgnoreChange>
absl::StatusOr<Counts> Reconcile(Store& store, const std::vector<Row>& current,
                                 std::vector<Row> wanted, bool clean, absl::Time now,
                                 const OnChange& on_change = OnChange()) {
  absl::flat_hash_map<std::string, const Row*> unnamed;
  for (const Row& row : current) unnamed[row.name] = &row;
  Counts counts;
  for (Row& row : wanted) {
    const auto found = unnamed.find(row.name);
    if (found == unnamed.end()) {
      if (auto id = store.Insert(row); !id.ok()) return id.status();
      on_change(static_cast<const Row*>(nullptr), &row);
      ++counts.created;
      continue;
    }
    const Row& before = *found->second;
    row.id = before.id;
    const bool same = row == before;
    unnamed.erase(found);
    ++(same ? counts.unchanged : counts.updated);
    if (same) continue;
    if (absl::Status status = store.Update(row); !status.ok()) return status;
    on_change(&before, &row);
  }
  if (!clean) return counts;
  for (const Row& row : current) {
    if (!unnamed.contains(row.name)) continue;
    if (absl::Status status = store.Delete(row.cluster_id, row.id, now); !status.ok())
      return status;
    on_change(&row, static_cast<const Row*>(nullptr));
    ++counts.deleted;
  }
  return counts;
}

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_FRAME_RECONCILIATION_H_
