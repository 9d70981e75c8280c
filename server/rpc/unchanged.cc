#include "server/rpc/unchanged.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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

std::string TagOf(const priority::Snapshot& snapshot, const Caller& caller) {
  const std::string who =
      absl::StrCat(snapshot.cluster().name, "\n", absl::ToUnixNanos(snapshot.computed_at()), "\n",
                   caller.principal.qualified(), "\n", caller.roles.ToString(), "\n",
                   absl::StrJoin(caller.coordinated, ","));
  return absl::StrCat("g", snapshot.generation(), "-", absl::Hex(Digest(who), absl::kZeroPad16));
}

}  // namespace

bool TagAnswer(authorization::Rpc rpc, const Caller& caller, const std::string& cluster,
               const recalculation::SnapshotRegistry& registry,
               grpc::CallbackServerContext* context) {
  // The answers of others also come from the queue, the database or the time.
  if (rpc != authorization::Rpc::kListShares) return true;
  // Else the answer says for how long it has been stale.
  if (registry.StaleFor() > absl::ZeroDuration()) return true;
  const auto snapshot = registry.Find({cluster.data(), cluster.size()});
  if (!snapshot.ok()) return true;
  const std::string tag = TagOf(**snapshot, caller);
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
