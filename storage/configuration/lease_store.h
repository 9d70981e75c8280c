// Leases: settings of associations, users, QOS, partitions and jobs with an end.
#ifndef STORAGE_CONFIGURATION_LEASE_STORE_H_
#define STORAGE_CONFIGURATION_LEASE_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// In effect from begin_time up to, but not including, the earlier one of end_time and ended_at. The
// words are the caller's own.
struct Lease {
  int64_t id = 0;
  std::string kind;
  // The object's key; empty = not part of it.
  std::string account;
  std::string user_name;
  std::string partition;
  std::string qos;
  std::string job_id;
  std::string object;  // The same as a text; unique among the objects of a kind.
  // Of the same length.
  std::vector<std::string> setting_names;
  std::vector<std::string> setting_operators;
  std::vector<std::string> setting_values;
  absl::Time begin_time;
  absl::Time end_time;
  std::string created_by;
  std::string comment;
  std::optional<absl::Time> ended_at;  // By an operator; at or before begin_time = cancelled.
  std::string ended_by;
  // Whether a recalculation has passed the begin and the end.
  bool begin_passed = false;
  bool end_passed = false;
  bool operator==(const Lease&) const = default;
};

// The columns of the table.
const ColumnTable<Lease>& LeaseColumns();

// The end that takes effect.
absl::Time EndOf(const Lease& lease);
bool IsCancelled(const Lease& lease);

// A job of the tracked queue, with the stored values of the settings that leases may change.
struct LeasedJob {
  std::string job_id;
  int32_t nice = 0;
  bool operator==(const LeasedJob&) const = default;
};

// Selects leases; empty = not selected by.
struct LeaseFilter {
  std::vector<std::string> objects;
  std::vector<int64_t> ids;
  // At a time, any of: before its begin, in effect, ended, cancelled.
  absl::Time time;
  bool pending = true;
  bool active = true;
  bool ended = true;
  bool cancelled = true;
};

// Selects created_by by the texts with which it begins and ends; empty = any.
struct LeaseAuthors {
  std::string begin;
  std::string end;
};

class LeaseStore {
 public:
  explicit LeaseStore(Transaction& transaction) : transaction_(transaction) {}

  // The leases whose end no recalculation has passed, except cancelled ones, by begin and id: the
  // order in which they are folded.
  absl::StatusOr<std::vector<Lease>> ListOpen(int32_t cluster_id,
                                              Edition edition = Edition::kCurrent);
  // The same of some objects.
  absl::StatusOr<std::vector<Lease>> ListOpenOf(int32_t cluster_id,
                                                const std::vector<std::string>& objects);
  // The objects among these that have leases, ended or not, in no order.
  absl::StatusOr<std::vector<std::string>> ListLeased(int32_t cluster_id,
                                                      const std::vector<std::string>& objects);
  // The jobs among these that are in the queue and have not ended.
  absl::StatusOr<std::vector<LeasedJob>> ListJobs(int32_t cluster_id,
                                                  const std::vector<std::string>& job_ids);
  // The number of leases of a kind of objects that have not ended at `time`.
  absl::StatusOr<int64_t> CountNotEnded(int32_t cluster_id, absl::Time time,
                                        const std::string& kind, const LeaseAuthors& authors = {});
  // The number of those of a kind and of some authors whose end no recalculation has passed.
  absl::StatusOr<int64_t> CountOpen(int32_t cluster_id, const std::string& kind,
                                    const LeaseAuthors& authors);
  // The first begin or end after `time`; nullopt if there is none.
  absl::StatusOr<std::optional<absl::Time>> NextPassage(int32_t cluster_id, absl::Time time);
  // At most `most` with an id below `before` (0 = all), the newest first.
  absl::StatusOr<std::vector<Lease>> List(int32_t cluster_id, const LeaseFilter& filter,
                                          int64_t before, int64_t most);

  // Returns the new ids in order; Lease::id is ignored.
  absl::StatusOr<std::vector<int64_t>> Insert(int32_t cluster_id, absl::Span<const Lease> leases);
  // Ends them at `at`; cancels those that have not begun, which no recalculation has to pass.
  absl::Status End(int32_t cluster_id, const std::vector<int64_t>& ids, absl::Time at,
                   const std::string& by);
  // Ends or cancels those whose object does not exist any more, and returns them. No recalculation
  // has to pass them.
  absl::StatusOr<std::vector<Lease>> EndOfDeleted(int32_t cluster_id, absl::Time at,
                                                  const std::string& by);
  // Note that a recalculation has passed the begins, or the ends. Return the ids of those for which
  // none had.
  absl::StatusOr<std::vector<int64_t>> PassBegins(int32_t cluster_id,
                                                  const std::vector<int64_t>& ids);
  absl::StatusOr<std::vector<int64_t>> PassEnds(int32_t cluster_id,
                                                const std::vector<int64_t>& ids);
  // Deletes those that ended before `ended`, and those that were cancelled before `cancelled`.
  absl::Status DeleteBefore(int32_t cluster_id, absl::Time ended, absl::Time cancelled);
  // Deletes the oldest ones of a kind whose end a recalculation has passed, or which were
  // cancelled: all but `of_authors` of some authors, and all but `of_kind`. REQUIRES: authors.begin
  // is not empty.
  absl::Status DeleteBeyond(int32_t cluster_id, const std::string& kind,
                            const LeaseAuthors& authors, int64_t of_authors, int64_t of_kind);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_LEASE_STORE_H_
