// The clusters of the soak, all of one shape.
#ifndef PRIORITYD_TESTS_SOAK_SITE_H_
#define PRIORITYD_TESTS_SOAK_SITE_H_

#include <string>

#include "priority/v1/admin_service.pb.h"
#include "priority/v1/queue.pb.h"

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

// The cluster of the hostile principals, whose association data gives them their roles; all are of
// one account, with somebody else.
inline constexpr char kHostileCluster[] = "hostile";
inline constexpr char kHostileAccount[] = "h";
inline constexpr char kHostileUser[] = "mallory";
inline constexpr char kHostileCoordinator[] = "trudy";
inline constexpr char kHostileOperator[] = "oscar";
inline constexpr char kVictim[] = "victim";
inline constexpr char kGuest[] = "guest";

::priority::v1::ImportRequest HostileSite();

// Those that the hostile cluster has of its victim.
inline constexpr char kVictimsRunningJob[] = "victim-runs";
inline constexpr char kVictimsPendingJob[] = "victim-waits";
::priority::v1::UpdateJobsRequest VictimsJobs();

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_SITE_H_
