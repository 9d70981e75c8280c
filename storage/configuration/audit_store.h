// The audit log.
#ifndef STORAGE_CONFIGURATION_AUDIT_STORE_H_
#define STORAGE_CONFIGURATION_AUDIT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct AuditEvent {
  int64_t id = 0;
  std::optional<int32_t> cluster_id;
  absl::Time at;
  std::string principal;  // the principal with its credential
  std::string action;     // such as "ApplyPolicy"
  std::string object;     // such as "policy version 3"
  std::string before;     // "" = nothing
  std::string after;      // "" = nothing
  std::string comment;    // the reason given by the caller
  bool operator==(const AuditEvent&) const = default;
};

// The columns of the table.
const ColumnTable<AuditEvent>& AuditEventColumns();

// Selects events that match every field that is not empty.
struct AuditFilter {
  // The principals, with or without credential and address.
  std::vector<std::string> principals = {};
  std::vector<std::string> actions = {};
  std::string object_contains = "";
  std::optional<absl::Time> start = std::nullopt;  // Not before it.
  std::optional<absl::Time> end = std::nullopt;    // Before it.
};

// The size of some events.
struct AuditUse {
  int64_t events = 0;
  int64_t bytes = 0;  // Of their texts.
  bool operator==(const AuditUse&) const = default;
};

class AuditStore {
 public:
  explicit AuditStore(Transaction& transaction) : transaction_(transaction) {}

  // Ignores event.id and event.at: the time is that of the transaction.
  absl::Status Append(const AuditEvent& event) { return Append(absl::MakeConstSpan(&event, 1)); }
  // Appends several events, in order, by one statement.
  absl::Status Append(absl::Span<const AuditEvent> events);

  // Newest first; at most `limit` with an id below `before` (0 = all). Selecting principals or
  // actions does not read other events.
  absl::StatusOr<std::vector<AuditEvent>> List(int32_t cluster_id, int64_t before, int64_t limit,
                                               const AuditFilter& filter = {});

  // The same for events without a cluster about this object: those of deleted clusters.
  absl::StatusOr<std::vector<AuditEvent>> ListWithoutCluster(const std::string& object,
                                                             int64_t before, int64_t limit,
                                                             const AuditFilter& filter = {});

  // The use of the events of these authors in the last `period` by the database's clock, among the
  // `newest` ones under the name with which they begin: reads no others.
  absl::StatusOr<AuditUse> Use(int32_t cluster_id, const LeaseAuthors& authors,
                               absl::Duration period, int64_t newest);

 private:
  absl::StatusOr<std::vector<AuditEvent>> Run(const std::string& statement, const Parameter& whose,
                                              int64_t before, int64_t limit,
                                              const AuditFilter& filter);
  absl::StatusOr<std::vector<AuditEvent>> ListOfObjects(int32_t cluster_id, int64_t before,
                                                        int64_t limit, const AuditFilter& filter);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_AUDIT_STORE_H_
