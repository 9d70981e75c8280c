// How an error of a call travels: canonical code, message, and the google.rpc
// details that the service sends with it.
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
  std::string description;  // what was found and what is wanted
};

// The same code and message; the details become payloads, which the functions
// below read. But CANCELLED, which a service says that stops while the call is open,
// becomes UNAVAILABLE: who cancels a call himself does not ask how it ended.
absl::Status FromGrpc(const grpc::Status& status);

// The fields at fault; empty where the error is not about fields.
std::vector<Violation> Violations(const absl::Status& status);

// ErrorInfo's reason, for example UNKNOWN_CLUSTER; empty where there is none.
std::string Reason(const absl::Status& status);

// Whether a stream ended since the token that opened it has expired: another one may open it again.
bool IsProofExpired(const absl::Status& status);

// How long the service asks to wait before trying again, if it asks.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// The error for people, in one line: the message, then every violation that
// the message does not already say.
std::string Describe(const absl::Status& status);

// The same error in other words: `text` says the violations too, which it has no more.
absl::Status Retold(const absl::Status& status, absl::string_view text);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_RPC_ERROR_H_
