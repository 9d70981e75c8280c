// The authenticated identity of a caller.
#ifndef PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_
#define PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/authorization/role.h"

namespace priorityd::identity {

// The kind of principals named as users in the association data.
inline constexpr char kUserKind[] = "user";
// The kind of principals identified by a client certificate.
inline constexpr char kCertificateKind[] = "tls";

// The kind of a caller's credential.
enum class Credential {
  kNone,         // None: permission to open the Unix socket, or a service without authentication.
  kMunge,        // A MUNGE credential.
  kToken,        // A JSON web token, of Slurm or of an issuer.
  kCertificate,  // A client certificate.
};

// Roles restricted to some clusters or some sources.
struct BoundRoles {
  authorization::RoleSet roles;
  std::vector<std::string> clusters;  // Empty = in every cluster.
  // The sources under which these roles may record usage and upsert jobs; empty = any.
  std::vector<std::string> sources;
};

// An authenticated caller. Names have no control characters and at most kMaxNameBytes bytes.
struct Principal {
  // The kind of the name: kUserKind, kCertificateKind, or the Name of a TokenIssuer.
  std::string kind;
  std::string name;
  // A short description of the proof: `MUNGE, uid 1000`.
  std::string proof;
  // Roles in every cluster and under every source.
  authorization::RoleSet roles;
  // The kind of the proof.
  Credential credential = Credential::kNone;
  // Authenticated by MUNGE or a Slurm token; and as uid 0.
  bool by_slurm = false;
  bool is_root = false;
  // The expiry of the proof; a MUNGE credential stays valid for the whole call.
  absl::Time expires = absl::InfiniteFuture();
  // Restricted roles.
  std::vector<BoundRoles> bound = {};

  bool is_user() const { return kind == kUserKind; }
  // In the form of the auth file: `tls:collector.example.org`.
  std::string qualified() const { return absl::StrCat(kind, ":", name); }
};

inline constexpr size_t kMaxNameBytes = 256;

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_
