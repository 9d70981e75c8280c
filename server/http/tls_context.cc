#include "server/http/tls_context.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/threads/clock.h"

namespace priorityd::http {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

absl::Status FileError(const char* flag, const std::string& file) {
  return absl::FailedPreconditionError(
      absl::StrCat("--", flag, ": got ", file, ", want a readable PEM file that fits the others"));
}

files::FileStamps StampsOf(const TlsFiles& files) {
  return {files::StampOf(files.certificate), files::StampOf(files.key),
          files::StampOf(files.client_ca)};
}

absl::StatusOr<std::shared_ptr<SSL_CTX>> Read(const TlsFiles& files) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Sessions are not resumed: each connection is one request.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return FileError("tls_cert", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return FileError("tls_key", files.key);
  }
  if (files.client_ca.empty()) return context;
  const char* authorities = files.client_ca.c_str();
  if (SSL_CTX_load_verify_locations(context.get(), authorities, nullptr) != 1) {
    return FileError("tls_client_ca", files.client_ca);
  }
  SSL_CTX_set_client_CA_list(context.get(), SSL_load_client_CA_file(authorities));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

}  // namespace

TlsContext::TlsContext(TlsFiles files, std::shared_ptr<SSL_CTX> context, files::FileStamps stamps)
    : files_(std::move(files)), context_(std::move(context)), stamps_(std::move(stamps)) {}

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Open(const TlsFiles& files) {
  files::FileStamps stamps = StampsOf(files);
  auto context = Read(files);
  if (!context.ok()) return context.status();
  return std::unique_ptr<TlsContext>(new TlsContext(files, *std::move(context), std::move(stamps)));
}

std::shared_ptr<SSL_CTX> TlsContext::Newest() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = threads::RunningTime();
  if (now < look_at_) return context_;
  look_at_ = now + kBetweenLooks;
  files::FileStamps stamps = files::StampsNow(stamps_);
  if (stamps == stamps_) return context_;
  auto context = Read(files_);
  if (!context.ok()) return context_;  // A file may be in the middle of a write.
  context_ = *std::move(context);
  stamps_ = std::move(stamps);
  return context_;
}

}  // namespace priorityd::http
