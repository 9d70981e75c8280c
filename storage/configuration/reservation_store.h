// Advanced reservations.
#ifndef STORAGE_CONFIGURATION_RESERVATION_STORE_H_
#define STORAGE_CONFIGURATION_RESERVATION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct Reservation {
  int64_t id = 0;
  int32_t cluster_id = 0;
  std::string name;
  absl::Time start_time;
  absl::Time end_time;    // After start_time.
  std::string nodes;      // A host list, or ALL.
  std::string partition;  // With ALL: those of the partition; "" = of the cluster.
  // Only those named, or, if excluded, all but those named; empty = the list decides nothing.
  std::vector<std::string> users;
  bool users_excluded = false;
  std::vector<std::string> accounts;
  bool accounts_excluded = false;
  std::vector<std::string> flags;  // Slurm's words.
  std::optional<absl::Time> deleted_at;
  bool operator==(const Reservation&) const = default;
};

// The columns of the table.
const ColumnTable<Reservation>& ReservationColumns();

// Lists are in the order of ids, which is the order of insertion.
class ReservationStore {
 public:
  explicit ReservationStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<Reservation>> List(int32_t cluster_id,
                                                Edition edition = Edition::kCurrent);

  // Returns the new id; reservation.id and deleted_at are ignored.
  // ALREADY_EXISTS if a live one of that name is there.
  absl::StatusOr<int64_t> Insert(const Reservation& reservation);

  // Writes all fields except id, cluster_id and deleted_at. NOT_FOUND if it does not exist or is
  // deleted.
  absl::Status Update(const Reservation& reservation);

  // Marks it as deleted at `at`. NOT_FOUND as in Update.
  absl::Status Delete(int32_t cluster_id, int64_t id, absl::Time at);

  // Tracked jobs that have not ended and name one of them.
  absl::StatusOr<int64_t> CountJobs(int32_t cluster_id, const std::vector<std::string>& names);
  // The host lists of tracked jobs that run and may still run at `time`, by their time limits;
  // those that are known.
  absl::StatusOr<std::vector<std::string>> NodesInUse(int32_t cluster_id, absl::Time time);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_RESERVATION_STORE_H_
