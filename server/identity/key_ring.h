// What the auth file and the key files that it names say, read together.
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
  TokenKeys slurm_public;                        // For the others.
  std::map<std::string, TokenKeys> issuer_keys;  // By TokenIssuer::url.
  // Of the files, from before they were read.
  files::FileStamps stamps;
};

// INVALID_ARGUMENT names the file and what is wrong with it: it cannot be read, ParseAuthFile or
// TokenKeys refuses it, or it is a secret key that every user of the host can read.
absl::StatusOr<KeyRing> ReadKeyRing(const std::string& auth_file);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_KEY_RING_H_
