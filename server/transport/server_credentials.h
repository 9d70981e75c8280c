// TLS credentials of the server, and its requests for client certificates.
#ifndef PRIORITYD_SERVER_TRANSPORT_SERVER_CREDENTIALS_H_
#define PRIORITYD_SERVER_TRANSPORT_SERVER_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// PEM files; read again within about a second after a change. A connection keeps its credentials.
struct TlsFiles {
  std::string certificate;  // The chain, the server's certificate first. Empty = no TLS.
  std::string key;
  // CA certificates for client certificates. Empty = none are requested. Otherwise a client may
  // present one, and is refused unless one of these CAs signed it.
  std::string client_ca;
};

// FAILED_PRECONDITION if the file of a flag cannot be read or contains no PEM of this kind, such as
// `PRIVATE KEY`.
absl::Status CheckPem(absl::string_view flag, const std::string& path, absl::string_view kind);

// TLS 1.2 or later; no TLS without a certificate. FAILED_PRECONDITION if a file cannot be read or
// contains no PEM of its kind.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_SERVER_CREDENTIALS_H_
