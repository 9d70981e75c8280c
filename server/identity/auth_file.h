// The file of --auth_file: accepted credentials and the roles of principals.
//
//   # As in slurm.conf
//   AuthType=auth/munge
//   AuthInfo=socket=/run/munge/munge.socket.2
//   AuthAltTypes=auth/jwt
//   AuthAltParameters=jwt_key=/etc/slurm/jwt_hs256.key,jwks=/etc/slurm/jwks.json
//   SlurmUser=slurm
//   SlurmctldParameters=rl_enable,rl_bucket_size=1000
//   # Other issuers of tokens: of users, and of services
//   TokenIssuer=https://login.example.org Audience=priorityd Jwks=/etc/priorityd/login.jwks
//   UserClaim=preferred_username
//   TokenIssuer=https://kubernetes.default.svc Audience=priorityd Jwks=/etc/priorityd/k8s.jwks
//   Name=k8s
//   # Roles in addition to those of the association data
//   Principal=k8s:system:serviceaccount:batch:frontend Role=frontend
//   Principal=tls:collector.example.org Role=collector
//   Principal=user:ann Role=operator
//   # In these clusters only, and under these sources only
//   Principal=user:collectd Role=collector Cluster=orc Source=sacct-orc,sacct-elf
#ifndef PRIORITYD_SERVER_IDENTITY_AUTH_FILE_H_
#define PRIORITYD_SERVER_IDENTITY_AUTH_FILE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/slurm/words/file_violations.h"
#include "server/authorization/role.h"
#include "server/identity/principal.h"
#include "server/identity/rate_limits.h"

namespace priorityd::identity {

// Tokens of one issuer, by OpenID Connect or of Kubernetes.
struct TokenIssuer {
  std::string url;       // As in the claim `iss`.
  std::string audience;  // One of the claim `aud`.
  std::string jwks;      // The file with the issuer's keys.
  std::string kind;      // The kind of its principals.
  std::string claim;     // The claim with the name.
};

struct AuthSettings {
  bool munge = false;
  std::string munge_socket;  // Empty = munged's default.

  // Slurm's own tokens.
  bool slurm_tokens = false;
  std::string jwt_key;             // A file with the key of HS256; empty = none.
  std::string jwks;                // A file with public keys; empty = none.
  std::string user_claim = "sun";  // AuthAltParameters=userclaimfield=

  std::string slurm_user;  // Empty = only uid 0 is administrator everywhere.
  std::vector<TokenIssuer> issuers;
  // By Principal::qualified, one value per line.
  std::map<std::string, std::vector<BoundRoles>> roles;
  // Roles of unauthenticated callers on a Unix socket.
  authorization::RoleSet socket_roles;

  RateLimits rate_limits;
};

// INVALID_ARGUMENT with the violations: an unknown key, an invalid word, a missing part, or a file
// that accepts no proof, such as an empty one. Nothing is skipped: a typing error must not silently
// grant or deny access.
absl::StatusOr<AuthSettings> ParseAuthFile(const slurm::SourceFile& file);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_AUTH_FILE_H_
