#include "server/gateway/relay.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"
#include "server/rpc/relayed_peer.h"

namespace priorityd::gateway {
namespace {

constexpr const char* kRelayed[] = {"authorization", "x-slurm-user-token", "traceparent"};
// gRPC takes 8 KiB of metadata in all.
constexpr size_t kMostBytes = 8 << 10;

bool IsPrintable(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace

absl::Status Relay(const http::Request& request, grpc::ClientContext* context) {
  for (const char* name : kRelayed) {
    const std::string value = request.Header(name);
    if (value.empty()) continue;
    if (!IsPrintable(value) || value.size() > kMostBytes) {
      return errors::WithReason(
          absl::InvalidArgumentError(absl::StrCat("header ", name, ": want at most ", kMostBytes,
                                                  " bytes of printable ASCII")),
          "INVALID_HEADER");
    }
    context->AddMetadata(name, value);
  }
  context->AddMetadata(
      rpc::kRelayMetadata,
      rpc::RelayedPeer{request.peer.address, request.peer.certificate_names}.ToMetadata());
  return absl::OkStatus();
}

}  // namespace priorityd::gateway
