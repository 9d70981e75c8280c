// Who may do what at the replicas, and everybody's proofs.
#ifndef PRIORITYD_TESTS_SOAK_ACCESS_H_
#define PRIORITYD_TESTS_SOAK_ACCESS_H_

#include <string>

#include "client/authorization.h"
#include "tests/temporary_folder.h"

namespace priorityd::soak {

// Users whose roles the auth file gives; `root` administers everywhere, and the others are those of
// the clusters.
inline constexpr char kRoot[] = "root";
inline constexpr char kAdministrator[] = "administrator";
inline constexpr char kDashboard[] = "dashboard";
// With a number behind: collectors of the source of the same name, and frontends.
inline constexpr char kSender[] = "sender-";
inline constexpr char kFrontend[] = "frontend-";
inline constexpr char kFrontendSource[] = "frontend";

inline constexpr char kHostileCollector[] = "hostile-collector";  // Bound to kHostileSource.
inline constexpr char kUnboundCollector[] = "unbound-collector";
inline constexpr char kHostileFrontend[] = "hostile-frontend";  // Bound to kHostileSource.
inline constexpr char kHostileDashboard[] = "hostile-dashboard";
inline constexpr char kHostileSource[] = "hostile-source";

// A file of --auth_file that takes Slurm's tokens of a key of its own.
class Access {
 public:
  Access();

  std::string auth_file() const { return folder_.path() + "/auth.conf"; }

  // The value of `authorization`; holds whatever the clock of a replica shows.
  std::string ProofOf(const std::string& user) const;
  client::Authorize As(const std::string& user) const;

 private:
  const TemporaryFolder folder_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_ACCESS_H_
