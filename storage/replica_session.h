// A replica's own connection: it takes part in the election of the leader and
// hears what others publish.
#ifndef STORAGE_REPLICA_SESSION_H_
#define STORAGE_REPLICA_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database.h"
#include "storage/notification.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// The leader is who holds an advisory lock, which goes with its connection. A
// frozen process keeps its connections, so the leader also renews a lease, by
// the database's clock; who finds it expired terminates every connection of its
// holder, whose rows' locks are free then too.
//
// The role must be allowed to call pg_control_system, as every role is by default.
//
// Never reconnects: after an error other than ABORTED the session is of no use
// any more. Not thread-safe.
class ReplicaSession {
 public:
  // What the database says of itself.
  struct Reading {
    absl::Time time;       // By its clock.
    std::string identity;  // See Session.
    // Another number: the schema's tables were dropped or truncated, as by a restore. 0 = there
    // are none.
    int64_t schema = 0;
  };

  // Connects under the name of `database`, which need not outlive the session.
  static absl::StatusOr<std::unique_ptr<ReplicaSession>> Open(const Database& database);
  // Whoever waits for the leadership can have it at once.
  ~ReplicaSession();
  ReplicaSession(const ReplicaSession&) = delete;
  ReplicaSession& operator=(const ReplicaSession&) = delete;

  // Takes the leadership if it is free, or keeps it, until `lease` from now. The
  // epoch that this session leads in: above that of every leader before;
  // nullopt if another one leads.
  absl::StatusOr<std::optional<int64_t>> Campaign(absl::Duration lease);

  // Gives the leadership up, if it is ours.
  absl::Status Resign();

  // UNAVAILABLE if the session's statements are worked on by changing processes, as behind
  // a pooler that gives a connection for a transaction only.
  absl::StatusOr<Reading> Read();

  // Waits until somebody notifies the replicas, or for `timeout` at most; true = there
  // was a notification. Adds what they say to `heard`. Of changes of a queue that the `database`
  // of Open made itself nothing is said: who makes one knows it.
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

// Keeps the leadership where it is until the end of the transaction.
// FAILED_PRECONDITION if it is not that of `epoch` any more.
absl::Status LockLeadership(Transaction& transaction, int64_t epoch);

}  // namespace priorityd::storage

#endif  // STORAGE_REPLICA_SESSION_H_
