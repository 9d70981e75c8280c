// What to do about a server that cannot be reached.
#ifndef PRIORITYD_CLIENT_PRIOCTL_CONNECTION_ADVICE_H_
#define PRIORITYD_CLIENT_PRIOCTL_CONNECTION_ADVICE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// `(CAUSE); ADVICE` for what gRPC said of an UNAVAILABLE call to `server`, as --server names it.
// A cause that is not known is gRPC's own text.
std::string ConnectionAdvice(absl::string_view grpc_text, absl::string_view server);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_CONNECTION_ADVICE_H_
