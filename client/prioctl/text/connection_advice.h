// Advice about an unreachable server.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// Why a server cannot be reached, in a few words, for what gRPC said of an UNAVAILABLE call. A
// cause that is not known is gRPC's own text.
std::string ConnectionCause(absl::string_view grpc_text);

// `(CAUSE); ADVICE` for what gRPC said of an UNAVAILABLE call to `server`, as --server names it.
std::string ConnectionAdvice(absl::string_view grpc_text, absl::string_view server);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_
