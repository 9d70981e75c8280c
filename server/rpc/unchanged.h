// Answers that are the same as long as the snapshot is: a client that has one gets no second copy.
#ifndef PRIORITYD_SERVER_RPC_UNCHANGED_H_
#define PRIORITYD_SERVER_RPC_UNCHANGED_H_

#include <grpcpp/server_context.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/authorization/rights_table.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// Of a relayed call: the tag that the client has, and in the initial metadata the one that the
// answer has. A tag is of the snapshot's content, the caller and what they may see, and the
// program's version; the request is not in it.
inline constexpr char kKnownTagMetadata[] = "priorityd-known-tag";
inline constexpr char kTagMetadata[] = "priorityd-tag";
// In the initial metadata where nothing has changed; the answer is then empty.
inline constexpr char kUnchangedMetadata[] = "priorityd-unchanged";

// Thread-safe.
class AnswerTags {
 public:
  // `registry` must outlive the object.
  explicit AnswerTags(const recalculation::SnapshotRegistry& registry) : registry_(registry) {}

  // Adds the tag of the answer to the call's initial metadata, for RPCs that answer from the
  // snapshot alone. False where it is the one that the client has: the call is to end with an empty
  // answer.
  bool Add(authorization::Rpc rpc, const Caller& caller, const std::string& cluster,
           grpc::CallbackServerContext* context) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A digest of the snapshot's tree and numbers. Two snapshots of one generation and time have
  // different ones: those of a cluster that was deleted and created again, or of a database that
  // was restored.
  uint64_t ContentOf(const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_LOCKS_EXCLUDED(mutex_);

  struct Content {
    std::shared_ptr<const priority::Snapshot> snapshot;
    uint64_t digest = 0;
  };

  const recalculation::SnapshotRegistry& registry_;
  absl::Mutex mutex_;
  // Of each cluster's last snapshot that was asked for.
  absl::flat_hash_map<std::string, Content> contents_ ABSL_GUARDED_BY(mutex_);
};

// What Boundary::Authorize says then instead of a caller, and whether it did.
absl::Status Unchanged();
bool IsUnchanged(const absl::Status& status);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_UNCHANGED_H_
