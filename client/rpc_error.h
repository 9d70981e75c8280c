// The error of a call: canonical code, message, and the google.rpc details that
// the service sends with it.
#ifndef PRIORITYD_CLIENT_RPC_ERROR_H_
#define PRIORITYD_CLIENT_RPC_ERROR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/support/status.h"

namespace priorityd::client {

// One fault of one field of a request.
struct Violation {
  std::string field;        // `jobs[17].partitions[0]`, or `slurm.conf line 14`
  std::string description;  // the value found and the value wanted
};

// The same code and message; the details become payloads, which the functions
// below read. CANCELLED becomes UNAVAILABLE, because a service that stops ends its
// open calls with it, and a caller that cancels a call ignores its status.
absl::Status FromGrpc(const grpc::Status& status);

// The fields at fault; empty if the error is not about fields.
std::vector<Violation> Violations(const absl::Status& status);

// ErrorInfo's reason, for example UNKNOWN_CLUSTER; empty = none.
std::string Reason(const absl::Status& status);

// Whether a stream ended because its token has expired: it can be opened again with another one.
bool IsProofExpired(const absl::Status& status);

// The service's retry delay, if any.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// The error in one line: the message, then every violation that the message
// does not contain.
std::string Describe(const absl::Status& status);

// The same error with `text` as its message, which has the violations too: they are removed.
absl::Status Retold(const absl::Status& status, absl::string_view text);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_RPC_ERROR_H_
