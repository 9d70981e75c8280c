#include "client/examples/batch_frontend/site_files.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace priorityd::batch_frontend {

std::string SlurmConf(const SiteOptions& options) {
  const std::string nodes = absl::StrCat("n[1-", options.nodes, "]");
  // One rank of Fair Tree outweighs the whole age factor, up to 1000 users.
  return absl::StrCat(
      "ClusterName=", options.cluster, "\nClock=manual\nTimeZone=UTC\n",
      "PriorityType=", options.priority_type, "\nPriorityDecayHalfLife=", options.half_life,
      "\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=", options.calc_period_minutes,
      "\nPriorityMaxAge=7-0\nPriorityWeightAge=1000\n"
      "PriorityWeightFairshare=1000000\n",
      "NodeName=", nodes, " CPUs=", options.cpus_per_node, "\nPartitionName=batch Nodes=", nodes,
      " Default=YES MaxTime=INFINITE\n");
}

std::string SacctmgrDump(const std::string& cluster, const std::vector<Job>& jobs) {
  std::set<std::string> users;
  for (const Job& job : jobs) users.insert(job.user);
  std::string dump = absl::StrCat("Cluster - '", cluster,
                                  "':Fairshare=1\nParent - 'root'\n"
                                  "Account - 'users':Fairshare=1\nParent - 'users'\n");
  for (const std::string& user : users) {
    absl::StrAppend(&dump, "User - '", user, "':DefaultAccount='users':Fairshare=1\n");
  }
  return dump;
}

}  // namespace priorityd::batch_frontend
