// The token that continues a list.
#ifndef PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_
#define PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::rpc {

struct PageToken {
  int64_t generation = 0;    // Of the snapshot listed.
  int64_t position = 0;      // Where to go on.
  uint64_t fingerprint = 0;  // Of the request's other fields.
};

std::string Encode(const PageToken& token);
// nullopt for what Encode did not make.
std::optional<PageToken> DecodePageToken(absl::string_view text);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_
