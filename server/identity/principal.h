// Who is calling.
#ifndef PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_
#define PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/authorization/role.h"

namespace priorityd::identity {

// The kind of those whose name is that of a user in the association data.
inline constexpr char kUserKind[] = "user";
// The kind of those who are known by a client certificate.
inline constexpr char kCertificateKind[] = "tls";

// What a caller showed.
enum class Credential {
  kNone,         // Nothing: who may open the Unix socket, or a service that asks nobody.
  kMunge,        // A MUNGE credential.
  kToken,        // A JSON web token, of Slurm or of an issuer.
  kCertificate,  // A client certificate.
};

// Roles that hold in some clusters only, or under some sources only.
struct BoundRoles {
  authorization::RoleSet roles;
  std::vector<std::string> clusters;  // Empty = in every cluster.
  // Under which usage is recorded, and jobs are upserted, by these roles; empty = under any.
  std::vector<std::string> sources;
};

// A caller whose name is proved. A name has neither control characters nor more than
// kMaxNameBytes bytes.
struct Principal {
  // What the name is of: kUserKind, kCertificateKind, or the Name of a TokenIssuer.
  std::string kind;
  std::string name;
  // How the name was proved, in a few words: `MUNGE, uid 1000`.
  std::string proof;
  // Those that hold in every cluster and under every source.
  authorization::RoleSet roles;
  // Of which kind the proof is.
  Credential credential = Credential::kNone;
  // MUNGE or a token of Slurm's proved it; and that she is uid 0.
  bool by_slurm = false;
  bool is_root = false;
  // Until when the proof holds; a credential of MUNGE proves who it was for as long as a call goes
  // on.
  absl::Time expires = absl::InfiniteFuture();
  // The others.
  std::vector<BoundRoles> bound = {};

  bool is_user() const { return kind == kUserKind; }
  // As the auth file names it: `tls:collector.example.org`.
  std::string qualified() const { return absl::StrCat(kind, ":", name); }
};

inline constexpr size_t kMaxNameBytes = 256;

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_PRINCIPAL_H_
