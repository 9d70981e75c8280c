// How the server proves itself to its clients, and asks them for certificates.
#ifndef PRIORITYD_SERVER_RPC_SERVER_CREDENTIALS_H_
#define PRIORITYD_SERVER_RPC_SERVER_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// PEM files; read again within about a second when they change. A connection keeps what it began
// with.
struct TlsFiles {
  std::string certificate;  // The chain, the server's own first. Empty = no TLS.
  std::string key;
  // Of those that may sign client certificates. Empty = clients are asked for none. Else a client
  // may show one, and is refused where none of these has signed it.
  std::string client_ca;
};

// FAILED_PRECONDITION where the file of a flag cannot be read, or has no PEM of this kind, such as
// `PRIVATE KEY`.
absl::Status CheckPem(absl::string_view flag, const std::string& path, absl::string_view kind);

// TLS 1.2 or later; none without a certificate. FAILED_PRECONDITION where a file cannot be read, or
// has no PEM of its kind.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SERVER_CREDENTIALS_H_
