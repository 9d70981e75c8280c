// Answers that depend on the snapshot alone: a client that already has one gets no second copy.
#ifndef PRIORITYD_SERVER_TRANSPORT_UNCHANGED_H_
#define PRIORITYD_SERVER_TRANSPORT_UNCHANGED_H_

#include <grpcpp/server_context.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/authorization/rights_table.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// In a relayed call, the client's tag; in the initial metadata, the answer's tag. A tag covers the
// snapshot's content, the caller and the visible data, and the program's version, but not the
// request.
inline constexpr char kKnownTagMetadata[] = "priorityd-known-tag";
inline constexpr char kTagMetadata[] = "priorityd-tag";
// Set in the initial metadata if nothing has changed; the answer is then empty.
inline constexpr char kUnchangedMetadata[] = "priorityd-unchanged";

// Thread-safe.
class AnswerTags {
 public:
  // `registry` must outlive the object.
  explicit AnswerTags(const recalculation::SnapshotRegistry& registry) : registry_(registry) {}

  // Adds the answer's tag to the call's initial metadata, for RPCs that answer from the snapshot
  // alone. False if the client has this tag: the call must end with an empty answer.
  bool Add(authorization::Rpc rpc, const Caller& caller, const std::string& cluster,
           grpc::CallbackServerContext* context) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A digest of the snapshot's tree and numbers. It distinguishes snapshots of the same generation
  // and time, of a cluster that was deleted and created again or of a restored database.
  uint64_t ContentOf(const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_LOCKS_EXCLUDED(mutex_);

  struct Content {
    std::weak_ptr<const priority::Snapshot> snapshot;  // Compared, never owned.
    uint64_t digest = 0;
  };

  const recalculation::SnapshotRegistry& registry_;
  absl::Mutex mutex_;
  // For each cluster's last requested snapshot.
  absl::flat_hash_map<std::string, Content> contents_ ABSL_GUARDED_BY(mutex_);
};

// The status that Boundary::Authorize then returns instead of a caller, and the test for it.
absl::Status Unchanged();
bool IsUnchanged(const absl::Status& status);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_UNCHANGED_H_
