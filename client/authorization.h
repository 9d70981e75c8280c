// How calls prove who makes them, and TLS.
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
  kAutomatic,  // A token if there is one, else MUNGE if munged's socket is there, else none.
  kToken,
  kMunge,
  kNone,
};

struct ProofOptions {
  Proof proof = Proof::kAutomatic;
  // A file with a JSON web token, read for each call; empty = what SLURM_JWT has, as scontrol
  // prints it.
  std::string token_file;
  std::string munge_socket;  // Empty = munged's default.
};

// The value of the metadata `authorization` for one call, new for each: MUNGE takes a credential
// once. Empty = the call proves nothing. FAILED_PRECONDITION says what is missing.
using Authorize = std::function<absl::StatusOr<std::string>()>;

Authorize MakeAuthorize(ProofOptions options);

// What MakeAuthorize would send now, for people: `a MUNGE credential`.
std::string DescribeProof(const ProofOptions& options);

// PEM files; what they have is read again each second, for the connections that are made then.
struct TlsOptions {
  std::string ca;           // Whom to trust. Empty = no TLS.
  std::string certificate;  // The client's own, and its key; both or none.
  std::string key;
};

// Null without TLS. FAILED_PRECONDITION names a file that cannot be read, or what is missing.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsOptions& options);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_AUTHORIZATION_H_
