// A site's files for a workload without any.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SITE_FILES_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SITE_FILES_H_

#include <string>
#include <vector>

#include "client/examples/batch_frontend/job.h"

namespace priorityd::batch_frontend {

struct SiteOptions {
  std::string cluster = "simulated";
  int nodes = 1;
  int cpus_per_node = 1;
  std::string priority_type = "priority/multifactor";
  std::string half_life = "7-0";  // In the form of slurm.conf.
  int calc_period_minutes = 5;
};

// slurm.conf with Clock=manual: nodes, one partition, and priorities by fair-share; age
// decides between jobs of one user alone.
std::string SlurmConf(const SiteOptions& options);

// A `sacctmgr dump`: the users of the jobs in one account, each with one share.
std::string SacctmgrDump(const std::string& cluster, const std::vector<Job>& jobs);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SITE_FILES_H_
