#include "client/authorization.h"

#include <munge.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace priorityd::client {
namespace {

// The payload that the service expects in a credential.
constexpr char kMungePayload[] = "priorityd";
constexpr char kTokenVariable[] = "SLURM_JWT";
// Between two checks of the TLS files.
constexpr unsigned int kRefreshSeconds = 1;

struct FreeContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
using Context = std::unique_ptr<munge_ctx, FreeContext>;

Context MakeContext(const std::string& socket) {
  Context context(munge_ctx_create());
  if (context != nullptr && !socket.empty()) {
    munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket.c_str());
  }
  return context;
}

std::string SocketOf(const ProofOptions& options) {
  const Context context = MakeContext(options.munge_socket);
  char* socket = nullptr;
  if (context != nullptr) munge_ctx_get(context.get(), MUNGE_OPT_SOCKET, &socket);
  return socket == nullptr ? "" : socket;
}

std::string TokenVariable() {
  const char* token = std::getenv(kTokenVariable);
  return token == nullptr ? "" : token;
}

// `what` it is, for the error.
absl::StatusOr<std::string> ReadFile(absl::string_view what, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, ": ", path, ": ", std::strerror(errno)));
  }
  // An iterator over the stream would throw for a directory.
  std::string content;
  char piece[4096];
  while (stream.read(piece, sizeof(piece)) || stream.gcount() > 0) {
    content.append(piece, static_cast<size_t>(stream.gcount()));
  }
  if (!stream.bad()) return content;
  return absl::FailedPreconditionError(absl::StrCat(what, ": ", path, ": cannot be read"));
}

absl::StatusOr<std::string> AuthorizeByToken(const ProofOptions& options) {
  absl::StatusOr<std::string> token = TokenVariable();
  if (!options.token_file.empty()) token = ReadFile("token file", options.token_file);
  if (!token.ok()) return token.status();
  const absl::string_view text = absl::StripAsciiWhitespace(*token);
  const char* const what = options.token_file.empty() ? kTokenVariable : "token file";
  if (absl::Status status = CheckHeader(what, text); !status.ok()) return status;
  if (!text.empty()) return absl::StrCat("Bearer ", text);
  return absl::FailedPreconditionError(
      absl::StrCat("token: got none, want one in ", kTokenVariable, " or in a file"));
}

absl::StatusOr<std::string> AuthorizeByMunge(const std::string& socket) {
  const Context context = MakeContext(socket);
  char* credential = nullptr;
  const munge_err_t error = munge_encode(&credential, context.get(), kMungePayload,
                                         static_cast<int>(std::strlen(kMungePayload)));
  if (error != EMUNGE_SUCCESS) {
    return absl::FailedPreconditionError(
        absl::StrCat("munged of this host: ", munge_ctx_strerror(context.get())));
  }
  std::string authorization = absl::StrCat("MUNGE ", credential);
  std::free(credential);
  return authorization;
}

// The present choice of kAutomatic.
Proof Chosen(const ProofOptions& options) {
  if (options.proof != Proof::kAutomatic) return options.proof;
  if (!options.token_file.empty() || !TokenVariable().empty()) return Proof::kToken;
  return access(SocketOf(options).c_str(), F_OK) == 0 ? Proof::kMunge : Proof::kNone;
}

}  // namespace

absl::Status CheckHeader(absl::string_view what, absl::string_view text) {
  if (absl::c_all_of(text, absl::ascii_isprint)) return absl::OkStatus();
  const auto lines = 1 + absl::c_count(text, '\n');
  const std::string got = lines > 1 ? absl::StrCat(lines, " lines, want one")
                                    : "a character that is not printable ASCII, want none";
  return absl::FailedPreconditionError(absl::StrCat(what, ": got ", got));
}

Authorize MakeAuthorize(ProofOptions options) {
  return [options = std::move(options)]() -> absl::StatusOr<std::string> {
    switch (Chosen(options)) {
      case Proof::kToken:
        return AuthorizeByToken(options);
      case Proof::kMunge:
        return AuthorizeByMunge(options.munge_socket);
      default:
        return std::string();
    }
  };
}

std::string DescribeProof(const ProofOptions& options) {
  switch (Chosen(options)) {
    case Proof::kToken:
      return options.token_file.empty() ? absl::StrCat("the token of ", kTokenVariable)
                                        : absl::StrCat("the token of ", options.token_file);
    case Proof::kMunge:
      return "a MUNGE credential";
    default:
      return options.proof == Proof::kNone
                 ? "nothing"
                 : absl::StrCat("nothing, as there is neither a token in ", kTokenVariable,
                                " nor a munged at ", SocketOf(options));
  }
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsOptions& options) {
  if (options.ca.empty()) return std::shared_ptr<grpc::ChannelCredentials>();
  if (options.certificate.empty() != options.key.empty()) {
    return absl::FailedPreconditionError("TLS: got one of certificate and key, want both or none");
  }
  // If a file is missing, gRPC fails every handshake without a message.
  for (const std::string* path : {&options.ca, &options.certificate, &options.key}) {
    if (path->empty()) continue;
    if (auto read = ReadFile("TLS file", *path); !read.ok()) return read.status();
  }
  namespace tls = grpc::experimental;
  tls::TlsChannelCredentialsOptions watched;
  watched.set_certificate_provider(std::make_shared<tls::FileWatcherCertificateProvider>(
      options.key, options.certificate, options.ca, kRefreshSeconds));
  watched.watch_root_certs();
  if (!options.certificate.empty()) watched.watch_identity_key_cert_pairs();
  return tls::TlsCredentials(watched);
}

}  // namespace priorityd::client
