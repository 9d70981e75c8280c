#include "server/transport/connections.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace priorityd::rpc {
namespace {

constexpr intptr_t kPage = 1000;

// Takes ownership of text allocated by gRPC.
std::string TakeText(char* text) {
  const std::string taken = text == nullptr ? "" : text;
  gpr_free(text);
  return taken;
}

// The values of this key in channelz' JSON: numbers in quotes.
std::vector<int64_t> IdsOf(absl::string_view json, absl::string_view key) {
  std::vector<int64_t> ids;
  for (size_t at = json.find(key); at != absl::string_view::npos; at = json.find(key)) {
    json.remove_prefix(at + key.size());
    const size_t begin = json.find_first_of("0123456789");
    if (begin == absl::string_view::npos) return ids;
    json.remove_prefix(begin);
    int64_t id = 0;
    if (absl::SimpleAtoi(json.substr(0, json.find_first_not_of("0123456789")), &id)) {
      ids.push_back(id);
    }
  }
  return ids;
}

size_t CountConnectionsOf(int64_t server) {
  size_t count = 0;
  int64_t next = 0;
  while (count < kMostConnectionsCounted) {
    const std::string page =
        TakeText(grpc_channelz_get_server_sockets(static_cast<intptr_t>(server), next, kPage));
    const std::vector<int64_t> sockets = IdsOf(page, "\"socketId\":");
    count += sockets.size();
    if (sockets.size() < static_cast<size_t>(kPage)) break;
    next = sockets.back() + 1;
  }
  return count;
}

}  // namespace

size_t CountConnections() {
  size_t count = 0;
  const std::string servers = TakeText(grpc_channelz_get_servers(0));
  for (const int64_t server : IdsOf(servers, "\"serverId\":")) count += CountConnectionsOf(server);
  return count;
}

}  // namespace priorityd::rpc
