// The credentials of calls, and TLS.
#ifndef PRIORITYD_CLIENT_AUTHORIZATION_H_
#define PRIORITYD_CLIENT_AUTHORIZATION_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace grpc {
class ChannelCredentials;
}  // namespace grpc

namespace priorityd::client {

enum class Proof {
  kAutomatic,  // A token if there is one, else MUNGE if munged's socket exists, else none.
  kToken,
  kMunge,
  kNone,
};

struct ProofOptions {
  Proof proof = Proof::kAutomatic;
  // A file with a JSON web token, read for each call; empty = the token in SLURM_JWT, in the form
  // that scontrol prints.
  std::string token_file;
  std::string munge_socket;  // Empty = munged's default.
};

// The value of the metadata `authorization` for one call, new for each: MUNGE accepts a credential
// once. Empty = the call proves nothing. FAILED_PRECONDITION names the missing part.
using Authorize = std::function<absl::StatusOr<std::string>()>;

Authorize MakeAuthorize(ProofOptions options);

// FAILED_PRECONDITION, without the text, for one that no header can have: of several lines, or with
// characters that ASCII cannot print. `what` it is, for the error.
absl::Status CheckHeader(absl::string_view what, absl::string_view text);

// The credential that MakeAuthorize would send now, in words: `a MUNGE credential`.
std::string DescribeProof(const ProofOptions& options);

// PEM files, read again each second; new connections use the new contents.
struct TlsOptions {
  std::string ca;           // The trusted authorities. Empty = no TLS.
  std::string certificate;  // The client's own, and its key; both or none.
  std::string key;
};

// Null without TLS. FAILED_PRECONDITION names an unreadable file or the missing part.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsOptions& options);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_AUTHORIZATION_H_
