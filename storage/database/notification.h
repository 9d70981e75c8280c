// Notifications between replicas.
#ifndef STORAGE_DATABASE_NOTIFICATION_H_
#define STORAGE_DATABASE_NOTIFICATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

enum class Subject {
  kAnything,       // Whatever else; the leadership too. Of every cluster.
  kConfiguration,  // The configuration by operators: the revision is another one.
  kSnapshot,       // The leader published.
  kNumbers,        // A replica wants the newest snapshot's numbers; see PublicationStore.
  kRequest,        // A replica asks the leader to recalculate.
  kAnswer,         // The leader answered.
  kQueue,          // The tracked queue.
  kHaste,          // The leader is to recalculate soon: the configuration has changed.
};

struct Notification {
  Subject subject = Subject::kAnything;
  std::string cluster;  // Empty = every one; so is a payload of another version.
  bool operator==(const Notification&) const = default;
};
using Notifications = std::vector<Notification>;

// The payload: `subject cluster`. PostgreSQL delivers equal payloads of a transaction once. An
// unknown payload means kAnything.
std::string ToPayload(const Notification& notification);
Notification FromPayload(absl::string_view payload);

// Notifies every replica when the transaction commits.
absl::Status Notify(Transaction& transaction, const Notification& notification);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_NOTIFICATION_H_
