#include "server/transport/unchanged.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/recalculation/snapshot_digest.h"
#include "version.h"

namespace priorityd::rpc {
namespace {

constexpr char kUnchangedPayload[] = "priorityd/unchanged";

// FNV-1a: the same in every replica.
uint64_t Digest(absl::string_view text) {
  uint64_t digest = 14695981039346656037u;
  for (const char byte : text) {
    digest = (digest ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
  return digest;
}

// DigestOf covers the numbers and the associations' ids, which are unique among clusters.
uint64_t ContentDigest(const priority::Snapshot& snapshot) {
  std::string text = absl::StrCat(recalculation::DigestOf(snapshot), "\n",
                                  absl::StrJoin(snapshot.tree().raw_shares(), ","));
  return Digest(text);
}

std::string TagOf(const priority::Snapshot& snapshot, uint64_t content, const Caller& caller) {
  const std::string who =
      absl::StrCat(kVersion, "\n", snapshot.cluster().name, "\n", content, "\n",
                   absl::ToUnixNanos(snapshot.computed_at()), "\n", caller.principal.qualified(),
                   "\n", caller.roles.ToString(), "\n", absl::StrJoin(caller.coordinated, ","));
  return absl::StrCat("g", snapshot.generation(), "-", absl::Hex(Digest(who), absl::kZeroPad16));
}

using SnapshotPointer = std::shared_ptr<const priority::Snapshot>;

bool IsOf(const std::weak_ptr<const priority::Snapshot>& one, const SnapshotPointer& other) {
  return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

uint64_t AnswerTags::ContentOf(const std::shared_ptr<const priority::Snapshot>& snapshot) {
  const std::string& cluster = snapshot->cluster().name;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = contents_.find(cluster);
    if (found != contents_.end() && IsOf(found->second.snapshot, snapshot)) {
      return found->second.digest;
    }
  }
  const uint64_t digest = ContentDigest(*snapshot);
  absl::MutexLock lock(&mutex_);
  contents_[cluster] = {snapshot, digest};
  return digest;
}

bool AnswerTags::Add(authorization::Rpc rpc, const Caller& caller, const std::string& cluster,
                     grpc::CallbackServerContext* context) {
  // Other RPCs' answers also depend on the queue, the database or the time.
  if (rpc != authorization::Rpc::kListShares) return true;
  // Otherwise the answer contains how long it has been stale.
  if (registry_.StaleFor() > absl::ZeroDuration()) return true;
  const auto snapshot = registry_.Find({cluster.data(), cluster.size()});
  if (!snapshot.ok()) return true;
  const std::string tag = TagOf(**snapshot, ContentOf(*snapshot), caller);
  context->AddInitialMetadata(kTagMetadata, tag);
  const auto known = context->client_metadata().find(kKnownTagMetadata);
  if (known == context->client_metadata().end() ||
      tag != absl::string_view(known->second.data(), known->second.size())) {
    return true;
  }
  context->AddInitialMetadata(kUnchangedMetadata, "1");
  return false;
}

absl::Status Unchanged() {
  absl::Status status = absl::AbortedError("the client has the answer");
  status.SetPayload(kUnchangedPayload, absl::Cord());
  return status;
}

bool IsUnchanged(const absl::Status& status) {
  return status.GetPayload(kUnchangedPayload).has_value();
}

}  // namespace priorityd::rpc
