// The clusters of the soak, all of one shape.
#ifndef PRIORITYD_TESTS_SOAK_SITE_H_
#define PRIORITYD_TESTS_SOAK_SITE_H_

#include <string>

#include "priority/v1/admin_service.pb.h"

namespace priorityd::soak {

inline constexpr int kAccounts = 3;
inline constexpr int kUsersPerAccount = 4;
inline constexpr int kUsers = kAccounts * kUsersPerAccount;

// `c017`.
std::string ClusterName(int cluster);
// Of user 0 to kUsers - 1.
std::string UserName(int user);
std::string AccountName(int user);

// A slurm.conf whose numbers differ by `version`: a period of one minute. Usage decays in
// every third cluster.
std::string PolicyText(int cluster, int version);
bool Decays(int cluster);

// The cluster with its users and the policy of version 0.
::priority::v1::ImportRequest SiteOf(int cluster);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_SITE_H_
