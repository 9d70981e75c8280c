// Advice about an unreachable server.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// The reason that a server cannot be reached, in a few words, from gRPC's text of an UNAVAILABLE
// call. For an unknown cause it is gRPC's text itself.
std::string ConnectionCause(absl::string_view grpc_text);

// `(CAUSE); ADVICE` from gRPC's text of an UNAVAILABLE call to `server`, as --server names it.
std::string ConnectionAdvice(absl::string_view grpc_text, absl::string_view server);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_CONNECTION_ADVICE_H_
