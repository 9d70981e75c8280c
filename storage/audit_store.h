// Who changed what.
#ifndef STORAGE_AUDIT_STORE_H_
#define STORAGE_AUDIT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct AuditEvent {
  int64_t id = 0;
  std::optional<int32_t> cluster_id;
  absl::Time at;
  std::string principal;  // who
  std::string action;     // what was done, such as "ApplyPolicy"
  std::string object;     // to what, such as "policy version 3"
  std::string before;     // "" = nothing
  std::string after;      // "" = nothing
  std::string comment;    // why, as the caller said
  bool operator==(const AuditEvent&) const = default;
};

// How it is stored.
const ColumnTable<AuditEvent>& AuditEventColumns();

// Which events; those that fit every field that is not empty.
struct AuditFilter {
  // Whole, or without what proves them and their address.
  std::vector<std::string> principals = {};
  std::vector<std::string> actions = {};
  std::string object_contains = "";
  std::optional<absl::Time> start = std::nullopt;  // Not before it.
  std::optional<absl::Time> end = std::nullopt;    // Before it.
};

class AuditStore {
 public:
  explicit AuditStore(Transaction& transaction) : transaction_(transaction) {}

  // event.id and event.at are ignored: the time is the transaction's.
  absl::Status Append(const AuditEvent& event) { return Append(absl::MakeConstSpan(&event, 1)); }
  // Any number of them, in their order, by one statement.
  absl::Status Append(absl::Span<const AuditEvent> events);

  // Newest first; at most `limit` with an id below `before` (0 = all). What principals and actions
  // did is read without the events of others.
  absl::StatusOr<std::vector<AuditEvent>> List(int32_t cluster_id, int64_t before, int64_t limit,
                                               const AuditFilter& filter = {});

  // The same of events without a cluster about this object: those of clusters that are no more.
  absl::StatusOr<std::vector<AuditEvent>> ListWithoutCluster(const std::string& object,
                                                             int64_t before, int64_t limit,
                                                             const AuditFilter& filter = {});

 private:
  absl::StatusOr<std::vector<AuditEvent>> Run(const std::string& statement, const Parameter& whose,
                                              int64_t before, int64_t limit,
                                              const AuditFilter& filter);
  absl::StatusOr<std::vector<AuditEvent>> ListOfObjects(int32_t cluster_id, int64_t before,
                                                        int64_t limit, const AuditFilter& filter);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_AUDIT_STORE_H_
