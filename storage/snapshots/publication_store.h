// The usage of a cluster as published by the leader, from which other replicas compute the same
// numbers.
#ifndef STORAGE_SNAPSHOTS_PUBLICATION_STORE_H_
#define STORAGE_SNAPSHOTS_PUBLICATION_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The state of the publication.
struct Publication {
  int64_t generation = 0;  // Of the snapshot that the parts make up; 0 = there are none.
  // Parts of this one have all usage, those of later ones what changed.
  int64_t first_generation = 0;
  int64_t changed_entries = 0;  // In the parts after the first generation's.
  int64_t digest = 0;           // Of the numbers that were computed.
  // The generation whose numbers SnapshotStore::ListFactors lists, unless a priorityd that knew no
  // publications published after it; 0 = none.
  int64_t numbers_generation = 0;
  bool numbers_wanted = false;  // See WantNumbers.
  bool operator==(const Publication&) const = default;
};

class PublicationStore {
 public:
  explicit PublicationStore(Transaction& transaction) : transaction_(transaction) {}

  // All 0 before the first.
  absl::StatusOr<Publication> Find(int32_t cluster_id);
  // The same, locked until the end of the transaction.
  absl::StatusOr<Publication> Lock(int32_t cluster_id);

  // Writes all but numbers_wanted. REQUIRES: it is locked.
  absl::Status Write(int32_t cluster_id, const Publication& publication);

  // The parts of generations after this one, in the order in which they are applied (see
  // packed_usage.h).
  absl::StatusOr<std::vector<std::string>> ListParts(int32_t cluster_id, int64_t after);

  absl::Status AppendParts(int32_t cluster_id, int64_t generation,
                           absl::Span<const std::string> parts);

  // Deletes all of them.
  absl::Status DeleteParts(int32_t cluster_id);

  // Asks for the numbers themselves: for an hour the leader publishes them too, beginning
  // with the present generation. False if that was asked for already, less than half an
  // hour ago.
  absl::StatusOr<bool> WantNumbers(int32_t cluster_id);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_PUBLICATION_STORE_H_
