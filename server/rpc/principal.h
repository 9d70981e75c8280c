// The name of the caller.
#ifndef PRIORITYD_SERVER_RPC_PRINCIPAL_H_
#define PRIORITYD_SERVER_RPC_PRINCIPAL_H_

#include <grpcpp/server_context.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace priorityd::rpc {

// Callers are not authenticated: the address is all there is.
inline std::string PrincipalOf(const grpc::CallbackServerContext& context) {
  return absl::StrCat("anonymous (", context.peer(), ")");
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PRINCIPAL_H_
