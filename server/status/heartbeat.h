// This replica's heartbeat, and the state of the other replicas.
#ifndef PRIORITYD_SERVER_STATUS_HEARTBEAT_H_
#define PRIORITYD_SERVER_STATUS_HEARTBEAT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database/database.h"
#include "storage/ledger/domain_store.h"
#include "storage/snapshots/replica_store.h"

namespace priorityd::status {

// The answer of the database at one heartbeat.
struct DatabaseNews {
  std::vector<storage::Replica> replicas;  // Including this one, by name.
  std::string server_version;
  int32_t schema_version = 0;
  std::vector<std::string> deferred_migrations;  // Migrations that need --contract.
  int64_t incarnation = 0;  // The number of distinct database incarnations so far, from 1.
  absl::btree_map<std::string, absl::Time> ledger_horizons;  // By cluster.
  std::vector<storage::DomainMember> domain_members;         // Of all usage domains.
};

// Every `period`, writes this replica's row and reads the database's state, on its own thread and
// connection: readers of the state never wait for the database, and the heartbeat never waits for a
// pooled connection. Thread-safe.
class Heartbeat {
 public:
  struct Options {
    absl::Duration period = absl::Seconds(5);
    // Replicas without a heartbeat for this long are forgotten.
    absl::Duration expiry = absl::Hours(1);
    threads::Clock clock;  // A real one.
    // The row of this replica; Heartbeat fills in the name and the times.
    std::function<storage::Replica()> self;
  };

  // Connects to the same database as `database`, under the same application name.
  Heartbeat(const storage::Database& database, Options options);
  // Deletes the row if the database answers.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Call once.
  void Start();

  struct State {
    std::shared_ptr<const DatabaseNews> news;  // Null before the first heartbeat.
    absl::Duration age;                        // Age of the news, or time since the start.
    absl::Status error;                        // Of the last finished attempt.
    absl::Duration trying;                     // Of the running attempt, since its start; 0 = none.

    // The last attempt failed, or one has been running for longer than `period`.
    bool is_unreachable = false;
  };
  State state() const ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string& name() const { return database_.options().application_name; }
  absl::Time started_at() const { return started_at_; }
  // Time since the start, unaffected by changes of the host's clock.
  absl::Duration uptime() const { return options_.clock() - began_to_run_; }

 private:
  void Beat() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<DatabaseNews> Exchange();

  storage::Database database_;
  const Options options_;
  const absl::Time started_at_;    // By the host's clock.
  const absl::Time began_to_run_;  // By options.clock.
  mutable absl::Mutex mutex_;
  std::shared_ptr<const DatabaseNews> news_ ABSL_GUARDED_BY(mutex_);
  absl::Time news_at_ ABSL_GUARDED_BY(mutex_);
  absl::Time began_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_HEARTBEAT_H_
