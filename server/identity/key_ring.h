// The auth file and its key files, read together.
#ifndef PRIORITYD_SERVER_IDENTITY_KEY_RING_H_
#define PRIORITYD_SERVER_IDENTITY_KEY_RING_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "server/files/file_stamp.h"
#include "server/identity/auth_file.h"
#include "server/identity/json_token.h"

namespace priorityd::identity {

// Immutable.
struct KeyRing {
  AuthSettings settings;
  TokenKeys slurm_secret;                        // For HS256.
  TokenKeys slurm_public;                        // For other algorithms.
  std::map<std::string, TokenKeys> issuer_keys;  // By TokenIssuer::url.
  // Stamps of the files, taken before reading them.
  files::FileStamps stamps;
};

// INVALID_ARGUMENT states the file and the reason: it cannot be read, ParseAuthFile or TokenKeys
// refuses it, or it is a secret key that every user of the host can read.
absl::StatusOr<KeyRing> ReadKeyRing(const std::string& auth_file);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_KEY_RING_H_
