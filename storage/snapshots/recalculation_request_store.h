// Requests of replicas to the leader for a recalculation.
#ifndef STORAGE_SNAPSHOTS_RECALCULATION_REQUEST_STORE_H_
#define STORAGE_SNAPSHOTS_RECALCULATION_REQUEST_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

struct RecalculationRequest {
  int64_t id = 0;
  std::string cluster_name;
  std::optional<absl::Time> as_of;
  bool operator==(const RecalculationRequest&) const = default;
};

struct RecalculationAnswer {
  int64_t generation = 0;   // Of the new snapshot, where status_code is 0.
  int32_t status_code = 0;  // Canonical; 0 = done.
  std::string reason;       // ErrorInfo's.
  std::string message;
  bool operator==(const RecalculationAnswer&) const = default;
};

class RecalculationRequestStore {
 public:
  explicit RecalculationRequestStore(Transaction& transaction) : transaction_(transaction) {}

  // Returns its id, and notifies the replicas when the transaction commits.
  absl::StatusOr<int64_t> Add(const RecalculationRequest& request);

  // Unanswered requests that are not older than `patience`, oldest first.
  absl::StatusOr<std::vector<RecalculationRequest>> ListOpen(absl::Duration patience);

  absl::Status Answer(int64_t id, const RecalculationAnswer& answer);

  // nullopt = not answered yet.
  absl::StatusOr<std::optional<RecalculationAnswer>> FindAnswer(int64_t id);

  // Deletes requests that are older than `age`.
  absl::Status DeleteOld(absl::Duration age);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_RECALCULATION_REQUEST_STORE_H_
