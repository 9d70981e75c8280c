// Warnings of GetStatus: each names a fault and what to do about it.
#ifndef PRIORITYD_SERVER_STATUS_STATUS_WARNINGS_H_
#define PRIORITYD_SERVER_STATUS_STATUS_WARNINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::status {

// A replica that has reported nothing for longer is considered gone.
inline constexpr absl::Duration kReplicaGone = absl::Seconds(20);
// The collector of a member of a usage domain without a newer record may have stopped.
inline constexpr absl::Duration kMemberSilent = absl::Hours(24);

// The facts that are judged: the figures of GetStatus, which describes them, and the limits of the
// flags.
struct StatusFacts {
  struct Database {
    bool is_unreachable = false;
    absl::Duration answered_before;
    std::string last_error;
    int64_t connections = 0;
    int64_t waiting = 0;
  };
  struct Replica {
    std::string name;
    std::string address;
    std::string version;
    bool leads = false;
    bool answers = false;
    absl::Duration unseen_for;
  };
  struct Cluster {
    std::string name;
    int64_t generation = 0;  // 0 = no snapshot.
    absl::Duration period;
    absl::Duration late_by;
    absl::Duration ahead_by;
  };
  // Of a usage domain.
  struct Member {
    std::string domain;
    std::string name;
    absl::Duration silent_for;  // Since the end of its newest record, or since it joined.
    int64_t refused = 0;        // Records.
  };

  // This replica.
  std::string version;
  std::string address;
  bool leads = false;
  bool clock_agrees = true;
  absl::Duration clock_ahead;
  absl::Duration committing_for;
  int64_t request_bytes = 0;
  int64_t memory_budget = 0;  // Bytes.

  Database database;
  std::vector<Replica> replicas;  // All, this one included; empty = unknown.
  std::vector<Cluster> clusters;  // The ones that the caller may see.
  std::vector<Member> members;    // The same.

  absl::Duration stale_for;  // See SnapshotRegistry.
  absl::Duration max_staleness = absl::Minutes(10);
  absl::Duration max_commit = absl::Seconds(30);
  absl::Duration max_clock_offset = absl::Seconds(10);
  bool is_authenticated = false;
  bool is_grpc_exposed = false;
  std::vector<std::string> deferred_migrations;
};

struct StatusWarning {
  std::string reason;  // UPPER_SNAKE_CASE; docs/operations.md lists them.
  std::string text;
  bool needs_action = false;
};

// The warnings that need action first, then the others.
std::vector<StatusWarning> WarningsOf(const StatusFacts& facts);

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_STATUS_WARNINGS_H_
