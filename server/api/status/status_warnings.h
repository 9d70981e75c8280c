// Warnings of GetStatus: each names a fault and what to do about it.
#ifndef PRIORITYD_SERVER_API_STATUS_STATUS_WARNINGS_H_
#define PRIORITYD_SERVER_API_STATUS_STATUS_WARNINGS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/status.pb.h"

namespace priorityd::rpc {

// Input of the warnings in addition to the answer itself.
struct StatusFacts {
  bool is_database_unreachable = false;
  absl::Duration stale_for;  // See SnapshotRegistry.
  absl::Duration max_staleness = absl::Minutes(10);
  absl::Duration max_commit = absl::Seconds(30);
  absl::Duration max_clock_offset = absl::Seconds(10);
  bool is_authenticated = false;
  bool is_grpc_exposed = false;
  std::vector<std::string> deferred_migrations;
};

// A replica that has reported nothing for longer is considered gone.
inline constexpr absl::Duration kReplicaGone = absl::Seconds(20);

// Adds the warnings that need action first, then the others. docs/operations.md lists them.
void AddWarnings(const StatusFacts& facts, ::priority::v1::GetStatusResponse* status);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_STATUS_STATUS_WARNINGS_H_
