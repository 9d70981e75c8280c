// The connection of a replica for leader election and notifications.
#ifndef STORAGE_SNAPSHOTS_REPLICA_SESSION_H_
#define STORAGE_SNAPSHOTS_REPLICA_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/database.h"
#include "storage/database/notification.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The leader holds an advisory lock, which is released with its connection. Because a frozen
// process keeps its connections, the leader also renews a lease, by the database's clock; a replica
// that finds the lease expired terminates all connections of the leader, which also releases its
// row locks.
//
// The role must be allowed to call pg_control_system, as every role is by default.
//
// Never reconnects: after an error other than ABORTED the session is unusable. Not thread-safe.
class ReplicaSession {
 public:
  // The state of the database.
  struct Reading {
    absl::Time time;       // By its clock.
    std::string identity;  // See Session.
    // Changes if the tables of the schema were dropped or truncated, as by a restore. 0 = no
    // tables.
    int64_t schema = 0;
  };

  // Connects under the name of `database`, which need not outlive the session.
  static absl::StatusOr<std::unique_ptr<ReplicaSession>> Open(const Database& database);
  // Releases the leadership, so that another replica can take it at once.
  ~ReplicaSession();
  ReplicaSession(const ReplicaSession&) = delete;
  ReplicaSession& operator=(const ReplicaSession&) = delete;

  // Takes the leadership if it is free, or renews it, until `lease` from now. Returns the epoch of
  // this leadership, which is above that of every earlier one; nullopt if another replica leads.
  absl::StatusOr<std::optional<int64_t>> Campaign(absl::Duration lease);

  // Releases the leadership, if this session has it.
  absl::Status Resign();

  // UNAVAILABLE if different server processes run the statements of the session, as behind a pooler
  // in transaction mode.
  absl::StatusOr<Reading> Read();

  // Waits for a notification, at most for `timeout`; true = there was one. Adds the notifications
  // to `heard`, except changes of a queue made by the `database` of Open itself, which it knows
  // already.
  absl::StatusOr<bool> AwaitNotification(absl::Duration timeout, Notifications* heard = nullptr);

 private:
  class Listener;

  explicit ReplicaSession(std::unique_ptr<Listener> listener, std::string name);
  template <typename Function>
  auto Try(Function function) -> decltype(function());
  absl::StatusOr<std::optional<int64_t>> Renew(absl::Duration lease);
  absl::StatusOr<std::optional<int64_t>> TakeOver(absl::Duration lease);

  std::unique_ptr<Listener> listener_;
  const std::string name_;
  std::optional<int64_t> epoch_;  // Of our leadership.
};

// Notifies every replica when the transaction commits, of anything.
absl::Status NotifyReplicas(Transaction& transaction);

// Locks the leadership until the end of the transaction. FAILED_PRECONDITION if it is no longer
// that of `epoch`.
absl::Status LockLeadership(Transaction& transaction, int64_t epoch);

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_REPLICA_SESSION_H_
