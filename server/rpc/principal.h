// Who calls.
#ifndef PRIORITYD_SERVER_RPC_PRINCIPAL_H_
#define PRIORITYD_SERVER_RPC_PRINCIPAL_H_

#include <grpcpp/server_context.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace priorityd::rpc {

// Nobody proves who he is, so the address is all there is.
inline std::string PrincipalOf(const grpc::CallbackServerContext& context) {
  return absl::StrCat("anonymous (", context.peer(), ")");
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PRINCIPAL_H_
