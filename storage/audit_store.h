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

struct AuditEvent {
  int64_t id = 0;
  std::optional<int32_t> cluster_id;
  absl::Time at;
  std::string principal;  // who
  std::string action;     // what was done, such as "ApplyPolicy"
  std::string object;     // to what, such as "policy version 3"
  std::string before;     // "" = nothing
  std::string after;      // "" = nothing
  bool operator==(const AuditEvent&) const = default;
};

class AuditStore {
 public:
  explicit AuditStore(Transaction& transaction) : transaction_(transaction) {}

  // event.id and event.at are ignored: the time is the transaction's.
  absl::Status Append(const AuditEvent& event) { return Append(absl::MakeConstSpan(&event, 1)); }
  // Any number of them, in their order, by one statement.
  absl::Status Append(absl::Span<const AuditEvent> events);

  // Newest first; at most `limit` with an id below `before` (0 = all).
  absl::StatusOr<std::vector<AuditEvent>> List(int32_t cluster_id, int64_t before, int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_AUDIT_STORE_H_
