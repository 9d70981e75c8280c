#include "server/transport/server_credentials.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/files/read_file.h"

namespace priorityd::rpc {
namespace {

constexpr unsigned int kRefreshSeconds = 1;

absl::Status CheckFiles(const TlsFiles& files) {
  if (absl::Status s = CheckPem("--tls_cert", files.certificate, "CERTIFICATE"); !s.ok()) return s;
  if (absl::Status s = CheckPem("--tls_key", files.key, "PRIVATE KEY"); !s.ok()) return s;
  if (files.client_ca.empty()) return absl::OkStatus();
  return CheckPem("--tls_client_ca", files.client_ca, "CERTIFICATE");
}

}  // namespace

// With an invalid file, gRPC itself would silently fail every handshake.
absl::Status CheckPem(absl::string_view flag, const std::string& path, absl::string_view kind) {
  const std::string content = files::ReadFile(path).value_or("");
  if (absl::StrContains(content, "-----BEGIN ") &&
      absl::StrContains(content, absl::StrCat(kind, "-----"))) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(flag, ": got ", path, ", want a file with a PEM ", kind));
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files) {
  namespace tls = grpc::experimental;
  if (files.certificate.empty()) return grpc::InsecureServerCredentials();
  if (absl::Status s = CheckFiles(files); !s.ok()) return s;
  tls::TlsServerCredentialsOptions options(std::make_shared<tls::FileWatcherCertificateProvider>(
      files.key, files.certificate, files.client_ca, kRefreshSeconds));
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

}  // namespace priorityd::rpc
