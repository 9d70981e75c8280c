#include "server/gateway/relay.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/transport/relayed_peer.h"

namespace priorityd::gateway {
namespace {

constexpr const char* kRelayed[] = {"authorization", "x-slurm-user-token", "traceparent"};
// gRPC takes 8 KiB of metadata in all, of which this much is its own.
constexpr size_t kMostBytes = 8 << 10;
constexpr size_t kOwnBytes = 1 << 10;
// The bytes that gRPC counts for a value besides those of its name and of itself (RFC 9113, 6.5.2).
constexpr size_t kBytesOfEach = 32;

bool IsPrintable(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace

absl::Status Relay(const http::Request& request, const std::optional<identity::Session>& session,
                   grpc::ClientContext* context) {
  const std::string peer =
      rpc::RelayedPeer{request.peer.address, request.peer.certificate_names, session}.ToMetadata();
  size_t bytes = sizeof(rpc::kRelayMetadata) + peer.size() + kBytesOfEach;
  for (const char* name : kRelayed) {
    const std::string value = request.Header(name);
    if (value.empty()) continue;
    if (!IsPrintable(value) || value.size() > kMostBytes) {
      return errors::WithReason(
          absl::InvalidArgumentError(absl::StrCat("header ", name, ": want at most ", kMostBytes,
                                                  " bytes of printable ASCII")),
          "INVALID_HEADER");
    }
    bytes += std::char_traits<char>::length(name) + value.size() + kBytesOfEach;
    context->AddMetadata(name, value);
  }
  if (bytes > kMostBytes - kOwnBytes) {
    return errors::WithReason(
        absl::InvalidArgumentError(absl::StrCat(
            "headers authorization, x-slurm-user-token and traceparent, and the names of the "
            "client certificate: got ",
            bytes, " bytes together, want at most ", kMostBytes - kOwnBytes)),
        "INVALID_HEADER");
  }
  context->AddMetadata(rpc::kRelayMetadata, peer);
  return absl::OkStatus();
}

}  // namespace priorityd::gateway
