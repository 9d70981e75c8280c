// Brings stored rows in line with what an import names.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_RECONCILIATION_H_
#define PRIORITYD_SERVER_ADMINISTRATION_RECONCILIATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::administration {

// How many things of one kind an import changed.
struct Counts {
  int64_t created = 0;
  int64_t updated = 0;
  int64_t unchanged = 0;
  int64_t deleted = 0;

  bool changed() const { return created + updated + deleted > 0; }
  bool operator==(const Counts&) const = default;
};

// Inserts, updates and, with `clean`, deletes rows by name, so that `wanted` is
// what there is. Store is QosStore or PartitionStore, Row its row; the ids of
// `wanted` are not read.
template <typename Store, typename Row>
absl::StatusOr<Counts> Reconcile(Store& store, const std::vector<Row>& current,
                                 std::vector<Row> wanted, bool clean, absl::Time now) {
  absl::flat_hash_map<std::string, const Row*> unnamed;
  for (const Row& row : current) unnamed[row.name] = &row;
  Counts counts;
  for (Row& row : wanted) {
    const auto found = unnamed.find(row.name);
    if (found == unnamed.end()) {
      if (auto id = store.Insert(row); !id.ok()) return id.status();
      ++counts.created;
      continue;
    }
    row.id = found->second->id;
    const bool same = row == *found->second;
    unnamed.erase(found);
    ++(same ? counts.unchanged : counts.updated);
    if (same) continue;
    if (absl::Status status = store.Update(row); !status.ok()) return status;
  }
  if (!clean) return counts;
  for (const auto& [name, row] : unnamed) {
    if (absl::Status status = store.Delete(row->cluster_id, row->id, now); !status.ok())
      return status;
    ++counts.deleted;
  }
  return counts;
}

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_RECONCILIATION_H_
